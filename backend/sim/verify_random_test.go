package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// randomIntent is a switch with a few ports of any speed and length, all
// lossless in one or two priorities, with headroom of their own or in a pool.
func randomIntent(r *rand.Rand) buffer.Intent {
	chip := endless(208, 64)
	chip.Slices[0].Cells = 30_000
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}[:1+r.IntN(2)], Lossless: true,
			MTU: 1024 + unit.Bytes(r.IntN(4000)), Alpha: new(thresholds.Alpha(r.IntN(6) - 3))}}}
	if r.IntN(2) == 0 {
		in.Pool.SharedHeadroomRatio = 1
	}
	for i := range 2 + r.IntN(3) {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("e%d", i), Rate: rates[r.IntN(6)],
			Cable: unit.Length(r.Int64N(int64(300 * unit.Metre))), MTU: 9216})
	}
	return in
}

// randomTraffic sends frames from a host at each port to one port, which is slower than all of them together and may be
// blocked. Every second run has frames of random sizes and delays of at most those of the worst case. The others have
// mixtures of the size that wastes most cells with others, the delays of the worst case, and a blocked port: the groups
// of all ports fill at once, each at its own pace.
func randomTraffic(t *testing.T, r *rand.Rand, in buffer.Intent, device *sim.ASIC, b behaviour.Family) *fabric.Sim {
	t.Helper()
	worst := thresholds.WorstFrame(in.Chip.Memory(), thresholds.WireBytes, 64, in.Classes[0].MTU)
	return traffic(t, r, r.IntN(2) == 0, []unit.Bytes{64, worst}, in, device, b)
}

// traffic is hard traffic of randomTraffic, or the other. sizes are the shortest size of its frames, and those of which
// hard traffic has most.
func traffic(t *testing.T, r *rand.Rand, hard bool, sizes []unit.Bytes, in buffer.Intent, device *sim.ASIC,
	b behaviour.Family) *fabric.Sim {
	t.Helper()
	names := make([]string, len(in.Ports)+1)
	for i := range in.Ports {
		names[i] = in.Ports[i].Name
	}
	names[len(in.Ports)] = "out"
	sw, err := device.Switch(names, b)
	require.NoError(t, err)
	net := fabric.Network{Seed: r.Uint64()}
	longest := in.Classes[0].MTU
	for i := range in.Ports {
		p := &in.Ports[i]
		d, err := thresholds.IEEE{}.LinkDelays(p.Link(in.Classes[0].MTU))
		require.NoError(t, err)
		part := func(bits int64) unit.Time {
			if hard {
				return p.Rate.TimeWithin(bits)
			}
			return unit.Time(float64(p.Rate.TimeFor(bits)) * r.Float64())
		}
		host := fabric.Host{Name: p.Name, Response: part(d.Response)}
		if hard {
			host.Response = max(host.Response-4*unit.Picosecond, 0) // as near to its bound as verify goes
			for _, priority := range in.Classes[0].Priorities {
				host.AfterPause[priority] = longest + thresholds.WireBytes
			}
			sw.Ports[i].Wait = p.MTU
		}
		for _, priority := range in.Classes[0].Priorities {
			host.PFC |= pfc.Of(priority)
			flow := fabric.Flow{From: i, To: len(in.Ports), Priority: priority, PCP: priority,
				Frame: sizes[0] + unit.Bytes(r.Int64N(int64(longest-sizes[0]+1))),
				Start: unit.Time(r.Int64N(int64(10 * unit.Microsecond)))}
			if hard { // mixtures of the worst size and of others, in random order
				flow.Frame = longest
				for range 1 + r.IntN(8) {
					size := sizes[len(sizes)-1]
					switch r.IntN(4) {
					case 0:
						size = sizes[0] + unit.Bytes(r.Int64N(int64(longest-sizes[0]+1)))
					case 1:
						size = longest
					}
					flow.Sender.Frames = append(flow.Sender.Frames, size)
				}
			}
			net.Flows = append(net.Flows, flow)
		}
		net.Hosts = append(net.Hosts, host)
		net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: p.Rate,
			Delay: part(d.Cable), Interface: part(d.Interface)})
	}
	net.Switches = []fabric.Switch{sw}
	net.Hosts = append(net.Hosts, fabric.Host{Name: "sink"})
	net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(len(in.Ports)), B: fabric.AtSwitch(0, len(in.Ports)),
		Rate: rates[r.IntN(3)]})
	run, err := fabric.New(net)
	require.NoError(t, err)
	require.NoError(t, device.Tune(run.MMU(0)))
	if hard || r.IntN(2) == 0 {
		run.Block(0, len(in.Ports))
	}
	run.Run(unit.Time(500+r.IntN(1500)) * unit.Microsecond)
	return run
}

