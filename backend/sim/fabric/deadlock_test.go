package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// circle is four switches in a ring, each with a host that sends three switches
// on, clockwise: every link carries three flows, every group waits for the next.
func circle() *lab {
	l := newLab()
	for i := range 4 {
		l.host()
		l.node(3)
		l.link(AtHost(i), AtSwitch(i, 0))
	}
	for i := range 4 {
		l.link(AtSwitch(i, 1), AtSwitch((i+1)%4, 2))
		l.Switches[i].Routes = func(host int) []int {
			if host == i {
				return []int{0}
			}
			return []int{1}
		}
		l.flow(i, (i+3)%4, 3)
	}
	return l
}

// Four switches in a ring pause each other in a cycle: no frame moves any more.
func TestRingLocks(t *testing.T) {
	l := circle()
	l.DeadlockEvery = unit.Millisecond
	s := l.sim(t)
	told := 0
	s.Observe(func(e *Event) {
		if e.Kind == DeadlockFound {
			told++
			require.Equal(t, AtSwitch(0, 1), e.Where)
			require.Equal(t, 3, e.Priority)
		}
	})
	_, locked := s.Deadlock()
	require.False(t, locked)
	s.Run(5 * unit.Millisecond)
	delivered := s.Summary().Delivered
	s.Run(10 * unit.Millisecond)
	require.Equal(t, delivered, s.Summary().Delivered, "zero throughput")
	require.Zero(t, s.Summary().Drops)
	cycle, locked := s.Deadlock()
	require.True(t, locked)
	require.Equal(t, "s1 Ethernet2 queue 3 -> s2 Ethernet2 queue 3 -> s3 Ethernet2 queue 3 -> s4 Ethernet2 queue 3 "+
		"-> s1 Ethernet2 queue 3", cycle.String())
	require.Equal(t, 1, told, "reported once")
	require.Len(t, s.FoundDeadlocks(), 1)
	require.Equal(t, FoundDeadlock{2 * unit.Millisecond, cycle}, s.FoundDeadlocks()[0],
		"seen at 1 ms, and the same at 2 ms")

	// White box: a group of which a frame is just being sent may yet let go.
	for i := range 4 {
		p := &s.ports[s.port(AtSwitch(i, 0))]
		p.leaving = leaving{held: true, Packet: packet.Packet{Priority: 3}}
		p.leaving.Enter(s.port(AtSwitch(i, 2)), 0)
	}
	_, locked = s.Deadlock()
	require.False(t, locked)
	for i := range 4 {
		s.ports[s.port(AtSwitch(i, 0))].leaving.held = false
	}
	require.NoError(t, s.Check())
}

// Without a lossless class the same ring drops frames and has no deadlock.
func TestRingWithoutPFCDrops(t *testing.T) {
	effort.Alone(t)
	l := circle()
	for i := range l.Flows {
		l.Flows[i].Priority, l.Flows[i].PCP = 0, 0
	}
	l.DeadlockEvery = unit.Millisecond
	s := l.sim(t)
	s.Run(5 * unit.Millisecond)
	before := s.Summary().Delivered
	s.Run(10 * unit.Millisecond)
	require.Greater(t, s.Summary().Delivered, before)
	require.Positive(t, s.Summary().Drops)
	require.Empty(t, s.FoundDeadlocks())
}

// Pauses that end are no deadlock, however often the search runs.
func TestIncastIsNoDeadlock(t *testing.T) {
	effort.SkipShort(t, "it simulates a long run")
	n := incast(8, 1e6)
	n.DeadlockEvery = unit.Microsecond
	s, err := New(n)
	require.NoError(t, err)
	s.Run(2 * unit.Millisecond)
	require.Empty(t, s.FoundDeadlocks())
	require.Positive(t, s.Summary().PauseSent)
	require.EqualValues(t, 8000, s.Summary().Delivered)
}

