package fabric

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Packet trimming: a switch that has no room for a frame of a lossy queue sends the beginning of the frame over another
// queue, so that the receiver learns at once what is lost (SAI pull 2077, doc/SAI-Proposal-Packet-Trimming.md; SONiC,
// doc/packet_trimming). [mmu.Queue] says which queues trim, and where the rest goes.

// trimming is how a switch trims.
type trimming struct {
	bytes uint16 // length of what is left of a frame
	dscp  int8   // of it
}

// newTrimming returns how a switch trims; zero: it does not.
func newTrimming(w *Switch) trimming {
	if !w.trims() {
		return trimming{}
	}
	return trimming{uint16(w.MMU.Trim), int8(w.TrimDSCP)}
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
// The frame keeps its PCP, its TTL and its ECN field: SAI changes its DSCP alone. What it no longer needs of the credits
// with which it came is free.
func (s *part) trim(out *port, k *packet.Packet, cell int32) uint8 {
	whole := k.Bytes
	k.Kind, k.DSCP, k.Bytes = packet.Trimmed, out.sw.trim.dscp, min(k.Bytes, out.sw.trim.bytes)
	if l := s.ports[k.In].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(k.Priority)) {
		if n := l.to.Account.Packet(unit.Bytes(whole)) - l.to.Account.Packet(unit.Bytes(k.Bytes)); n > 0 {
			s.freeLater(k.In, l, k.Priority, n)
		}
	}
	return uint8(slices.Index(out.lookup.cells[:], cell))
}

// notDelivered handles a frame that a host does not deliver to its flow.
func (s *part) notDelivered(p *port, fl *flow, k *packet.Packet) {
	if k.Kind == packet.Trimmed {
		fl.trimmed++
		s.total.TrimmedArrived++
	}
	if s.observer != nil {
		s.reportNotDelivered(p.node, k)
	}
}

// receiveTrimmed handles a trimmed frame at the host of a flow with a Sender: the frame is lost, and with
// acknowledgements the receiver says so. The frame overtakes those before it, which wait in a longer queue. So the NAK
// waits until these have arrived: it is in place of the ACK that is then due.
func (s *part) receiveTrimmed(fl *flow, k *packet.Packet) {
	x := &s.senders[fl.sender]
	if k.CE {
		s.notify(fl.sender, x)
	}
	switch {
	case x.selective != nil:
		if k.Seq >= x.selective.expected {
			s.queueFeedback(x.flow, packet.NAK, &x.class, x.length, k.Seq)
		}
		return
	case x.ackEvery == 0 || k.Seq < x.expected:
		return
	case x.trimmed < x.expected || k.Seq < x.trimmed:
		x.trimmed = k.Seq
	}
	if x.trimmed == x.expected {
		s.acknowledge(x)
		return
	}
	x.sinceACK = max(x.sinceACK, x.ackEvery-(x.trimmed-x.expected))
}

// acknowledge sends an ACK of all frames that have arrived in sequence, or a NAK if the next one was trimmed. The next
// answer is due after so many frames as usual, or when a frame comes that was trimmed.
func (s *part) acknowledge(x *sender) {
	what := packet.ACK
	x.sinceACK = 0
	if x.trimmed == x.expected {
		what, x.nakSent, x.trimmed = packet.NAK, true, -1
	} else if x.trimmed > x.expected {
		x.sinceACK = max(0, x.ackEvery-(x.trimmed-x.expected))
	}
	s.queueFeedback(x.flow, what, &x.class, x.length, x.expected)
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
