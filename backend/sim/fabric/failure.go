package fabric

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Failure is a fault that begins at a time, and may end.
type Failure struct {
	Kind  FailureKind
	At    unit.Time // when it begins
	Until unit.Time // when it ends; 0: never

	Host       int            // Storm: the host that pauses; Misroute: the host whose frames take a wrong way
	Priorities pfc.Priorities // Storm: the priorities that it pauses; required
	Every      unit.Time      // Storm: time between its pause frames; 0: as often as a pause needs it

	Link    int      // LinkDown: index into Network.Links
	Prune   bool     // LinkDown: the switches at its ends stop routing over it; false: routes stay
	Detours []Detour // Misroute: the wrong routes
}

// Detour is where a switch sends a host's frames during a Misroute. Two
// switches that name each other make a loop.
type Detour struct {
	Switch int
	Ports  []int // none: the switch has no route
}

// FailureKind is the kind of a failure.
type FailureKind uint8

// The kinds of failures.
const (
	// Storm is a host that pauses its switch all the time, whatever arrives: a
	// NIC that no longer accepts frames. When the storm ends the host sends
	// XON.
	Storm FailureKind = iota
	// LinkDown is a link that carries nothing. Frames on the link are lost, and
	// so are frames sent into it, pause frames included. Pauses that came over
	// the link end. Ports send as if the link were up, so their queues drain
	// and the frames are lost.
	LinkDown
	// Misroute replaces the routes of some switches to one host, as when a
	// routing protocol has updated only some of the switches.
	Misroute
	failureKinds
)

// failureNames are the names in error messages.
var failureNames = [failureKinds]string{"storm", "link down", "misroute"}

// String returns the name of the kind: "link down".
func (k FailureKind) String() string { return named.Of(k, "failure", failureNames[:]...) }

// Validate returns everything that is wrong with the failure itself, or nil.
// [New] also refuses a failure that names parts that the network does not have.
func (f Failure) Validate() error {
	var bad fielderr.List
	bad.Check(f.Kind < failureKinds, "kind", uint8(f.Kind), "0 storm, 1 link down, 2 misroute")
	bad.Check(f.At >= 0, "at", f.At, "0 and later")
	bad.Check(f.Until == 0 || f.Until > f.At, "until", f.Until, "later than %v, or 0 for never", f.At)
	switch f.Kind {
	case Storm:
		bad.Check(f.Priorities != 0, "priorities", "none", "one or more of 0 to 7")
		bad.Check(f.Every >= 0, "every", f.Every, "0 and more")
	case Misroute:
		bad.Check(len(f.Detours) > 0, "detours", "none", "one or more")
	}
	return bad.Err()
}

// QueueRef names an egress queue of a switch.
type QueueRef struct {
	Switch, Port, Queue int
	Name                string // "s1 Ethernet1 queue 3"
}

// Cycle is a circle of queues: each waits for the next one, and the last for
// the first. It begins with the lowest switch, port and queue.
type Cycle []QueueRef

// String prints the circle: "s1 Ethernet1 queue 3 -> s2 ... -> s1 Ethernet1
// queue 3".
func (c Cycle) String() string {
	if len(c) == 0 {
		return "no deadlock"
	}
	var text strings.Builder
	for _, q := range c {
		text.WriteString(q.Name + " -> ")
	}
	return text.String() + c[0].Name
}

// FoundDeadlock is a deadlock that a look of Network.DeadlockEvery has
// confirmed.
type FoundDeadlock struct {
	At    unit.Time
	Cycle Cycle
}

// failing is the state of the failures.
type failing struct {
	list      []Failure
	active    []bool
	ends      [][2]int32  // ports of each link
	built     [][][]int32 // routes of each switch without failures
	first     int32       // event source of the first failure; the source after the last one looks for deadlocks
	deadlocks deadlockWatch
}

// deadlockWatch looks for deadlocks at regular times.
type deadlockWatch struct {
	every    int64
	seen     Cycle           // cycle of the last look
	fronts   []packet.Packet // first packets of its queues then
	reported bool            // this cycle has been reported
	found    []FoundDeadlock
}
