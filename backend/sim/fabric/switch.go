package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// node is the state of a switch. What every frame needs comes first.
type node struct {
	mmu          *mmu.MMU
	lookups      []lookup // of the ports
	routes       routes.Switch
	first        int32 // number of its port 0
	elidable     bool  // nothing but its MMU looks at frames: see plain.go
	atStart      bool
	ownXON       bool
	queues       bool                  // the MMU has queues
	credits      bool                  // some of its ports give credits: see layer.go
	slices       []int16               // by in*len(ports)+out; nil: always slice 0
	elidedAt     int64                 // time of the first of late; never if there is none
	elidedEnds   packet.Ring[frameEnd] // ends of frames that have no event, in order: see late.go
	rule         AdmissionRule         // in place of mmu; nil: none
	tallies      *tallies              // nil: not counted
	ports        []SwitchPort
	owner        []int32          // port of each group
	members      []pfc.Priorities // priorities of each group
	pausedSlices []int16          // number of slices in which each group is paused
	name         string
}

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

// arrive asks the MMU, or the rule in its place, whether it drops a packet and
// wants a pause.
func (n *node) arrive(k *packet.Packet, in, out, queue int32) (drop mmu.Cause, xoff bool) {
	if n.rule != nil {
		admitted, xoff := n.rule.Arrive(int(in), int(out), int(k.Priority), bytesOf(k.Bytes))
		if !admitted {
			drop = dropRule
		}
		return drop, xoff
	}
	if n.mmu.Take(k.Charged(queue)) {
		return mmu.CauseNone, false
	}
	v := n.mmu.Arrive(k.Charged(queue))
	return v.Drop, v.XOFF
}

// slice returns the memory slice for packets from one port to another.
func (n *node) slice(in, out int32) int16 {
	if n.slices == nil {
		return 0
	}
	return n.slices[int(in)*len(n.ports)+int(out)]
}

// lookup is what every packet needs of a SwitchPort: two lines of the cache, one
// of which it reads where it arrives, and the other where it leaves.
type lookup struct {
	tagged bool // it sends frames with a tag
	queues [Priorities]uint8
	cells  [Priorities]int32
	_      [20]byte

	codes  *[64]uint8 // priority of each PCP or DSCP
	dscp   bool       // code is indexed by DSCP
	groups [Priorities]int32
	_      [20]byte
}

// The maps of ports without a map: the PCP is the priority, or the upper three
// bits of the DSCP (the class selector of RFC 2474) are.
var pcpItself, dscpEighth = func() (pcp, dscp [64]uint8) {
	for i := range pcp {
		pcp[i], dscp[i] = uint8(i)&7, uint8(i)>>3
	}
	return pcp, dscp
}()

// newLookup returns the lookup of a port.
func newLookup(p *SwitchPort) lookup {
	l := lookup{codes: p.Map, dscp: p.Trust == TrustDSCP, tagged: p.Tagged}
	switch {
	case l.codes != nil:
	case l.dscp:
		l.codes = &dscpEighth
	default:
		l.codes = &pcpItself
	}
	for i := range Priorities {
		l.queues[i], l.groups[i], l.cells[i] = uint8(p.Queues[i]), int32(p.Groups[i]), int32(p.Cells[i])
	}
	return l
}

// priority returns a packet's priority. A packet without a tag counts as PCP 0.
func (l *lookup) priority(k *packet.Packet) uint8 {
	if l.dscp {
		return l.codes[k.DSCP&63]
	}
	return l.codes[max(k.PCP, 0)&63]
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

// depart begins to send a packet of a queue, now or, on a late port, at an earlier time.
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

// roundRobin returns the next queue after the last one that may send.
func (p *port) roundRobin() uint8 {
	ready := bits.RotateLeft8(p.waiting&^p.paused, -int(p.last+1))
	return (p.last + 1 + uint8(bits.TrailingZeros8(ready))) & 7
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
