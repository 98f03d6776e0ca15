package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// endless is a chip with memory for any headroom.
func endless(cell cells.Size, overhead unit.Bytes) buffer.Chip {
	return buffer.Chip{Name: "endless", Cell: cell, Overhead: overhead, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 1 << 30}}}
}

// wish is an intent of one port with one lossless group, sized by default: for the worst case.
func wish(chip buffer.Chip, l thresholds.Link) buffer.Intent {
	return buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, MTU: l.LosslessMTU,
			Reserved: unit.Given[unit.Bytes](1248), Alpha: new(thresholds.Alpha(-2))}},
		Ports: []buffer.Port{{Name: "e1", Rate: l.Rate, Cable: l.Cable, Medium: l.Medium, MTU: l.MTU,
			Delay: l.Delay, Extra: l.Extra, Response: l.Response}}}
}

func layoutOf(t *testing.T, in buffer.Intent) buffer.Layout {
	t.Helper()
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, p.Err())
	return p.Layout()
}

func verify(t *testing.T, in buffer.Intent, l buffer.Layout, o sim.VerifyOptions) *report.Verification {
	t.Helper()
	v, err := sim.Verify(t.Context(), in, l, o)
	require.NoError(t, err)
	return v
}

// agrees makes sure that the headroom of the default method is what arrives in the simulation of the worst case, to the
// cell: with one cell less a frame is lost.
func agrees(t *testing.T, chip buffer.Chip, l thresholds.Link) {
	t.Helper()
	in := wish(chip, l)
	layout := layoutOf(t, in)
	v := verify(t, in, layout, sim.VerifyOptions{})
	require.Len(t, v.Groups, 1)
	g := v.Groups[0]
	what := fmt.Sprintf("%v over %v, mtu %v, lossless %v, cell %d+%d, %+v", l.Rate, l.Cable, l.MTU, l.LosslessMTU,
		chip.Cell, chip.Overhead, g)
	require.True(t, v.Lossless, what)
	require.Zero(t, v.Drops)
	require.Equal(t, g.Granted, g.Peak, what)
	require.Equal(t, g.Peak, g.FirstDropBelow)
	require.GreaterOrEqual(t, g.MarginMetres, int64(0))
	less := verify(t, in, granted(layout, g.Granted-1), sim.VerifyOptions{})
	require.Positive(t, less.Drops, what)
	require.Equal(t, g.Granted, less.Groups[0].FirstDropBelow, what)
}

var rates = []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps,
	200 * unit.Gbps, 400 * unit.Gbps, 800 * unit.Gbps}

func TestStandardAndSimulationAgree(t *testing.T) {
	chips := []buffer.Chip{endless(208, 64), endless(254, 48), endless(256, 64), endless(96, 0), endless(192, 0)}
	for i, rate := range rates {
		for j, cable := range []unit.Length{0, unit.Metre, 300 * unit.Metre, 2 * unit.Kilometre, 10 * unit.Kilometre} {
			for k, mtu := range []unit.Bytes{1500, 9216} {
				if cable > unit.Kilometre && (k != i%2 || testing.Short()) {
					continue // long runs: one of the two
				}
				agrees(t, chips[(i+j+k)%len(chips)], thresholds.Link{Rate: rate, Cable: cable, MTU: mtu,
					LosslessMTU: mtu})
			}
		}
	}
}

func TestStandardAndSimulationAgreeAnywhere(t *testing.T) {
	first, end := effort.Seeds(200)
	r := rand.New(rand.NewPCG(1, 2+first))
	for range end - first {
		l := thresholds.Link{Rate: rates[r.IntN(len(rates))], Cable: unit.Length(r.Int64N(int64(400 * unit.Metre))),
			Medium: thresholds.Medium(r.IntN(4)), MTU: 1500 + unit.Bytes(r.IntN(8000))}
		l.LosslessMTU = 64 + unit.Bytes(r.Int64N(int64(l.MTU-63)))
		if r.IntN(4) == 0 {
			l.Extra = unit.Time(r.Int64N(int64(unit.Microsecond)))
		}
		agrees(t, endless(cells.Size(80+r.IntN(400)), unit.Bytes(r.IntN(64))), l)
	}
}

