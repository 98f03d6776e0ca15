package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

var hundred = thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}

// The frame that causes the pause is in the headroom: also on a chip that pauses with the frame that fills the shared
// part, because other groups can fill that part before. So all agree with the standard's sum, rounded up to frames.
func TestFrameThatPauses(t *testing.T) {
	in := wish(endless(208, 64), hundred)
	layout := layoutOf(t, in)
	need := verify(t, in, layout, sim.VerifyOptions{}).Groups[0]
	require.Equal(t, need.Granted, need.FirstDropBelow)
	for _, b := range behaviour.Families() {
		got := verify(t, in, layout, sim.VerifyOptions{Behaviour: b}).Groups[0].FirstDropBelow
		require.Equal(t, need.FirstDropBelow, got, b.Name)
	}
}

// If the sum of the delays is a whole number of frames, the last frame would end at the last moment, which no sender
// reaches. With the frame that causes the pause, as many frames arrive as the sum contains, and no more.
func TestWholeNumberOfFrames(t *testing.T) {
	chip := endless(208, 64)
	found := 0
	for l := hundred; l.LosslessMTU < 4224; l.LosslessMTU++ {
		d, err := thresholds.IEEE{}.LinkDelays(l)
		require.NoError(t, err)
		if d.Total()%(64*8) != 0 {
			continue
		}
		found++
		for _, add := range []unit.Bytes{-1, 0, 1} {
			l.LosslessMTU += add
			in := wish(chip, l)
			v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
			require.True(t, v.Lossless)
			require.Equal(t, v.Groups[0].Granted, v.Groups[0].Peak)
			l.LosslessMTU -= add
		}
	}
	require.Equal(t, 2, found)
}

// The headroom that is needed does not depend on the limit of the shared part.
func TestAnySharedLimitNeedsTheSame(t *testing.T) {
	in := wish(endless(208, 64), hundred)
	want := verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Groups[0].FirstDropBelow
	for alpha := thresholds.Alpha(-7); alpha <= 3; alpha++ {
		in.Classes[0].Alpha = &alpha
		require.Equal(t, want, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Groups[0].FirstDropBelow, alpha)
	}
	in.Classes[0].Alpha = nil
	for _, limit := range []unit.Bytes{208, 20800, 2080000} {
		in.Classes[0].StaticLimit, in.Classes[0].XONOffset = limit, unit.Given[unit.Bytes](208)
		require.Equal(t, want, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Groups[0].FirstDropBelow, limit)
	}
	in.Classes[0].StaticLimit, in.Ports[0].Reserved = 0, 5000
	require.Equal(t, want, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Groups[0].FirstDropBelow,
		"a port's own minimum")
}

func TestVerifyFrame(t *testing.T) {
	in := wish(endless(208, 64), hundred)
	layout := layoutOf(t, in)
	long := verify(t, in, layout, sim.VerifyOptions{Frame: 1024}).Groups[0]
	require.EqualValues(t, 1185, long.Frame, "the densest of 1024B and more: one byte more than six cells hold")
	in.Sizing = thresholds.IEEE{Mix: thresholds.FramesFrom(1024)}
	sized := layoutOf(t, in)
	v := verify(t, in, sized, sim.VerifyOptions{Frame: 1024})
	require.Equal(t, report.LosslessIf, v.Verdict)
	require.Equal(t, []string{"frames of the lossless classes have 1024B or more"}, v.Conditions)
	require.False(t, v.Lossless)
	require.Equal(t, v.Groups[0].Granted, v.Groups[0].Peak)
	v = verify(t, in, sized, sim.VerifyOptions{})
	require.Equal(t, report.LosslessFrames, v.Verdict, "sized for long frames, and short ones come")
	frames := v.Sufficient.Frames
	require.Equal(t, report.LosslessIf, verify(t, in, sized, sim.VerifyOptions{Frame: frames}).Verdict)
	require.Equal(t, report.LosslessFrames, verify(t, in, sized, sim.VerifyOptions{Frame: frames - 1}).Verdict,
		"one byte less is too short")
	in.Sizing = thresholds.IEEE{}
	in.Classes[0].MTU = 128
	_, err := sim.Verify(t.Context(), in, layoutOf(t, in), sim.VerifyOptions{Frame: 1024})
	require.ErrorContains(t, err, "frame: 1024B: want 64B to 128B, the longest frame of a lossless class")
	in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{4}, Lossless: true, MTU: 4096})
	in.Classes[0].Reserved, in.Classes[1].Reserved = unit.Given[unit.Bytes](0), unit.Given[unit.Bytes](0)
	require.EqualValues(t, 128, verify(t, in, layoutOf(t, in), sim.VerifyOptions{Frame: 1024}).Groups[0].Frame,
		"the class has no longer ones, another has")
	_, err = sim.Verify(t.Context(), in, layout, sim.VerifyOptions{Frame: 63})
	require.ErrorContains(t, err, "frame: 63B: want 64B to 16384B")
}

