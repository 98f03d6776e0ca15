package fabric

import (
	"runtime"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/crew"
	"github.com/cellwarden/cellwarden/unit"
)

// A large network is run in parts: a switch with its hosts is a part, with its
// own clock. What one part does reaches another only over a link,
// after the delay of the link. So for a window of that time the parts do not
// depend on each other, and each runs through the window alone, with its few
// ports in the processor's cache. When its neighbours have done so too, it takes
// over the frames that cross to it, and begins the next window. Several
// goroutines can share the parts (windows).
//
// The result is the same as with one clock for all, because only events of the
// same part affect each other within a window, and these happen in the same
// order. A test compares both on random networks.
//
// A network is not divided if its events have an order beyond time and port
// (Wire.InOrder), or if something acts on several switches at once: failures,
// looks for deadlocks, an observer (Sim.join), an AdmissionRule, which switches
// may share.

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
	one := &part{end: s.end, Clock: *s.joinedClock(), total: s.totals(), beginsAt: clock.Never}
	for _, p := range s.parts {
		one.own = append(one.own, p.own...)
		one.Taken += p.Taken
		one.elided += p.elided
	}
	for i := range s.ports {
		p := &s.ports[i]
		if p.part = 0; p.way == across {
			p.way, p.near = onLink, p.peer
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

// A run of a network in parts is a sequence of spans of one or several windows. In a span a part begins a window when
// the parts that its links lead to have finished the one before: there is no moment at which all wait for each other,
// and neighbours are at most a window apart.
//
// What a part sends in a window has arrived in the books of its neighbours before they begin the next one. It goes by
// the line of the link, or by mail if it is no frame or the line is full, and news tells how much there is. A part
// writes its news and mail of even and of odd windows to different places, because a neighbour reads those of a window
// during the next one. So what a part knows when it begins a window does not depend on who runs it, or when.
//
// Between spans no part runs. Then the lines get room, and the parts are dealt out to the workers anew.

// partsPerWorker is how many active parts a window must have for each worker: with fewer, the workers would wait for
// each other longer than they work. Tests lower it.
var partsPerWorker = 8

// mostWindows is how many windows a span has at most. It has one if few parts are active at its begin: then the others
// cost nothing. After a line had too little room, a span has one, the next one two, and so on, so that lines soon have
// the room that they need.
const mostWindows = 32

// windows are the parts of a network and the workers that share them.
type windows struct {
	*Sim
	workers int
	lists   [][]int32 // the parts of this span, by worker
	owner   []int     // worker of each part
	counts  []int64   // events of each part when they were dealt out
	start   int64     // of the span
	end     int64     // of the run
	count   int       // windows of the span
	most    int       // windows that a span may have
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

// runWindows runs all events up to and at a time, in windows.
func (s *Sim) runWindows(end int64) {
	w := newWindows(s, end, s.Workers())
	c := crew.New(w.workers, s.layout.neighbours, w.run)
	defer c.Stop()
	for w.deal() {
		c.Round(w.lists, w.count)
		w.postAll()
	}
}

// newWindows prepares a run up to and at a time, by so many workers.
func newWindows(s *Sim, end int64, workers int) *windows {
	for i, p := range s.parts {
		p.closeWindow(p.Now)
		s.next[i] = p.nextAt()
	}
	w := &windows{Sim: s, end: end, workers: workers, most: 1}
	if workers > 1 {
		s.setLayout()
		w.counts, w.owner = make([]int64, len(s.parts)), make([]int, len(s.parts))
	}
	// A port may have sent since the last run, because a change let it: here and above that is taken into account.
	for _, p := range s.parts {
		for i := range p.crossings {
			w.handOver(p, i)
		}
		p.direct, p.hasMail = workers == 1, false
	}
	return w
}

// deal decides how many windows the next span has, which parts run in it, and who runs them. It returns false if the
// run is over.
func (w *windows) deal() bool {
	if w.start = slices.Min(w.next); w.start > w.end {
		return false
	}
	last, active := min(w.start+w.window-1, w.end), 0
	for _, at := range w.next {
		if at <= last {
			active++
		}
	}
	workers := max(min(w.workers, active/partsPerWorker), 1)
	for len(w.lists) < workers {
		w.lists = append(w.lists, nil)
	}
	w.lists = w.lists[:workers]
	for i := range w.lists {
		w.lists[i] = w.lists[i][:0]
	}
	w.count = 1
	if workers == 1 {
		for i, at := range w.next {
			if at <= last {
				w.lists[0] = append(w.lists[0], int32(i))
			}
		}
		return true
	}
	if 2*active > len(w.parts) {
		w.count = int(min(int64(w.most), (w.end-w.start)/w.window+1))
	}
	w.most = min(4*w.most, mostWindows)
	w.divide(last)
	return true
}

// divide gives each worker parts that are near each other, with as many events as those of the others had since the
// parts were divided last. last is when the first window of the span ends.
func (w *windows) divide(last int64) {
	// A part counts once more, so that parts without events are dealt out too.
	events := func(number int32) int64 { return w.parts[number].Taken - w.counts[number] + 1 }
	all, sum := int64(0), int64(0)
	for _, number := range w.layout.order {
		all += events(number)
	}
	for _, number := range w.layout.order {
		n := events(number)
		w.owner[number] = int((2*sum + n) * int64(len(w.lists)) / (2 * all))
		sum += n
		w.counts[number] = w.parts[number].Taken
	}
	// The parts that have neighbours with other workers come first: so these are done long before anyone waits for them.
	for _, atBorder := range []bool{true, false} {
		for _, number := range w.layout.order {
			if (w.count > 1 || w.next[number] <= last) && w.atBorder(number) == atBorder {
				w.lists[w.owner[number]] = append(w.lists[w.owner[number]], number)
			}
		}
	}
}

// atBorder tells whether a part has a neighbour that another worker runs.
func (w *windows) atBorder(number int32) bool {
	return slices.ContainsFunc(w.layout.neighbours[number], func(n int32) bool { return w.owner[n] != w.owner[number] })
}

// run runs a part through a window of the span.
func (w *windows) run(number, window int) {
	p := w.parts[number]
	if p.step = window; window > 0 {
		p.hear()
	}
	p.run(min(w.start+int64(window+1)*w.window-1, w.end))
	if window+1 < w.count {
		p.tell()
	} else {
		w.next[number] = p.nextAt()
	}
}
