package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// crowded is everything with so little memory that groups, the limit of queue 0 and the WRED of queue 5 all drop.
func crowded() Network {
	net := everything(16, 2e6)
	sw := &net.Switches[0]
	sw.MMU.Pools[0].Shared = 1500
	for i := range sw.Ports {
		sw.MMU.Queues[i*8].Limit = thresholds.Static(40)
		sw.Ports[i].ECN[5] = Marking{Thresholds: ecn.Thresholds{KMin: 2e3, KMax: 20e3, PMax: unit.Whole / 2},
			DropOthers: true}
	}
	for i := range net.Flows {
		net.Flows[i].ECT = net.Flows[i].Priority != 5
	}
	return net
}

// recount counts from events what tallies count, priorities being queues.
type recount struct {
	s              *Sim
	groups, queues map[int]*Tally
}

func (r *recount) observe(e *Event) {
	if !e.Where.Switch {
		return
	}
	sw := &r.s.switches[e.Where.Node]
	at := func(m map[int]*Tally, i int) *Tally {
		if m[i] == nil {
			m[i] = &Tally{}
		}
		return m[i]
	}
	group := at(r.groups, int(sw.lookups[e.Where.Port].groups[e.Priority]))
	out := e.Out
	if e.Kind == Departs || e.Kind == Marked {
		out = e.Where.Port
	}
	queue := at(r.queues, out*Priorities+e.Priority)
	cells := sw.mmu.Cells(mmu.Packet{Bytes: e.Bytes})
	switch {
	case e.Kind == Enqueued:
		group.Passed++
		group.PassedBytes += e.Bytes
		for _, t := range []*Tally{group, queue} {
			t.Cells += cells
			t.Peak = max(t.Peak, t.Cells)
		}
	case e.Kind == Departs:
		queue.Passed++
		queue.PassedBytes += e.Bytes
	case e.Kind == Departed:
		group.Cells -= cells
		queue.Cells -= cells
	case e.Kind == Marked:
		queue.Marked++
		queue.MarkedBytes += e.Bytes
	case e.Kind == Dropped && (e.Cause.Egress() || e.Cause == dropWRED):
		queue.Dropped++
		queue.DroppedBytes += e.Bytes
	case e.Kind == Dropped && e.Cause < dropNoRoute:
		group.Dropped++
		group.DroppedBytes += e.Bytes
	}
}

// Tallies are equal to the counts of an observer, and do not change the run.
func TestTallies(t *testing.T) {
	effort.Alone(t)
	plain, err := New(crowded())
	require.NoError(t, err)
	s, err := New(crowded())
	require.NoError(t, err)
	s.CountQueues(0)
	r := &recount{s, map[int]*Tally{}, map[int]*Tally{}}
	s.Observe(r.observe)
	plain.Observe(func(*Event) {})
	for at := unit.Time(0); at < 2*unit.Millisecond; at += 10 * unit.Microsecond {
		s.Run(at)
		require.NoError(t, s.Check())
	}
	plain.Run(unit.Time(s.end))
	require.Equal(t, plain.Summary(), s.Summary())
	var sum Tally
	for g := range s.switches[0].owner {
		got := s.GroupTally(0, g)
		if want := r.groups[g]; want != nil {
			require.Equal(t, *want, got, "group %d", g)
		} else {
			require.Zero(t, got)
		}
		require.Equal(t, s.MMU(0).GroupState(0, g).Held.Total(), got.Cells)
		require.GreaterOrEqual(t, got.Peak, s.MMU(0).Watermarks(0, g).GroupShared)
		sum.Dropped += got.Dropped
	}
	require.Positive(t, sum.Dropped, "groups have dropped")
	for _, q := range []int{0, 5} {
		require.Positive(t, s.QueueTally(0, 16, q).Dropped, "queue %d has dropped", q)
	}
	for port := range s.Ports(0) {
		for q := range Priorities {
			got := s.QueueTally(0, port, q)
			if want := r.queues[port*Priorities+q]; want != nil {
				require.Equal(t, *want, got, "port %d queue %d", port, q)
			}
			reserved, shared := s.MMU(0).QueueState(0, port*8+q)
			require.Equal(t, reserved+shared, got.Cells)
			require.Equal(t, s.Counters(AtSwitch(0, port)).Marked[q], got.Marked)
			sum.Dropped += got.Dropped
		}
	}
	require.Equal(t, s.Summary().Drops, sum.Dropped)
	require.Zero(t, plain.GroupTally(0, 0), "nobody asked for them")
}

