package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// The marking registers act when an ASIC is attached and after each Apply. A
// queue without such registers keeps the marking that it has.
func TestMarkingUnderTraffic(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupAlpha, "e1", 3, 0),
		set(buffer.GroupAlpha, "e1", 4, 0),
		set(buffer.QueueECNMin, "e2", 3, 4), set(buffer.QueueECNMax, "e2", 3, 4)}))
	flow := func(class int) fabric.Flow {
		return fabric.Flow{From: 0, To: 1, Priority: class, PCP: class, Frame: 1000, ECT: true}
	}
	ports := []string{"e1", "e2"}
	sw, err := a.Switch(ports, behaviour.Family{})
	require.NoError(t, err)
	sw.Ports[0].Tagged = true
	sw.Ports[1].ECN[4] = fabric.Marking{Thresholds: ecn.Thresholds{KMin: 1000, KMax: 1000, PMax: unit.Whole}}
	s, err := fabric.New(fabric.Network{Hosts: make([]fabric.Host, 2), Switches: []fabric.Switch{sw},
		Flows: []fabric.Flow{flow(3), flow(4)}, Links: []fabric.Link{
			{A: fabric.AtHost(0), B: fabric.AtSwitch(0, 0), Rate: 100 * unit.Gbps},
			{A: fabric.AtHost(1), B: fabric.AtSwitch(0, 1), Rate: 50 * unit.Gbps}}})
	require.NoError(t, err)
	require.NoError(t, a.Attach(sim.Traffic{Sim: s, Ports: ports}))
	marks := func(queue int) int64 {
		before, _ := a.Queue("e2", queue)
		s.Advance(s.Now() + 20*unit.Microsecond)
		require.NoError(t, s.Check())
		now, ok := a.Queue("e2", queue)
		require.True(t, ok)
		return now.Tally.Marked - before.Tally.Marked
	}
	require.Positive(t, marks(3), "a step, for there is no probability")
	require.Positive(t, marks(4))
	for _, c := range []struct {
		step  buffer.Step
		marks bool
	}{
		{set(buffer.QueueECNMax, "e2", 3, 1<<40), false},
		{set(buffer.QueueECNPMax, "e2", 3, 10000), false}, // hardly anything is above a millionth of kmax
		{set(buffer.QueueECNMax, "e2", 3, 4), true},
		{set(buffer.QueueECNMin, "e2", 3, 0), true},
		{set(buffer.QueueECNMax, "e2", 3, 0), false},
	} {
		require.NoError(t, a.Apply(t.Context(), []buffer.Step{c.step}))
		require.Equal(t, c.marks, marks(3) > 0, "%v", c.step)
	}
	require.Positive(t, marks(4), "its registers were not written")
}

// A port keeps PFC for priorities whose group is not lossless, if they are in
// Traffic.PFC. PFC of lossless groups follows their registers.
func TestPFCBesideLosslessGroups(t *testing.T) {
	for _, c := range []struct {
		with []pfc.Priorities
		held bool
	}{{nil, false}, {[]pfc.Priorities{0, pfc.Of(3) | pfc.Of(5)}, true}} {
		a := device(t, oneSlice())
		require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
		ports := []string{"e1", "e2"}
		sw, err := a.Switch(ports, behaviour.Family{})
		require.NoError(t, err)
		sw.Ports[0].Tagged = true
		sw.Ports[1].PFC = pfc.Of(5)
		s, err := fabric.New(fabric.Network{Hosts: []fabric.Host{{}, {PFC: pfc.Of(5)}}, Switches: []fabric.Switch{sw},
			Failures: []fabric.Failure{{Kind: fabric.Storm, Host: 1, Priorities: pfc.Of(5)}}, Links: []fabric.Link{
				{A: fabric.AtHost(0), B: fabric.AtSwitch(0, 0), Rate: 100 * unit.Gbps},
				{A: fabric.AtHost(1), B: fabric.AtSwitch(0, 1), Rate: 50 * unit.Gbps}}})
		require.NoError(t, err)
		require.NoError(t, a.Attach(sim.Traffic{Sim: s, Ports: ports, PFC: c.with}))
		require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupReserved, "e2", 0, 1)}))
		s.Advance(20 * unit.Microsecond)
		require.Equal(t, c.held, s.PausedTime(fabric.AtSwitch(0, 1), 5) > 0)
	}
	a := device(t, oneSlice())
	attached := attach(t, a, sim.Traffic{}, []string{"e1", "e2"})
	require.ErrorContains(t, a.Attach(sim.Traffic{Sim: attached, Ports: []string{"e1", "e2"},
		PFC: []pfc.Priorities{0}}), "PFC of 1 ports for a switch with 2")
}

