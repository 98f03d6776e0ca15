package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// EventKind is the kind of an event that an observer sees.
type EventKind uint8

// The kinds of events.
const (
	Enqueued      EventKind = iota // a switch admitted a frame; Out is its egress port
	Dropped                        // a frame was lost; Cause says why
	Departs                        // a port begins to send a frame
	Departed                       // a switch has given back a frame's cells
	Delivered                      // a host accepted a frame
	XOFFSent                       // a port begins to send a frame that pauses a priority
	XONSent                        // a port begins to send a frame that resumes a priority
	Paused                         // a port stops sending a priority, or its pause is renewed
	Resumed                        // a port may send a priority again: XON arrived, or the pause expired
	Marked                         // a frame was marked with CE in this port's egress queue
	PauseWanted                    // the MMU wants a priority paused
	PauseReleased                  // the MMU lets a priority resume
	LinkFell                       // a port's link goes down
	LinkRose                       // a port's link is up again
	StormFound                     // a watchdog acts on a queue; Priority is the queue
	StormOver                      // a watchdog releases a queue; Priority is the queue
	Refused                        // a host refused a frame out of sequence
	// a deadlock was found; Where and Priority are the first queue of its
	// cycle, and FoundDeadlocks returns the cycle
	DeadlockFound
	LLDPSent  // a port begins to send an LLDP frame
	LLDPHeard // an LLDP frame takes effect at a port
	PFCOn     // DCBX put PFC in force for a priority of a port
	PFCOff    // DCBX ended PFC for a priority of a port
	// DCBX changed how the queues of a switch's port share its link
	SharesChanged
	eventKinds
)

// eventNames are the names in the CSV trace.
var eventNames = [eventKinds]string{"enqueued", "dropped", "departs", "departed", "delivered", "xoff-sent", "xon-sent",
	"paused", "resumed", "marked", "wanted", "released",
	"link-fell", "link-rose", "storm-found", "storm-over", "refused", "locked",
	"lldp-sent", "lldp-heard", "pfc-on", "pfc-off",
	"shares"}

// String returns the name of the kind: "enqueued".
func (w EventKind) String() string {
	if w >= eventKinds {
		return fmt.Sprintf("What(%d)", uint8(w))
	}
	return eventNames[w]
}

// Event is something that happened. Which fields are set depends on the kind.
type Event struct {
	At        unit.Time
	Kind      EventKind
	Where     End // the port; for a frame that is enqueued or dropped, the port where it arrived
	Out       int // Enqueued, Departed, Dropped: egress port of the switch; -1: none
	From      int // Delivered: the host that sent it
	Priority  int
	Queue     int // Enqueued, Marked, and a switch's Departs and Departed: the egress queue
	Flow      int // flow of the frame; -1: a pause frame, or LLDP
	Seq       int // number of the frame in its flow
	Bytes     unit.Bytes
	Cause     mmu.Cause // Dropped: why
	FrameKind string    // "data", or feedback: "ack", "nak", "cnp"; "lldp"
	PCP       int       // in the frame's tag; -1: no tag
	TTL       int       // of the frame
	ECN       uint8     // field of the IP header (RFC 3168): 0 not capable, 2 capable, 3 congestion experienced
	// LLDPSent and LLDPHeard: the frame, which the observer must not change; Priority is -1.
	LLDP *dcbx.Frame
}

// Observe registers a function that is called with every event, after the
// counters have changed. The function must not change the simulation. nil
// removes it; the simulation is faster without an observer.
func (s *Sim) Observe(f func(*Event)) {
	if f != nil {
		s.join()
		s.stopEliding()
	}
	for _, p := range s.parts {
		p.observer = f
	}
}

// report reports an event of a frame.
func (s *part) report(what EventKind, port int32, k *packet.Packet, queue uint8, out int32) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: int(out),
		From: int(s.ports[s.flows[k.Flow].from].node), Priority: int(k.Priority), Queue: int(queue),
		Flow: int(k.Flow), Seq: int(k.Seq), Bytes: unit.Bytes(k.Bytes), PCP: int(k.PCP), TTL: int(k.TTL),
		ECN: k.ECN(), FrameKind: k.Kind.String()})
}

// reportLoss reports a lost frame.
func (s *part) reportLoss(port, out int32, k *packet.Packet, why mmu.Cause) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: Dropped, Where: s.endOf(port), Out: int(out), Priority: int(k.Priority),
		Flow: int(k.Flow), Seq: int(k.Seq), Bytes: unit.Bytes(k.Bytes), Cause: why, FrameKind: k.Kind.String()})
}

// reportNotDelivered reports a frame that a host has not delivered to a flow:
// feedback, or data out of sequence.
func (s *part) reportNotDelivered(port int32, k *packet.Packet) {
	what := Delivered
	if k.Kind == packet.Data {
		what = Refused
	}
	s.report(what, port, k, 0, -1)
}

// reportDeparted reports that a frame's cells have been given back.
func (s *part) reportDeparted(l *leaving) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: Departed, Where: s.endOf(l.in), Out: int(l.out),
		Priority: int(l.prio), Queue: int(l.queue),
		Flow: int(l.flow), Seq: int(l.seq), Bytes: bytesOf(l.bytes)})
}

// reportPause reports an event of a priority.
func (s *part) reportPause(what EventKind, port int32, priority int) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: -1, Priority: priority, Flow: -1})
}

// reportWanted reports that the MMU wants priorities paused or resumed.
func (s *part) reportWanted(port int32, mask pfc.Priorities, on bool) {
	what := PauseReleased
	if on {
		what = PauseWanted
	}
	for ; mask != 0; mask &= mask - 1 {
		s.reportPause(what, port, mask.Lowest())
	}
}

// endOf returns the End of a port.
func (s *shared) endOf(i int32) End {
	p := &s.ports[i]
	return End{Switch: p.isSwitch, Node: int(p.node), Port: int(p.number)}
}