// A plan with the defaults loses nothing, for any cell size of the catalogue. A
// plan that is sized for frames of 64 bytes alone loses frames: longer ones bring more.
func TestDefaultFrameIsTheWorst(t *testing.T) {
	for _, c := range []struct {
		chip  buffer.Chip
		frame unit.Bytes
	}{{endless(96, 0), 97}, {endless(144, 16), 129}, {endless(208, 64), 145}, {endless(254, 40), 64},
		{endless(144, 40), 105}} {
		in := wish(c.chip, hundred)
		v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
		require.True(t, v.Lossless, c.chip.Cell)
		require.Equal(t, c.frame, v.Groups[0].Frame)
		in.Sizing = thresholds.IEEE{Mix: thresholds.Frames(64)}
		require.False(t, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Lossless, c.chip.Cell)
	}
}

// pooled is four ports of a Tomahawk with two lossless groups each and a pool for a part of their headroom.
func pooled(t *testing.T, ratio int) buffer.Intent {
	t.Helper()
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	in := wish(chip, hundred)
	in.Pool.SharedHeadroomRatio = ratio
	in.Classes[0].Priorities = []int{3, 4}
	for _, name := range []string{"e2", "e3", "e4"} {
		p := in.Ports[0]
		p.Name = name
		in.Ports = append(in.Ports, p)
	}
	for i := range in.Ports {
		in.Ports[i].Pipe = new(i)
	}
	return in
}

// With the pipes that a plan assumes a pool may hold all groups of its slice, and with others not.
func TestLosslessIfThePipesAreAsAssumed(t *testing.T) {
	in := pooled(t, 1)
	in.Pool.Size = 8 * unit.MiB // the rest is unused, so that all ports have room on one pipe
	for i := range in.Ports {
		in.Ports[i].Pipe = nil
	}
	layout := layoutOf(t, in)
	v := verify(t, in, layout, sim.VerifyOptions{})
	require.Equal(t, report.LosslessIf, v.Verdict)
	require.Equal(t, []string{"the ports are on the pipes that the plan assumes"}, v.Conditions)
	for i := range in.Ports {
		in.Ports[i].Pipe = new(0)
	}
	require.Equal(t, report.NotLossless, verify(t, in, layout, sim.VerifyOptions{}).Verdict)
	in = pooled(t, 1)
	in.Ports = in.Ports[:1]
	in.Ports[0].Pipe = nil
	require.Equal(t, report.Lossless, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Verdict, "whatever its pipe")
}

func TestTogether(t *testing.T) {
	in := pooled(t, 1)
	v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	require.True(t, v.Lossless)
	require.Len(t, v.Groups, 8)
	require.Len(t, v.Pools, 4)
	for _, p := range v.Pools {
		require.Equal(t, 4, p.Groups, "two of the four pipes feed each slice")
		require.Equal(t, p.Granted, p.Peak)
		require.Equal(t, p.Peak, 4*v.Groups[0].Peak)
	}

	in = pooled(t, 2)
	layout := layoutOf(t, in)
	v = verify(t, in, layout, sim.VerifyOptions{Alone: true})
	require.Equal(t, report.LosslessIf, v.Verdict)
	require.False(t, v.Lossless, "a proof for one group at a time is none for all")
	require.Equal(t, []string{"one group at a time uses the headroom pool"}, v.Conditions)
	require.Empty(t, v.Pools)
	v = verify(t, in, layout, sim.VerifyOptions{})
	require.Equal(t, report.NotLossless, v.Verdict)
	for _, p := range v.Pools {
		require.Equal(t, 2, p.AtOnce, "half of the four groups")
		require.Equal(t, 4*v.Groups[0].Peak, p.FirstDropBelow)
		require.Equal(t, p.Granted-p.FirstDropBelow, p.Margin)
		require.Negative(t, p.Margin)
		require.InDelta(t, int64(-p.Margin), 2*p.Drops, 40, "nearly all frames are 145 bytes in two cells")
	}
}