// simulated runs random traffic through a switch with these registers.
func simulated(t *testing.T, r *rand.Rand, in buffer.Intent, l buffer.Layout, b behaviour.Family) *fabric.Sim {
	t.Helper()
	device, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(t, err)
	require.NoError(t, device.Apply(t.Context(), buffer.Diff(nil, l)))
	run := randomTraffic(t, r, in, device, b)
	require.NoError(t, run.Check())
	return run
}

// needed returns the layout in which each group has just the headroom that verify says that its worst case needs, and
// the headroom pool what all groups at once need. The port of a plan can have more.
func needed(l buffer.Layout, v *report.Verification, part func(cells.Count) cells.Count) buffer.Layout {
	need := map[buffer.Register]int64{}
	for _, g := range v.Groups {
		need[buffer.Register{Kind: buffer.GroupHeadroom, Port: g.Port, Index: g.Group}] = int64(part(g.FirstDropBelow))
	}
	for _, p := range v.Pools {
		need[buffer.Register{Kind: buffer.PoolHeadroom, Index: p.Slice}] = int64(part(p.FirstDropBelow))
	}
	out := slices.Clone(l)
	for i, s := range out {
		if n, ok := need[s.Register]; ok {
			out[i].Value = min(s.Value, n)
		}
	}
	return out
}

// What verify calls lossless loses nothing in any simulation: 500 plans over all seeds, each
// with traffic of its own. Every second one has no more headroom than verify says that the
// worst case needs, so a verdict that is too kind by a frame would be found.
func TestNoSimulationLosesWhatVerifyCallsLossless(t *testing.T) {
	first, end := effort.Seeds(500)
	plans := int(end - first)
	r := rand.New(rand.NewPCG(7, 8+first))
	runs, paused, close := 0, 0, 0
	for n := 0; runs < plans; n++ {
		in := randomIntent(r)
		plan, err := buffer.New(in)
		require.NoError(t, err)
		if !plan.Fits {
			continue
		}
		b := behaviour.Families()[r.IntN(2)]
		layout := plan.Layout()
		v := verify(t, in, layout, sim.VerifyOptions{Behaviour: b})
		require.True(t, v.Lossless, "plan %d: %+v", n, v)
		if n%2 == 0 {
			layout = needed(layout, v, func(n cells.Count) cells.Count { return n })
			v = verify(t, in, layout, sim.VerifyOptions{Behaviour: b})
			require.True(t, v.Lossless, "plan %d: %+v", n, v)
		}
		run := simulated(t, r, in, layout, b)
		require.Zero(t, run.Summary().Drops, "plan %d: %+v", n, run.Summary())
		if runs++; run.Summary().PauseSent > 0 {
			paused++
		}
		for i := range v.Groups { // how near the traffic comes to the worst case
			g := &v.Groups[i]
			port := slices.IndexFunc(in.Ports, func(p buffer.Port) bool { return p.Name == g.Port })
			if peak := run.MMU(0).Watermarks(0, 8*port+g.Group).GroupHeadroom; 10*peak >= 7*g.FirstDropBelow {
				close++
				break
			}
		}
	}
	require.Greater(t, paused, plans/2, "most of them are congested")
	require.Greater(t, close, plans/20, "in some, a group comes near to its worst case")
	t.Logf("%d runs, %d of them paused, %d came to 70 %% of the worst case of a group", runs, paused, close)
}

// A verdict that calls too little headroom lossless does not pass the test above: the same traffic loses frames.
func TestSimulationsFindAVerdictThatIsTooKind(t *testing.T) {
	first, end := effort.Seeds(100)
	plans := int(end - first)
	for _, c := range []struct {
		percent cells.Count // of the headroom that the worst case needs
		least   int         // runs with losses, per cent
	}{{25, 40}, {50, 30}, {75, 20}, {95, 5}} {
		r := rand.New(rand.NewPCG(9, 10+first))
		lost := 0
		for runs := 0; runs < plans; {
			in := randomIntent(r)
			plan, err := buffer.New(in)
			require.NoError(t, err)
			if !plan.Fits {
				continue
			}
			b := behaviour.Families()[r.IntN(2)]
			v := verify(t, in, plan.Layout(), sim.VerifyOptions{Behaviour: b})
			layout := needed(plan.Layout(), v, func(n cells.Count) cells.Count { return n * c.percent / 100 })
			if runs++; simulated(t, r, in, layout, b).Summary().Drops > 0 {
				lost++
			}
		}
		t.Logf("with %d %% of the headroom, %d of %d runs lose frames", c.percent, lost, plans)
		require.GreaterOrEqual(t, lost, c.least*plans/100, "with %d %% of the headroom", c.percent)
	}
}
