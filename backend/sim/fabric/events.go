package fabric

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/named"
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
func (w EventKind) String() string { return named.Of(w, "event", eventNames[:]...) }

// Event is something that happened. Which fields are set depends on the kind. Bytes are from destination address to
// FCS. Out, Flow and PCP are -1 where there is none.
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
	FrameKind string    // "data" or "trimmed", or feedback: "ack", "nak", "cnp"; "lldp"
	PCP       int       // in the frame's tag; -1: no tag
	DSCP      int       // of the frame, and its TTL
	TTL       int
	ECN       uint8 // field of the IP header (RFC 3168): 0 not capable, 2 capable, 3 congestion experienced
	// LLDPSent and LLDPHeard: the frame, which the observer must not change; Priority is -1.
	LLDP *dcbx.Frame
}

// dropNoRoute and those after it are causes of a drop beside the MMU's.
const (
	dropNoRoute mmu.Cause = 100 + iota
	dropRule
	dropWRED
	dropTTL
	dropLink
	dropWatchdog
	dropCorrupted // by an error of the link
	dropChannel   // its priority is not that of its virtual channel
	drops
)

// reasons are the names of the simulator's own causes, from dropNoRoute on.
var reasons = [drops - dropNoRoute]string{"no route", "rule", "wred", "ttl ran out", "link down", "watchdog",
	"corrupted", "channel"}

// Reason returns the name of a drop's cause: one of the MMU's, or one of the
// simulator's own: "no route", "rule", "wred", "ttl ran out", "link down",
// "watchdog", "corrupted" and "channel".
func Reason(c mmu.Cause) string {
	if c >= dropNoRoute && c < drops {
		return reasons[c-dropNoRoute]
	}
	return c.String()
}