// Groups with less headroom than the worst case bring no more than they have: a pool that holds that refuses no
// frame, and all of them fit at once. The frames that the groups refuse are lost before they come to the pool.
func TestPoolOfGroupsThatAreTooSmall(t *testing.T) {
	in := pooled(t, 1)
	in.Sizing = thresholds.IEEE{Mix: thresholds.Frames(1024)}
	layout := layoutOf(t, in)
	v := verify(t, in, layout, sim.VerifyOptions{})
	require.Positive(t, v.Groups[0].Drops)
	for _, p := range v.Pools {
		require.Zero(t, p.Drops)
		require.Equal(t, p.Groups, p.AtOnce)
		require.Equal(t, p.Peak, p.FirstDropBelow)
		require.GreaterOrEqual(t, p.Margin, cells.Count(0))
	}
	for i := range layout { // a cell less than all of them bring
		if layout[i].Kind == buffer.PoolHeadroom {
			layout[i].Value = int64(v.Pools[layout[i].Index].Peak) - 1
		}
	}
	for i, p := range verify(t, in, layout, sim.VerifyOptions{}).Pools {
		require.Positive(t, p.Drops)
		require.Equal(t, v.Pools[i].Peak, p.FirstDropBelow)
		require.Equal(t, p.Groups-1, p.AtOnce)
	}
}

// Ports that are alike have the same result in every slice, and the document is the same every time.
func TestVerifyIsDeterministic(t *testing.T) {
	in := pooled(t, 2)
	layout := layoutOf(t, in)
	first, err := json.Marshal(verify(t, in, layout, sim.VerifyOptions{}))
	require.NoError(t, err)
	for range 5 {
		again, err := json.Marshal(verify(t, in, layout, sim.VerifyOptions{}))
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
	for _, g := range verify(t, in, layout, sim.VerifyOptions{}).Groups {
		require.EqualValues(t, 1248, g.Peak)
	}
}

func TestWhatIsNotVerified(t *testing.T) {
	in := pooled(t, 2)
	layout := layoutOf(t, in).Only(func(r buffer.Register) bool {
		return r.Port != "e3" && (r.Port != "e2" || r.Kind != buffer.GroupLossless)
	})
	v := verify(t, in, layout, sim.VerifyOptions{Alone: true})
	require.Equal(t, []string{"e2", "e3"}, v.NotVerified)
	require.Equal(t, report.NotLossless, v.Verdict)
	require.Zero(t, v.Drops)
	in.Ports[2].State = buffer.PortAdminDown
	require.Equal(t, []string{"e2"}, verify(t, in, layout, sim.VerifyOptions{}).NotVerified,
		"a port that is down needs nothing")
	in.Classes[0].Lossless = false
	v = verify(t, in, layout, sim.VerifyOptions{})
	require.Equal(t, report.NothingToProve, v.Verdict)
	require.False(t, v.Lossless, "nothing was proved")
	require.Empty(t, v.Groups)
}

// The smallest frame and the largest delay of a verdict are exact: no frame of this size is lost, and some frame that
// is one byte smaller is lost. The same holds for the delays.
func TestSufficient(t *testing.T) {
	first, end := effort.Seeds(40)
	r := rand.New(rand.NewPCG(5, 6+first))
	for range end - first {
		l := thresholds.Link{Rate: rates[r.IntN(len(rates))], Cable: unit.Length(r.Int64N(int64(400 * unit.Metre))),
			Medium: thresholds.Medium(r.IntN(4)), MTU: 9216, LosslessMTU: 4096}
		in := wish(endless(208, 64), l)
		layout := layoutOf(t, in)
		o := sim.VerifyOptions{Behaviour: behaviour.Families()[r.IntN(2)]}
		need := verify(t, in, layout, o).Groups[0].FirstDropBelow
		layout = granted(layout, need/4+cells.Count(r.Int64N(int64(need))))
		g := verify(t, in, layout, o).Groups[0]
		what := fmt.Sprintf("%v %v: %+v", l.Rate, l.Cable, g)
		require.Equal(t, g.Margin >= 0, g.Sufficient.Frames == 64, what)
		for _, frame := range []unit.Bytes{g.Sufficient.Frames, g.Sufficient.Frames - 1} {
			if frame >= 64 {
				o.Frame = frame
				require.Equal(t, frame == g.Sufficient.Frames, verify(t, in, layout, o).Drops == 0, what)
			}
		}
		o.Frame = 0
		within := g.Sufficient.Delays
		require.Equal(t, g.Margin >= 0, within >= g.Assumed, what)
		if within < 0 {
			continue
		}
		delays := func(response unit.Time) thresholds.Sizer {
			return thresholds.IEEE{Delays: thresholds.Delays{EveryInterface: unit.Given(unit.Time(0)),
				EveryResponse: unit.Given(response)}}
		}
		in.Sizing = delays(within)
		require.Zero(t, verify(t, in, layout, o).Drops, what)
		in.Sizing = delays(within + l.Rate.TimeFor(2*64*8))
		require.NotZero(t, verify(t, in, layout, o).Drops, what)
	}
}

// The needs that are computed are those that are simulated, of frames of any size.
func TestSufficientOfAPool(t *testing.T) {
	in := pooled(t, 2)
	layout := layoutOf(t, in)
	v := verify(t, in, layout, sim.VerifyOptions{})
	from := v.Pools[0].Sufficient.Frames
	require.Equal(t, from, v.Sufficient.Frames)
	require.Greater(t, from, unit.Bytes(64))
	require.Zero(t, verify(t, in, layout, sim.VerifyOptions{Frame: from}).Drops)
	require.NotZero(t, verify(t, in, layout, sim.VerifyOptions{Frame: from - 1}).Drops)
	require.Less(t, v.Sufficient.Delays, v.Groups[0].Assumed)
	require.Equal(t, v.Pools[0].Sufficient.Delays, v.Sufficient.Delays)
}

// The context ends a verification between parts of one run, too.
func TestVerifyEndsWithTheContext(t *testing.T) {
	effort.SkipShort(t, "it simulates two cables of 400 km")
	in := pooled(t, 2)
	layout := layoutOf(t, in)
	for i := range in.Ports {
		in.Ports[i].Cable = 400 * unit.Kilometre // many frames
	}
	for _, at := range []int{1, 4001} { // in the first port, in the first slice
		ctx, cancel := context.WithCancel(t.Context())
		last := 0
		_, err := sim.Verify(ctx, in, layout, sim.VerifyOptions{Progress: func(done, whole int) {
			require.Equal(t, 8000, whole)
			require.GreaterOrEqual(t, done, last)
			if last = done; done >= at {
				cancel()
			}
		}})
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, last, at+100, "it does not go on")
		cancel()
	}
}

