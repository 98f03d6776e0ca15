package world

import (
	"syscall"
	"testing"
	"time"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
func TestSpeed(t *testing.T) {
	type sum struct {
		d            time.Duration
		n, rpcs, ops int
	}
	for round := range 2 {
		by := map[string]*sum{}
		for seed := uint64(1); seed <= 400; seed++ {
			start := cpu()
			h := Run(t, seed, Options{})
			s := by[h.Kind]
			if s == nil {
				s = &sum{}
				by[h.Kind] = s
			}
			s.d += cpu() - start
			s.n++
			s.rpcs += h.RPCs
			s.ops += h.Operations
		}
		for k, s := range by {
			t.Log(round, k, s.d/time.Duration(s.n), float64(s.rpcs)/float64(s.n), float64(s.ops)/float64(s.n))
		}
	}
}

func TestLeaves(t *testing.T) {
	var seeds []uint64
	for seed := uint64(1); seed <= 400; seed++ {
		if Run(t, seed, Options{}).Kind == nativeLeaves {
			seeds = append(seeds, seed)
		}
	}
	start := cpu()
	for range 10 {
		for _, s := range seeds {
			Run(t, s, Options{})
		}
	}
	t.Log((cpu() - start) / time.Duration(10*len(seeds)))
}
