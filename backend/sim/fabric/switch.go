package fabric

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// admit handles a frame that has arrived at a switch: it finds its waypoint, charges the MMU, and puts the frame into
// its egress queue, or drops it.
//
// Most frames pass a port that is elidable: the MMU takes them and nothing follows, and at most a marker and a
// scheduler look at them. Such a frame goes to its queue, or past its empty queue onto the link, by a short way. All
// others go by the rules (admitByRules). With an observer all frames do, so the test that runs random networks with and
// without an observer (TestPartsChangeNothing) compares both ways.
func (s *part) admit(i int32, p *port, k *packet.Packet) {
	// A waypoint is what a switch knows of a flow's frames: port, queue, group and cell. It is kept by flow and hop.
	here, kept := &s.here, s.waypoints
	if n := s.ways[k.Flow].waypoint(k); n < uint(len(kept)) {
		here = &kept[n]
	} else if s.lookUpHere(i, p, k); here.out < 0 {
		return
	}
	sw, q := p.sw, here.port
	// Cells that are free by now must be so before the MMU is asked.
	if sw.elidedAt <= s.Now {
		s.applyElidedEnds(sw, s.Now, s.source)
	}
	if q.watched {
		s.admitWatched(i, p, q, k, here)
		return
	}
	if !sw.mmu.Take(here.charged(k)) {
		here.enter(i, k)
		s.admitByRules(i, p, q, k, here)
		return
	}
	// The frame leaves at once, and never lies in the store.
	if q.passes(here.queue) {
		q.beginsToLeave(here.queue, k)
		here.enter(i, &q.leaving.Packet)
		s.transmit(here.out, q, k, s.Now).TTL--
		return
	}
	queue := here.queue & (Priorities - 1)
	e := q.queues[queue].Extend()
	*e = *k
	here.enter(i, e)
	q.waiting |= 1 << queue
	if !q.busy {
		s.kick(here.out)
	} else if q.endElided && sw.returning > 0 {
		s.restoreEnds(sw)
	}
}

// admitWatched is the last part of admit for a port whose frames more than the MMU looks at: by the short way at most
// a marker and a scheduler do. Take charges the MMU only if nothing follows from it: otherwise it returns false and
// has changed nothing.
func (s *part) admitWatched(i int32, p, q *port, k *packet.Packet, here *waypoint) {
	queue := here.queue & (Priorities - 1)
	if !q.elidable || q.ecn != nil && q.ecn.drops>>queue&1 != 0 || !p.sw.mmu.Take(here.charged(k)) {
		here.enter(i, k)
		s.admitByRules(i, p, q, k, here)
		return
	}
	s.markArriving(here.out, q, queue, k)
	q.wait(queue, int64(k.Bytes))
	e := q.queues[queue].Extend()
	*e = *k
	here.enter(i, e)
	q.waiting |= 1 << queue
	if !q.busy {
		if q.pend || !q.linked {
			s.kick(here.out)
		} else if q.waiting&^q.paused != 0 {
			q.busy = true
			s.elideOrSet(here.out, q, s.departWatched(here.out, q, s.Now))
		}
	} else if q.endElided && p.sw.returning > 0 {
		s.restoreEnds(p.sw)
	}
}

// lookUpHere finds the waypoint of a frame for which none is kept. It drops a frame that goes no further. A negative
// out tells the caller that the frame is gone.
func (s *part) lookUpHere(i int32, p *port, k *packet.Packet) {
	s.here = s.lookUp(p, k)
	k.Priority = s.here.priority
	switch {
	case k.TTL == 0: // a frame in a loop of routes ends here
		s.here.out = -1
		s.dropArriving(i, p, k, -1, dropTTL)
	case s.here.out < 0:
		k.TTL--
		s.dropArriving(i, p, k, -1, dropNoRoute)
	}
}

