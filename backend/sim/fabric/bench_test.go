//go:build unix

package fabric

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// BenchmarkSim measures the event loop alone, without making the network. One hop is one frame over one link.
//
// It reports the processor time of the process (getrusage), because the time on the wall says more about the other
// programs of a machine than about this one. A work that did not deliver all its frames, or lost one, fails.
// testdata/instructions.sh counts instructions for the same works, which no other program disturbs.
func BenchmarkSim(b *testing.B) {
	for _, w := range works() {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			var hops, events, spent int64
			for b.Loop() {
				b.StopTimer()
				s, err := New(w.net())
				require.NoError(b, err)
				growStack()
				before := processorTime(b)
				b.StartTimer()
				s.Run(10 * unit.Second)
				b.StopTimer()
				spent += processorTime(b) - before
				w.check(b, s)
				hops += s.hops()
				events += s.taken()
				b.StartTimer()
			}
			b.ReportMetric(float64(spent)/float64(hops), "cpu-ns/hop")
			b.ReportMetric(float64(events)/float64(hops), "events/hop")
			b.ReportMetric(float64(hops)/float64(b.N), "hops/op")
		})
	}
}

// BenchmarkSetup measures how long it takes to make fat trees, and the memory that they keep for each host before the
// first event and after the last one.
func BenchmarkSetup(b *testing.B) {
	for _, w := range works() {
		if !w.setup {
			continue
		}
		b.Run(w.name, func(b *testing.B) {
			net := w.net()
			hosts := float64(len(net.Hosts))
			var spent, made, ran int64
			for b.Loop() {
				empty, before := heap(), processorTime(b)
				s, err := New(net)
				spent += processorTime(b) - before
				require.NoError(b, err)
				made += heap() - empty
				s.Run(10 * unit.Second)
				w.check(b, s)
				ran += heap() - empty
				runtime.KeepAlive(s)
			}
			n := float64(b.N)
			b.ReportMetric(float64(spent)/n/1e6, "setup-cpu-ms")
			b.ReportMetric(float64(made)/n/hosts, "B/host")
			b.ReportMetric(float64(ran)/n/hosts, "B/host-after")
		})
	}
}

// growStack makes the goroutine's stack larger than Run needs. Callgrind loses count when a stack moves during Run.
//
//go:noinline
func growStack() {
	var room [16 << 10]byte
	runtime.KeepAlive(&room)
}

// processorTime is the time for which the process has used a processor, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var r syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return r.Utime.Nano() + r.Stime.Nano()
}

// heap is the memory that is in use, after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkWorkers measures how much faster several workers run a fat tree on the wall than one: the median of the
// ratios of rounds in which they take turns, seven if -benchtime is 7x. It needs a machine with nothing else to do.
// What the machine gives at most is x-N-apart: as many simulations of one worker each, at the same time, which share
// nothing but the machine.
func BenchmarkWorkers(b *testing.B) {
	counts := []int{1}
	for n := 2; n <= runtime.GOMAXPROCS(0); n *= 2 {
		counts = append(counts, n)
	}
	for _, w := range works() {
		if !strings.HasPrefix(w.name, "tree-") || w.name == "tree-16" || w.name == "tree-16-ack" {
			continue
		}
		b.Run(w.name, func(b *testing.B) {
			net := w.net()
			ratios, apart := map[int][]float64{}, map[int][]float64{}
			var hops int64
			var alone time.Duration
			for b.Loop() {
				took := map[int]time.Duration{}
				for _, n := range counts {
					s, err := New(net)
					require.NoError(b, err)
					s.SetWorkers(n)
					runtime.GC()
					begin := time.Now()
					s.Run(10 * unit.Second)
					took[n] = time.Since(begin)
					w.check(b, s)
					hops = s.hops()
				}
				for _, n := range counts[1:] {
					ratios[n] = append(ratios[n], took[1].Seconds()/took[n].Seconds())
					apart[n] = append(apart[n], float64(n)*took[1].Seconds()/runApart(b, net, n).Seconds())
				}
				alone += took[1]
			}
			b.ReportMetric(float64(alone.Nanoseconds())/float64(hops)/float64(b.N), "wall-ns/hop-of-one")
			for n, of := range ratios {
				slices.Sort(of)
				b.ReportMetric(of[len(of)/2], fmt.Sprintf("x-%d-workers", n))
				slices.Sort(apart[n])
				b.ReportMetric(apart[n][len(of)/2], fmt.Sprintf("x-%d-apart", n))
			}
		})
	}
}

// runApart runs a network n times at once, each with one worker, and returns how long that takes.
func runApart(b *testing.B, net Network, n int) time.Duration {
	sims := make([]*Sim, n)
	for i := range sims {
		s, err := New(net)
		require.NoError(b, err)
		s.SetWorkers(1)
		sims[i] = s
	}
	runtime.GC()
	begin := time.Now()
	var all sync.WaitGroup
	for _, s := range sims {
		all.Go(func() { s.Run(10 * unit.Second) })
	}
	all.Wait()
	return time.Since(begin)
}
