package fabric

import "slices"

// A large network is run in parts: a switch with its hosts is a part, with its
// own clock and packets. What one part does reaches another only over a link,
// after the delay of the link. So for a window of that time the parts do not
// depend on each other, and each runs through the window alone, with its few
// ports in the processor's cache. When all have done so, the frames that cross
// from one part to another are handed over, and the next window begins. Several
// goroutines can share the parts of a window (workers.go).
//
// The result is the same as with one clock for all, because only events of the
// same part affect each other within a window, and these happen in the same
// order. A test compares both on random networks.
//
// A network is not divided if its events have an order beyond time and port
// (Wire.InOrder), or if something acts on several switches at once: failures,
// looks for deadlocks, an observer (join.go), an AdmissionRule, which switches
// may share.

// frameLetter is a frame that crosses from one part to another.
type frameLetter struct {
	to    int32 // port
	frame onLine
}

// pauseLetter is a pause frame that crosses from one part to another.
type pauseLetter struct {
	to    int32
	pause pauseFrame
}

// runWindows runs all events up to and at a time, in windows.
func (s *Sim) runWindows(end int64) {
	for i, p := range s.parts {
		s.next[i] = p.nextAt()
	}
	c := newCrew(s.workers)
	defer c.stop()
	for {
		start := slices.Min(s.next)
		if start > end {
			return
		}
		last := min(start+s.window-1, end)
		c.active = c.active[:0]
		for i, p := range s.parts {
			if s.next[i] <= last {
				c.active = append(c.active, p)
			}
		}
		c.run(last)
		for _, p := range c.active {
			s.next[p.number] = p.nextAt()
		}
		for _, p := range c.active {
			s.post(p)
		}
	}
}

// post hands over what crosses from a part to others.
func (s *Sim) post(from *part) {
	for i := range from.frames {
		m := &from.frames[i]
		part := s.ports[m.to].part
		s.parts[part].expect(m.to, &m.frame.packet, m.frame.at)
		s.next[part] = min(s.next[part], m.frame.at)
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
	from.frames, from.pauses, from.lldps, from.layers = from.frames[:0], from.pauses[:0], from.lldps[:0], from.layers[:0]
}

// of returns the part to which a port belongs.
func (s *Sim) partOf(port int32) *part { return s.parts[s.ports[port].part] }

// underWay returns the number of frames in queues and on links.
func (s *Sim) underWay() (n int64) {
	for _, p := range s.parts {
		n += p.store.Live()
	}
	for i := range s.ports {
		n += int64(s.ports[i].line.Len) + s.underWayTo(int32(i))
	}
	return n
}

// totals returns the counters of all parts together.
func (s *Sim) totals() (sum totals) {
	for _, p := range s.parts {
		sum.add(&p.total)
	}
	return sum
}