// admitByRules admits a frame to its egress queue or drops it: everything that
// can look at the frame does.
func (s *part) admitByRules(i int32, p, q *port, k *packet.Packet, here *waypoint) {
	sw, queue, out := p.sw, here.queue, q.number
	// The watchdog acts before the MMU: its drops take no memory.
	if q.dropping>>queue&1 == 1 {
		s.dropInStorm(i, k, here.out, int(queue))
		return
	}
	// WRED drops a packet that cannot be marked.
	if q.ecn != nil && q.ecn.drops>>queue&1 != 0 && !k.ECT && q.hits(queue) {
		if sw.tallies != nil {
			sw.tallies.queue(out, queue).drop(k)
		}
		s.dropArriving(i, p, k, out, dropWRED)
		return
	}
	// The refusal of shared cells can want XOFF whether or not headroom takes the packet. rest is 0, or the queue of the
	// MMU for the rest of a trimmed frame plus 1.
	drop, xoff, rest := sw.arrive(k, p.number, out)
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
		if rest == 0 {
			s.dropArriving(i, p, k, out, drop)
			return
		}
		k.Cell = int32(rest - 1)
		queue = s.trim(q, k)
	}
	if sw.tallies != nil {
		sw.tallies.admitted(k, sw.mmu.Cells(k.Charged()), out, queue)
	}
	// Only after the MMU has admitted the packet: a dropped packet is not
	// marked.
	s.markArriving(here.out, q, queue, k)
	if q.ets != nil {
		// The queue may become ready: shapers have to know since when.
		q.ets.Update(s.Now, q.waiting&^q.paused)
	}
	q.wait(queue, int64(k.Bytes))
	q.queues[queue].Push(*k)
	q.waiting |= 1 << queue
	if s.observer != nil {
		s.report(Enqueued, i, k, queue, out)
	}
	if xoff {
		s.xoff(sw, k)
	}
	if !q.busy {
		s.kick(here.out)
	} else if sw.returning > 0 && q.endElided {
		s.restoreEnds(sw)
	}
}

// sendQueued sends the next packet of the queue that the scheduler selects. A frame may leave: the caller has looked
// at waiting and paused.
func (s *part) sendQueued(i int32, p *port) {
	sw := p.sw
	q := p.roundRobin()
	if p.ets != nil {
		var ok bool
		if q, ok = s.selectQueue(i, p); !ok {
			return
		}
	}
	k := p.queues[q].First()
	p.queues[q].Drop()
	p.wait(q, -int64(k.Bytes))
	if p.queues[q].Len == 0 {
		p.waiting &^= 1 << q
	}
	if sw.tallies != nil {
		sw.tallies.sent(k, p.number, q)
	}
	s.markLeaving(i, p, q, k)
	p.beginsToLeave(q, k)
	s.transmit(i, p, k, s.Now)
	// Such a switch gives cells back when a frame begins to leave, and not at its end.
	if sw.atStart {
		p.leaving.held = false
		s.giveBack(sw, &p.leaving)
	}
}

// selectQueue returns the queue of a switch's port with a scheduler that sends next, and charges it for its frame. It
// returns false if every waiting queue lacks credit; the port then waits for the first that has it. ready is a set of
// queues with one bit each.
func (s *part) selectQueue(i int32, p *port) (queue uint8, ok bool) {
	c, ready := p.ets, p.waiting&^p.paused
	c.Update(s.Now, ready)
	q, bytes, ok := c.Select(ready, &p.queues)
	if !ok {
		s.SetAtLatest(i*perPort+onReady, c.Wake(s.Now, ready))
		return 0, false
	}
	if c.Shapes() {
		c.Spend(q, s.Now, p.frameTime(bytes))
	}
	return q, true
}

