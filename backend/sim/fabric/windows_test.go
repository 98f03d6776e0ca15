package fabric

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// What counts in the model of several workers, in instructions, as callgrind has counted it for fat trees without
// several workers: an event, what a part hears and tells of one link for a window, and what is handed over of one link
// after a span, while no part runs.
const (
	perEvent  = 800
	perWindow = 25
	perSpan   = 60
)

// schedule is the model of a span that several workers share: when each step of each part ends.
type schedule struct {
	*windows
	cost [][]int64 // of each window and part
	ends [][]int64 // of each window and part; 0: it has not begun
	at   []int64   // when each worker has time
	next []int     // as in crew
}

// ready tells whether a part can begin a window at a time.
func (s *schedule) ready(part int32, window int, at int64) bool {
	if s.ends[window][part] > 0 {
		return false
	}
	done := func(n int32) bool { return s.ends[window-1][n] > 0 && s.ends[window-1][n] <= at }
	waits := func(n int32) bool { return !done(n) }
	return window == 0 || done(part) && !slices.ContainsFunc(s.layout.neighbours[part], waits)
}

// step lets a worker do a step of a part of a list; false if none is ready.
func (s *schedule) step(worker int, list []int32, from int) (place int, ok bool) {
	for k := range list {
		place := (from + k) % len(list)
		for window := range s.count {
			if s.ready(list[place], window, s.at[worker]) {
				s.at[worker] += s.cost[window][list[place]] + 1
				s.ends[window][list[place]] = s.at[worker]
				return place, true
			}
		}
	}
	return 0, false
}

// length is how long the span takes. A worker that finds nothing to do looks again when the next step ends.
func (s *schedule) length() int64 {
	steps := 0
	for _, list := range s.lists {
		steps += len(list) * s.count
	}
	s.at, s.next = make([]int64, len(s.lists)), make([]int, len(s.lists))
	for steps > 0 {
		w := slices.Index(s.at, slices.Min(s.at))
		place, ok := s.step(w, s.lists[w], s.next[w])
		if ok {
			s.next[w] = place + 1
		}
		for i := 0; i < len(s.lists) && !ok; i++ {
			_, ok = s.step(w, s.lists[i], 0)
		}
		if ok {
			steps--
			continue
		}
		later := int64(1) << 62
		for _, ends := range s.ends {
			for _, at := range ends {
				if at > s.at[w] {
					later = min(later, at)
				}
			}
		}
		s.at[w] = later
	}
	return slices.Max(s.at)
}

// model runs a network as so many workers would, and returns the cost of all events, and how long the workers take in
// the model: with the events alone, and with all that is handed over.
func model(t testing.TB, net Network, workers int) (all, events, handed int64) {
	s, err := New(net)
	require.NoError(t, err)
	w := newWindows(s, int64(1)<<60, workers)
	before := make([]int64, len(s.parts))
	for w.deal() {
		plain, whole := &schedule{windows: w}, &schedule{windows: w}
		for _, m := range []*schedule{plain, whole} {
			for range w.count {
				m.cost, m.ends = append(m.cost, make([]int64, len(s.parts))), append(m.ends, make([]int64, len(s.parts)))
			}
		}
		handed += perSpan * int64(len(s.parts))
		for window := range w.count {
			for _, list := range w.lists {
				for _, number := range list {
					p := s.parts[number]
					w.run(int(number), window)
					n := perEvent * (p.Taken - before[number])
					before[number] = p.Taken
					all += n
					plain.cost[window][number] = n
					whole.cost[window][number] = n
					if w.count > 1 {
						whole.cost[window][number] += perWindow * int64(len(p.crossings))
					}
				}
			}
		}
		events += plain.length()
		handed += whole.length()
		for _, list := range w.lists {
			for _, number := range list {
				handed += perSpan * int64(len(s.parts[number].crossings))
			}
		}
		w.postAll()
	}
	s.finish()
	require.NoError(t, s.Check())
	return all, events, handed
}

// BenchmarkWorkersBound reports how much faster several workers can run a fat tree at most, from counted events and
// hand-overs: the cost of all events against the time that workers take who do the steps of the parts in the order in
// which the crew does them. No other program disturbs these figures. They leave out the caches, and what it costs to
// look for work.
func BenchmarkWorkersBound(b *testing.B) {
	for _, w := range works() {
		if !w.setup {
			continue
		}
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				for _, workers := range []int{2, 4, 8, 16} {
					all, events, handed := model(b, w.net(), workers)
					b.ReportMetric(float64(all)/float64(events), fmt.Sprintf("x-%d-workers", workers))
					b.ReportMetric(float64(all)/float64(handed), fmt.Sprintf("x-%d-handed-over", workers))
				}
			}
		})
	}
}