// A routing loop of two switches at 40G with a TTL of 16. Each frame crosses each link of the loop 8 times, so the loop
// carries n*B/TTL = 5 Gb/s (conservation; the bound is that of Hu et al., HotNets 2016). Below it frames are dropped
// when their TTL ends; above it the loop fills, and there is a deadlock.
func TestRoutingLoop(t *testing.T) {
	effort.SkipShort(t, "it simulates a long run")
	run := func(rate unit.BitRate) *Sim {
		l := loop(rate, 0)
		l.DeadlockEvery = unit.Millisecond
		s := l.sim(t)
		s.Run(20 * unit.Millisecond)
		return s
	}
	for _, rate := range []unit.BitRate{4500 * unit.Mbps, 4950 * unit.Mbps} {
		s := run(rate)
		died := s.Summary().ByReason["ttl ran out"]
		s.Run(30 * unit.Millisecond)
		require.InDelta(t, float64(rate)*0.01/8/1044, s.Summary().ByReason["ttl ran out"]-died, 5,
			"as many die as are sent")
		require.Empty(t, s.FoundDeadlocks())
		require.Zero(t, s.Summary().PauseSent)
	}
	for _, rate := range []unit.BitRate{5050 * unit.Mbps, 5500 * unit.Mbps} {
		s := run(rate)
		died := s.Summary().ByReason["ttl ran out"]
		s.Run(30 * unit.Millisecond)
		require.Equal(t, died, s.Summary().ByReason["ttl ran out"], "nothing moves at %v", rate)
		cycle, _ := s.Deadlock()
		require.Equal(t, "s1 Ethernet2 queue 3 -> s2 Ethernet1 queue 3 -> s1 Ethernet2 queue 3", cycle.String())
		require.Len(t, s.FoundDeadlocks(), 1)
	}
}

// The loop is repaired after 30 ms, but the deadlock stays. The watchdog drops
// the frames of a queue in the cycle, and traffic moves again.
func TestWatchdogFreesTheLoop(t *testing.T) {
	effort.Alone(t)
	for _, guarded := range []bool{false, true} {
		l := loop(5500*unit.Mbps, 30*unit.Millisecond)
		l.DeadlockEvery = unit.Millisecond
		if guarded {
			l.Switches[0].Ports[1].Watchdog = Watchdog{Detection: 100 * unit.Millisecond}
			l.Switches[1].Ports[0].Watchdog = Watchdog{Detection: 100 * unit.Millisecond}
		}
		s := l.sim(t)
		s.Run(90 * unit.Millisecond)
		require.Zero(t, s.Summary().Delivered)
		require.Len(t, s.FoundDeadlocks(), 1)
		s.Run(110 * unit.Millisecond)
		s.Run(300 * unit.Millisecond)
		require.NoError(t, s.Check())
		_, locked := s.Deadlock()
		require.Equal(t, !guarded, locked)
		if !guarded {
			require.Zero(t, s.Summary().Delivered)
			continue
		}
		storms := s.Watchdog(0, 1).Storms[3] + s.Watchdog(1, 0).Storms[3]
		require.EqualValues(t, 1, storms)
		require.Equal(t, s.Summary().ByReason["watchdog"], s.Watchdog(0, 1).Dropped[3]+s.Watchdog(1, 0).Dropped[3])
		require.Positive(t, s.Summary().ByReason["watchdog"])
		require.Greater(t, s.Flow(0).Last, 299*unit.Millisecond, "and it goes on")
	}
}

func TestWatchdogRefused(t *testing.T) {
	for _, c := range []struct {
		w    Watchdog
		says []string
	}{
		{Watchdog{Detection: 99 * unit.Millisecond}, []string{"detection: 99ms (want 100ms to 5s, or 0 for off)"}},
		{Watchdog{Detection: 5001 * unit.Millisecond, Action: 2},
			[]string{"detection: 5.001s", "action: 2 (want 0 drop, 1 forward)"}},
		{Watchdog{Detection: unit.Second, Restoration: 61 * unit.Second}, []string{
			"restoration: 61s (want 100ms to 60s"}},
		{Watchdog{Queues: 8}, []string{"detection: 0s, but the watchdog is enabled"}},
		{Watchdog{Detection: -1, Restoration: -1}, []string{"detection: -1ps", "restoration: -1ps"}},
	} {
		l := one()
		l.Switches[0].Ports[1].Watchdog = c.w
		_, err := New(l.Network)
		for _, s := range c.says {
			require.ErrorContains(t, err, s)
		}
		require.ErrorContains(t, err, "switches[0].ports[1].watchdog.")
	}
	for _, w := range []Watchdog{{}, {Detection: 100 * unit.Millisecond},
		{Detection: 5 * unit.Second, Restoration: 60 * unit.Second, Action: WatchdogForward}} {
		require.NoError(t, w.Validate())
	}
}

