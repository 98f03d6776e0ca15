package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// partition divides the network into parts: the sets of switches that short links connect, each with its hosts. See
// windows.go. Parts, ports and switches are numbered in the order of the network, so that the result does not depend on
// the number of processors.
func (b *build) partition() {
	s := b.s
	count := b.numberParts()
	// Events are numbered through, and each part has the events of its own ports and flows.
	own := len(s.ports)*perPort + len(s.flows) + senderTimers*len(s.senders)
	events := clock.NewEvents(own + len(s.failing.list) + 1) // one looks for deadlocks
	rates := make([]pace, count)
	for i := range s.ports {
		p := &s.ports[i]
		rates[p.part].add(p)
		if p.linked && p.part != s.ports[p.peer].part {
			// The soonest that one part can affect another: with a frame of one byte.
			s.window = min(s.window, p.delay+p.frameTime(1))
			if l := p.pausing.layer; l != nil {
				s.window = min(s.window, p.delay+l.set) // an ordered set is shorter
			}
			if p.near = -1; p.way != byLayer {
				p.way = across
			}
		}
	}
	s.parts = make([]*part, count)
	// The events are one list for all parts, and each source belongs to one of them.
	for i := range s.parts {
		s.parts[i] = &part{number: i, Clock: *clock.New(events, rates[i].width(), rates[i].reach),
			beginsAt: clock.Never}
	}
	b.cross()
	for i := range s.switches {
		// A switch without ports is in the first part.
		number := int32(0)
		if sw := &s.switches[i]; len(sw.ports) > 0 {
			number = s.ports[sw.first].part
		}
		s.parts[number].own = append(s.parts[number].own, int32(i))
	}
	s.next = make([]int64, count)
	for _, p := range s.parts {
		p.shared = s.shared
	}
}

// cross gives each part the crossings of its links to others. The news of a part lie together, and those of even and of
// odd windows apart: one part writes the ones while others read the others.
func (b *build) cross() {
	s := b.s
	for i := range s.ports {
		if p := &s.ports[i]; p.linked && p.part != s.ports[p.peer].part {
			from := s.parts[p.part]
			p.crossing = int32(len(from.crossings))
			from.crossings = append(from.crossings, crossing{to: p.peer, part: s.ports[p.peer].part})
			from.borders = append(from.borders, border{from: int32(i), port: p})
		}
	}
	for _, p := range s.parts {
		even, odd := make([]news, len(p.borders)), make([]news, len(p.borders))
		for i := range p.borders {
			at, c := &p.borders[i], &p.crossings[i]
			at.ours = [2]*news{&even[i], &odd[i]}
			at.back = &s.parts[c.part].borders[s.ports[c.to].crossing]
			at.back.theirs = at.ours
		}
	}
}

// numberParts numbers the parts, notes the part of each port, and returns how many there are.
func (b *build) numberParts() (count int32) {
	s := b.s
	if !b.divisible() {
		return 1
	}
	area := newAreas(len(s.switches))
	for i := range b.n.Links {
		if l := &b.n.Links[i]; l.A.Switch && l.B.Switch && !divides(l) {
			area.join(l.A.Node, l.B.Node)
		}
	}
	number := make([]int32, len(s.switches))
	for i := range number {
		// A part has its number from the switch that stands for its set.
		if area.find(i) == i {
			number[i] = count
			count++
		}
	}
	for i := range s.ports {
		if p := &s.ports[i]; p.isSwitch() {
			p.part = number[area.find(int(p.node))]
		}
	}
	// A host is in the part of its switch. Hosts without one are in the first part.
	for i := range b.n.Hosts {
		if p := &s.ports[i]; p.linked {
			p.part = s.ports[p.peer].part
		}
	}
	return max(count, 1)
}

// divisible tells whether the network may be run in parts. Failures and the search for deadlocks act on several
// switches at one moment, and flows that wait for others on several hosts.
func (b *build) divisible() bool {
	for i := range b.n.Switches {
		if b.n.Switches[i].Rule != nil {
			return false
		}
	}
	return !b.whole && b.localOrder() && !b.n.Wire.InOrder && len(b.n.Failures) == 0 && b.n.DeadlockEvery == 0
}

// divides tells whether a link is long enough to divide two parts: at least the time of a frame of 1,000 bytes.
// Shorter links would make windows in which hardly anything happens.
func divides(l *Link) bool { return l.Delay+l.Interface >= l.Rate.TimeFor(8*1000) }

// pace is how often and how far ahead the ports of a part schedule events.
type pace struct {
	links        int64
	frame, reach int64 // shortest time of a frame of 1,000 bytes; longest time by which a link schedules ahead
}

// add adds a port.
func (r *pace) add(p *port) {
	if !p.linked {
		return
	}
	r.links++
	if frame := p.frameTime(1000); r.links == 1 || frame < r.frame {
		r.frame = frame
	}
	r.reach = max(r.reach, 2*(p.frameTime(9216)+p.delay+p.pausing.response))
}

// width is less than the time between two events, for the buckets of the clock: a list of one event costs least. It
// changes the speed alone, never a result. It is in picoseconds. A part without links has the width 0, of which the
// clock makes its least.
func (r *pace) width() int64 { return min(r.frame, int64(unit.Microsecond)) / max(r.links, 1) }

// areas are sets of switches (union-find): each switch names another one of its set, and the one that names itself
// stands for the set.
type areas []int

// newAreas returns n sets of one switch each.
func newAreas(n int) areas {
	a := make(areas, n)
	for i := range a {
		a[i] = i
	}
	return a
}

// find returns the switch that represents a switch's set.
func (a areas) find(i int) int {
	for a[i] != i {
		// Each step shortens the way of later searches.
		a[i] = a[a[i]]
		i = a[i]
	}
	return i
}

// join makes one set of those of two switches.
func (a areas) join(i, j int) { a[a.find(i)] = a.find(j) }
