package fabric

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/crew"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// A large network is run in parts: a switch with its hosts is a part, with its
// own clock and packets. What one part does reaches another only over a link,
// after the delay of the link. So for a window of that time the parts do not
// depend on each other, and each runs through the window alone, with its few
// ports in the processor's cache. When all have done so, the frames that cross
// from one part to another are handed over, and the next window begins. Several
// goroutines can share the parts of a window (windows).
//
// The result is the same as with one clock for all, because only events of the
// same part affect each other within a window, and these happen in the same
// order. A test compares both on random networks.
//
// A network is not divided if its events have an order beyond time and port
// (Wire.InOrder), or if something acts on several switches at once: failures,
// looks for deadlocks, an observer (Sim.join), an AdmissionRule, which switches
// may share.

// Run runs all events up to and at a time. It returns the number of events. It
// can be called again with a later time.
func (s *Sim) Run(until unit.Time) int64 {
	before := s.eventCount()
	end := min(int64(until)-s.leaps.sum(), clock.Never-1)
	s.end = max(s.end, end)
	for _, p := range s.parts {
		p.end = s.end
	}
	if len(s.parts) == 1 {
		s.parts[0].run(end)
	} else {
		s.runWindows(end)
	}
	s.finish()
	return s.eventCount() - before
}

// Advance runs up to a time, as Run does, and leaves the clock at that time
// even if no event is pending. A change that the caller makes next then happens
// at that time.
func (s *Sim) Advance(until unit.Time) int64 {
	n := s.Run(until)
	s.now = max(s.now, min(int64(until), clock.Never-1))
	s.setNow()
	return n
}

// Now returns the present time: the end of the last Run, or the time of the
// last event if no event is pending.
func (s *Sim) Now() unit.Time { return unit.Time(s.now + s.leaps.sum()) }

// run runs all events of the part up to and at a time. Sources of ports come first, and those of flows, senders and
// failures behind them: see flowSource.
func (s *part) run(end int64) {
	ports := s.ports
	flows := int32(len(ports)) * perPort
	for source := s.Take(end); source >= 0; source = s.Take(end) {
		s.source = source
		if source >= flows {
			s.flowDue(source - flows)
			continue
		}
		// Nearly all events are of these two kinds. Without a sign the division by a power of 2 is a shift.
		i, kind := int32(uint32(source)/perPort), uint32(source)%perPort
		p := &ports[i]
		if kind == onArrival {
			s.arrived(i, p)
		} else if kind == onSent {
			s.sent(i, p)
		} else {
			s.timerDue(i, kind)
		}
	}
	s.closeWindow(end)
}

// timerDue handles the other events of a port. onReady needs nothing but a look: a queue may have earned the credit
// of its shaper.
func (s *part) timerDue(i int32, kind uint32) {
	switch kind {
	case onPause:
		s.pauseArrived(i)
	case onExpiry:
		s.pauseExpired(i)
	case onRefresh:
		s.refreshPause(i)
	case onReady:
		s.kick(i)
	case onWatch:
		s.watchdogDue(i)
	case onLLDP:
		s.linkDue(i)
	}
}

// runWindows runs all events up to and at a time, in windows. What a part sends in a window arrives after the window,
// so the parts need not know of each other within it.
func (s *Sim) runWindows(end int64) {
	for i, p := range s.parts {
		s.next[i] = p.nextAt()
	}
	run := newWindows(s)
	defer run.Stop()
	for {
		start := slices.Min(s.next)
		if start > end {
			return
		}
		run.window(min(start+s.window-1, end))
		for w := range run.active {
			for _, p := range run.active[w] {
				s.post(p)
			}
		}
	}
}

// show shows a port what has crossed to it. Only the first frame on a line has an event.
func (s *Sim) show(c *crossing) {
	p := &s.ports[c.to]
	first := p.line.Len == 0
	if p.line.Show(&c.Far); first && p.line.Len > 0 {
		at := p.line.First().at
		s.parts[p.part].Set(c.to*perPort+onArrival, at)
		s.next[p.part] = min(s.next[p.part], at)
	}
}

