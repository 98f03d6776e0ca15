package sim_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// attach puts an ASIC with the ports e1 and e2, or others, between two hosts that send each other these flows.
func attach(t *testing.T, a *sim.ASIC, tr sim.Traffic, ports []string, flows ...fabric.Flow) *fabric.Sim {
	t.Helper()
	sw, err := a.Switch(ports, tr.Behaviour)
	require.NoError(t, err)
	for i := range sw.Ports {
		sw.Ports[i].Tagged = true
	}
	s, err := fabric.New(fabric.Network{Hosts: []fabric.Host{{PFC: 1 << 3}, {PFC: 1 << 3}},
		Switches: []fabric.Switch{sw}, Flows: flows, Links: []fabric.Link{
			{A: fabric.AtHost(0), B: fabric.AtSwitch(0, 0), Rate: 100 * unit.Gbps, Delay: unit.Microsecond},
			{A: fabric.AtHost(1), B: fabric.AtSwitch(0, 1), Rate: 50 * unit.Gbps, Delay: unit.Microsecond}}})
	require.NoError(t, err)
	tr.Sim, tr.Ports = s, ports
	require.NoError(t, a.Attach(tr))
	return s
}

// The suite passes while packets of all classes run through the device, in which every step takes a microsecond.
func TestConformanceUnderTraffic(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, chip buffer.Chip) backend.Backend {
		a := device(t, chip)
		var flows []fabric.Flow
		for _, class := range []int{0, 3, 7} {
			flows = append(flows, fabric.Flow{From: 0, To: 1, Priority: class, PCP: class, Frame: 1000,
				Rate: 5 * unit.Gbps},
				fabric.Flow{From: 1, To: 0, Priority: class, PCP: class, Frame: 300, Rate: 5 * unit.Gbps})
		}
		s := attach(t, a, sim.Traffic{StepDelay: unit.Microsecond, MaxWait: unit.Millisecond},
			[]string{"Ethernet1", "Ethernet2"}, flows...)
		t.Cleanup(func() {
			s.Advance(s.Now() + 10*unit.Microsecond)
			require.NoError(t, s.Check())
			require.Positive(t, s.Summary().Sent)
		})
		return a
	})
}

// turnedUp is the layout of a lossless group 3 on e1, with headroom for its link, and a lossy one on e2.
func turnedUp() buffer.Layout {
	reg := func(k buffer.Kind, port string, index int, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: port, Index: index}, Value: v}
	}
	return buffer.NewLayout([]buffer.Setting{
		reg(buffer.PoolShared, "", 0, 1000),
		reg(buffer.GroupReserved, "e1", 3, 10), reg(buffer.GroupAlpha, "e1", 3, -3),
		reg(buffer.GroupLossless, "e1", 3, 1),
		reg(buffer.GroupHeadroom, "e1", 3, 250), reg(buffer.GroupXONOffset, "e1", 3, 16),
		reg(buffer.GroupAlpha, "e2", 0, 0)})
}

func oneSlice() buffer.Chip {
	return buffer.Chip{Name: "small", Cell: 256, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 2000}}}
}

// burst overloads e2 through group 3 of e1 in a time.
func burst(from, to unit.Time) fabric.Flow {
	return fabric.Flow{From: 0, To: 1, Priority: 3, PCP: 3, Frame: 1000, Start: from, Stop: to}
}

// The order of Diff makes a class lossless without a loss: headroom comes before lossless. In the other order the port
// sends pause frames for a class that has no headroom yet, and frames are lost.
func TestOrderOfTurningUp(t *testing.T) {
	const pause = 20 * unit.Microsecond
	drops := func(phases [][]buffer.Step) int64 {
		lossless := slices.IndexFunc(phases, func(p []buffer.Step) bool {
			return slices.ContainsFunc(p, func(s buffer.Step) bool { return s.Kind == buffer.GroupLossless })
		})
		start := unit.Time(lossless)*pause + unit.Microsecond
		a := device(t, oneSlice())
		s := attach(t, a, sim.Traffic{}, []string{"e1", "e2"}, burst(start, start+100*unit.Microsecond))
		for _, steps := range phases {
			require.NoError(t, a.Apply(t.Context(), steps))
			s.Advance(s.Now() + pause)
			require.NoError(t, s.Check())
		}
		s.Run(unit.Millisecond)
		require.NoError(t, s.Check())
		sum := s.Summary()
		require.Equal(t, sum.Sent, sum.Delivered+sum.Drops)
		require.Positive(t, sum.PauseSent)
		counted, ok := a.Counters("e1")
		require.True(t, ok)
		require.Equal(t, sum.Drops, counted.Drops[3])
		return sum.Drops
	}
	phases := buffer.Phases(buffer.Diff(nil, turnedUp()))
	require.Len(t, phases, 3, "move, grow, resume")
	require.Zero(t, drops(phases))
	slices.Reverse(phases)
	require.Positive(t, drops(phases))
}

