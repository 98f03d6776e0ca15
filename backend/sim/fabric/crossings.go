package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// hear takes over what the neighbours of a part have sent in the window before.
func (s *part) hear() {
	before := (s.step - 1) & 1
	for i := range s.borders {
		at := &s.borders[i]
		n := at.theirs[before]
		if sent := n.sent - at.shown; sent != 0 {
			at.shown = n.sent
			s.show(at.from, at.port, sent)
		}
		if n.mail {
			s.read(at.from, at.port, &at.back.mail[before])
		}
	}
}

// tell tells the neighbours of a part what it has done in this window.
func (s *part) tell() {
	now := s.step & 1
	for i := range s.borders {
		at, c := &s.borders[i], &s.crossings[i]
		*at.ours[now] = news{c.Next, at.shown - at.port.line.Len, c.hasMail}
		c.told, c.hasMail = c.Next, false
	}
}

// cross lets a packet arrive in another part. If one worker runs all parts in turn, the other part may see the packet
// at once: it arrives after the window.
func (s *part) cross(p *port, k *packet.Packet, at int64) *packet.Packet {
	to := p.to
	e := to.line.Extend()
	*e = *k
	e.At = at
	if to.line.Len == 1 {
		s.parts[to.part].Set(p.peer*perPort+onArrival, at)
		s.next[to.part] = min(s.next[to.part], at)
	}
	return e
}

// extendLate is Extend for a line that may have had no room when it was looked at last: what the other part has taken
// since is room. Otherwise the frame goes by mail, and so do all behind it until the end of the span.
func (s *part) extendLate(crossing int32) *packet.Packet {
	c := &s.crossings[crossing]
	if s.step > 0 && c.Regain(s.borders[crossing].theirs[(s.step-1)&1].taken) {
		return c.Extend()
	}
	c.Close()
	m := s.mailTo(crossing)
	m.frames = append(m.frames, packet.Packet{})
	return &m.frames[len(m.frames)-1]
}

// mailTo returns the mail of the present window over a crossing. What is there when it is first asked for is of the
// window before the last, and has been read.
func (s *part) mailTo(crossing int32) *mail {
	c, at := &s.crossings[crossing], &s.borders[crossing]
	if at.mail == nil {
		at.mail = new([2]mail)
	}
	m := &at.mail[s.step&1]
	if !c.hasMail {
		c.hasMail, s.hasMail = true, true
		m.frames, m.pauses, m.lldps, m.layers = m.frames[:0], m.pauses[:0], m.lldps[:0], m.layers[:0]
	}
	return m
}

// postAll hands over what the parts have sent in the last window of a span.
func (w *windows) postAll() {
	for _, list := range w.lists {
		for _, number := range list {
			w.post(w.parts[number])
		}
	}
}

// post hands over what a part has sent in the last window of a span. No part runs meanwhile.
func (w *windows) post(from *part) {
	if from.direct && !from.hasMail {
		return
	}
	from.hasMail = false
	crossings, all := from.crossings, w.count > 1
	for i := range crossings {
		if c := &crossings[i]; all || c.Next != c.told || c.hasMail {
			w.handOver(from, i)
		}
	}
}

// handOver is post for a crossing that is in use.
func (w *windows) handOver(from *part, crossing int) {
	c := &from.crossings[crossing]
	p, to, next := &w.ports[c.to], w.parts[c.part], &w.next[c.part]
	if sent := c.Next - c.told; sent > 0 {
		*next = min(*next, to.show(c.to, p, sent))
	}
	if c.hasMail {
		to.read(c.to, p, &from.borders[crossing].mail[from.step&1])
		c.hasMail = false
		*next = min(*next, to.Soonest())
	}
	w.connect(from, crossing)
}

// connect gives a line room for what crosses in the next span.
func (w *windows) connect(from *part, crossing int) {
	c := &from.crossings[crossing]
	if c.Full {
		w.most = 1
	}
	w.ports[c.to].line.Connect(&c.Far)
	if c.told = c.Next; w.workers > 1 {
		from.borders[crossing].back.shown = c.Next
	}
}

// show shows a port the frames that have been put on the line to it. Only the first frame on a line has an event: show
// returns its time if it is new, and never otherwise.
func (s *part) show(i int32, p *port, frames uint32) (at int64) {
	first := p.line.Len == 0
	p.line.Show(frames)
	if !first {
		return clock.Never
	}
	source, at := i*perPort+onArrival, p.line.First().At
	if !s.SetNear(source, at) {
		s.Set(source, at)
	}
	return at
}

// read takes over the mail to a port.
func (s *part) read(i int32, p *port, m *mail) {
	for k := range m.frames {
		s.expect(i, &m.frames[k], m.frames[k].At)
	}
	for k := range m.pauses {
		s.expectPause(i, p, &m.pauses[k])
	}
	for k := range m.lldps {
		s.expectLLDP(i, p, &m.lldps[k])
	}
	for k := range m.layers {
		s.expectLayer(&m.layers[k])
	}
}

// setLayout finds out how the parts lie to each other. It does so once. Next in the order is always the part that
// adds least to the links between those that are in the order and the others; of several such parts, the first.
func (s *Sim) setLayout() {
	l := &s.layout
	if l.order != nil {
		return
	}
	l.neighbours = make([][]int32, len(s.parts))
	adds := make([]int, len(s.parts)) // links that a part would add, less those that it would take away
	left := make([]int32, len(s.parts))
	for i, p := range s.parts {
		for k := range p.crossings {
			l.neighbours[i] = append(l.neighbours[i], p.crossings[k].part)
		}
		adds[i], left[i] = len(p.crossings), int32(i)
		slices.Sort(l.neighbours[i])
		l.neighbours[i] = slices.Compact(l.neighbours[i])
	}
	for len(left) > 0 {
		best := 0
		for k, number := range left {
			if adds[number] < adds[left[best]] {
				best = k
			}
		}
		number := left[best]
		left = slices.Delete(left, best, best+1)
		l.order = append(l.order, number)
		for i := range s.parts[number].crossings {
			adds[s.parts[number].crossings[i].part] -= 2
		}
	}
}
