package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// randomIntent is a switch with a few ports of any speed and length, all
// lossless in one or two priorities, with headroom of their own or in a pool.
func randomIntent(r *rand.Rand) buffer.Intent {
	chip := endless(208, 64)
	chip.Slices[0].Cells = 30_000
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.LargerSum}},
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

// randomTraffic sends frames of random sizes from a host at each port to one
// port, which is slower than all of them together and may be blocked. Delays
// are at most those of the worst case.
func randomTraffic(t *testing.T, r *rand.Rand, in buffer.Intent, device *sim.ASIC, b behaviour.Family) *fabric.Sim {
	t.Helper()
	names := make([]string, len(in.Ports)+1)
	for i := range in.Ports {
		names[i] = in.Ports[i].Name
	}
	names[len(in.Ports)] = "out"
	sw, err := device.Switch(names, b)
	require.NoError(t, err)
	net := fabric.Network{Switches: []fabric.Switch{sw}, Seed: r.Uint64()}
	for i := range in.Ports {
		p := &in.Ports[i]
		d, err := thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.LargerSum}}.LinkDelays(
			p.Link(in.Classes[0].MTU))
		require.NoError(t, err)
		part := func(bits int64) unit.Time { return unit.Time(float64(p.Rate.TimeFor(bits)) * r.Float64()) }
		host := fabric.Host{Name: p.Name, Response: part(d.Response)}
		for _, priority := range in.Classes[0].Priorities {
			host.PFC |= pfc.Of(priority)
			net.Flows = append(net.Flows, fabric.Flow{From: i, To: len(in.Ports), Priority: priority, PCP: priority,
				Frame: 64 + unit.Bytes(r.Int64N(int64(in.Classes[0].MTU-63))),
				Start: unit.Time(r.Int64N(int64(10 * unit.Microsecond)))})
		}
		net.Hosts = append(net.Hosts, host)
		net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: p.Rate,
			Delay: part(d.Cable), Interface: part(d.Interface)})
	}
	net.Hosts = append(net.Hosts, fabric.Host{Name: "sink"})
	net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(len(in.Ports)), B: fabric.AtSwitch(0, len(in.Ports)),
		Rate: rates[r.IntN(3)]})
	run, err := fabric.New(net)
	require.NoError(t, err)
	require.NoError(t, device.Tune(run.MMU(0)))
	if r.IntN(2) == 0 {
		run.Block(0, len(in.Ports))
	}
	run.Run(unit.Time(500+r.IntN(1500)) * unit.Microsecond)
	return run
}

// What verify calls lossless loses nothing in any simulation: 500 plans, each with
// traffic of its own.
func TestNoSimulationLosesWhatVerifyCallsLossless(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	runs, paused := 0, 0
	for n := 0; runs < 500; n++ {
		in := randomIntent(r)
		plan, err := buffer.New(in)
		require.NoError(t, err)
		if !plan.Fits {
			continue
		}
		b := behaviour.Families()[r.IntN(2)]
		v := verify(t, in, plan.Layout(), sim.VerifyOptions{Behaviour: b})
		require.True(t, v.Lossless, "plan %d: %+v", n, v)
		device, err := sim.New(in.Chip, sim.Ports(in)...)
		require.NoError(t, err)
		require.NoError(t, device.Apply(t.Context(), buffer.Diff(nil, plan.Layout())))
		run := randomTraffic(t, r, in, device, b)
		require.Zero(t, run.Summary().Drops, "plan %d: %+v", n, run.Summary())
		require.NoError(t, run.Check())
		if runs++; run.Summary().PauseSent > 0 {
			paused++
		}
	}
	require.Greater(t, paused, 250, "most of them are congested")
}
