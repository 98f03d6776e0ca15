package fabric

import "github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"

// Most frames pass a switch plainly: the MMU takes them and nothing follows, and no one else looks at them. This file
// takes such a frame to its queue, or past its empty queue onto the link. switch.go takes all others, by the same
// rules. With an observer it takes all frames, so the test that runs random networks with and without an observer
// (TestPartsChangeNothing) compares both ways.

// admitPlainly admits a frame if nothing but the MMU looks at it, and nothing but counting follows from it. Otherwise
// it changes nothing and returns false.
func (s *part) admitElidable(sw *node, o int32, q *port, queue uint8, k *packet.Packet, cell int32) bool {
	if !sw.elidable || !q.elidable || s.observer != nil || !sw.mmu.Take(k.Charged(cell)) {
		return false
	}
	if !q.busy && !q.pend && q.linked && q.waiting&^q.paused == 0 && q.paused>>queue&1 == 0 {
		s.depart(o, q, queue, k, s.Now)
		return true
	}
	q.queues[queue].Push(&s.store, k)
	q.waiting |= 1 << queue
	if !q.busy {
		s.kick(o)
	}
	return true
}

// departNext begins to send the next frame of a port without a scheduler, which has one that may leave. Nothing but its
// queue looks at it.
func (s *part) departNext(i int32, p *port, at int64) {
	q := p.roundRobin()
	k := p.queues[q].Pop(&s.store)
	if p.queues[q].Len == 0 {
		p.waiting &^= 1 << q
	}
	s.depart(i, p, q, &k, at)
}

// setPlain notes whether frames may pass a switch plainly. It is called when that may have changed.
func (n *node) setElidable() { n.elidable = n.rule == nil && n.tallies == nil && !n.atStart }

// setPlain notes whether frames may pass a port plainly. It is called when that may have changed.
func (p *port) setElidable() {
	p.elidable = p.isSwitch && p.ets == nil && p.ecn == nil && p.pausing.layer == nil
	p.elidesEnds = p.elidesEnds && p.elidable
}