// The result of Verification is exact: with that many cells nothing is lost; with one cell less a frame is lost.
func TestFirstDropBelow(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	in := wish(endless(208, 64), l)
	layout := layoutOf(t, in)
	need := verify(t, in, layout, sim.VerifyOptions{}).Groups[0].FirstDropBelow
	for _, c := range []struct {
		less     cells.Count
		lossless bool
	}{{0, true}, {1, false}, {100, false}, {need, false}} {
		v := verify(t, in, granted(layout, need-c.less), sim.VerifyOptions{})
		require.Equal(t, c.lossless, v.Lossless, "%d of %d cells", need-c.less, need)
		require.Equal(t, need, v.Groups[0].FirstDropBelow, "it does not depend on what is granted")
		require.Equal(t, -c.less, v.Groups[0].Margin)
		require.LessOrEqual(t, v.Groups[0].Peak, need-c.less)
		require.Greater(t, v.Groups[0].Peak, need-c.less-2, "less than a frame is free")
		if c.less < need { // without any headroom no frame is stored
			require.Equal(t, (c.less+1)/2, cells.Count(v.Drops), "most frames are 145 bytes in two cells, and the last are lost")
		}
	}
}

// granted gives every group another headroom, and makes room for it.
func granted(l buffer.Layout, n cells.Count) buffer.Layout {
	out := append(buffer.Layout{}, l...)
	for i := range out {
		switch out[i].Kind {
		case buffer.GroupHeadroom:
			out[i].Value = int64(n)
		case buffer.PoolShared:
			out[i].Value = 1 << 20
		}
	}
	return buffer.NewLayout(out)
}

func TestCableTermIsNeeded(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	in := wish(endless(208, 64), l)
	short := l
	short.Cable = 0
	v := verify(t, in, layoutOf(t, wish(in.Chip, short)), sim.VerifyOptions{})
	require.False(t, v.Lossless)
	require.Positive(t, v.Drops)
	require.EqualValues(t, -300, v.Groups[0].MarginMetres)
}

func TestHeadroomOf300MetresOver10Kilometres(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	in := wish(endless(208, 64), l)
	layout := layoutOf(t, in)
	require.True(t, verify(t, in, layout, sim.VerifyOptions{}).Lossless)
	in.Ports[0].Cable = 10 * unit.Kilometre
	v := verify(t, in, layout, sim.VerifyOptions{})
	require.False(t, v.Lossless)
	require.EqualValues(t, -9700, v.Groups[0].MarginMetres)
}

// A cable that is longer by the margin loses nothing. If the margin is below 0,
// a cable that is shorter by it is enough.
func TestMarginInMetresIsSafe(t *testing.T) {
	first, end := effort.Seeds(40)
	r := rand.New(rand.NewPCG(3, 4+first))
	for range end - first {
		l := thresholds.Link{Rate: rates[r.IntN(len(rates))], Cable: unit.Length(r.Int64N(int64(400 * unit.Metre))),
			Medium: thresholds.Medium(r.IntN(4)), MTU: 9216, LosslessMTU: 4096}
		in := wish(endless(208, 64), l)
		layout := layoutOf(t, in)
		need := verify(t, in, layout, sim.VerifyOptions{}).Groups[0].FirstDropBelow
		layout = granted(layout, need+cells.Count(r.Int64N(int64(need)))-need/2)
		g := verify(t, in, layout, sim.VerifyOptions{}).Groups[0]
		other := in.Ports[0].Cable + unit.Length(g.MarginMetres)*unit.Metre
		if other < 0 {
			continue // no cable is short enough
		}
		in.Ports[0].Cable = other
		require.True(t, verify(t, in, layout, sim.VerifyOptions{}).Lossless, "%v %v: %+v", l.Rate, l.Cable, g)
		in.Ports[0].Cable += 2*unit.Metre + unit.Length(int64(unit.Metre)*64*8*2*200/int64(l.Rate/unit.Mbps))
		require.False(t, verify(t, in, layout, sim.VerifyOptions{}).Lossless, "%v %v: %+v", l.Rate, l.Cable, g)
	}
}