// giveBack returns a packet's cells to the MMU and resumes the groups that may
// send again. At a port that is elidable no one else looks at it: see sent.
func (s *part) giveBack(sw *node, l *leaving) {
	if sw.elidedAt <= s.Now {
		s.applyElidedEnds(sw, s.Now, s.source)
	}
	if sw.rule != nil {
		s.giveBackByRule(sw, l)
		return
	}
	r := sw.mmu.Leave(l.Charged())
	if sw.credits {
		s.freeCredits(l.In(), l.Priority, l.Bytes)
	}
	if sw.tallies != nil {
		sw.tallies.departed(l, sw.mmu.Cells(l.Charged()))
	}
	if s.observer != nil {
		s.reportDeparted(l)
	}
	s.resume(sw, l, r)
	if sw.returning > 0 {
		s.keepEnds(sw)
	}
}

// resume resumes the groups that may send again after a packet has left. With ownXON the switch resumes the group of
// the packet alone.
func (s *part) resume(sw *node, l *leaving, r mmu.Release) {
	if r.XON {
		s.xon(sw, l.Group())
	}
	// Other groups can resume as well: under a dynamic threshold free cells
	// raise every limit of the pool.
	if !r.Room || sw.ownXON {
		return
	}
	for g, ok := sw.mmu.Resume(int(l.Slice)); ok; g, ok = sw.mmu.Resume(int(l.Slice)) {
		s.xon(sw, int32(g))
	}
}

// giveBackByRule is giveBack for a switch with an admission rule. A rule knows ports and priorities, and no groups.
func (s *part) giveBackByRule(sw *node, l *leaving) {
	in := &s.ports[l.In()]
	xon := sw.rule.Leave(int(in.number), int(l.out), int(l.Priority), unit.Bytes(l.Bytes))
	if s.observer != nil {
		s.reportDeparted(l)
	}
	if xon {
		s.pause(l.In(), pfc.Priorities(1)<<l.Priority, false)
	}
}

// xoff pauses a packet's group. A group in several slices is paused once, by
// the first slice that wants it.
func (s *part) xoff(sw *node, k *packet.Packet) {
	if sw.rule != nil {
		s.pause(k.In(), pfc.Priorities(1)<<k.Priority, true)
		return
	}
	sw.pausedSlices[k.Group()]++
	if sw.pausedSlices[k.Group()] == 1 {
		s.pause(sw.owner[k.Group()], sw.members[k.Group()], true)
	}
}

// xon resumes a group when no slice wants it paused any more. Each slice that wanted the pause has to say that it
// does no more.
func (s *part) xon(sw *node, group int32) {
	sw.pausedSlices[group]--
	if sw.pausedSlices[group] == 0 {
		s.pause(sw.owner[group], sw.members[group], false)
	}
}

// dropArriving drops a frame that has arrived at a switch. The drop counts at the port of arrival; out is the number
// of the port for which it was, or -1. k.Priority is the one that the port of arrival has found.
func (s *part) dropArriving(i int32, p *port, k *packet.Packet, out int32, why mmu.Cause) {
	c := p.record()
	c.Drops[k.Priority]++
	c.LastDrop[k.Priority] = unit.Time(s.Now)
	s.lost(i, out, k, why)
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

// mark marks a packet if the curve and its random number say so. Only frames of a transport that knows ECN can be
// marked (ECT), and each once (CE, RFC 3168).
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

// Packet trimming: a switch that has no room for a frame of a lossy queue sends the beginning of the frame over another
// queue, so that the receiver learns at once what is lost (SAI pull 2077, doc/SAI-Proposal-Packet-Trimming.md; SONiC,
// doc/packet_trimming). [mmu.Queue] says which queues trim, and where the rest goes.

// trimming is how a switch trims. bytes is a length with the header; 0: the switch trims nothing.
type trimming struct {
	bytes uint16 // length of what is left of a frame
	dscp  int8   // of it
}

// trims tells whether a queue of the switch trims.
func (w *Switch) trims() bool {
	return slices.ContainsFunc(w.MMU.Queues, func(q mmu.Queue) bool { return q.Trim > 0 })
}

// trims tells whether a switch of the network trims.
func (n *Network) trims() bool {
	return slices.ContainsFunc(n.Switches, func(w Switch) bool { return w.trims() })
}

// trim cuts a frame whose beginning the MMU has admitted to another of its queues, and returns the queue of the port.
// The frame keeps its PCP, its TTL and its ECN field: SAI changes its DSCP alone. What it no longer needs of the
// credits with which it came is free. The queue exists: see validateTrimming.
func (s *part) trim(out *port, k *packet.Packet) uint8 {
	whole := k.Bytes
	k.Kind, k.DSCP, k.Bytes = packet.Trimmed, out.sw.trim.dscp, min(k.Bytes, out.sw.trim.bytes)
	if l := s.ports[k.In()].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(k.Priority)) {
		if n := l.to.Account.Packet(unit.Bytes(whole)) - l.to.Account.Packet(unit.Bytes(k.Bytes)); n > 0 {
			s.freeLater(k.In(), l, k.Priority, n)
		}
	}
	return uint8(slices.Index(out.lookup.cells[:], k.Cell))
}