// A class that is removed stops being lossless first, after its sender has stopped, and releases its headroom then. If
// the headroom is removed first, frames are lost.
func TestOrderOfTurningDown(t *testing.T) {
	const stop = 60 * unit.Microsecond
	run := func(phases [][]buffer.Step, at unit.Time) int64 {
		a := device(t, oneSlice())
		require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
		s := attach(t, a, sim.Traffic{StepDelay: 100 * unit.Nanosecond, MaxWait: 100 * unit.Microsecond},
			[]string{"e1", "e2"}, burst(0, stop))
		for i, steps := range phases {
			s.Advance(at + unit.Time(i)*40*unit.Microsecond)
			require.NoError(t, a.Apply(t.Context(), steps))
			require.NoError(t, s.Check())
		}
		s.Run(unit.Millisecond)
		require.Equal(t, s.Summary().Sent, s.Summary().Delivered+s.Summary().Drops)
		l, err := a.Observe(t.Context())
		require.NoError(t, err)
		require.Empty(t, l)
		return s.Summary().Drops
	}
	phases := buffer.Phases(buffer.Diff(turnedUp(), nil))
	require.Equal(t, buffer.Quiesce, phases[0][0].Phase())
	require.Zero(t, run(phases, stop), "the group was in use, and the step waited")
	require.Positive(t, run(append(phases[1:2:2], phases[0], phases[2]), stop-40*unit.Microsecond))
}

// A step that the running switch cannot take undoes those before it.
func TestApplyUnderTrafficIsAllOrNothing(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
	s := attach(t, a, sim.Traffic{}, []string{"e1", "e2"}, burst(0, 50*unit.Microsecond))
	s.Advance(20 * unit.Microsecond)
	before := a.String()
	err := a.Apply(t.Context(), []buffer.Step{set(buffer.PoolShared, "", 0, 5), set(buffer.GroupHeadroom, "e1", 3, 1),
		set(buffer.GroupLossless, "e1", 3, 0)})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.ErrorIs(t, err, mmu.ErrInUse)
	require.ErrorContains(t, err, "groups[3] holds")
	require.Equal(t, before, a.String())
	s.Run(unit.Millisecond)
	require.NoError(t, s.Check())
	require.Zero(t, s.Summary().Drops, "the headroom of the running switch is what it was")
	require.Positive(t, s.Summary().Delivered)
}

// A step that can no longer be undone stays, and the error says so: group 3 is lossy when the group of the other port
// refuses its step, and group 3 holds packets by then.
func TestApplyThatCannotBeUndone(t *testing.T) {
	a := device(t, oneSlice())
	both := append(buffer.Diff(nil, turnedUp()), set(buffer.GroupAlpha, "e2", 3, 0),
		set(buffer.GroupLossless, "e2", 3, 1), set(buffer.GroupHeadroom, "e2", 3, 100))
	require.NoError(t, a.Apply(t.Context(), both))
	s := attach(t, a, sim.Traffic{StepDelay: 5 * unit.Microsecond}, []string{"e1", "e2"}, burst(10*unit.Microsecond, 0),
		fabric.Flow{From: 1, To: 0, Priority: 3, PCP: 3, Frame: 1000})
	s.Block(0, 0)
	s.Block(0, 1)
	err := a.Apply(t.Context(), []buffer.Step{set(buffer.GroupXONOffset, "e1", 3, 4),
		set(buffer.GroupLossless, "e1", 3, 0), set(buffer.GroupLossless, "e2", 3, 0)})
	require.ErrorIs(t, err, mmu.ErrInUse)
	require.NotErrorIs(t, err, backend.ErrRefused)
	require.ErrorContains(t, err, "could not be undone: [e1 group 3 lossless")
	l, observed := a.Observe(t.Context())
	require.NoError(t, observed)
	at := func(k buffer.Kind, port string) int64 { return l.Value(buffer.Register{Kind: k, Port: port, Index: 3}) }
	require.Zero(t, at(buffer.GroupLossless, "e1"), "what stayed is what is shown")
	require.EqualValues(t, 1, at(buffer.GroupLossless, "e2"))
	require.EqualValues(t, 16, at(buffer.GroupXONOffset, "e1"), "the others are undone")
	require.NoError(t, s.Check())
}

