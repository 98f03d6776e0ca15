package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Tally is what one group or one egress queue of a switch has counted since
// [Sim.CountQueues]. Cells are those of all slices together.
type Tally struct {
	// Passed is frames that a group let in, or that a queue began to send.
	Passed      int64
	PassedBytes unit.Bytes // from destination address to FCS, as all bytes here
	// Dropped is frames that the group had no room for; or that the limits of the
	// queue, its WRED or its watchdog dropped. Frames without a route or whose TTL
	// ran out are nobody's, and those lost on a dead link have been sent.
	Dropped      int64
	DroppedBytes unit.Bytes
	Marked       int64 // frames that got CE; of queues
	MarkedBytes  unit.Bytes
	Cells, Peak  cells.Count // held now, and the most that were ever held at one time
}

// tallies are those of a switch; nil where nobody asked for them, for they take
// time at every frame.
type tallies struct {
	groups []Tally // of the MMU
	queues []Tally // port * Priorities + queue
}

// CountQueues has a switch count by group and by queue from now on: see Tally.
// A switch whose Rule admits in place of an MMU has no groups, and counts
// nothing. A second call changes nothing.
func (s *Sim) CountQueues(node int) {
	sw := &s.switches[node]
	if sw.tallies != nil || sw.mmu == nil {
		return
	}
	sw.tallies = &tallies{make([]Tally, len(sw.owner)), make([]Tally, len(sw.ports)*Priorities)}
	for j := range sw.ports {
		i := sw.first + int32(j)
		p := &s.ports[i]
		for q := range p.queues {
			pkt := p.queues[q].head
			for range p.queues[q].packets {
				k := &s.store.packets[pkt]
				sw.tallies.hold(sw.mmu.Cells(k.charged(0)), k.group, int32(j), uint8(q))
				pkt = k.next
			}
		}
		if l := &p.leaving; l.held {
			sw.tallies.hold(sw.mmu.Cells(l.packet), int32(l.packet.Group), int32(j), l.queue)
		}
	}
}

// GroupTally returns what a group of a switch's MMU has counted; zero before
// CountQueues.
func (s *Sim) GroupTally(node, group int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.groups[group]
	}
	return Tally{}
}

// QueueTally returns what an egress queue of a switch's port has counted; zero
// before CountQueues.
func (s *Sim) QueueTally(node, port, queue int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.queues[port*Priorities+queue]
	}
	return Tally{}
}

// ClearPeaks sets every peak of a switch's tallies to what is held now.
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

// queue is the tally of an egress queue.
func (t *tallies) queue(port int32, queue uint8) *Tally {
	return &t.queues[int(port)*Priorities+int(queue)]
}

// hold charges cells to a group and a queue.
func (t *tallies) hold(n cells.Count, group, port int32, queue uint8) {
	t.groups[group].hold(n)
	t.queue(port, queue).hold(n)
}

func (t *Tally) hold(n cells.Count) {
	t.Cells += n
	t.Peak = max(t.Peak, t.Cells)
}

// admitted counts a frame of so many cells that was let in.
func (t *tallies) admitted(k *packet, n cells.Count, out int32, queue uint8) {
	g := &t.groups[k.group]
	g.Passed++
	g.PassedBytes += bytesOf(k.bytes)
	t.hold(n, k.group, out, queue)
}

// refused counts a frame that the MMU did not take: its group's, or its queue's
// if the cause lies at the egress.
func (t *tallies) refused(k *packet, out int32, queue uint8, why mmu.Cause) {
	if why.Egress() {
		t.queue(out, queue).drop(k)
	} else {
		t.groups[k.group].drop(k)
	}
}

func (t *Tally) drop(k *packet) {
	t.Dropped++
	t.DroppedBytes += bytesOf(k.bytes)
}

// sent counts a frame that an egress queue begins to send.
func (t *tallies) sent(k *packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Passed++
	q.PassedBytes += bytesOf(k.bytes)
}

// marked counts a frame that got CE.
func (t *tallies) marked(k *packet, out int32, queue uint8) {
	q := t.queue(out, queue)
	q.Marked++
	q.MarkedBytes += bytesOf(k.bytes)
}

// left takes the cells of a frame away that has left.
func (t *tallies) left(l *leaving, n cells.Count) {
	t.groups[l.packet.Group].Cells -= n
	t.queue(l.out, l.queue).Cells -= n
}

// checkTallies returns an error if the groups of a switch and its queues do not
// hold the same frames.
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
		return fmt.Errorf("groups are tallied to hold %d cells, and queues %d", groups, queues)
	}
	return nil
}
