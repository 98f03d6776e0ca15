// Package crew shares rounds of work among goroutines that stay awake between the rounds: a round of the simulator
// takes some tens of microseconds, and a goroutine that sleeps takes as long to wake.
//
// Each worker has a list of its own, so that what it works on stays in the cache of its processor. When it has finished
// its list, it takes from those of the others.
package crew

import (
	"runtime"
	"sync/atomic"
)

// How long a worker waits for a round before it sleeps: so many looks, and then so many turns for other goroutines. A
// machine that has other things to do is so left to them.
const (
	looks = 2000
	turns = 50
)

// Crew is workers, of which the caller is the first. It is not safe for concurrent use.
type Crew struct {
	do      func(worker, i int)
	lists   []list
	others  []*sleeper // of the workers beside the caller
	caller  sleeper
	round   atomic.Uint64 // number of the round, times mostWorkers, plus its workers beside the caller; over: the end
	working atomic.Int64  // workers beside the caller that have not finished the round
}

// list is the work of one worker in a round. Each has a line of the cache. taken can be more than n: each worker that
// finds nothing left has counted once more.
type list struct {
	taken atomic.Int64
	n     int64
	_     [48]byte
}

// mostWorkers is more than a crew can have.
const mostWorkers = 1 << 16

// over is the round after which there is none.
const over = ^uint64(0)

// New returns a crew of up to so many workers, 1 to 65,535. It starts no goroutine before the first round that needs
// it. do does the piece of work with a number on a worker's list.
func New(workers int, do func(worker, i int)) *Crew {
	workers = min(max(workers, 1), mostWorkers-1)
	return &Crew{do: do, lists: make([]list, workers), caller: newSleeper()}
}

// Workers is how many workers the crew can have.
func (c *Crew) Workers() int { return len(c.lists) }

// Round does all the work of a round, for which worker w has n[w] pieces on its list, and returns when it is done.
// There are as many workers as lists, at most those of the crew.
func (c *Crew) Round(n []int) {
	if len(n) == 1 {
		for i := range n[0] {
			c.do(0, i)
		}
		return
	}
	for w := range n {
		c.lists[w].taken.Store(0)
		c.lists[w].n = int64(n[w])
	}
	for len(c.others) < len(n)-1 {
		s := newSleeper()
		c.others = append(c.others, &s)
		go c.work(len(c.others), &s, c.round.Load())
	}
	// The number of the round is stored last: a worker that sees it sees the lists and the number of workers too.
	c.working.Store(int64(len(n) - 1))
	c.round.Store((c.round.Load()/mostWorkers+1)*mostWorkers + uint64(len(n)-1))
	for _, s := range c.others[:len(n)-1] {
		s.rouse()
	}
	c.share(0, len(n))
	c.caller.wait(func() bool { return c.working.Load() == 0 })
}

// Stop ends the goroutines. There must be no round after it.
func (c *Crew) Stop() {
	c.round.Store(over)
	for _, s := range c.others {
		s.rouse()
	}
}

// work does a worker's part of all rounds after one.
func (c *Crew) work(worker int, s *sleeper, seen uint64) {
	begun := func() bool { return c.round.Load() != seen }
	for {
		s.wait(begun)
		if seen = c.round.Load(); seen == over {
			return
		}
		if others := int(seen % mostWorkers); worker <= others {
			c.share(worker, others+1)
			if c.working.Add(-1) == 0 {
				c.caller.rouse()
			}
		}
	}
}

// share does a worker's list, and then what is left on those of the others.
func (c *Crew) share(worker, workers int) {
	for k := range workers {
		l := (worker + k) % workers
		list := &c.lists[l]
		for {
			i := list.taken.Add(1) - 1
			if i >= list.n {
				break
			}
			c.do(l, int(i))
		}
	}
}

// sleeper is a goroutine that waits for something.
type sleeper struct {
	asleep *atomic.Bool
	wake   chan struct{}
}

// newSleeper returns a goroutine that does not sleep.
func newSleeper() sleeper { return sleeper{asleep: new(atomic.Bool), wake: make(chan struct{}, 1)} }

// wait returns when something is so. What makes it so must call rouse afterwards.
func (s *sleeper) wait(so func() bool) {
	for range looks {
		if so() {
			return
		}
	}
	for range turns {
		if runtime.Gosched(); so() {
			return
		}
	}
	for {
		s.asleep.Store(true)
		// It may have become so just now, and who made it so may not have seen that this goroutine sleeps.
		if so() && s.asleep.CompareAndSwap(true, false) {
			return
		}
		if <-s.wake; so() {
			return
		}
	}
}

// rouse wakes the goroutine if it sleeps.
func (s *sleeper) rouse() {
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}
