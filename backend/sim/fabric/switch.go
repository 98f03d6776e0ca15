package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// admit handles a frame that has arrived at a switch: it classifies the frame,
// chooses its route, charges the MMU, and puts the frame into its egress queue,
// or drops it.
func (s *part) admit(i int32, p *port, k *packet.Packet) {
	sw, from := p.sw, p.lookup
	k.Priority = from.priority(k) & (Priorities - 1)
	// A frame in a loop of routes ends here.
	if k.TTL == 0 {
		s.dropArriving(i, p, k, -1, dropTTL)
		return
	}
	k.TTL--
	out := s.route(sw, k)
	if out < 0 {
		s.dropArriving(i, p, k, -1, dropNoRoute)
		return
	}
	o := sw.first + out
	q := &s.ports[o]
	to := q.lookup
	queue := to.queues[k.Priority] & (Priorities - 1)
	// The watchdog acts before the MMU: its drops take no memory.
	if q.dropping>>queue&1 == 1 {
		s.dropInStorm(i, k, o, int(queue))
		return
	}
	k.In = i
	k.Group = from.groups[k.Priority]
	k.Slice = sw.slice(p.number, out)
	if sw.elidedAt <= s.Now {
		s.applyElidedEnds(sw, s.Now, s.source)
	}
	if !s.admitElidable(sw, o, q, queue, k, to.cells[queue]) {
		s.admitByRules(i, p, sw, o, q, queue, k, to.cells[queue])
	}
}

// route chooses the port on which a packet leaves; -1: no route. All frames of
// a flow take the same route, in each direction.
func (s *part) route(sw *node, k *packet.Packet) int32 {
	way := &s.ways[k.Flow]
	to := way.to
	if k.Kind != packet.Data {
		to = way.from
	}
	return s.routes.To(&sw.routes, to).Choose(way.hash)
}

// admitByRules admits a frame to its egress queue or drops it: everything that
// can look at the frame does.
func (s *part) admitByRules(i int32, p *port, sw *node, o int32, q *port, queue uint8, k *packet.Packet, cell int32) {
	out := q.number
	if q.ecn != nil && q.ecn.drops>>queue&1 != 0 && q.dropsEarly(queue, k) {
		if sw.tallies != nil {
			sw.tallies.queue(out, queue).drop(k)
		}
		s.dropArriving(i, p, k, out, dropWRED)
		return
	}
	// The refusal of shared cells can want XOFF whether or not headroom takes
	// the packet.
	drop, xoff := sw.arrive(k, p.number, out, cell)
	if xoff {
		s.restoreEnds(sw)
	}
	if drop != mmu.CauseNone {
		if xoff {
			s.xoff(sw, k)
		}
		if sw.tallies != nil {
			sw.tallies.refused(k, out, queue, drop)
		}
		s.dropArriving(i, p, k, out, drop)
		return
	}
	if sw.tallies != nil {
		sw.tallies.admitted(k, sw.mmu.Cells(k.Charged(0)), out, queue)
	}
	// Only after the MMU has admitted the packet: a dropped packet is not
	// marked.
	s.markArriving(o, q, queue, k)
	if q.ets != nil {
		// The queue may become ready: shapers have to know since when.
		q.ets.Update(s.Now, q.waiting&^q.paused)
	}
	q.queues[queue].Push(&s.store, k)
	q.waiting |= 1 << queue
	if s.observer != nil {
		s.report(Enqueued, i, k, queue, out)
	}
	if xoff {
		s.xoff(sw, k)
	}
	if !q.busy {
		s.kick(o)
	}
}

// sendQueued sends the next packet of the queue that the scheduler selects.
func (s *part) sendQueued(i int32, p *port) {
	sw := p.sw
	q := p.roundRobin()
	if p.ets != nil {
		var ok bool
		if q, ok = s.selectQueue(i, p); !ok {
			return
		}
	}
	k := p.queues[q].Pop(&s.store)
	if p.queues[q].Len == 0 {
		p.waiting &^= 1 << q
	}
	if sw.tallies != nil {
		sw.tallies.sent(&k, p.number, q)
	}
	s.markLeaving(i, p, q, &k)
	s.depart(i, p, q, &k, s.Now)
	if sw.atStart {
		p.leaving.held = false
		s.giveBack(sw, &p.leaving)
	}
}

// selectQueue returns the queue of a switch's port with a scheduler that sends next, and charges it for its frame. It
// returns false if every waiting queue lacks credit; the port then waits for the first that has it.
func (s *part) selectQueue(i int32, p *port) (queue uint8, ok bool) {
	c, ready := p.ets, p.waiting&^p.paused
	c.Update(s.Now, ready)
	q, bytes, ok := c.Select(ready, &p.queues, &s.store)
	if !ok {
		s.SetAtLatest(i*perPort+onReady, c.Wake(s.Now, ready))
		return 0, false
	}
	if c.Shapes() {
		c.Spend(q, s.Now, p.frameTime(bytes))
	}
	return q, true
}