// notDelivered handles what a host does not deliver to its flow: feedback, data out of sequence, or trimmed data.
func (s *part) notDelivered(p *port, fl *flow, k *packet.Packet) {
	if k.Kind == packet.Trimmed {
		fl.trimmed++
	}
	switch {
	case s.observer == nil:
	case k.Kind == packet.Data:
		s.report(Refused, p.node, k, 0, -1)
	default:
		s.report(Delivered, p.node, k, 0, -1)
	}
}

// receiveTrimmed handles a trimmed frame at the host of a flow with a Sender: the frame is lost, and with
// acknowledgements the receiver says so. The frame overtakes those before it, which wait in a longer queue. So the
// NAK waits until these have arrived: it is in place of the ACK that is then due. A congestion mark counts as on a
// whole frame.
func (s *part) receiveTrimmed(fl *flow, k *packet.Packet) {
	x := &s.senders[fl.sender]
	if k.CE {
		s.notify(fl.sender, x)
	}
	switch {
	case x.selective != nil:
		if k.Seq >= x.selective.expected {
			s.answerFor(x, packet.NAK, k.Seq)
		}
		return
	case x.ackEvery == 0 || k.Seq < x.expected:
		return
	case x.trimmed < x.expected || k.Seq < x.trimmed:
		x.trimmed = k.Seq
	}
	if x.trimmed == x.expected {
		s.answerDue(x)
		return
	}
	// The count is set so that the next answer falls due when the trimmed frame is the expected one.
	x.sinceACK = max(x.sinceACK, x.ackEvery-(x.trimmed-x.expected))
}

// answerDue sends an ACK of all frames that have arrived in sequence, or a NAK if the next one was trimmed. The next
// answer is due after so many frames as usual, or when a frame comes that was trimmed. nakSent keeps the receiver
// from a second NAK for the same gap: see outOfSequence.
func (s *part) answerDue(x *sender) {
	what := packet.ACK
	x.sinceACK = 0
	if x.trimmed == x.expected {
		what, x.nakSent, x.trimmed = packet.NAK, true, -1
	} else if x.trimmed > x.expected {
		x.sinceACK = max(0, x.ackEvery-(x.trimmed-x.expected))
	}
	s.answerFor(x, what, x.expected)
}

// validateTrimming refuses what is left of frames without a queue of the same port.
func (p *SwitchPort) validateTrimming(w *Switch, bad *fielderr.List) {
	for q, cell := range p.Cells {
		if cell < 0 || cell >= len(w.MMU.Queues) {
			continue // refused already
		}
		if rest := w.MMU.Queues[cell].Trim; rest > 0 && !slices.Contains(p.Cells[:], rest-1) {
			bad.Add(fmt.Sprintf("cells[%d]", q), fmt.Sprintf("trims to queue %d of the MMU", rest-1), "a queue of this port")
		}
	}
}
