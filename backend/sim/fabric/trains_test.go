package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// A train is a run of frames of one flow that pass a switch alone: no other frame arrives at their port or leaves
// through theirs in between, each begins to leave the moment it has arrived, and their distances are equal. One event
// could carry a train. This file counts how many frames pass in trains; docs/simulator.md has the counts, and what
// follows from them.

// trainLengths are the lengths for which trains are counted.
var trainLengths = [...]int64{2, 4, 8}

// trains counts the trains of a network that is observed.
type trains struct {
	window  int64                    // a train ends with the window of the parts: see windows.go; never: it does not
	now     map[End]*train           // the train through each egress port
	arrived map[[3]int]unit.Time     // when a frame (switch, flow, number) arrived
	alone   map[[3]int]bool          // its port had no frame of another flow since the previous one of its flow
	before  map[End]int              // flow of the last frame that arrived at each port
	frames  int64                    // that passed a switch
	runs    int64                    // trains, single frames that were not delayed included
	direct  int64                    // frames that began to leave the moment they had arrived
	within  [len(trainLengths)]int64 // frames in trains of at least each length
}

// train is a train that may get longer.
type train struct {
	flow     int
	n        int64
	at, step unit.Time // when its last frame passed, and how long after the one before
}

// observeTrains makes a simulation count its trains.
func observeTrains(s *Sim) *trains {
	c := &trains{window: s.window, now: map[End]*train{}, arrived: map[[3]int]unit.Time{}, alone: map[[3]int]bool{},
		before: map[End]int{}}
	s.Observe(c.see)
	return c
}

// see counts a frame when it begins to leave a switch.
func (c *trains) see(e *Event) {
	if !e.Where.Switch || e.Flow < 0 {
		return
	}
	frame := [3]int{e.Where.Node, e.Flow, e.Seq}
	switch e.Kind {
	case Enqueued:
		last, any := c.before[e.Where]
		c.arrived[frame], c.alone[frame], c.before[e.Where] = e.At, !any || last == e.Flow, e.Flow
	case Departs:
		c.frames++
		c.depart(e, c.arrived[frame] == e.At, c.alone[frame])
		delete(c.arrived, frame)
		delete(c.alone, frame)
	}
}

// depart adds a frame to the train through its egress port, or begins another one.
func (c *trains) depart(e *Event, direct, alone bool) {
	t := c.now[e.Where]
	if t == nil {
		t = &train{}
		c.now[e.Where] = t
	}
	step := e.At - t.at
	longer := direct && alone && t.flow == e.Flow && (t.n == 1 || step == t.step) &&
		int64(e.At)/c.window == int64(t.at)/c.window
	if !longer {
		c.end(t)
		t.n = 0
	}
	if direct {
		c.direct++
		*t = train{e.Flow, t.n + 1, e.At, step}
	}
}

// end counts a train that does not get longer.
func (c *trains) end(t *train) {
	if t.n == 0 {
		return
	}
	c.runs++
	for i, n := range trainLengths {
		if t.n >= n {
			c.within[i] += t.n
		}
	}
}

// run runs a simulation to its end, and counts the trains that are still under way.
func (c *trains) run(s *Sim) {
	s.Run(10 * unit.Second)
	for _, t := range c.now {
		c.end(t)
	}
}

// One host that sends to another through a switch makes one train. Two hosts that send to a third make none after
// their first frames.
func TestTrainsAreCounted(t *testing.T) {
	for _, c := range []struct{ senders, frames, inTrains, runs int64 }{{1, 100, 100, 1}, {2, 200, 0, 1}} {
		s := started(t, incast(int(c.senders), 100_000))
		count := observeTrains(s)
		count.run(s)
		require.Equal(t, c.frames, count.frames, "%d senders", c.senders)
		require.Equal(t, [...]int64{c.inTrains, c.inTrains, c.inTrains}, count.within, "%d senders", c.senders)
		require.Equal(t, c.runs, count.runs, "%d senders", c.senders)
	}
}

// BenchmarkTrains counts the frames that pass a switch in trains, in the networks of BenchmarkSim. A train ends with
// the window of the parts in which a large network runs. "without" is the share of all hops that would need no event
// of their own if each train had one.
func BenchmarkTrains(b *testing.B) {
	for _, w := range works() {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				s, err := New(w.net())
				require.NoError(b, err)
				c := observeTrains(s)
				c.run(s)
				share := func(part, of int64) float64 { return float64(part) / float64(of) }
				b.ReportMetric(share(c.direct, c.frames), "direct/frame")
				for i, n := range trainLengths {
					b.ReportMetric(share(c.within[i], c.frames), fmt.Sprintf("of-%d/frame", n))
				}
				b.ReportMetric(share(c.direct-c.runs, s.hops()), "without/hop")
			}
		})
	}
}
