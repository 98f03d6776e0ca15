package diagnosis

import (
	"fmt"
	"strings"
)

// Kind is the kind of a finding. A lower kind is more serious.
type Kind uint8

// The kinds, the gravest first.
const (
	Storm Kind = iota
	Headroom
	Overrun
	ClassMap
	Footroom
	Spreading
	Victim
	Kinds // the number of kinds
)

// kindTexts are the names and the advice for users.
var kindTexts = [Kinds]struct{ name, advice string }{
	{"storm", "look at what this port is connected to: a NIC that has stopped, or queues that wait for each other " +
		"in a cycle; a PFC watchdog on this port frees the switch"},
	{"headroom", "raise the headroom of this port and class: the cable, the MTU or the peer's response time is " +
		"more than it was sized for"},
	{"overrun", "compare the switch with the plan (drift): a group has held more headroom than the plan gives it, so " +
		"that the switch has another headroom than the plan, and other groups may lack it"},
	{"class-map", "compare both ends: PFC on for this class, the field that the class is read from (PCP or DSCP), " +
		"and its map to priority and group"},
	{"footroom", "let the sender resume earlier: a smaller XON offset (a higher resume threshold) for this port " +
		"and class, so that the queue does not run empty before the next frames arrive"},
	{"spreading", "follow the port that receives pauses to the switch behind it: the congestion is there, and this " +
		"switch passes it on"},
	{"victim", "nothing is wrong here: look at the neighbour of this port, which is congested or passes congestion on"},
}

// String returns the name of the kind: "headroom".
func (k Kind) String() string {
	if k >= Kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindTexts[k].name
}

// Number is evidence for a finding: the increase of a counter between the two
// readings, or a share.
type Number struct {
	Name  string
	Value int64
	Unit  string // "frames", "bytes", "ps", or "bp": hundredths of a percent
}

// String returns "drops 12 frames" or "use_in 45.20%".
func (n Number) String() string {
	if n.Unit == "bp" {
		return fmt.Sprintf("%s %d.%02d%%", n.Name, n.Value/100, n.Value%100)
	}
	return fmt.Sprintf("%s %d %s", n.Name, n.Value, n.Unit)
}

// Finding is a fault of a port's class.
type Finding struct {
	Kind     Kind
	Port     string // empty: the shared headroom pool
	Class    int
	Evidence []Number
	Advice   string // what to do
}

// String returns the finding in one line.
func (f Finding) String() string {
	numbers := make([]string, len(f.Evidence))
	for i, n := range f.Evidence {
		numbers[i] = n.String()
	}
	where := fmt.Sprintf("%s class %d", f.Port, f.Class)
	if f.Port == "" {
		where = "the headroom pool"
	}
	return fmt.Sprintf("%s: %v (%s): %s", where, f.Kind, strings.Join(numbers, ", "), f.Advice)
}