// post hands over what crosses from a part to others. It runs between two windows, when no worker is at work.
func (s *Sim) post(from *part) {
	for i := range from.crossings {
		if c := &from.crossings[i]; c.Len > 0 {
			s.show(c)
		}
	}
	for i := range from.letters {
		m := &from.letters[i]
		c := &from.crossings[m.at]
		part := s.ports[c.to].part
		s.parts[part].expect(c.to, &m.frame.packet, m.frame.at)
		s.next[part] = min(s.next[part], m.frame.at)
		s.show(c)
	}
	for i := range from.pauses {
		m := &from.pauses[i]
		p := &s.ports[m.to]
		s.parts[p.part].expectPause(m.to, p, &m.pause)
		s.next[p.part] = min(s.next[p.part], m.pause.at)
	}
	for i := range from.lldps {
		m := &from.lldps[i]
		p := &s.ports[m.to]
		s.parts[p.part].expectLLDP(m.to, p, &m.lldp)
		s.next[p.part] = min(s.next[p.part], m.lldp.at)
	}
	for i := range from.layers {
		m := &from.layers[i]
		part := s.ports[m.to].part
		s.parts[part].expectLayer(m)
		s.next[part] = min(s.next[part], s.parts[part].Soonest())
	}
	from.letters, from.pauses, from.lldps, from.layers = from.letters[:0], from.pauses[:0], from.lldps[:0], from.layers[:0]
}

// SetWorkers sets how many goroutines run the parts of a large network; 0: as many as Go uses processors, which is what
// a new Sim does. The results do not depend on it.
func (s *Sim) SetWorkers(n int) { s.workers = n }

// Workers returns how many goroutines run the network at most: fewer than SetWorkers says if it has too few parts for
// them, and one if it is not divided.
func (s *Sim) Workers() int {
	workers := s.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, max(len(s.parts)/partsPerWorker, 1))
}

// partsPerWorker is how many active parts a window must have for each worker: with fewer, the workers would wait for
// each other longer than they work. Tests lower it.
var partsPerWorker = 8

// dealEvery is after how many windows the parts are dealt out anew.
const dealEvery = 32

// windows are the parts of a network and the workers that share them.
type windows struct {
	*crew.Crew
	next   []int64   // as Sim.next
	parts  []*part   // by number
	near   []int32   // Sim.near
	order  []*part   // the parts that had most events since they were dealt out come first
	owner  []int     // worker of each part, if all workers run
	events []int64   // of each part, until then
	active [][]*part // of this window, the list of each worker
	counts []int     // lengths of these lists
	last   int64     // time at which the window ends
	until  int       // windows until the parts are dealt out
}

// newWindows prepares a run in windows. Each part writes its own place of next, so the workers share no value that
// changes.
func newWindows(s *Sim) *windows {
	w := &windows{next: s.next, parts: s.parts, order: slices.Clone(s.parts), events: make([]int64, len(s.parts)),
		owner: make([]int, len(s.parts))}
	w.Crew = crew.New(s.Workers(), func(worker, i int) {
		p := w.active[worker][i]
		p.run(w.last)
		w.next[p.number] = p.nextAt()
	})
	w.active, w.counts = make([][]*part, w.Workers()), make([]int, 0, w.Workers())
	if w.Workers() > 1 {
		s.setNear()
		w.near = s.near
	}
	return w
}

// window runs all parts up to and at a time. last is in picoseconds.
func (w *windows) window(last int64) {
	w.last = last
	if w.until--; w.until < 0 && w.Workers() > 1 {
		w.deal()
	}
	active := 0
	for _, at := range w.next {
		if at <= last {
			active++
		}
	}
	workers := max(min(w.Workers(), active/partsPerWorker), 1)
	w.active = w.active[:workers]
	for i := range w.active {
		w.active[i] = w.active[i][:0]
	}
	for _, p := range w.order {
		if w.next[p.number] <= last {
			i := w.owner[p.number] * workers / w.Workers()
			w.active[i] = append(w.active[i], p)
		}
	}
	w.counts = w.counts[:0]
	for i := range w.active {
		w.counts = append(w.counts, len(w.active[i]))
	}
	w.Round(w.counts)
}

