package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// A port that waits for a shaper continues when its scheduler changes. A
// scheduler that New would refuse changes nothing.
func TestSetSchedule(t *testing.T) {
	net := incast(4, 0)
	slow := Scheduler{}
	slow.Queues[3] = Selection{Algorithm: Shaped, IdleSlope: unit.Mbps}
	net.Switches[0].Ports[4].ETS = slow
	s, err := New(net)
	require.NoError(t, err)
	run := func() int64 {
		before := s.Summary().Delivered
		s.Advance(s.Now() + 100*unit.Microsecond)
		require.NoError(t, s.Check())
		return s.Summary().Delivered - before
	}
	few := run()
	require.Error(t, s.SetSchedule(0, 4, Scheduler{Quantum: -1}))
	require.LessOrEqual(t, run(), few, "as before")
	require.NoError(t, s.SetSchedule(0, 4, Scheduler{}))
	require.Greater(t, run(), 100*max(few, 1))
	require.NoError(t, s.SetSchedule(0, 4, slow))
	run() // what was on its way arrives
	require.LessOrEqual(t, run(), few+2)
}
