package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

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
