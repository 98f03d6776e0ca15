package behaviour_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
)

// A no-drop class of a Nexus 9000: 490 cells of 208 bytes, pause at 225, resume
// at 165.
func ExampleNoDropBuffer() {
	g, err := behaviour.NoDropBuffer{BufferSize: 101920, PauseThreshold: 46800, ResumeThreshold: 34320}.Group(208)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mmu.New(mmu.Config{Cell: 208, Pools: make([]mmu.Pool, 1), Groups: []mmu.Group{g}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := mmu.Packet{Bytes: 64}
	for n, v := 1, m.Arrive(p); ; n, v = n+1, m.Arrive(p) {
		if v.XOFF {
			fmt.Println("XOFF at cell", n)
		}
		if v.Drop != mmu.CauseNone {
			fmt.Println("dropped at cell", n, "-", v.Drop)
			break
		}
	}
	for !m.Leave(p).XON {
	}
	fmt.Println("XON at", m.GroupState(0, 0).Held.Total(), "cells")
	// Output:
	// XOFF at cell 226
	// dropped at cell 491 - headroom full
	// XON at 165 cells
}

// pausesAt fills one group and returns the cells that it holds before XOFF, at
// the drop, and at XON.
func pausesAt(t *testing.T, cell cells.Size, g mmu.Group, rule mmu.Rule) (pause, full, resume cells.Count) {
	m, err := mmu.New(mmu.Config{Cell: cell, Rule: rule, Pools: []mmu.Pool{{Shared: 1 << 30}}, Groups: []mmu.Group{g}})
	require.NoError(t, err)
	p := mmu.Packet{Bytes: 1}
	for v := m.Arrive(p); v.Drop == mmu.CauseNone; v = m.Arrive(p) {
		if v.XOFF {
			pause = m.GroupState(0, 0).Held.Total() - 1
		}
	}
	full = m.GroupState(0, 0).Held.Total()
	for !m.Leave(p).XON {
	}
	require.NoError(t, m.Check())
	return pause, full, m.GroupState(0, 0).Held.Total()
}

// The MMU pauses, drops and resumes at the thresholds that Silicon One's
// hardware stores, which differ from the thresholds of the configuration.
func TestSiliconOneGroup(t *testing.T) {
	profile := behaviour.SiliconOneProfile{Pool: 67108864, PoolXOFF: 1 << 20, XOFF: 443000, XON: 3 << 20,
		XONOffset: 200000}
	for _, f := range []behaviour.SiliconOne{behaviour.SiliconOneGB, behaviour.SiliconOneGR, behaviour.SiliconOneGR2,
		behaviour.SiliconOneP200} {
		want, err := f.Thresholds(profile)
		require.NoError(t, err)
		g, err := behaviour.SiliconOneGroup(f, profile)
		require.NoError(t, err)
		pause, full, resume := pausesAt(t, f.Cell(), g, mmu.Rule{})
		require.Equal(t, f.Cell().Within(want.Pause), pause, "%v", f)
		require.Equal(t, f.Cell().Within(want.Drop), full, "%v", f)
		require.Equal(t, f.Cell().Within(want.Resume), resume, "%v", f)
	}
	_, err := behaviour.SiliconOneGroup(behaviour.SiliconOneGB, behaviour.SiliconOneProfile{Pool: -1})
	require.Error(t, err)
}

func TestNoDropBufferComplains(t *testing.T) {
	_, err := behaviour.NoDropBuffer{BufferSize: 10, PauseThreshold: 20, ResumeThreshold: 5}.Group(208)
	require.EqualError(t, err,
		"resume-threshold 5B, pause-threshold 20B, buffer-size 10B: none may be above the next, or below 0")
	_, err = behaviour.NoDropBuffer{}.Group(0)
	require.Error(t, err)
}

// Every family names its sources and lists what is inferred.
func TestBehaviours(t *testing.T) {
	for _, b := range behaviour.Families() {
		require.NotEmpty(t, b.Source, b.Name)
		require.NotEmpty(t, b.Inferred, b.Name)
		again, ok := behaviour.Lookup(b.Name)
		require.True(t, ok)
		require.Equal(t, b, again)
	}
	_, ok := behaviour.Lookup("shallow")
	require.False(t, ok)
}
