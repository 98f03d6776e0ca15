package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// A headroom pool by ratio follows the ports: the slice with the most headroom
// has one cell for every four of it, and there is room for the largest group.
func TestSharedHeadroomByRatio(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	in.Pool.SharedHeadroomRatio = 4
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.Equal(t, "4.00:1", p.Shared.Worst.String())
	require.EqualValues(t, 16*2*1670/4, p.Slices[0].Headroom)
	require.EqualValues(t, 8, p.Shared.AtOnce)
	requireSums(t, p)

	in.Ports = in.Ports[:1]
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.EqualValues(t, 1670, p.Slices[0].Headroom, "at least one group")

	in.Pool.SharedHeadroom = 1
	_, err = buffer.New(in)
	require.ErrorContains(t, err,
		"pool.shared_headroom_ratio: 4: want 0 (no ratio) to 1000, and no shared_headroom beside it")
}

// A pool that is the rest of the memory is cut to what the chip can give one
// pool, and what is beyond it is granted first; a size above that is refused.
func TestLargestPoolOfTheChip(t *testing.T) {
	in := dedicated(4, 300*unit.Metre)
	in.Chip.MaxPool = 19968
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.EqualValues(t, 20165-2*2*(6+1670), p.Slices[0].Shared)
	require.Zero(t, p.Slices[0].Unused, "the headroom has taken what was beyond the largest pool")
	require.NotContains(t, fmt.Sprint(p.Warnings), "stay unused")

	in.Ports = ports(1, 5*unit.Metre)
	in.Ports[0].Rate = 10 * unit.Gbps
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.EqualValues(t, 19968, p.Slices[2].Shared)
	require.EqualValues(t, 20165-19968, p.Slices[2].Unused)
	require.Contains(t, fmt.Sprint(p.Warnings), "tomahawk gives one pool at most 19968 cells of a slice")
	requireSums(t, p)

	in.Pool.Size = 4 * 208 * 20000
	p, err = buffer.New(in)
	require.NoError(t, err)
	r := p.Refusals[0]
	require.Equal(t, buffer.PoolTooLarge, r.Reason)
	require.Equal(t, "the pool is larger than the chip can make one: slice 0 needs 20,000 cells and has 19,968: 32 short",
		r.Detail)
	require.Equal(t,
		[]buffer.Remedy{{Change: "pool.size", To: "16613376B",
			Text: "a smaller pool: at most 16613376B, instead of 16640000B"}}, r.Remedies[len(r.Remedies)-1:])
	in.Pool = buffer.Pool{Size: 4 * 208 * 20000, SizeIncludesHeadroom: true, SharedHeadroom: 4 * 208 * 5000}
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits, "what is shared is no larger")

	in.Chip.MaxHeadroomPool = 4999
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.HeadroomPool, p.Refusals[0].Reason)
	require.Equal(t,
		"the shared headroom pool is larger than the chip can make one: slice 0 needs 5,000 cells and has 4,999: 1 short",
		p.Refusals[0].Detail)
}

// The chip bounds what one port has, whatever the slices have left.
func TestMostHeadroomOfAPort(t *testing.T) {
	in := dedicated(2, 300*unit.Metre)
	in.Chip.MaxPortHeadroom = 2*1670 - 1
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Len(t, p.Refusals, 2)
	r := p.Refusals[0]
	require.Equal(t, buffer.PortTooLarge, r.Reason)
	require.Equal(t,
		"group 4 needs 1,670 cells of the headroom that the chip gives one port and has 1,669: 1 short", r.Detail)
	require.Equal(t, "cable", r.Remedies[0].Change, "fewer ports do not help")
	in.Chip.MaxPortHeadroom++
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
}

func TestSharedFloor(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	in.SharedFloor = 1 * unit.OnePercent
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.False(t, p.Fits)
	for _, s := range p.Slices {
		require.GreaterOrEqual(t, s.Shared, cells.Count(202))
	}
	in.SharedFloor = 0
	in.Pool = buffer.Pool{Size: 1 << 20, SharedHeadroom: 4194112}
	in.SharedFloor = 20 * unit.OnePercent
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.PoolTooLarge, p.Refusals[0].Reason, "a pool under the floor can serve nobody")
}

