package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

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

// tallies are the tallies of a switch. They cost time for every frame, so a
// switch has none unless they are asked for.
type tallies struct {
	groups []Tally // of the MMU
	queues []Tally // by port*Priorities + queue
}

// CountQueues makes a switch count by group and by queue from now on: see
// Tally. A switch with an admission rule has no groups, and counts nothing. A
// second call changes nothing.
func (s *Sim) CountQueues(node int) {
	sw := &s.switches[node]
	if sw.tallies != nil || sw.mmu == nil {
		return
	}
	defer sw.setElidable()
	sw.tallies = &tallies{make([]Tally, len(sw.owner)), make([]Tally, len(sw.ports)*Priorities)}
	// Frames that are in the switch already are charged, so that cells do not
	// become negative when they leave.
	for j := range sw.ports {
		i := sw.first + int32(j)
		p := &s.ports[i]
		for q := range p.queues {
			pkt := p.queues[q].Head
			for range p.queues[q].Len {
				k := &s.parts[p.part].store.Packets[pkt]
				sw.tallies.hold(sw.mmu.Cells(k.Charged(0)), k.Group, int32(j), uint8(q))
				pkt = k.Next
			}
		}
		if l := &p.leaving; l.held {
			sw.tallies.hold(sw.mmu.Cells(l.charged()), l.group, int32(j), l.queue)
		}
	}
}

// GroupTally returns the tally of a group of a switch's MMU; zero before
// CountQueues.
func (s *Sim) GroupTally(node, group int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.groups[group]
	}
	return Tally{}
}

// QueueTally returns the tally of an egress queue of a switch's port; zero
// before CountQueues.
func (s *Sim) QueueTally(node, port, queue int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.queues[port*Priorities+queue]
	}
	return Tally{}
}

// ClearPeaks sets every peak of a switch's tallies to the present value.
func (s *Sim) ClearPeaks(node int) {
	t := s.switches[node].tallies
	if t == nil {
		return
	}
	for _, list := range [...][]Tally{t.groups, t.queues} {
		for i := range list {
			list[i].Peak = list[i].Cells
		}
	}
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

// hold charges cells, and notes the peak.
func (t *Tally) hold(n cells.Count) {
	t.Cells += n
	t.Peak = max(t.Peak, t.Cells)
}

// admitted counts a frame that was admitted, and its cells.
func (t *tallies) admitted(k *packet.Packet, n cells.Count, out int32, queue uint8) {
	g := &t.groups[k.Group]
	g.Passed++
	g.PassedBytes += bytesOf(k.Bytes)
	t.hold(n, k.Group, out, queue)
}

// refused counts a frame that the MMU refused: on its queue if the cause is at
// the egress, otherwise on its group.
func (t *tallies) refused(k *packet.Packet, out int32, queue uint8, why mmu.Cause) {
	if why.Egress() {
		t.queue(out, queue).drop(k)
	} else {
		t.groups[k.Group].drop(k)
	}
}

// drop counts a dropped frame.
func (t *Tally) drop(k *packet.Packet) {
	t.Dropped++
	t.DroppedBytes += bytesOf(k.Bytes)
}

// sent counts a frame that an egress queue begins to send.
func (t *tallies) sent(k *packet.Packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Passed++
	q.PassedBytes += bytesOf(k.Bytes)
}

// marked counts a frame that was marked with CE.
func (t *tallies) marked(k *packet.Packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Marked++
	q.MarkedBytes += bytesOf(k.Bytes)
}

// left gives back the cells of a frame that has left.
func (t *tallies) departed(l *leaving, n cells.Count) {
	t.groups[l.group].Cells -= n
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