// The parts of a fat tree of 128 hosts are equal enough for workers: with what is handed over, the bound is above 1.9
// for two, 3.7 for four, 6.3 for eight.
func TestWorkersBound(t *testing.T) {
	effort.Alone(t)
	net := fatTree(8)
	permutation(&net, 1e5, false)
	for workers, tenths := range map[int]int64{2: 19, 4: 37, 8: 63} {
		all, events, handed := model(t, net, workers)
		require.Greater(t, 10*all, tenths*handed, "%d workers", workers)
		require.Less(t, events, handed)
	}
}

// A fat tree gives the same results by any number of workers if spans have many windows, if lines are full in the
// middle of a span, and if the workers take up what others have taken from the lines since the span began.
func TestSpansChangeNothing(t *testing.T) {
	net := fatTree(4)
	permutation(&net, 3e5, false)
	net = acknowledged(net)
	r := rand.New(rand.NewPCG(1, 1))
	parts, _ := sameInParts(t, r, net, "fat tree")
	require.Equal(t, 20, parts)
	usual := partsPerWorker
	partsPerWorker = 1
	defer func() { partsPerWorker = usual }()
	s := started(t, net)
	w := newWindows(s, int64(unit.Second), 2)
	windows, full, regained := 0, 0, 0
	for w.deal() {
		windows = max(windows, w.count)
		for window := range w.count {
			for _, number := range slices.Concat(w.lists...) {
				w.run(int(number), window)
			}
		}
		for _, p := range s.parts {
			for i := range p.crossings {
				c := &p.crossings[i]
				if c.Full {
					full++
				}
				// More frames than a line has places have crossed since it was connected.
				if w.count == mostWindows && c.Next > 200 {
					regained++
				}
			}
		}
		w.postAll()
	}
	require.Equal(t, mostWindows, windows)
	require.Positive(t, full)
	require.Positive(t, regained)
}

// Two workers have parts that are near each other: a quarter of the links between the switches of a fat tree lead from
// one worker's to the other's. Half would do so without regard to that.
func TestWorkersHaveNearParts(t *testing.T) {
	for _, k := range []int{4, 8, 16} {
		s, err := New(fatTree(k))
		require.NoError(t, err)
		w := newWindows(s, 0, 2)
		w.lists = make([][]int32, 2)
		w.divide(0)
		all, between, parts := 0, 0, [2]int{}
		for i, p := range s.parts {
			parts[w.owner[i]]++
			for _, c := range p.crossings {
				all++
				if w.owner[i] != w.owner[s.ports[c.to].part] {
					between++
				}
			}
		}
		require.InDelta(t, parts[0], parts[1], 1)
		require.LessOrEqual(t, 100*between, 27*all, "%d of %d links of a fat tree of %d", between, all, k)
	}
}

// What a port sends between two runs, because a change lets it, crosses to another part like all else.
func TestSentBetweenRuns(t *testing.T) {
	usual := partsPerWorker
	partsPerWorker = 1
	defer func() { partsPerWorker = usual }()
	var want []FlowState
	for _, workers := range [][2]int{{2, 2}, {2, 1}, {1, 1}, {1, 2}} {
		net := fatTree(4)
		permutation(&net, 100_000, false)
		s := started(t, net)
		s.SetWorkers(workers[0])
		s.Run(5 * unit.Microsecond)
		for i := range s.switches {
			for j := range s.switches[i].ports {
				s.Block(i, j)
			}
		}
		s.Run(10 * unit.Microsecond)
		s.SetWorkers(workers[1])
		crossed := 0
		for i := range s.ports {
			if p := &s.ports[i]; p.isSwitch() {
				if p.pausing.held, p.paused = 0, 0; p.waiting != 0 && p.way == across {
					crossed++
				}
				s.partOf(int32(i)).kick(int32(i))
			}
		}
		require.Positive(t, crossed)
		s.Run(unit.Second)
		require.NoError(t, s.Check(), "%d workers, then %d", workers[0], workers[1])
		got := make([]FlowState, len(s.flows))
		for i := range got {
			require.True(t, s.Done(i))
			got[i] = s.Flow(i)
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got, "%d workers, then %d", workers[0], workers[1])
	}
}
