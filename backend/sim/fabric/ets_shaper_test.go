package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

func shapedTo(queue int, idle unit.BitRate) (s Scheduler) {
	s.Queues[queue] = Selection{Algorithm: Shaped, IdleSlope: idle}
	return s
}

// departures runs a network and returns when the switch's port began to send each frame of a queue.
func departures(t *testing.T, net Network, port, queue int, until unit.Time) (out []unit.Time) {
	s, err := New(net)
	require.NoError(t, err)
	s.Observe(func(e *Event) {
		if e.Kind == Departs && e.Where == AtSwitch(0, port) && e.Queue == queue {
			out = append(out, e.At)
		}
	})
	for at := unit.Time(0); at < until; at += until / 1000 {
		s.Run(at)
		require.NoError(t, s.Check())
	}
	return out
}

// A shaped queue sends frames of 1000 bytes, which take 81.6 ns at 100G, with an idle slope of 30G. It sends one every
// 81.6/0.3 = 272 ns, exactly, if nothing else is sent. The shaper itself causes the event at which the next frame may
// begin.
func TestShaperHoldsItsRate(t *testing.T) {
	for _, group := range []bool{false, true} {
		net := star(2)
		ets := shapedTo(5, 30*unit.Gbps)
		if group {
			ets = Scheduler{Groups: ets.Queues, Group: [Priorities]int{5, 5, 5, 5, 5, 5, 5, 5}}
		}
		net.Switches[0].Ports[1].ETS = ets
		net.Flows = []Flow{flowOf(0, 1, 5, 1000, 1000)}
		at := departures(t, net, 1, 5, 300*unit.Microsecond)
		require.Len(t, at, 1000)
		for i := range at[1:] {
			require.Equal(t, 272*unit.Nanosecond, at[i+1]-at[i], "frame %d", i)
		}
	}
}

// Other queues use the rate that a shaped queue leaves. Together they fill the
// port, and the shaped queue has its rate to within one frame.
func TestShaperLends(t *testing.T) {
	net := star(3)
	net.Switches[0].Ports[2].ETS = shapedTo(5, 30*unit.Gbps)
	net.Flows = []Flow{flowOf(0, 2, 5, 1000, 1e5), flowOf(1, 2, 1, 1500, 1e5)}
	s, err := New(net)
	require.NoError(t, err)
	s.Run(1002 * unit.Microsecond)
	shaped, other := s.Flow(0), s.Flow(1)
	require.InEpsilon(t, 30e9/8*1e-3, float64(shaped.Delivered*1020), 0.003)
	require.InEpsilon(t, 70e9/8*1e-3, float64(other.Delivered*1520), 0.003)
}

// A frame of 9000 bytes is sent before a shaped queue of 30G. The first frame of the queue waits the time w for it,
// which earns 0.3*w*100G bits of credit. Each frame of 1000 bytes costs 0.7*81.6 ns*100G. Frames follow back to back
// while the credit is not below 0.
func TestShaperBursts(t *testing.T) {
	net := star(3)
	net.Switches[0].Ports[2].ETS = shapedTo(5, 30*unit.Gbps)
	net.Flows = []Flow{flowOf(0, 2, 1, 9000, 1), flowOf(1, 2, 5, 1000, 12)}
	net.Flows[1].Start = 650 * unit.Nanosecond
	big := departures(t, net, 2, 1, 10*unit.Microsecond)
	at := departures(t, net, 2, 5, 10*unit.Microsecond)
	require.Len(t, at, 12)
	frame := 81600 * unit.Picosecond
	came := 650*unit.Nanosecond + unit.Microsecond + frame
	wait := at[0] - came
	require.Equal(t, big[0]+721600*unit.Picosecond, at[0], "the frame in flight ends first")
	require.Greater(t, wait, 500*unit.Nanosecond)

	burst := int(3*wait/(7*frame)) + 1
	require.Equal(t, 4, burst)
	for i := range at[1:] {
		gap := at[i+1] - at[i]
		switch {
		case i+1 < burst:
			require.Equal(t, frame, gap, "frame %d follows at once", i+1)
		case i+1 == burst:
			debt := unit.Time(burst)*7*frame - 3*wait
			require.Equal(t, frame+(debt+2)/3, gap, "the burst is over when its credit is spent")
		default:
			require.Equal(t, 272*unit.Nanosecond, gap, "frame %d", i+1)
		}
	}
}

// A shaped queue is paused for a long time after its last frame has arrived. No burst follows: a paused queue earns no
// credit. The other flow advances the time.
func TestPausedShaper(t *testing.T) {
	net := star(3)
	net.Switches[0].Ports[1].ETS = shapedTo(5, 30*unit.Gbps)
	net.Flows = []Flow{flowOf(0, 1, 5, 1000, 1000), endless(1, 2, 0)}
	s, err := New(net)
	require.NoError(t, err)
	var at []unit.Time
	s.Observe(func(e *Event) {
		if e.Kind == Departs && e.Where == AtSwitch(0, 1) {
			at = append(at, e.At)
		}
	})
	s.Run(100 * unit.Microsecond)
	s.hold(AtSwitch(0, 1), 1<<5)
	s.Run(150 * unit.Microsecond)
	sent := len(at)
	s.hold(AtSwitch(0, 1), 0)
	s.Run(200 * unit.Microsecond)
	require.Greater(t, len(at), sent+100)
	for i := sent; i+1 < len(at); i++ {
		require.Equal(t, 272*unit.Nanosecond, at[i+1]-at[i])
	}
}