// Weights and DSCP maps that are written while packets run act from the next frame on. When the registers are removed,
// the queues are served round robin and the priority is the tag's.
func TestWeightsAndCodePointsUnderTraffic(t *testing.T) {
	a := device(t, oneSlice())
	var steps []buffer.Step
	for _, port := range []string{"e1", "e2"} {
		for _, group := range []int{3, 4} {
			steps = append(steps, set(buffer.GroupAlpha, port, group, 0))
		}
	}
	require.NoError(t, a.Apply(t.Context(), steps))
	ports := []string{"e1", "e2", "e3"}
	sw, err := a.Switch(ports, behaviour.Family{})
	require.NoError(t, err)
	flow := func(from, class int) fabric.Flow {
		return fabric.Flow{From: from, To: 2, Priority: class, PCP: class, DSCP: 8 * class, Frame: 1000}
	}
	links := []fabric.Link{}
	for i := range ports {
		sw.Ports[i].Tagged = true
		links = append(links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: 100 * unit.Gbps})
	}
	hosts := make([]fabric.Host, 3)
	s, err := fabric.New(fabric.Network{Hosts: hosts, Switches: []fabric.Switch{sw},
		Flows: []fabric.Flow{flow(0, 3), flow(1, 4)}, Links: links})
	require.NoError(t, err)
	require.NoError(t, a.Attach(sim.Traffic{Sim: s, Ports: ports}))
	share := func() float64 { // of queue 3 in what leaves
		t.Helper()
		sent := func(queue int) float64 {
			c, ok := a.Queue("e3", queue)
			require.True(t, ok)
			return float64(c.Tally.Passed)
		}
		three, four := sent(3), sent(4)
		s.Advance(s.Now() + 50*unit.Microsecond)
		require.NoError(t, s.Check())
		three, four = sent(3)-three, sent(4)-four
		return three / (three + four)
	}
	share() // queues fill
	require.InDelta(t, 0.5, share(), 0.02)
	write := func(steps ...buffer.Step) {
		t.Helper()
		require.NoError(t, a.Apply(t.Context(), steps))
	}
	write(set(buffer.QueueWeight, "e3", 3, 75), set(buffer.QueueWeight, "e3", 4, 25))
	require.InDelta(t, 0.75, share(), 0.03)
	write(set(buffer.QueueWeight, "e3", 4, buffer.Strict))
	require.InDelta(t, 0, share(), 0.01)
	write(set(buffer.QueueWeight, "e3", 3, 0), set(buffer.QueueWeight, "e3", 4, 0))
	require.InDelta(t, 0.5, share(), 0.03)

	write(set(buffer.PriorityDSCP, "e1", 4, 1<<24))
	share() // what waits keeps its queue
	require.InDelta(t, 0, share(), 0.05, "both senders are in queue 4 now")
	write(set(buffer.PriorityDSCP, "e1", 4, 0))
	share()
	require.InDelta(t, 0.5, share(), 0.05, "the tag counts again")
}

// The set of DSCP 63 alone has the bits of buffer.Unset, and is a map all the same.
func TestCodePoint63UnderTraffic(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupAlpha, "e1", 3, 0),
		set(buffer.GroupAlpha, "e1", 4, 0)}))
	ports := []string{"e1", "e2"}
	sw, err := a.Switch(ports, behaviour.Family{})
	require.NoError(t, err)
	sw.Ports[0].Tagged = true
	links := make([]fabric.Link, 2)
	for i := range links {
		links[i] = fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: 100 * unit.Gbps}
	}
	s, err := fabric.New(fabric.Network{Hosts: make([]fabric.Host, 2), Switches: []fabric.Switch{sw}, Links: links,
		Flows: []fabric.Flow{{To: 1, Priority: 3, PCP: 3, DSCP: 63, Frame: 1000}}})
	require.NoError(t, err)
	require.NoError(t, a.Attach(sim.Traffic{Sim: s, Ports: ports}))
	passed := func(queue int) int64 {
		c, ok := a.Queue("e2", queue)
		require.True(t, ok)
		return c.Tally.Passed
	}
	s.Advance(10 * unit.Microsecond)
	require.Zero(t, passed(4), "the tag says 3")
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.PriorityDSCP, "e1", 4, int64(pg.Points(63)))}))
	s.Advance(20 * unit.Microsecond)
	require.NotZero(t, passed(4), "the map says 4")
}