// A paused group whose limit rises is resumed although none of its packets
// leaves. It has filled its limit exactly and holds no headroom.
func TestMoreRoomResumes(t *testing.T) {
	for frames := unit.Bytes(1); ; frames++ {
		a := device(t, oneSlice())
		require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
		s := attach(t, a, sim.Traffic{Behaviour: behaviour.Family{Rule: mmu.SiliconRule()}}, []string{"e1", "e2"},
			fabric.Flow{From: 0, To: 1, Priority: 3, PCP: 3, Frame: 1000, Size: 1000 * frames})
		s.Block(0, 1)
		s.Advance(30 * unit.Microsecond)
		c, _ := a.Group("e1", 3)
		if !c.Paused {
			require.Less(t, frames, unit.Bytes(100))
			continue
		}
		require.Zero(t, c.Held.Headroom)
		require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupAlpha, "e1", 3, 0)}))
		c, _ = a.Group("e1", 3)
		require.False(t, c.Paused)
		s.Advance(40 * unit.Microsecond)
		require.EqualValues(t, 1, s.Counters(fabric.AtHost(0)).ResumeReceived[3])
		require.NoError(t, s.Check())
		return
	}
}

// A group that holds headroom is not resumed, however high its limit is.
func TestRoomDoesNotResumeBeforeHeadroomIsEmpty(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
	s := attach(t, a, sim.Traffic{}, []string{"e1", "e2"}, burst(0, 0),
		fabric.Flow{From: 1, To: 0, Priority: 3, PCP: 3, Frame: 64, Size: 64})
	s.Block(0, 1)
	s.Advance(30 * unit.Microsecond)
	c, ok := a.Group("e1", 3)
	require.True(t, ok)
	require.True(t, c.Paused)
	require.Positive(t, c.PeakHeadroom)
	require.Equal(t, c.PeakShared, c.Held.Shared)
	q, ok := a.Queue("e2", 3)
	require.True(t, ok)
	require.Equal(t, c.Held.Total(), q.Cells)
	require.EqualValues(t, 1000*q.Frames, q.Bytes)
	sent := s.Flow(0).Sent

	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupAlpha, "e1", 3, 0)}))
	s.Advance(40 * unit.Microsecond)
	require.Equal(t, sent, s.Flow(0).Sent, "it holds headroom, and does not go on before that is empty")
	require.NoError(t, s.Check())
	_, ok = a.Group("e3", 3)
	require.False(t, ok)
	_, ok = device(t, oneSlice()).Queue("e1", 3)
	require.False(t, ok)
}

// A headroom pool is added and removed while groups are in use.
func TestPoolsOfARunningSwitch(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
	s := attach(t, a, sim.Traffic{StepDelay: unit.Microsecond}, []string{"e1", "e2"}, burst(0, 200*unit.Microsecond))
	s.Advance(20 * unit.Microsecond)
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.PoolHeadroom, "", 0, 400),
		set(buffer.PortMinimum, "e1", 0, 20)}))
	s.Advance(60 * unit.Microsecond)
	require.Zero(t, s.Summary().Drops)
	require.Positive(t, s.MMU(0).Watermarks(0, 3).HeadroomPool)
	c, _ := a.Group("e1", 3)
	require.EqualValues(t, 20, c.Held.Port)
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupHeadroom, "e1", 3, 20),
		set(buffer.PoolHeadroom, "", 0, 30)}))
	s.Run(unit.Millisecond)
	require.NoError(t, s.Check())
	require.Positive(t, s.Summary().Drops, "20 cells are no headroom")
}

