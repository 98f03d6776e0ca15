package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// What is asked for is shown beside what the chip holds, and the chip's own rounding is charged and written.
func TestAskedAndGranted(t *testing.T) {
	in := dedicated(1, 300*unit.Metre)
	in.Chip.Rounding = buffer.Rounding{ResumeOffset: 8, HeadroomMantissa: 4, Mantissa: 5, Marking: 1024}
	in.Classes[0].Reserved, in.Classes[0].XONOffset = unit.Given[unit.Bytes](1249), unit.Given[unit.Bytes](2288)
	in.Classes[1].Alpha, in.Classes[1].StaticLimit = nil, 4*208*1001
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	static, g := p.Groups[0], p.Groups[2]
	require.EqualValues(t, 1792, g.Headroom, "1670 is 13 x 128 and 6: 14 x 128 is the next of four bits")
	require.Equal(t, []buffer.Granted{{Name: "reserved", Asked: 1249, Granted: 7 * 208},
		{Name: "headroom", Asked: 1670 * 208, Granted: 1792 * 208},
		{Name: "xon offset", Asked: 2288, Granted: 16 * 208}}, g.Granted())
	require.Equal(t, []buffer.Granted{{Name: "static limit", Asked: 1001 * 208, Granted: 992 * 208}}, static.Granted())
	require.Equal(t, []buffer.Marking{{Class: "rdma", KMinAsked: 250000, KMinGranted: 1201 * 208, KMaxAsked: 1048576,
		KMaxGranted: 5041 * 208}}, p.Marking)
	at := func(k buffer.Kind, i int) int64 {
		return p.Layout().Value(buffer.Register{Kind: k, Port: "Ethernet1/1", Index: i})
	}
	require.EqualValues(t, []int64{1792, 16, 992}, []int64{at(buffer.GroupHeadroom, 3), at(buffer.GroupXONOffset, 3),
		at(buffer.GroupStatic, 0)})
	require.EqualValues(t, 2*1792, p.Slices[0].Headroom)
	require.Contains(t, p.Warnings, "class rdma: a headroom of 1670 cells becomes 1792: tomahawk holds 4 bits of it")
	require.Contains(t, p.Warnings,
		"class rdma: an XON offset of 11 cells becomes 16: tomahawk holds multiples of 8; that it rounds up is inferred")
	requireSums(t, p)

	in.Chip.Rounding = buffer.Rounding{}
	in.Classes[0].ECN = ecn.Thresholds{}
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Empty(t, p.Marking)
	require.Equal(t, cells.Count(1670), p.Groups[2].Headroom)
	require.Len(t, p.Groups[2].Granted(), 1, "the reserved bytes are no whole cells")
}
