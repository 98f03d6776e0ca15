package pushworld

import (
	"container/heap"
	"math/rand/v2"
	"runtime"
	"testing/synctest"
	"time"
)

// scheduler decides when anything happens. All chance of a history comes from its random numbers, and no two parts of
// the world run at the same time: while a process of the world computes, the scheduler waits, and what it wants of the
// world (an RPC, a write to the disk, a pause) is an event that the scheduler runs when it is due. Time is the bubble's
// of testing/synctest, so that deadlines of contexts hold as well.
type scheduler struct {
	*rand.Rand
	events    events
	count     uint64
	processes []*process
	began     time.Time
	asked     chan struct{} // a process asks while the scheduler sleeps
}

func newScheduler(seed uint64) scheduler {
	const stream = 0x776f726c64 // any constant: the seed alone tells histories apart
	return scheduler{Rand: rand.New(rand.NewPCG(seed, stream)), began: time.Now(), asked: make(chan struct{}, 1)}
}

// event is something that happens at a time.
type event struct {
	at    time.Duration // since the beginning
	order uint64        // of events at the same time: by chance
	count uint64
	do    func()
}

// events is a heap.
type events []*event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	a, b := e[i], e[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.order != b.order:
		return a.order < b.order
	}
	return a.count < b.count
}
func (e *events) Push(x any) { *e = append(*e, x.(*event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// now is the time since the beginning.
func (s *scheduler) now() time.Duration { return time.Since(s.began) }

// after has something happen later.
func (s *scheduler) after(d time.Duration, do func()) {
	s.count++
	heap.Push(&s.events, &event{s.now() + max(d, 0), s.Uint64(), s.count, do})
}

// between is a time by chance.
func (s *scheduler) between(least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(s.Int64N(int64(most-least)))
}

// oneIn is true once in n times.
func (s *scheduler) oneIn(n int) bool { return s.IntN(n) == 0 }

// run runs events until none is pending, or over is true.
func (s *scheduler) run(over func() bool) {
	s.settle()
	for len(s.events) > 0 && !over() {
		next := s.events[0]
		if d := next.at - s.now(); d > 0 {
			timer := time.NewTimer(d)
			select {
			case <-timer.C:
			case <-s.asked: // by a process that waited for a timer of its own
				timer.Stop()
			}
			s.settle() // the timers of contexts that are due at the same time
			continue
		}
		heap.Pop(&s.events)
		next.do()
		s.settle()
	}
}

// settle waits until every process waits, and takes what they ask for, in their order. What that sets going has to
// come to rest as well: a process that has ended ends.
func (s *scheduler) settle() {
	for taken := true; taken; {
		synctest.Wait()
		select {
		case <-s.asked:
		default:
		}
		taken = false
		for _, p := range s.processes {
			if ask := p.ask; ask != nil {
				p.ask, taken = nil, true
				ask()
			}
		}
	}
}

// process is a running program of the world: it has a goroutine, which runs only between
// an event and its next question to the world.
type process struct {
	s      *scheduler
	ask    func() // what it asks for; nil: nothing
	resume chan struct{}
	dead   bool // it was killed
	ended  bool
}

// newProcess makes a process that does not run yet.
func (s *scheduler) newProcess() *process {
	p := &process{s: s, resume: make(chan struct{}, 1)}
	s.processes = append(s.processes, p)
	return p
}

// start has a process run.
func (p *process) start(run func(*process)) {
	go func() {
		defer func() {
			if !p.dead { // one that was killed is over already, and others look at it while its goroutine ends
				p.ended = true
			}
		}()
		run(p)
	}()
}

// wait hands a question to the scheduler and waits for proceed. A process that is
// killed meanwhile ends here: nothing of it runs any more, as after SIGKILL.
func (p *process) wait(ask func()) {
	if p.dead {
		runtime.Goexit()
	}
	p.ask = ask
	select {
	case p.s.asked <- struct{}{}:
	default:
	}
	<-p.resume
	if p.dead {
		runtime.Goexit()
	}
}

// proceed has the process go on.
func (p *process) proceed() { p.resume <- struct{}{} }

// pause waits for a time.
func (p *process) pause(d time.Duration) {
	p.wait(func() { p.s.after(d, p.unlessDead(p.proceed)) })
}

// unlessDead is what happens to a process only if it was not killed meanwhile.
func (p *process) unlessDead(do func()) func() {
	return func() {
		if !p.dead {
			do()
		}
	}
}

// kill ends a process, wherever it is.
func (p *process) kill() {
	if p.ended || p.dead {
		return
	}
	p.dead = true
	select {
	case p.resume <- struct{}{}:
	default: // it is about to go on anyway, and ends at its next question
	}
}
