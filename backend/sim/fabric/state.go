package fabric

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// MMU returns a switch's MMU. It is nil if the switch has an admission rule.
func (s *Sim) MMU(i int) *mmu.MMU { return s.switches[i].mmu }

// Queue returns the frames and bytes that wait in a switch's egress queue,
// without the frame that is being sent.
func (s *Sim) Queue(node, port, queue int) (frames int, bytes unit.Bytes) {
	q := &s.ports[int(s.switches[node].first)+port].queues[queue]
	return int(q.Len), unit.Bytes(q.Bytes)
}

// Counters returns the counters of a port.
func (s *Sim) Counters(e End) PortCounters {
	p := &s.ports[s.port(e)]
	c := p.past().PortCounters
	c.FramesIn, c.FramesOut, c.BytesIn, c.BytesOut = p.framesIn, p.framesOut, p.bytesIn, p.bytesOut
	for q, at := range c.LastDrop {
		c.LastDrop[q] = s.leaps.modelTime(int64(at))
	}
	return c
}

// port returns the number of a port.
func (s *shared) port(e End) int32 {
	if e.Switch {
		return s.switches[e.Node].first + int32(e.Port)
	}
	return int32(e.Node)
}

// FlowState is the progress of a flow.
type FlowState struct {
	Sent, Delivered, Lost int64      // frames
	Resent                int64      // frames sent again, among Sent
	Refused               int64      // frames that arrived out of sequence
	Bytes                 unit.Bytes // delivered, from destination address to FCS
	Last                  unit.Time  // time of the last delivery
}

// Flow returns the progress of a flow.
func (s *Sim) Flow(i int) FlowState {
	f := &s.flows[i]
	return FlowState{Sent: f.sent, Delivered: f.delivered, Lost: f.lost, Resent: f.resent, Refused: f.refused,
		Bytes: unit.Bytes(f.bytes), Last: s.leaps.modelTime(f.last)}
}

// Done tells whether a flow has sent everything and every frame has arrived or
// was lost. A flow without end is never done.
func (s *Sim) Done(i int) bool {
	f := &s.flows[i]
	if f.sent != f.delivered+f.lost+f.refused {
		return false
	}
	if f.sender < 0 {
		return f.unsent == 0
	}
	x := &s.senders[f.sender]
	if x.ackEvery > 0 { // what was lost is sent again
		return x.size > 0 && f.bytes-f.delivered*f.header == x.size
	}
	return x.size > 0 && x.next.off == x.size
}

// PausedTime returns how long a priority of a port was paused. It includes a
// pause that still lasts, which [PortCounters] does not.
func (s *Sim) PausedTime(e End, priority int) unit.Time {
	return s.pausedTime(&s.ports[s.port(e)], priority)
}

// Reasons lists the names of all reasons for a drop, as a Summary names them.
func Reasons() []string {
	var out []string
	for _, c := range mmu.Causes() {
		out = append(out, c.String())
	}
	for c := dropNoRoute; c < drops; c++ {
		out = append(out, Reason(c))
	}
	return out
}
