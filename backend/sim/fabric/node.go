package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// node is the state of a switch. What every frame needs comes first. first is among the ports of the network. The
// lists without a comment are by port or by group of the switch.
type node struct {
	mmu          *mmu.MMU
	lookups      []lookup // of the ports
	routes       routes.Switch
	first        int32 // number of its port 0
	elidable     bool  // nothing but its MMU looks at frames
	observed     bool  // an observer sees them
	atStart      bool
	ownXON       bool
	queues       bool                  // the MMU has queues
	credits      bool                  // some of its ports give credits: see layer.go
	slices       []int16               // by in*len(ports)+out; nil: always slice 0
	elidedAt     int64                 // time of the first of elidedEnds, or clock.Never
	returning    cells.Count           // what frames give back whose ends were elided while groups were paused
	elidedEnds   packet.Ring[frameEnd] // ends of frames that have no event, in order: see elided.go
	rule         AdmissionRule         // in place of mmu; nil: none
	tallies      *tallies              // nil: not counted
	ports        []SwitchPort
	owner        []int32          // port of each group
	members      []pfc.Priorities // priorities of each group
	pausedSlices []int16          // number of slices in which each group is paused
	name         string
	trim         trimming // how it trims frames; zero: it does not
}

// lookup is what packets without a waypoint need of a SwitchPort.
type lookup struct {
	queues [Priorities]uint8
	cells  [Priorities]int32
	codes  *[64]uint8 // priority of each PCP or DSCP
	dscp   bool       // code is indexed by DSCP
	groups [Priorities]int32
}

// The maps of ports without a map: the PCP is the priority, or the upper three
// bits of the DSCP (the class selector of RFC 2474) are.
var pcpItself, dscpEighth = func() (pcp, dscp [64]uint8) {
	for i := range pcp {
		pcp[i], dscp[i] = uint8(i)&7, uint8(i)>>3
	}
	return pcp, dscp
}()

