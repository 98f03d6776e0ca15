package behaviour_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// A lossless group of Spectrum waits in its port's headroom once the shared buffer refuses it, and pauses when enough
// waits there. What leaves the shared buffer makes room for what waits.
func ExampleSpectrumBuffer() {
	g, err := behaviour.SpectrumBuffer{Size: 10 * 96, XOFF: 4 * 96, XON: 2 * 96}.Group(96, thresholds.Static(5))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mmu.New(mmu.Config{Cell: 96, Pools: []mmu.Pool{{Shared: 100}}, Groups: []mmu.Group{g}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := mmu.Packet{Bytes: 64}
	for n := 1; ; n++ {
		v := m.Arrive(p)
		if v.XOFF {
			fmt.Printf("XOFF at packet %d: %+v\n", n, m.GroupState(0, 0).Held)
		}
		if v.Drop != mmu.CauseNone {
			fmt.Printf("packet %d dropped: %v\n", n, v.Drop)
			break
		}
	}
	left := 1
	for !m.Leave(p).XON {
		left++
	}
	fmt.Printf("XON after %d left: %+v\n", left, m.GroupState(0, 0).Held)
	// Output:
	// XOFF at packet 10: {Reserved:0 Port:0 Shared:5 Headroom:5 Global:0}
	// packet 16 dropped: headroom full
	// XON after 9 left: {Reserved:0 Port:0 Shared:5 Headroom:1 Global:0}
}

// staged is a pool of 20 cells that two lossless groups of Spectrum share.
func staged(t *testing.T) *mmu.MMU {
	g, err := behaviour.SpectrumBuffer{Size: 960, XOFF: 192, XON: 96}.Group(96, thresholds.Unlimited())
	require.NoError(t, err)
	m, err := mmu.New(mmu.Config{Cell: 96, Pools: []mmu.Pool{{Shared: 20}}, Groups: []mmu.Group{g, g}})
	require.NoError(t, err)
	return m
}

// Waiting packets of a group enter the shared buffer when packets of another group leave. The group can then send XON
// although none of its own packets has left.
func TestStageMovesOnWhenOthersLeave(t *testing.T) {
	m := staged(t)
	for range 20 {
		require.Equal(t, mmu.Held{Shared: 1}, m.Arrive(mmu.Packet{Bytes: 96}).Held)
	}
	for i := range 3 {
		v := m.Arrive(mmu.Packet{Group: 1, Bytes: 96})
		require.Equal(t, mmu.Held{Headroom: 1}, v.Held)
		require.Equal(t, mmu.CausePool, v.Refused)
		require.Equal(t, i == 2, v.XOFF, "above two cells, not before")
	}
	for i := range 3 {
		require.False(t, m.Leave(mmu.Packet{Bytes: 96}).XON)
		require.Equal(t, mmu.Held{Shared: cells.Count(i + 1), Headroom: cells.Count(2 - i)}, m.GroupState(0, 1).Held)
		group, ok := m.Resume(0)
		require.Equal(t, i == 2, ok, "below one cell, not before")
		require.Equal(t, i/2, group)
	}
	require.NoError(t, m.Check())
}

// When the quota is raised, waiting cells enter the shared buffer. A two-stage
// group in use cannot become another kind of group.
func TestStageSetGroup(t *testing.T) {
	m := staged(t)
	g, err := behaviour.SpectrumBuffer{Size: 960, XOFF: 192, XON: 96}.Group(96, thresholds.Static(1))
	require.NoError(t, err)
	require.NoError(t, m.SetGroup(0, g))
	require.Equal(t, mmu.Held{Shared: 1}, m.Arrive(mmu.Packet{Bytes: 96}).Held)
	require.Equal(t, mmu.Held{Headroom: 2}, m.Arrive(mmu.Packet{Bytes: 192}).Held)
	g.Stage = mmu.Stage{}
	require.ErrorIs(t, m.SetGroup(0, g), mmu.ErrInUse)
	g.Stage, g.Limit = mmu.Stage{XOFF: 3, XON: 4}, thresholds.Static(3)
	require.NoError(t, m.SetGroup(0, g))
	require.Equal(t, mmu.Held{Shared: 3}, m.GroupState(0, 0).Held)
	require.NoError(t, m.Check())
}

func TestSpectrumBufferComplains(t *testing.T) {
	quota := thresholds.Unlimited()
	for want, b := range map[string]behaviour.SpectrumBuffer{
		"stage.xoff: 10 cells (want 0 to less than the headroom of 10)": {Size: 960, XOFF: 960, XON: 96},
		"stage.xon: 4 cells (want 1 to 3)":                              {Size: 960, XOFF: 192, XON: 384},
		"xon 95B: less than a cell of 96 bytes never resumes":           {Size: 960, XOFF: 192, XON: 95},
		"size -1B, xoff 0B, xon 0B: none may be below 0":                {Size: -1},
	} {
		_, err := b.Group(96, quota)
		require.EqualError(t, err, want)
	}
	_, err := behaviour.SpectrumBuffer{}.Group(0, quota)
	require.Error(t, err)
	g, err := behaviour.SpectrumBuffer{Size: 3072}.Group(96, quota)
	require.NoError(t, err)
	require.Equal(t, mmu.Group{Limit: quota}, g, "lossy")
	_, err = mmu.New(mmu.Config{Cell: 96, Pools: make([]mmu.Pool, 1),
		Groups: []mmu.Group{{Lossless: true, Headroom: 3, GlobalHeadroom: true, Stage: mmu.Stage{XOFF: 1, XON: 1}}}})
	require.EqualError(t, err, "groups[0].stage: with global headroom (want one of both)")
}