// stormed is a host that pauses for 250 ms, and the watchdog of its port.
func stormed(w Watchdog) *lab {
	l := newLab()
	victim, sender, other := l.host(), l.host(), l.host()
	l.node(3)
	for i := range 3 {
		l.link(AtHost(i), AtSwitch(0, i))
	}
	l.flow(sender, victim, 3).Rate = 100 * unit.Mbps
	l.flow(sender, other, 3).Rate = 100 * unit.Mbps
	l.flow(sender, victim, 0).Rate = 100 * unit.Mbps
	l.Switches[0].Ports[0].Watchdog = w
	l.Failures = []Failure{{Kind: Storm, Host: 0, Priorities: pfc.Of(3), At: 50 * unit.Millisecond,
		Until: 300 * unit.Millisecond}}
	return l
}

func TestWatchdogOfAStorm(t *testing.T) {
	effort.Alone(t)
	for name, c := range map[string]struct {
		action    WatchdogAction
		delivered bool // to the host in a storm
	}{"drop": {WatchdogDrop, false}, "forward": {WatchdogForward, true}} {
		t.Run(name, func(t *testing.T) {
			s := stormed(Watchdog{Detection: 100 * unit.Millisecond, Restoration: 200 * unit.Millisecond,
				Action: c.action}).sim(t)
			var found, over []unit.Time
			s.Observe(func(e *Event) {
				switch e.Kind {
				case StormFound:
					found = append(found, e.At)
				case StormOver:
					over = append(over, e.At)
				}
			})
			s.Run(149 * unit.Millisecond)
			stuck := s.Flow(0)
			require.Less(t, s.Flow(1).Last, 100*unit.Millisecond, "the victim of the same sender stands still")
			s.Run(290 * unit.Millisecond)
			require.Greater(t, s.Flow(1).Last, 289*unit.Millisecond, "the watchdog has restored it")
			require.Equal(t, c.delivered, s.Flow(0).Delivered > stuck.Delivered)
			require.Equal(t, !c.delivered, s.Summary().ByReason["watchdog"] > 0)
			require.EqualValues(t, 8, s.Watchdog(0, 0).Active)
			s.Run(600 * unit.Millisecond)
			require.Zero(t, s.Watchdog(0, 0).Active)
			require.EqualValues(t, 1, s.Watchdog(0, 0).Storms[3])
			require.EqualValues(t, 1, s.Watchdog(0, 0).Restored[3])
			require.Equal(t, s.Summary().Drops, s.Watchdog(0, 0).Dropped[3])
			require.Greater(t, s.Flow(0).Last, 599*unit.Millisecond)
			require.Len(t, found, 1)
			require.Len(t, over, 1)
			require.InDelta(t, int64(150*unit.Millisecond), int64(found[0]), float64(unit.Microsecond))
			require.InDelta(t, int64(500*unit.Millisecond), int64(over[0]), float64(2*unit.Millisecond))
			require.NoError(t, s.Check())
		})
	}
	unwatched := stormed(Watchdog{Detection: 100 * unit.Millisecond, Queues: 1 << 4}).sim(t)
	unwatched.Run(290 * unit.Millisecond)
	require.Zero(t, unwatched.Watchdog(0, 0))
	require.Zero(t, unwatched.Watchdog(0, 1))
	require.Less(t, unwatched.Flow(1).Last, 100*unit.Millisecond)
}

// Every frame that a watchdog drops is counted, after every event.
func TestWatchdogConserves(t *testing.T) {
	l := stormed(Watchdog{Detection: 100 * unit.Millisecond})
	for i := range l.Flows {
		l.Flows[i].Rate = 2 * unit.Mbps
	}
	s := l.sim(t)
	step(t, s, 600*unit.Millisecond)
	require.Positive(t, s.Summary().ByReason["watchdog"])
	require.EqualValues(t, 1, s.Watchdog(0, 0).Restored[3])
}