// newLookup returns the lookup of a port. Each priority has a queue and a group, with 0 for what the configuration
// leaves out.
func newLookup(p *SwitchPort) lookup {
	l := lookup{codes: p.Map, dscp: p.Trust == TrustDSCP}
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

// priority returns a packet's priority. A packet without a tag counts as PCP 0. The result is 0 to 7: validate has
// looked at the map.
func (l *lookup) priority(k *packet.Packet) uint8 {
	if l.dscp {
		return l.codes[k.DSCP&63]
	}
	return l.codes[max(k.PCP, 0)&63]
}

// arrive asks the MMU, or the rule in its place, whether it drops a packet and
// wants a pause. rest is the queue of the MMU, from 1, that has the beginning of a packet that it drops; 0: none has.
func (n *node) arrive(k *packet.Packet, in, out int32) (drop mmu.Cause, xoff bool, rest int) {
	if n.rule != nil {
		admitted, xoff := n.rule.Arrive(int(in), int(out), int(k.Priority), unit.Bytes(k.Bytes))
		if !admitted {
			drop = dropRule
		}
		return drop, xoff, 0
	}
	if n.mmu.Take(k.Charged()) {
		return mmu.CauseNone, false, 0
	}
	v := n.mmu.Arrive(k.Charged())
	return v.Drop, v.XOFF, v.Trim
}

// slice returns the memory slice for packets from one port to another. Both ports are numbers within the switch.
func (n *node) slice(in, out int32) int16 {
	if n.slices == nil {
		return 0
	}
	return n.slices[int(in)*len(n.ports)+int(out)]
}

// setElidable notes whether nothing but its MMU looks at the frames of a switch, and of which ports of it. It is called
// when that may have changed.
func (s *shared) setElidable(n *node) {
	n.elidable = n.rule == nil && n.tallies == nil && !n.atStart && !n.observed && !n.credits
	for i := range n.ports {
		s.ports[n.first+int32(i)].setElidable()
	}
}

// frameEnd is the end of a frame at a port.
type frameEnd struct {
	at    int64
	from  *port
	port  int32 // its number
	cells int32 // what the frame gives back, if groups were paused when it began; otherwise 0
}

// before tells whether the end comes before an event of this time and source. At one time events happen in the order
// of their sources, and the source of an end is that of its port (onSent is the first of them).
func (e *frameEnd) before(at int64, source int32) bool {
	return e.at < at || e.at == at && e.port*perPort < source
}

// addElidedEnd puts an end in its place. Frames are often of one length, so that it is mostly the last.
func (n *node) addElidedEnd(e frameEnd) {
	r := &n.elidedEnds
	place := r.Extend()
	if r.Len == 1 {
		*place = e
		n.elidedAt = e.at
		return
	}
	for i := r.Len - 1; i > 0; i-- {
		last := r.At(i - 1)
		if e.at > last.at || e.at == last.at && e.port > last.port {
			*place = e
			return
		}
		*place, place = *last, last
	}
	*place, n.elidedAt = e, e.at
}

// elidesEnd tells whether the end of a frame that one of its ports begins to send, with nothing behind it, needs no
// event although groups may be paused, and notes it then: none of them can resume when it has left.
func (n *node) elidesEnd(p *port, i int32, end int64) bool {
	back, ok := n.mmu.Quiet(p.leaving.Charged(), n.returning)
	if ok {
		n.returning += back
		p.endElided = true
		n.addElidedEnd(frameEnd{end, p, i, int32(back)})
	}
	return ok
}

// Tally is what one group or one egress queue of a switch has counted since
// [Sim.CountQueues]. Cells are those of all slices together.
type Tally struct {
	// Passed is frames that a group let in, or that a queue began to send.
	Passed      int64      // frames that a group admitted, or that a queue began to send
	PassedBytes unit.Bytes // from destination address to FCS, as all bytes here
	// Dropped is the frames that the group had no room for, or that the queue
	// dropped: by its limits, WRED or its watchdog. Frames without a route and
	// frames whose TTL ran out count nowhere. Frames lost on a dead link count
	// as passed.
	Dropped      int64
	DroppedBytes unit.Bytes
	Marked       int64 // frames of a queue that were marked with CE
	MarkedBytes  unit.Bytes
	Cells, Peak  cells.Count // Cells is held now; Peak is the most held at one time
}

// hold charges cells, and notes the peak.
func (t *Tally) hold(n cells.Count) {
	t.Cells += n
	t.Peak = max(t.Peak, t.Cells)
}

// drop counts a dropped frame.
func (t *Tally) drop(k *packet.Packet) {
	t.Dropped++
	t.DroppedBytes += unit.Bytes(k.Bytes)
}

// tallies are the tallies of a switch. They cost time for every frame, so a
// switch has none unless they are asked for.
type tallies struct {
	groups []Tally // of the MMU
	queues []Tally // by port*Priorities + queue
}

// queue returns the tally of an egress queue.
func (t *tallies) queue(port int32, queue uint8) *Tally {
	return &t.queues[int(port)*Priorities+int(queue)]
}

// hold charges cells to a group and a queue.
func (t *tallies) hold(n cells.Count, group, port int32, queue uint8) {
	t.groups[group].hold(n)
	t.queue(port, queue).hold(n)
}

// admitted counts a frame that was admitted, and its cells. A trimmed frame is admitted with the length that is left
// of it.
func (t *tallies) admitted(k *packet.Packet, n cells.Count, out int32, queue uint8) {
	g := &t.groups[k.Group()]
	g.Passed++
	g.PassedBytes += unit.Bytes(k.Bytes)
	t.hold(n, k.Group(), out, queue)
}

// refused counts a frame that the MMU refused: on its queue if the cause is at
// the egress, otherwise on its group.
func (t *tallies) refused(k *packet.Packet, out int32, queue uint8, why mmu.Cause) {
	if why.Egress() {
		t.queue(out, queue).drop(k)
	} else {
		t.groups[k.Group()].drop(k)
	}
}

// sent counts a frame that an egress queue begins to send.
func (t *tallies) sent(k *packet.Packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Passed++
	q.PassedBytes += unit.Bytes(k.Bytes)
}

// marked counts a frame that was marked with CE.
func (t *tallies) marked(k *packet.Packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Marked++
	q.MarkedBytes += unit.Bytes(k.Bytes)
}

// departed gives back the cells of a frame that has left.
func (t *tallies) departed(l *leaving, n cells.Count) {
	t.groups[l.Group()].Cells -= n
	t.queue(l.out, l.queue).Cells -= n
}

// checkTallies returns an error if a switch's groups and its queues do not hold
// the same number of cells: every frame is charged to one of each.
func (n *node) checkTallies() error {
	if n.tallies == nil {
		return nil
	}
	var groups, queues cells.Count
	for i := range n.tallies.groups {
		groups += n.tallies.groups[i].Cells
	}
	for i := range n.tallies.queues {
		queues += n.tallies.queues[i].Cells
	}
	if groups != queues {
		return fmt.Errorf("the groups hold %d cells, but the queues hold %d", groups, queues)
	}
	return nil
}
