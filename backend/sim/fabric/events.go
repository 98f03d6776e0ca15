package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// EventKind is a kind of event that an observer is told of.
type EventKind uint8

// The kinds of events.
const (
	Enqueued      EventKind = iota // a switch admitted a frame; Out is where it waits
	Dropped                        // a frame was lost; Cause says why
	Departs                        // a port begins to send a frame
	Departed                       // a switch gave a frame's cells back
	Delivered                      // a host took a frame
	XOFFSent                       // a port begins to send a frame that pauses a priority
	XONSent                        // the same, to let it go on
	Paused                         // a port keeps a priority still from now on, or goes on doing so
	Resumed                        // a port may send a priority again: XON came, or the time ran out
	Marked                         // a frame got CE in the egress queue of this port
	PauseWanted                    // the MMU wants a priority paused
	PauseReleased                  // the MMU lets a priority go on
	LinkFell                       // a port's link goes down
	LinkRose                       // it is up again
	StormFound                     // a watchdog acts on a queue; Priority is the queue
	StormOver                      // it lets the queue be as before; Priority is the queue
	Refused                        // a host refused a frame out of sequence
	DeadlockFound                  // a deadlock; Where and Priority are the first queue of its cycle, Locks has it whole
	eventKinds
)

var eventNames = [eventKinds]string{"enqueued", "dropped", "departs", "departed", "delivered", "xoff-sent", "xon-sent",
	"paused", "resumed", "marked", "wanted", "released",
	"link-fell", "link-rose", "storm-found", "storm-over", "refused", "locked"}

// String names the kind: "enqueued".
func (w EventKind) String() string {
	if w >= eventKinds {
		return fmt.Sprintf("What(%d)", uint8(w))
	}
	return eventNames[w]
}

// Event is something that happened.
type Event struct {
	At        unit.Time
	Kind      EventKind
	Where     End // the port: of a frame that is enqueued or dropped the one it came in by
	Out       int // Enqueued, Departed, Dropped: the egress port of the switch; below 0: none
	From      int // Delivered: the host that sent it
	Priority  int
	Queue     int // Enqueued, Marked, Departs and Departed of a switch: the egress queue
	Flow      int // of a frame; -1: a pause frame
	Seq       int // the frame's number in its flow
	Bytes     unit.Bytes
	Cause     mmu.Cause // Dropped
	FrameKind string    // of a frame: "data", or an answer: "ack", "nak", "cnp"
	PCP       int       // of a frame: in its tag; -1: it has none
	TTL       int       // of a frame
	ECN       uint8     // of a frame, as in the IP header: 0 not capable, 2 capable, 3 congestion met
}

// Observe has a function called with every event, after the counters have
// changed. It must not change the simulation. nil: nobody looks, which is
// faster.
func (s *Sim) Observe(f func(*Event)) {
	s.observer = f
	if f != nil {
		s.stopLazy()
	}
}

// report reports an event of a packet.
func (s *Sim) report(what EventKind, port int32, k *packet, queue uint8, out int32) {
	s.observer(&Event{At: unit.Time(s.now), Kind: what, Where: s.endOf(port), Out: int(out),
		From: int(s.ports[s.flows[k.flow].from].node), Priority: int(k.prio), Queue: int(queue),
		Flow: int(k.flow), Seq: int(k.seq), Bytes: unit.Bytes(k.bytes), PCP: int(k.pcp), TTL: int(k.ttl),
		ECN: k.ecn(), FrameKind: k.kind.String()})
}

// ecn is the packet's field of two bits (RFC 3168): ECT(0) if it can be marked.
func (k *packet) ecn() uint8 {
	switch {
	case k.ce:
		return 3
	case k.ect:
		return 2
	}
	return 0
}

// reportLoss reports a lost frame.
func (s *Sim) reportLoss(port, out int32, k *packet, why mmu.Cause) {
	s.observer(&Event{At: unit.Time(s.now), Kind: Dropped, Where: s.endOf(port), Out: int(out), Priority: int(k.prio),
		Flow: int(k.flow), Seq: int(k.seq), Bytes: unit.Bytes(k.bytes), Cause: why, FrameKind: k.kind.String()})
}

