package crew

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every piece of work of every round is done once, before the round ends, by any number of workers; also when there are
// more workers than processors, and when rounds have different numbers of workers.
func TestEveryPieceOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		for _, workers := range []int{1, 2, 3, 8} {
			done := make([][100]atomic.Int32, workers)
			c := New(workers, func(worker, i int) { done[worker][i].Add(1) })
			require.Equal(t, workers, c.Workers())
			for round := range 60 {
				n := make([]int, 1+round%workers)
				for w := range n {
					n[w] = (round*7 + w*13) % 100
				}
				c.Round(n)
				for w := range done {
					for i := range done[w] {
						want := int32(0)
						if w < len(n) && i < n[w] {
							want = 1
						}
						require.Equal(t, want, done[w][i].Swap(0), "round %d of %d workers, piece %d of %d", round, workers, i, w)
					}
				}
			}
			c.Stop()
		}
	}
}

// A goroutine that has gone to sleep wakes when it is roused, and one that is about to sleep does not miss it.
func TestNoOneOversleeps(t *testing.T) {
	for range 200 {
		var so atomic.Bool
		s := newSleeper()
		woken := make(chan struct{})
		go func() {
			s.wait(so.Load)
			close(woken)
		}()
		for !s.asleep.Load() {
			runtime.Gosched()
		}
		so.Store(true)
		s.rouse()
		<-woken
	}
}

// A round allocates nothing once the goroutines are there.
func TestRoundAllocatesNothing(t *testing.T) {
	c := New(2, func(int, int) {})
	defer c.Stop()
	n := []int{3, 4}
	c.Round(n)
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Round(n) }))
}

// BenchmarkRound is what a round without work costs, for each number of workers.
func BenchmarkRound(b *testing.B) {
	for name, n := range map[string][]int{"1": make([]int, 1), "2": make([]int, 2)} {
		b.Run(name, func(b *testing.B) {
			c := New(len(n), func(int, int) {})
			defer c.Stop()
			for b.Loop() {
				c.Round(n)
			}
		})
	}
}