func TestSwitchFromRegisters(t *testing.T) {
	chip := oneSlice()
	chip.Slices = append(chip.Slices, buffer.Slice{Cells: 1500, Takes: []buffer.Take{{Item: "x", Cells: 100}}})
	chip.Pipes = [][]int{{0}, {1}}
	a := device(t, chip, sim.Port{Name: "e1", Pipe: 0})
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{
		set(buffer.GroupAlpha, "e1", 1, 2), set(buffer.GroupAlpha, "e1", 3, -2),
		set(buffer.GroupLossless, "e1", 3, 1), set(buffer.GroupHeadroom, "e1", 3, 300),
		set(buffer.GroupStatic, "e2", 4, 77), set(buffer.GroupHeadroom, "e2", 4, 300),
		set(buffer.QueueReserved, "e2", 5, 9), set(buffer.PortMinimum, "e2", 0, 40),
		set(buffer.QueueWeight, "e2", 3, 30), set(buffer.QueueWeight, "e2", 6, buffer.Strict),
		set(buffer.PriorityDSCP, "e2", 3, 1<<26)}))
	sw, err := a.Switch([]string{"e1", "e2"}, behaviour.Family{Latched: true, Rule: mmu.SiliconRule()})
	require.NoError(t, err)
	require.Equal(t, mmu.SiliconRule(), sw.MMU.Rule)
	require.Equal(t, [fabric.Priorities]int{1, 1, 1, 3, 1, 1, 1, 1}, sw.Ports[0].Groups,
		"what has no group of its own is in the lossy one")
	require.Equal(t, [fabric.Priorities]int{12, 12, 12, 12, 12, 12, 12, 12}, sw.Ports[1].Groups)
	require.EqualValues(t, 1<<3, sw.Ports[0].PFC)
	require.Zero(t, sw.Ports[1].PFC)
	require.Equal(t, "alpha 1/4", sw.MMU.Groups[3].Limit.String())
	require.True(t, sw.MMU.Groups[3].XON.Latched)
	require.EqualValues(t, 300, sw.MMU.Groups[3].Headroom)
	require.Equal(t, "77 cells", sw.MMU.Groups[12].Limit.String())
	require.Zero(t, sw.MMU.Groups[12].Headroom, "the headroom of a lossy group lies idle")
	require.Equal(t, "0 cells", sw.MMU.Groups[0].Limit.String(), "an alpha that is not set is no shared cells")
	require.EqualValues(t, 40, sw.MMU.PortPools[1].Reserved)
	require.EqualValues(t, 9, sw.MMU.Queues[13].Reserved)
	require.Equal(t, fabric.TrustPCP, sw.Ports[0].Trust)
	require.Equal(t, fabric.Scheduler{}, sw.Ports[0].ETS)
	require.Equal(t, fabric.TrustDSCP, sw.Ports[1].Trust)
	require.EqualValues(t, 3, sw.Ports[1].Map[26])
	require.EqualValues(t, 0, sw.Ports[1].Map[24], "the map does not say")
	require.Equal(t, fabric.Strict, sw.Ports[1].ETS.Queues[6].Algorithm)
	require.Equal(t, fabric.Selection{Algorithm: fabric.DWRR, Weight: 30}, sw.Ports[1].ETS.Queues[3])
	require.Equal(t, 0, sw.Slice(0, 1))
	require.Equal(t, 1, sw.Slice(1, 0))

	m, err := mmu.New(sw.MMU)
	require.NoError(t, err)
	require.NoError(t, a.Tune(m))
	fill := func(slice, group int) mmu.Verdict {
		return m.Arrive(mmu.Packet{Slice: slice, Group: group, Queue: 5, Bytes: 256 * 1000})
	}
	require.EqualValues(t, 1000, fill(0, 1).Shared, "1700 of 2000 cells are shared: 300 are headroom")
	require.Equal(t, mmu.CauseGroupLimit, fill(0, 1).Drop, "700 are left")
	require.Equal(t, mmu.CauseGroupLimit, fill(1, 12).Drop)
	require.EqualValues(t, 40, m.Arrive(mmu.Packet{Slice: 1, Group: 12, Queue: 5, Bytes: 256 * 100}).Port)

	_, err = a.Switch([]string{"e1", "e1"}, behaviour.Family{})
	require.ErrorContains(t, err, `ports[1]: "e1": want a name that no other port has`)
	require.ErrorContains(t, a.Attach(sim.Traffic{}), "no simulation")
}

