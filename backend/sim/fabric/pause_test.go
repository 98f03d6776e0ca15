package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A pause that begins while the timer of an earlier one still runs is refreshed
// in time, however long it lasts. Nothing is lost behind a slow link.
func TestPauseIsRefreshedAfterXON(t *testing.T) {
	n := incast(1, 0)
	n.Links[1].Rate = 10 * unit.Mbps
	s, err := New(n)
	require.NoError(t, err)
	s.Run(200 * unit.Millisecond)
	require.Greater(t, s.Summary().ResumeSent, int64(2))
	require.Zero(t, s.Summary().Drops)
	require.NoError(t, s.Check())
}

// If no pause expires, pauses without an end give the same run as pauses with
// one, and a watchdog that detects no storm changes nothing.
func TestEndlessPauses(t *testing.T) {
	type result struct {
		delivered, xoff, xon int64
		last, still          unit.Time
	}
	run := func(endless, watchdog bool) result {
		l := one2()
		l.flow(0, 1, 3).Size = 500_000
		l.Links[2].Rate = 10 * unit.Gbps
		l.Wire.Endless = endless
		if watchdog {
			l.Switches[0].Ports[1].Watchdog = Watchdog{Detection: 100 * unit.Millisecond}
		}
		s := l.sim(t)
		s.Run(unit.Second)
		require.NoError(t, s.Check())
		sum := s.Summary()
		return result{sum.Delivered, sum.PauseSent, sum.ResumeSent, sum.LastDelivery,
			s.Counters(AtSwitch(0, 1)).PausedTime[3]}
	}
	want := run(false, false)
	require.Positive(t, want.still, "the first switch was paused")
	require.Equal(t, want, run(true, false))
	require.Equal(t, want, run(true, true))
	require.Equal(t, want, run(false, true))
}

// stuck is a host that sends frames of 80 bytes, 100 on the wire, at 100 Gb/s (8 ns each) in classes 3 and 4, into a
// switch that has no room at all, and whose group 3 pauses with its first frame.
func stuck(committed unit.Bytes) Network {
	n := Network{
		Hosts: []Host{{PFC: pfc.Of(3), AfterPause: [Priorities]unit.Bytes{3: committed}}, {}},
		Switches: []Switch{{
			MMU: mmu.Config{Cell: 80, Pools: []mmu.Pool{{}},
				Groups: []mmu.Group{{}, {Limit: thresholds.Static(0), Lossless: true, Headroom: 1 << 20}}},
			Ports: []SwitchPort{{PFC: pfc.Of(3), Groups: [Priorities]int{3: 1}}, {}}}},
		Links: []Link{{A: AtHost(0), B: AtSwitch(0, 0), Rate: 100 * unit.Gbps, Delay: unit.Microsecond},
			{A: AtHost(1), B: AtSwitch(0, 1), Rate: unit.Mbps}},
		Flows: []Flow{{From: 0, To: 1, Priority: 3, PCP: 3, Frame: 80}},
	}
	return n
}

// The first frame arrives after 1008 ns. The pause frame takes 84 bytes of wire (6.72 ns) and 1000 ns, so the pause
// takes effect at 2014.72 ns. At this time the host sends its frame 252, which ends at 2016 ns.
func TestCommitted(t *testing.T) {
	for committed, sent := range map[unit.Bytes]int64{
		0:    252, // the frame in flight alone
		15:   252, // 1.2 ns: it ends after that, and is finished in any case
		116:  253, // 9.28 ns: frame 253 ends at 2024 ns, just in time
		115:  252,
		1016: 262,
		1015: 261,
	} {
		for _, observed := range []bool{false, true} {
			s, err := New(stuck(committed))
			require.NoError(t, err)
			if observed {
				s.Observe(func(*Event) {}) // which makes no difference
			}
			for at := unit.Time(0); at < 4*unit.Microsecond; at += 4 * unit.Nanosecond {
				s.Advance(at)
				require.NoError(t, s.Check())
			}
			require.Equal(t, sent, s.Flow(0).Sent, "committed to %v, observed: %v", committed, observed)
		}
	}
}

// The length that counts is that of the next frame, also where a Sender decides on it.
func TestCommittedFramesOfASender(t *testing.T) {
	for _, longest := range []unit.Bytes{80, 160} {
		n := stuck(116)
		n.Flows[0].Frame, n.Flows[0].Sender.Frames = longest, []unit.Bytes{80}
		s := started(t, n)
		s.Run(4 * unit.Microsecond)
		require.EqualValues(t, 253, s.Flow(0).Sent, "frames of up to %d bytes", longest)
	}
}

// Another class is not stopped. The paused class sends the rest of its commitment in turn with it.
func TestCommittedLeavesOthersAlone(t *testing.T) {
	n := stuck(1016)
	n.Flows = append(n.Flows, Flow{From: 0, To: 1, Priority: 4, PCP: 4, Frame: 80})
	s, err := New(n)
	require.NoError(t, err)
	s.Run(10 * unit.Microsecond)
	require.NoError(t, s.Check())
	require.EqualValues(t, 131, s.Flow(0).Sent, "126 of 252 frames before the pause, 5 of the next 10")
	require.Greater(t, s.Flow(1).Sent, int64(1000))
}

// A resume ends the commitment too: the class sends freely, and the next pause gives a new commitment.
func TestCommittedBeginsAnew(t *testing.T) {
	s, err := New(stuck(1016))
	require.NoError(t, err)
	s.Advance(50 * unit.Microsecond)
	require.EqualValues(t, 262, s.Flow(0).Sent)
	p := &s.ports[0]
	require.Zero(t, p.finishing)
	s.parts[0].applyPause(0, p, 0, pfc.Of(3))
	s.Advance(50*unit.Microsecond + 16*unit.Nanosecond)
	require.EqualValues(t, 265, s.Flow(0).Sent)
	s.parts[0].applyPause(0, p, pfc.Of(3), 0)
	require.EqualValues(t, 1<<3, p.finishing)
	s.parts[0].applyPause(0, p, 0, pfc.Of(3))
	require.Zero(t, p.finishing)
	s.parts[0].applyPause(0, p, pfc.Of(3), 0)
	s.Advance(60 * unit.Microsecond)
	require.EqualValues(t, 265+9, s.Flow(0).Sent, "the frame in flight ends 8 ns later, and 9 more within 81.28 ns")
}