// depart begins to send a packet of a queue, now or, on a port that elides ends, at an earlier time.
func (s *part) depart(i int32, p *port, queue uint8, k *packet.Packet, at int64) {
	to := p.lookup
	p.last = queue
	p.leaving = newLeaving(k, p.number, queue, to.cells[queue&(Priorities-1)])
	if !to.tagged {
		// Without a tag the PCP is lost, and the next switch sees priority 0.
		k.PCP = -1
	}
	s.transmit(i, p, k, at)
}

// giveBack returns a packet's cells to the MMU and resumes the groups that may
// send again.
func (s *part) giveBack(sw *node, l *leaving) {
	if sw.rule != nil {
		s.giveBackByRule(sw, l)
		return
	}
	r := sw.mmu.Leave(l.charged())
	if sw.credits {
		s.freeCredits(l.in, l.prio, l.bytes)
	}
	if sw.tallies != nil {
		sw.tallies.departed(l, sw.mmu.Cells(l.charged()))
	}
	if s.observer != nil {
		s.reportDeparted(l)
	}
	if r.XON {
		s.xon(sw, l.group)
	}
	// Other groups can resume as well: under a dynamic threshold free cells
	// raise every limit of the pool.
	if !r.Room || sw.ownXON {
		return
	}
	for g, ok := sw.mmu.Resume(int(l.slice)); ok; g, ok = sw.mmu.Resume(int(l.slice)) {
		s.xon(sw, int32(g))
	}
}

// giveBackByRule is giveBack for a switch with an admission rule.
func (s *part) giveBackByRule(sw *node, l *leaving) {
	in := &s.ports[l.in]
	xon := sw.rule.Leave(int(in.number), int(l.out), int(l.prio), bytesOf(l.bytes))
	if s.observer != nil {
		s.reportDeparted(l)
	}
	if xon {
		s.pause(l.in, pfc.Priorities(1)<<l.prio, false)
	}
}

// xoff pauses a packet's group. A group in several slices is paused once, by
// the first slice that wants it.
func (s *part) xoff(sw *node, k *packet.Packet) {
	if sw.rule != nil {
		s.pause(k.In, pfc.Priorities(1)<<k.Priority, true)
		return
	}
	sw.pausedSlices[k.Group]++
	if sw.pausedSlices[k.Group] == 1 {
		s.pause(sw.owner[k.Group], sw.members[k.Group], true)
	}
}

// xon resumes a group when no slice wants it paused any more.
func (s *part) xon(sw *node, group int32) {
	sw.pausedSlices[group]--
	if sw.pausedSlices[group] == 0 {
		s.pause(sw.owner[group], sw.members[group], false)
	}
}

// dropArriving drops a frame that has arrived at a switch.
func (s *part) dropArriving(i int32, p *port, k *packet.Packet, out int32, why mmu.Cause) {
	c := p.record()
	c.Drops[k.Priority]++
	c.LastDrop[k.Priority] = unit.Time(s.Now)
	s.lost(i, out, k, why)
}

// Most frames pass a switch that is elidable: the MMU takes them and nothing follows, and no one else looks at them.
// Such a frame goes to its queue, or past its empty queue onto the link, by a short way (admitElidable). All others go
// by the rules (admitByRules). With an observer all frames do, so the test that runs random networks with and without
// an observer (TestPartsChangeNothing) compares both ways.

// admitElidable admits a frame if nothing but the MMU looks at it, and nothing but counting follows from it. Otherwise
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

// markArriving marks a packet that enters a queue, if the curve and its random number say so.
func (s *part) markArriving(i int32, p *port, queue uint8, k *packet.Packet) {
	if p.ecn != nil && p.ecn.arriving>>queue&1 != 0 {
		s.mark(i, p, queue, k)
	}
}

// markLeaving marks a packet that leaves a queue, if the curve and its random number say so.
func (s *part) markLeaving(i int32, p *port, queue uint8, k *packet.Packet) {
	if p.ecn != nil && p.ecn.leaving>>queue&1 != 0 {
		s.mark(i, p, queue, k)
	}
}

// mark marks a packet if the curve and its random number say so.
func (s *part) mark(i int32, p *port, queue uint8, k *packet.Packet) {
	if !k.ECT || k.CE || !p.hits(queue) {
		return
	}
	k.CE = true
	p.record().Marked[queue]++
	s.total.Marked++
	if t := s.switches[p.node].tallies; t != nil {
		t.marked(k, p.number, queue)
	}
	if s.observer != nil {
		s.report(Marked, i, k, queue, -1)
	}
}