// FuzzApplyUnderTraffic turns bytes into steps while packets run. The accounts of the running switch stay consistent, a
// refusal changes nothing, and nothing panics.
func FuzzApplyUnderTraffic(f *testing.F) {
	f.Add([]byte{3, 3, 20, 4, 3, 0, 6, 3, 1, 7, 3, 100, 8, 3, 2})
	f.Add([]byte{6, 3, 1, 6, 3, 0, 1, 0, 100, 0, 0, 1, 2, 0, 200, 7, 67, 255})
	f.Add([]byte{3, 3, 255, 3, 67, 255, 6, 3, 1, 6, 67, 1, 7, 3, 50, 3, 3, 0, 6, 3, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		a := device(t, backendtest.Chip())
		wait := unit.Time(0)
		if len(ops)%2 == 0 {
			wait = 10 * unit.Microsecond
		}
		s := attach(t, a, sim.Traffic{StepDelay: 300 * unit.Nanosecond, MaxWait: wait}, []string{"e0", "e1"},
			burst(0, 0),
			fabric.Flow{From: 1, To: 0, Priority: 3, PCP: 3, Frame: 300, Rate: unit.Gbps},
			fabric.Flow{From: 1, To: 0, Priority: 1, PCP: 1, Frame: 64})
		ops = ops[:min(len(ops), 90)]
		for ; len(ops) >= 6; ops = ops[6:] {
			var steps []buffer.Step
			for o := ops[:6]; len(o) > 0; o = o[3:] {
				x := set(buffer.Kinds()[int(o[0])%len(buffer.Kinds())], []string{"e0", "e1", "e2"}[int(o[1]>>6)%3],
					int(o[1]&7), int64(o[2])*4)
				switch x.Kind {
				case buffer.PoolShared, buffer.PoolHeadroom:
					x.Port, x.Index = "", x.Index&1
				case buffer.GroupLossless:
					x.To &= 4
					x.To >>= 2
				case buffer.GroupAlpha:
					x.To = int64(o[2]%11) - 7
				}
				steps = append(steps, x)
			}
			before := a.String()
			if err := a.Apply(t.Context(), steps); errors.Is(err, backend.ErrRefused) {
				require.Equal(t, before, a.String())
			}
			require.NoError(t, s.Check())
		}
		s.Advance(s.Now() + 20*unit.Microsecond)
		require.NoError(t, s.Check())
	})
}

// A clone has the registers and the ports, and nothing of the traffic.
func TestClone(t *testing.T) {
	a := device(t, oneSlice())
	require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, turnedUp())))
	s := attach(t, a, sim.Traffic{}, []string{"e1", "e2"}, burst(0, 0))
	running, ok := a.Traffic()
	require.True(t, ok)
	require.Same(t, s, running.Sim)
	b := a.Clone()
	_, ok = b.Traffic()
	require.False(t, ok)
	require.Equal(t, a.String(), b.String())
	before := a.String()
	require.NoError(t, b.Apply(t.Context(), []buffer.Step{set(buffer.GroupAlpha, "e9", 3, 0)}))
	require.Equal(t, before, a.String())
	_, err := b.Switch([]string{"e10"}, behaviour.Family{})
	require.NoError(t, err)
	_, err = a.Switch([]string{"e11"}, behaviour.Family{})
	require.NoError(t, err)
}

// On a chip whose ports own headroom, a group alone takes what its port has for both of its groups.
func TestSwitchWhosePortsOwnHeadroom(t *testing.T) {
	chip := oneSlice()
	chip.HeadroomRule, chip.Sources.HeadroomRule = "port", "test"
	a := device(t, chip, sim.Port{Name: "e1"})
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupLossless, "e1", 3, 1),
		set(buffer.GroupHeadroom, "e1", 3, 246), set(buffer.GroupLossless, "e1", 4, 1),
		set(buffer.GroupHeadroom, "e1", 4, 246)}))
	sw, err := a.Switch([]string{"e1"}, behaviour.Family{})
	require.NoError(t, err)
	m, err := mmu.New(sw.MMU)
	require.NoError(t, err)
	stored := 0
	for m.Arrive(mmu.Packet{Group: 3, Bytes: 64}).Drop == mmu.CauseNone {
		stored++
	}
	require.Equal(t, 2*246, stored)
	require.NotEqual(t, mmu.CauseNone, m.Arrive(mmu.Packet{Group: 4, Bytes: 64}).Drop)
}