// Tallies that begin in the middle of a run begin with the cells that are in use then.
func TestTalliesFromTheMiddle(t *testing.T) {
	for _, atStart := range []bool{false, true} {
		net := crowded()
		net.Switches[0].ReleaseAtStart = atStart
		s, err := New(net)
		require.NoError(t, err)
		s.Run(20 * unit.Microsecond)
		s.CountQueues(0)
		for at := s.Now(); at < 60*unit.Microsecond; at += 100 * unit.Nanosecond {
			for g := range s.switches[0].owner {
				require.Equal(t, s.MMU(0).GroupState(0, g).Held.Total(), s.GroupTally(0, g).Cells)
			}
			s.Run(at)
		}
		s.CountQueues(0)
		require.Positive(t, s.QueueTally(0, 16, 3).Passed)
		s.Run(10 * unit.Millisecond)
		require.NoError(t, s.Check())
		require.Zero(t, s.GroupTally(0, 7).Cells)
		require.Positive(t, s.GroupTally(0, 7).Peak)
	}
}

// Frames that a watchdog drops are drops of their queue.
func TestTalliesOfAWatchdog(t *testing.T) {
	s := stormed(Watchdog{Detection: 100 * unit.Millisecond, Restoration: 100 * unit.Millisecond}).sim(t)
	s.CountQueues(0)
	s.Run(300 * unit.Millisecond)
	require.NoError(t, s.Check())
	dog := s.Watchdog(0, 0)
	require.Positive(t, dog.Dropped[3])
	require.Equal(t, dog.Dropped[3], s.QueueTally(0, 0, 3).Dropped)
}

func TestTalliesAllocateNothing(t *testing.T) {
	effort.Alone(t)
	net := crowded()
	for i := range net.Flows {
		net.Flows[i].Size = 0
	}
	s, err := New(net)
	require.NoError(t, err)
	s.CountQueues(0)
	s.Run(500 * unit.Microsecond)
	until, before := s.Now(), s.QueueTally(0, 16, 3).Passed
	require.Zero(t, testing.AllocsPerRun(10, func() {
		until += 10 * unit.Microsecond
		s.Run(until)
	}))
	require.Greater(t, s.QueueTally(0, 16, 3).Passed, before)
}

// A pause frame is counted once, however many priorities it contains. Resume frames are counted too.
func TestPauseFrames(t *testing.T) {
	s, err := New(crowded())
	require.NoError(t, err)
	s.Run(10 * unit.Millisecond)
	var out, in, paused, resumed int64
	for i := range 17 {
		c := s.Counters(AtSwitch(0, i))
		h := s.Counters(AtHost(i))
		require.Equal(t, c.PauseFramesOut, h.PauseFramesIn)
		out, in = out+c.PauseFramesOut, in+h.PauseFramesIn
		paused, resumed = paused+c.PauseSent[3], resumed+c.ResumeSent[3]
	}
	require.Positive(t, out)
	require.Equal(t, paused+resumed, out, "only priority 3 has PFC")
	require.Equal(t, out, in)
}

// A new curve acts from the next frame on, for ports that marked before and for ports that did not.
func TestSetMarking(t *testing.T) {
	net := incast(4, 0)
	for i := range net.Flows {
		net.Flows[i].ECT = true
	}
	s, err := New(net)
	require.NoError(t, err)
	run := func() int64 {
		before := s.Summary().Marked
		s.Advance(s.Now() + 100*unit.Microsecond)
		require.NoError(t, s.Check())
		return s.Summary().Marked - before
	}
	require.Zero(t, run())
	require.NoError(t, s.SetMarking(0, 4, 3, ecn.Thresholds{KMin: 1, KMax: 1, PMax: unit.Whole}))
	all := run()
	require.Positive(t, all)
	require.NoError(t, s.SetMarking(0, 4, 3, ecn.Thresholds{KMin: 1, KMax: 1 << 40, PMax: 1}))
	require.Less(t, run(), all/10)
	require.NoError(t, s.SetMarking(0, 4, 3, ecn.Thresholds{}))
	require.Zero(t, run())
	require.Error(t, s.SetMarking(0, 4, 3, ecn.Thresholds{KMin: 2, KMax: 1}))
}

// A queue that drops frames that it cannot mark drops them again after marking was off.
func TestSetMarkingKeepsTheRest(t *testing.T) {
	net := incast(4, 0)
	net.Switches[0].Ports[4].ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: 1, KMax: 1, PMax: unit.Whole},
		DropOthers: true}
	s, err := New(net)
	require.NoError(t, err)
	run := func() int64 {
		before := s.Summary().Drops
		s.Advance(s.Now() + 20*unit.Microsecond)
		require.NoError(t, s.Check())
		return s.Summary().Drops - before
	}
	require.Positive(t, run())
	require.NoError(t, s.SetMarking(0, 4, 3, ecn.Thresholds{}))
	require.Zero(t, run())
	require.NoError(t, s.SetMarking(0, 4, 3, ecn.Thresholds{KMin: 1, KMax: 1, PMax: unit.Whole}))
	require.Positive(t, run())
}
