package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
)

// node is a switch at work.
type node struct {
	mmu          *mmu.MMU
	rule         AdmissionRule // in the place of mmu; nil: none
	first        int32         // its port 0
	ports        []SwitchPort
	lookups      []lookup         // of the ports
	slices       []int16          // of ports in * len(ports) + out; nil: all 0
	owner        []int32          // port of each group
	members      []pfc.Priorities // priorities of each group
	pausedSlices []int16          // in how many slices each group is paused
	routes       [][]int32        // ports by destination host
	queues       bool             // the MMU has queues
	tallies      *tallies         // nil: nobody wants them
	atStart      bool
	ownXON       bool
	name         string
}

// admit takes a frame that has arrived, or drops it.
func (s *Sim) admit(i int32, p *port, pkt int32) {
	sw := &s.switches[p.node]
	k := &s.store.packets[pkt]
	from := &sw.lookups[p.number]
	k.prio = from.priority(k)
	if k.ttl == 0 {
		s.dropArriving(i, p, pkt, -1, dropTTL)
		return
	}
	k.ttl--
	out := s.route(sw, k)
	if out < 0 {
		s.dropArriving(i, p, pkt, -1, dropNoRoute)
		return
	}
	to := &sw.lookups[out]
	queue := int(to.queues[k.prio])
	if o := sw.first + out; s.ports[o].dropping>>queue&1 == 1 {
		s.dropInStorm(i, pkt, o, queue)
		return
	}
	k.in = i
	k.group = from.groups[k.prio]
	k.slice = sw.slice(p.number, out)
	o := sw.first + out
	q := &s.ports[o]
	if q.ecn != nil && q.dropsEarly(queue, k) {
		if sw.tallies != nil {
			sw.tallies.queue(out, uint8(queue)).drop(k)
		}
		s.dropArriving(i, p, pkt, out, dropWRED)
		return
	}
	v := sw.arrive(k, p.number, out, to.cells[queue])
	if v.Drop != mmu.CauseNone {
		if v.XOFF {
			s.xoff(sw, k)
		}
		if sw.tallies != nil {
			sw.tallies.refused(k, out, uint8(queue), v.Drop)
		}
		s.dropArriving(i, p, pkt, out, v.Drop)
		return
	}
	if sw.tallies != nil {
		sw.tallies.admitted(k, sw.mmu.Cells(k.charged(0)), out, uint8(queue))
	}
	if q.ecn != nil {
		s.mark(o, q, uint8(queue), k, false)
	}
	if q.ets != nil {
		q.ets.settle(s.now, q.waiting&^q.paused)
	}
	q.queues[queue].push(&s.store, pkt)
	q.waiting |= 1 << queue
	if s.observer != nil {
		s.report(Enqueued, i, k, uint8(queue), out)
	}
	if v.XOFF {
		s.xoff(sw, k)
	}
	if !q.busy {
		s.kick(o)
	}
}

// arrive asks the MMU, or the rule in its place.
func (n *node) arrive(k *packet, in, out, queue int32) (v mmu.Verdict) {
	if n.rule == nil {
		return n.mmu.Arrive(k.charged(queue))
	}
	admitted, xoff := n.rule.Arrive(int(in), int(out), int(k.prio), bytesOf(k.bytes))
	if v.XOFF = xoff; !admitted {
		v.Drop = dropRule
	}
	return v
}

// charged is the packet as the MMU sees it, with its egress queue there.
func (k *packet) charged(queue int32) mmu.Packet {
	return mmu.Packet{Slice: int(k.slice), Group: int(k.group), Queue: int(queue), Bytes: bytesOf(k.bytes)}
}

func (n *node) slice(in, out int32) int16 {
	if n.slices == nil {
		return 0
	}
	return n.slices[int(in)*len(n.ports)+int(out)]
}

// lookup is what a port makes of a packet, in both directions: a SwitchPort in
// few bytes, for every packet reads two of them.
type lookup struct {
	code   *[64]uint8 // priority of each PCP or DSCP
	dscp   bool       // it is the DSCP that is read
	tagged bool       // frames leave with a tag
	queues [Priorities]uint8
	groups [Priorities]int32
	cells  [Priorities]int32
}

// What ports without a map of their own read.
var pcpItself, dscpEighth = func() (pcp, dscp [64]uint8) {
	for i := range pcp {
		pcp[i], dscp[i] = uint8(i)&7, uint8(i)>>3
	}
	return pcp, dscp
}()