// deal gives each worker parts that are near each other, so that few frames cross from the cache of one processor to that
// of another, with as many events as those of the others. Those with most events come first, so that none of them is
// begun when the others have finished. A part stays with its worker until the next time, and so in its cache.
func (w *windows) deal() {
	w.until = dealEvery
	// Each part counts once more, so that parts without events are dealt out too.
	busy := func(p *part) int64 { return p.Taken - w.events[p.number] + 1 }
	all, sum := int64(0), int64(0)
	for _, p := range w.parts {
		all += busy(p)
	}
	for _, number := range w.near {
		n := busy(w.parts[number])
		w.owner[number] = int((2*sum + n) * int64(w.Workers()) / (2 * all))
		sum += n
	}
	slices.SortStableFunc(w.order, func(a, b *part) int { return cmp.Compare(busy(b), busy(a)) })
	for _, p := range w.order {
		w.events[p.number] = p.Taken
	}
}

// setNear puts the parts into an order in which those that follow each other are near each other, once. Next is always
// the part that adds least to the links between those that are in the order and the others; of several, the first.
func (s *Sim) setNear() {
	if s.near != nil {
		return
	}
	links := make([][]int32, len(s.parts)) // parts at the other end of each link
	for i := range s.ports {
		if p := &s.ports[i]; p.linked && p.part != s.ports[p.peer].part {
			links[p.part] = append(links[p.part], s.ports[p.peer].part)
		}
	}
	adds, left := make([]int, len(s.parts)), make([]int32, len(s.parts))
	for i := range left {
		adds[i], left[i] = len(links[i]), int32(i)
	}
	for len(left) > 0 {
		next := 0
		for k, number := range left {
			if adds[number] < adds[left[next]] {
				next = k
			}
		}
		number := left[next]
		left = slices.Delete(left, next, next+1)
		s.near = append(s.near, number)
		// What was a link to the others is one within now.
		for _, n := range links[number] {
			adds[n] -= 2
		}
	}
}

// Observe registers a function that is called with every event, after the
// counters have changed. The function must not change the simulation. nil
// removes it; the simulation is faster without an observer.
func (s *Sim) Observe(f func(*Event)) {
	if f != nil {
		s.join()
		s.stopEliding()
	}
	for _, p := range s.parts {
		p.observer = f
	}
	for i := range s.switches {
		s.switches[i].observed = f != nil
		s.setElidable(&s.switches[i])
	}
}

// join makes the network one part, for an observer: it sees all events in their
// order, and may look at the whole network at each of them. The network stays
// one part when the observer is removed.
func (s *Sim) join() {
	if len(s.parts) == 1 {
		return
	}
	one := &part{end: s.end, Clock: *s.joinedClock(), total: s.totals(), store: packet.NewStore(), beginsAt: clock.Never}
	for _, p := range s.parts {
		one.own = append(one.own, p.own...)
		one.Taken += p.Taken
		one.elided += p.elided
	}
	for i := range s.ports {
		p := &s.ports[i]
		from := &s.partOf(int32(i)).store
		for q := range p.queues {
			var moved packet.Queue
			for p.queues[q].Len > 0 {
				k := p.queues[q].Pop(from)
				moved.Push(&one.store, &k)
			}
			p.queues[q] = moved
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		if p.part = 0; p.way == across {
			p.way = onLink
		}
	}
	s.parts, s.next = []*part{one}, s.next[:1]
	one.shared = s.shared
}

// joinedClock returns a clock with the events of all parts. The parts share one list of events, so the first part
// knows those of all.
func (s *Sim) joinedClock() *clock.Clock {
	from := s.parts[0]
	var all pace
	for i := range s.ports {
		all.add(&s.ports[i])
	}
	c := clock.New(clock.NewEvents(from.Sources()), all.width(), all.reach)
	for source := range int32(from.Sources()) {
		if at, pending := from.At(source); pending {
			c.Set(source, at)
		}
	}
	c.Now = s.now
	return c
}