// reportNotDelivered reports a frame that a host took without delivering it: an answer,
// or data out of sequence.
func (s *Sim) reportNotDelivered(port int32, k *packet) {
	what := Delivered
	if k.kind == data {
		what = Refused
	}
	s.report(what, port, k, 0, -1)
}

// reportDeparted reports that a frame's cells are free again.
func (s *Sim) reportDeparted(l *leaving) {
	s.observer(&Event{At: unit.Time(s.now), Kind: Departed, Where: s.endOf(l.in), Out: int(l.out),
		Priority: int(l.prio), Queue: int(l.queue),
		Flow: int(l.flow), Seq: int(l.seq), Bytes: l.packet.Bytes})
}

// reportPause reports an event of a priority.
func (s *Sim) reportPause(what EventKind, port int32, priority int) {
	s.observer(&Event{At: unit.Time(s.now), Kind: what, Where: s.endOf(port), Out: -1, Priority: priority, Flow: -1})
}

// reportWanted reports what the MMU wants of priorities.
func (s *Sim) reportWanted(port int32, mask pfc.Priorities, on bool) {
	what := PauseReleased
	if on {
		what = PauseWanted
	}
	for ; mask != 0; mask &= mask - 1 {
		s.reportPause(what, port, mask.Lowest())
	}
}

// endOf names a port.
func (s *Sim) endOf(i int32) End {
	p := &s.ports[i]
	return End{Switch: p.isSwitch, Node: int(p.node), Port: int(p.number)}
}

// MMU returns a switch's MMU, to look at.
func (s *Sim) MMU(i int) *mmu.MMU { return s.switches[i].mmu }

// Queue returns the frames and bytes that wait in a switch's egress queue; the
// frame that is being sent is not among them.
func (s *Sim) Queue(node, port, queue int) (frames int, bytes unit.Bytes) {
	q := &s.ports[int(s.switches[node].first)+port].queues[queue]
	return q.packets, unit.Bytes(q.bytes)
}

// Counters returns what went through a port.
func (s *Sim) Counters(e End) PortCounters {
	p := &s.ports[s.port(e)]
	c := *p.count
	c.FramesIn, c.FramesOut, c.BytesIn, c.BytesOut = p.framesIn, p.framesOut, p.bytesIn, p.bytesOut
	return c
}

// port returns the number of a port.
func (s *Sim) port(e End) int32 {
	if e.Switch {
		return s.switches[e.Node].first + int32(e.Port)
	}
	return int32(e.Node)
}

// FlowState is how far a flow is.
type FlowState struct {
	Sent, Delivered, Lost int64      // frames
	Resent                int64      // among Sent
	Refused               int64      // arrived out of sequence
	Bytes                 unit.Bytes // delivered, from destination address to FCS
	Last                  unit.Time  // of its last delivery
}

// Flow returns how far a flow is.
func (s *Sim) Flow(i int) FlowState {
	f := &s.flows[i]
	return FlowState{Sent: f.sent, Delivered: f.delivered, Lost: f.lost, Resent: f.resent, Refused: f.refused,
		Bytes: unit.Bytes(f.bytes), Last: unit.Time(f.last)}
}

// Done tells whether a flow has sent all it has, and all of it has arrived or
// was lost. A flow without end is never done.
func (s *Sim) Done(i int) bool {
	f := &s.flows[i]
	return f.left == 0 && f.sent == f.delivered+f.lost
}

// PausedTime returns how long a priority of a port was kept still, the pause
// that lasts counted, which [PortCounters] does not have yet.
func (s *Sim) PausedTime(e End, priority int) unit.Time {
	return s.pausedTime(&s.ports[s.port(e)], priority)
}

// Reasons lists the reasons of drops by the names that a Summary has for them.
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