func newLookup(p *SwitchPort) lookup {
	l := lookup{code: p.Map, dscp: p.Trust == TrustDSCP, tagged: p.Tagged}
	switch {
	case l.code != nil:
	case l.dscp:
		l.code = &dscpEighth
	default:
		l.code = &pcpItself
	}
	for i := range Priorities {
		l.queues[i], l.groups[i], l.cells[i] = uint8(p.Queues[i]), int32(p.Groups[i]), int32(p.Cells[i])
	}
	return l
}

// priority reads a packet's priority; without a tag the PCP is 0.
func (l *lookup) priority(k *packet) uint8 {
	if l.dscp {
		return l.code[k.dscp&63]
	}
	return l.code[max(k.pcp, 0)&63]
}

// route picks the port on which a packet goes on; below 0: none.
func (s *Sim) route(sw *node, k *packet) int32 {
	to := s.flows[k.flow].to
	if k.kind != data {
		to = s.flows[k.flow].from // a host's only port has its number
	}
	ways := sw.routes[to]
	switch len(ways) {
	case 0:
		return -1
	case 1:
		return ways[0]
	}
	return ways[s.flows[k.flow].hash%uint64(len(ways))]
}

// sendQueued sends the next packet of the queue whose turn it is.
func (s *Sim) sendQueued(i int32, p *port) {
	sw := &s.switches[p.node]
	q, ok := s.selectQueue(i, p)
	if !ok {
		return
	}
	pkt := p.queues[q].pop(&s.store)
	if p.queues[q].packets == 0 {
		p.waiting &^= 1 << q
	}
	p.last = q
	k := &s.store.packets[pkt]
	p.leaving = leaving{true, k.in, p.number, k.prio, q, k.flow, k.seq, k.charged(sw.lookups[p.number].cells[q])}
	if sw.tallies != nil {
		sw.tallies.sent(k, p.number, q)
	}
	if p.ecn != nil {
		s.mark(i, p, q, k, true)
	}
	if !sw.lookups[p.number].tagged {
		k.pcp = -1
	}
	s.transmit(i, p, pkt, s.now)
	if sw.atStart {
		p.leaving.held = false
		s.giveBack(sw, &p.leaving)
	}
}

// roundRobin returns the next queue after the last one that may send.
func (p *port) roundRobin() uint8 {
	ready := bits.RotateLeft8(p.waiting&^p.paused, -int(p.last+1))
	return (p.last + 1 + uint8(bits.TrailingZeros8(ready))) & 7
}

// giveBack returns a packet's cells and lets go on who may.
func (s *Sim) giveBack(sw *node, l *leaving) {
	if sw.rule != nil {
		s.giveBackByRule(sw, l)
		return
	}
	r := sw.mmu.Leave(l.packet)
	if sw.tallies != nil {
		sw.tallies.left(l, sw.mmu.Cells(l.packet))
	}
	if s.observer != nil {
		s.reportDeparted(l)
	}
	if r.XON {
		s.xon(sw, int32(l.packet.Group))
	}
	if r.Paused == 0 || sw.ownXON {
		return
	}
	for g, ok := sw.mmu.Resume(l.packet.Slice); ok; g, ok = sw.mmu.Resume(l.packet.Slice) {
		s.xon(sw, int32(g))
	}
}

// giveBackByRule is giveBack of a switch without an MMU.
func (s *Sim) giveBackByRule(sw *node, l *leaving) {
	in := &s.ports[l.in]
	xon := sw.rule.Leave(int(in.number), int(l.out), int(l.prio), l.packet.Bytes)
	if s.observer != nil {
		s.reportDeparted(l)
	}
	if xon {
		s.pause(l.in, pfc.Priorities(1)<<l.prio, false)
	}
}

// xoff pauses a packet's group when its first slice wants it.
func (s *Sim) xoff(sw *node, k *packet) {
	if sw.rule != nil {
		s.pause(k.in, pfc.Priorities(1)<<k.prio, true)
		return
	}
	sw.pausedSlices[k.group]++
	if sw.pausedSlices[k.group] == 1 {
		s.pause(sw.owner[k.group], sw.members[k.group], true)
	}
}

// xon lets a group's sender go on when its last slice allows it.
func (s *Sim) xon(sw *node, group int32) {
	sw.pausedSlices[group]--
	if sw.pausedSlices[group] == 0 {
		s.pause(sw.owner[group], sw.members[group], false)
	}
}

// dropArriving drops a frame.
func (s *Sim) dropArriving(i int32, p *port, pkt, out int32, why mmu.Cause) {
	k := &s.store.packets[pkt]
	p.count.Drops[k.prio]++
	s.lost(i, out, k, why)
	s.store.drop(pkt)
}