// A static limit is a part of the pool, and takes the place of alpha.
func TestStaticLimit(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[1].Alpha = nil
	in.Classes[1].StaticLimit = 4*208*1000 + 1
	in.Chip.MinAlpha = 0
	p, err := buffer.New(in)
	require.NoError(t, err)
	g := p.Groups[0]
	require.Equal(t, []any{"best-effort", thresholds.Static(1000)}, []any{g.Class, g.Limit})
	at := func(k buffer.Kind) int64 { return p.Layout().Value(buffer.Register{Kind: k, Port: "Ethernet1/1"}) }
	require.EqualValues(t, 1000, at(buffer.GroupStatic))
	require.EqualValues(t, buffer.Unset, at(buffer.GroupAlpha))
	for _, c := range []struct {
		limit, size unit.Bytes
		alpha       *thresholds.Alpha
		accepted    string
	}{
		{limit: 831, accepted: "832B (a cell in each slice) to 16777280B (the chip's memory), and no alpha beside it"},
		{limit: 16777281, accepted: "832B"},
		{limit: 1 << 20, size: 1<<20 - 1, accepted: "832B (a cell in each slice) to 1048575B (the pool's size)"},
		{limit: 1 << 20, alpha: new(thresholds.Alpha(0)), accepted: "no alpha"},
	} {
		in.Classes[1].StaticLimit, in.Classes[1].Alpha, in.Pool.Size = c.limit, c.alpha, c.size
		_, err = buffer.New(in)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, "classes[1].static_limit")
		require.ErrorContains(t, err, c.accepted)
	}
}

// resume <= pause <= size, as far as a plan knows all of them.
func TestThresholdsOutOfOrder(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[0].StaticLimit = 4 * 208 * 100
	in.Classes[0].XONOffset = unit.Given[unit.Bytes](106 * 208)
	_, err := buffer.New(in)
	require.NoError(t, err, "six reserved cells and a limit of 100")
	in.Classes[0].XONOffset = unit.Given[unit.Bytes](106*208 + 1)
	_, err = buffer.New(in)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err,
		"port Ethernet1/1, class rdma: xon offset of 107 cells: want at most the 106 cells at which the group pauses")

	in = dedicated(1, 5*unit.Metre)
	in.Sizing = method.CiscoPractical{PauseThreshold: unit.Given[unit.Bytes](200000)}
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "buffer-size 104000B is not above the pause-threshold 200000B")
	in.Sizing = upsideDown{thresholds.IEEE{}}
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "pauses at 2000B: want at most the size of 1000B")

	in.Sizing = &table.Table{Name: "t.ini", Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, XOFF: 2080,
		Size: 2080, XON: 4160, Line: 7}}}
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Contains(t, p.Warnings, "the headroom table's row of line 7 resumes at 4160B, above its size of 2080B")
}

// upsideDown pauses above its size.
type upsideDown struct{ thresholds.Sizer }

func (s upsideDown) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	h.XON, h.Size = 2000, 1000
	return h, err
}

func TestAlphaOutsideTheTableByTheHeadroomTable(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[0].Alpha = nil
	in.Sizing = &table.Table{Name: "t.ini", Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, XOFF: 1,
		Alpha: 7}}}
	_, err := buffer.New(in)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err, "dynamic_th 7")
}

// A ratio is read as it is printed, and nothing else is.
func TestRatioIsReadAsPrinted(t *testing.T) {
	for _, r := range []buffer.Ratio{{}, {Of: 41, To: 10}, {Of: 7, To: 3}, {Of: 1 << 40, To: 1}} {
		var read buffer.Ratio
		require.NoError(t, read.UnmarshalText([]byte(r.String())))
		require.Equal(t, r.String(), read.String())
	}
	for _, text := range []string{"", "4", "4:1", "4.1:1", "4.10", "-1.00:1", "04.10:1", "4.10:2", "x.yz:1",
		"99999999999999999999.00:1"} {
		var read buffer.Ratio
		require.ErrorContains(t, read.UnmarshalText([]byte(text)), "want one such as 4.10:1", text)
		require.Zero(t, read)
	}
}
