package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// windowsOf runs a simulation window by window, and calls f with the number of events that each part has in a window.
func windowsOf(s *Sim, f func(events []int64)) {
	before, events := make([]int64, len(s.parts)), make([]int64, len(s.parts))
	for start := s.soonest(); start < clock.Never; start = s.soonest() {
		s.Run(unit.Time(start + s.window - 1))
		for i, p := range s.parts {
			events[i] = p.Taken - before[i]
			before[i] = p.Taken
		}
		f(events)
	}
}

// busiestOf is how many events the busiest of some workers has when they share the parts of a window: the parts that had
// most events in the window before come first, and each worker takes the next part when it has finished one. Time is
// counted in events. That a worker begins with its own parts makes no difference to that.
func busiestOf(events, before []int64, workers int) int64 {
	var active []int
	for i, n := range events {
		if n > 0 {
			active = append(active, i)
		}
	}
	slices.SortStableFunc(active, func(a, b int) int { return cmp.Compare(before[b], before[a]) })
	busy := make([]int64, max(1, min(workers, len(active)/partsPerWorker)))
	for _, i := range active {
		busy[slices.Index(busy, slices.Min(busy))] += events[i]
	}
	return slices.Max(busy)
}

// BenchmarkWorkersBound reports how much faster several workers can run a fat tree at most, from counted events: the
// sum of all events against the sum of those of the busiest worker of each window. No other program disturbs these
// figures; they leave out what a window costs beside its events.
func BenchmarkWorkersBound(b *testing.B) {
	for _, w := range works() {
		if !w.setup {
			continue
		}
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				all, windows, busiest := workersBound(b, w.net(), 2, 4, 8, 16)
				b.ReportMetric(float64(all)/float64(windows), "events/window")
				for workers, n := range busiest {
					b.ReportMetric(float64(all)/float64(n), fmt.Sprintf("x-%d-workers", workers))
				}
			}
		})
	}
}

// workersBound counts the events of a run, its windows, and the events of the busiest worker of each window.
func workersBound(t testing.TB, net Network, workers ...int) (all, windows int64, busiest map[int]int64) {
	s, err := New(net)
	require.NoError(t, err)
	s.SetWorkers(1)
	busiest = map[int]int64{}
	before := make([]int64, len(s.parts))
	windowsOf(s, func(events []int64) {
		windows++
		for _, n := range events {
			all += n
		}
		for _, n := range workers {
			busiest[n] += busiestOf(events, before, n)
		}
		copy(before, events)
	})
	require.NoError(t, s.Check())
	return all, windows, busiest
}

// The parts of a fat tree of 128 hosts are equal enough for workers if those with most events come first: the bound is
// above 1.96 for two, 3.8 for four, 6.5 for eight. In the order of their numbers, it is 6.0 for eight.
func TestWorkersBound(t *testing.T) {
	net := fatTree(8)
	permutation(&net, 1e5, false)
	all, _, busiest := workersBound(t, net, 1, 2, 4, 8)
	require.Equal(t, all, busiest[1])
	require.Greater(t, 100*all, 196*busiest[2])
	require.Greater(t, 10*all, 38*busiest[4])
	require.Greater(t, 10*all, 65*busiest[8])
}

// Two workers have parts that are near each other: a quarter of the links between the switches of a fat tree lead from one
// worker's to the other's. Half would do so without regard to that.
func TestWorkersHaveNearParts(t *testing.T) {
	for _, k := range []int{4, 8, 16} {
		s, err := New(fatTree(k))
		require.NoError(t, err)
		s.SetWorkers(2)
		w := newWindows(s)
		w.deal()
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