// A map of DSCPs does not send the worst case's frames elsewhere.
func TestWorstCaseWithDSCPMap(t *testing.T) {
	in := wish(endless(208, 64), hundred)
	want := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	in.DSCP[3] = 1 << 26
	require.Equal(t, want, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}))
}

func TestVerifyRefuses(t *testing.T) {
	in := pooled(t, 2)
	layout := layoutOf(t, in)
	_, err := sim.Verify(t.Context(), in,
		append(buffer.Layout{{Register: buffer.Register{Kind: buffer.PoolShared}, Value: 1 << 40}}, layout[1:]...),
		sim.VerifyOptions{})
	require.ErrorIs(t, err, buffer.ErrNoFit)
	in.Ports[1].Rate = 7 * unit.Gbps
	_, err = sim.Verify(t.Context(), in, layout, sim.VerifyOptions{})
	require.ErrorContains(t, err, "port e2: no source gives the pause response time of 7G")
	_, err = sim.Verify(t.Context(), buffer.Intent{}, nil, sim.VerifyOptions{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sim.Verify(ctx, pooled(t, 2), layout, sim.VerifyOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// Delays that the operator has given to the method are those of the worst case.
func TestDelaysOfThePlan(t *testing.T) {
	in := wish(endless(208, 64), hundred)
	in.Ports[0].Rate = 7 * unit.Gbps
	in.Sizing = thresholds.IEEE{Delays: thresholds.Delays{EveryInterface: unit.Given[unit.Time](333),
		EveryResponse: unit.Given(777 * unit.Nanosecond)}}
	v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	require.True(t, v.Lossless)
	require.Equal(t, "an interface delay at each end and the sender's response, as the texts add them up", v.Delays)
	require.Equal(t, v.Groups[0].Granted, v.Groups[0].Peak)
}

// A plan by the texts' sum is too small at 25G for a link whose ends have the
// value of 31B.3.7, and verify says for which frames and delays it holds. At 400G that sum is a margin.
func TestVerifyTakesBothEnds(t *testing.T) {
	l := thresholds.Link{Rate: 25 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	in := wish(endless(208, 64), l)
	in.Sizing = thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts}}
	v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	require.Equal(t, report.LosslessFrames, v.Verdict)
	require.Equal(t, thresholds.SumOfEnds, v.Groups[0].Delays)
	require.Contains(t, v.Delays, "both ends at their value of IEEE 802.3 31B.3.7")
	require.Equal(t, "texts", v.PlanDelays)
	require.Equal(t, 81_920*40*unit.Picosecond, v.Groups[0].Assumed)
	require.GreaterOrEqual(t, v.Sufficient.Delays, 53_248*40*unit.Picosecond, "the delays of the texts")
	require.Less(t, v.Sufficient.Delays, v.Groups[0].Assumed)
	v = verify(t, in, layoutOf(t, in), sim.VerifyOptions{Delays: unit.Given(thresholds.SumOfTexts)})
	require.Equal(t, report.LosslessIf, v.Verdict)
	require.Equal(t, []string{"the delays of both ends are those of texts"}, v.Conditions)

	in.Ports[0].Rate = 400 * unit.Gbps
	require.True(t, verify(t, in, layoutOf(t, in), sim.VerifyOptions{}).Lossless, "the texts' sum is the larger one")
	in.Sizing = thresholds.IEEE{}
	v = verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	require.True(t, v.Lossless)
	require.Zero(t, v.Groups[0].Margin)
	v = verify(t, in, layoutOf(t, in), sim.VerifyOptions{Delays: unit.Given(thresholds.LargerSum)})
	require.Equal(t, report.LosslessFrames, v.Verdict)
}

// FuzzVerify turns numbers into a link and a chip. The headroom of the default method is
// never too small, and not a cell too large.
func FuzzVerify(f *testing.F) {
	f.Add(uint8(4), uint32(300000), uint16(9216), uint16(4096), uint16(208), uint8(64), uint32(0))
	f.Add(uint8(7), uint32(0), uint16(64), uint16(64), uint16(1), uint8(0), uint32(1))
	f.Add(uint8(0), uint32(1), uint16(16384), uint16(16384), uint16(4096), uint8(255), uint32(999999))
	f.Add(uint8(6), uint32(87000), uint16(1500), uint16(1500), uint16(96), uint8(0), uint32(12345))
	f.Fuzz(func(t *testing.T, rate uint8, cable uint32, mtu, lossless, cell uint16, overhead uint8, extra uint32) {
		l := thresholds.Link{Rate: rates[int(rate)%len(rates)], Cable: unit.Length(cable % 500000),
			Medium: thresholds.Medium(rate % 4), Extra: unit.Time(extra % 1000000)}
		if overhead%4 == 1 { // a sender that takes no time, or some picoseconds
			l.Response = unit.Given(unit.Time(overhead / 4 % 3))
		}
		l.MTU = min(max(unit.Bytes(mtu), 64), thresholds.MaxFrameSize)
		l.LosslessMTU = min(max(unit.Bytes(lossless), 64), l.MTU)
		in := wish(endless(cells.Size(cell%4096+1), unit.Bytes(overhead)), l)
		v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
		g := v.Groups[0]
		require.True(t, v.Lossless, "%+v", g)
		require.Equal(t, g.Granted, g.Peak, "%+v", g)
	})
}

// A plan that is lossless with each group alone, and not with all groups of its headroom pool at once:
// 64 ports of 400G over 300 m on a Tomahawk 4 with two lossless priorities, and a pool that holds one group in each
// slice. A group needs 3,341 cells.
func TestLosslessAloneLosesTogether(t *testing.T) {
	effort.SkipShort(t, "it simulates 64 ports of 400G")
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Pool: buffer.Pool{SharedHeadroom: chip.Cell.Bytes(2 * 5832)},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, MTU: 4096,
			Alpha: new(thresholds.Alpha)}}}
	for i := range 64 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet%d", i+1), Rate: 400 * unit.Gbps,
			Cable: 300 * unit.Metre, MTU: 9216, Pipe: new(i % 16)})
	}
	layout := layoutOf(t, in)
	alone := verify(t, in, layout, sim.VerifyOptions{Alone: true})
	require.Equal(t, report.LosslessIf, alone.Verdict)
	require.Equal(t, []string{"one group at a time uses the headroom pool"}, alone.Conditions)
	require.Zero(t, alone.Drops)
	require.EqualValues(t, 3341, alone.Groups[0].FirstDropBelow)
	together := verify(t, in, layout, sim.VerifyOptions{})
	require.Equal(t, report.NotLossless, together.Verdict)
	for _, p := range together.Pools {
		require.Equal(t, 64, p.Groups)
		require.EqualValues(t, 64*3341, p.FirstDropBelow)
		require.Equal(t, 1, p.AtOnce)
	}
}
