package crew

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// ring is n pieces of which each touches the next one and the one before.
func ring(n int) (neighbours [][]int32) {
	for i := range int32(n) {
		neighbours = append(neighbours, []int32{(i + 1) % int32(n), (i + int32(n) - 1) % int32(n)})
	}
	return neighbours
}

// dealt are so many pieces for so many workers; the last one has most.
func dealt(pieces, workers int) (lists [][]int32) {
	lists = make([][]int32, workers)
	for i := range pieces {
		w := min(i%(2*workers), workers-1)
		lists[w] = append(lists[w], int32(i))
	}
	return lists
}

// Every step of every piece is done once, in its turn, when its neighbours have done the step before and no more than
// one more; by any number of workers, also when there are more workers than processors or pieces, and when rounds have
// different numbers of workers.
func TestEveryStepInTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const pieces = 7
	neighbours := ring(pieces)
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		for _, workers := range []int{1, 2, 3, 9} {
			var done [pieces]atomic.Int32
			var wrong atomic.Int32
			c := New(workers, neighbours, func(piece, step int) {
				apart := func(n int32) bool { return n != int32(step) && n != int32(step)+1 }
				if done[piece].Load() != int32(step) ||
					slices.ContainsFunc(neighbours[piece], func(n int32) bool { return apart(done[n].Load()) }) {
					wrong.Add(1)
				}
				done[piece].Add(1)
			})
			require.Len(t, c.workers, workers)
			for round := range 60 {
				steps := 1 + round%9
				c.Round(dealt(pieces, 1+round%workers), steps)
				for i := range done {
					require.EqualValues(t, steps, done[i].Swap(0), "round %d, piece %d", round, i)
				}
			}
			c.Stop()
			require.Zero(t, wrong.Load(), "steps out of turn")
		}
	}
}

// A worker that has gone to sleep wakes when it is roused, and one that is about to sleep does not miss it.
func TestNoOneOversleeps(t *testing.T) {
	c := New(2, nil, nil)
	for range 200 {
		var so atomic.Bool
		woken := make(chan struct{})
		go func() {
			c.wait(&c.workers[1], looks, turns, so.Load)
			close(woken)
		}()
		for !c.workers[1].asleep.Load() {
			runtime.Gosched()
		}
		so.Store(true)
		c.rouse()
		<-woken
	}
}

// A worker that waits for long does the steps of another's pieces: here the second worker has none of its own.
func TestWorkersHelp(t *testing.T) {
	var at [2]atomic.Bool
	both := func() bool { return at[0].Load() && at[1].Load() }
	c := New(2, make([][]int32, 2), func(piece, _ int) {
		at[piece].Store(true)
		for !both() {
			runtime.Gosched()
		}
	})
	defer c.Stop()
	c.Round([][]int32{{0, 1}, nil}, 1)
	require.True(t, both())
}

// A round allocates nothing but what its workers wait for, once the goroutines are there.
func TestRoundAllocatesLittle(t *testing.T) {
	c := New(2, ring(8), func(int, int) {})
	defer c.Stop()
	lists := dealt(8, 2)
	c.Round(lists, 3)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { c.Round(lists, 3) }), 4.0)
}

// BenchmarkStep is what a step without work costs, for each number of workers.
func BenchmarkStep(b *testing.B) {
	for name, lists := range map[string][][]int32{"1": dealt(80, 1), "2": dealt(80, 2)} {
		b.Run(name, func(b *testing.B) {
			c := New(len(lists), ring(80), func(int, int) {})
			defer c.Stop()
			for b.Loop() {
				c.Round(lists, 32)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(80*32), "ns/step")
		})
	}
}
