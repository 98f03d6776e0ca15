package fabric

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// SetWorkers sets how many goroutines run the parts of a large network; 0: as many as Go uses processors, which is what
// a new Sim does. The results do not depend on it.
func (s *Sim) SetWorkers(n int) { s.workers = n }

// partsPerWorker is how many active parts a window must have for each worker: with fewer, waking a worker would take
// longer than its work. Tests lower it.
var partsPerWorker = 8

// crew is goroutines that share the parts of a window. They wait on a channel between windows, and do not spin: the
// machine may be shared.
type crew struct {
	workers int
	begin   chan struct{} // nil: no goroutine has been started
	done    sync.WaitGroup
	active  []*part // of this window
	last    int64   // time at which it ends
	taken   atomic.Int64
}

// newCrew returns a crew of so many workers, the caller included.
func newCrew(workers int) *crew {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &crew{workers: workers}
}

// run runs the active parts up to and at a time.
func (c *crew) run(last int64) {
	c.last = last
	c.taken.Store(0)
	others := max(min(c.workers, len(c.active)/partsPerWorker)-1, 0)
	if others > 0 && c.begin == nil {
		c.start()
	}
	if others > 0 {
		// The parts with most events come first, so that none of them is begun when the others have finished. A window
		// is like the one before it.
		slices.SortStableFunc(c.active, func(a, b *part) int { return cmp.Compare(b.recent, a.recent) })
	}
	c.done.Add(others)
	for range others {
		c.begin <- struct{}{}
	}
	c.share()
	c.done.Wait()
}

// share runs parts that no other worker has taken, until there are none. Parts differ in how much happens in them, so
// they are not dealt out beforehand.
func (c *crew) share() {
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.active) {
			return
		}
		p := c.active[i]
		before := p.Taken
		p.run(c.last)
		p.recent = p.Taken - before
	}
}

// start starts the goroutines beside the caller's.
func (c *crew) start() {
	c.begin = make(chan struct{}, c.workers)
	for range c.workers - 1 {
		go func() {
			for range c.begin {
				c.share()
				c.done.Done()
			}
		}()
	}
}

// stop ends the goroutines.
func (c *crew) stop() {
	if c.begin != nil {
		close(c.begin)
	}
}
