package buffer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/internal/named"
)

// Step is one register's change. Its Phase, Disruption and Precondition follow from the register and the two values.
type Step struct {
	Register
	From, To int64
}

// Shrinks tells whether the value gets smaller.
func (s Step) Shrinks() bool { return s.To < s.From }

// Inverse returns the step that undoes it.
func (s Step) Inverse() Step { return Step{s.Register, s.To, s.From} }

// String prints "Ethernet1/8 group 3 headroom 0 -> 1292 cells".
func (s Step) String() string {
	return fmt.Sprintf("%v %s -> %s", s.Register, s.Kind.Text(s.From), s.Kind.Text(s.To))
}

// Phase is the part of a transition that a step belongs to. Phases follow one
// another on a device; the steps of one phase may be sent together.
type Phase int

// The phases of a transition, in order.
const (
	Quiesce Phase = iota // packets are classified elsewhere, groups stop being lossless, then their headroom may go
	Shrink               // cells are given back
	Move                 // what takes no cells changes: alphas, XON offsets, marking, weights
	Grow                 // cells are taken
	Resume               // groups become lossless, after their headroom came, then packets are classified to them,
	// and to channels whose credits are there
)

// String names the phase.
func (p Phase) String() string {
	return named.Of(p, "phase", "quiesce", "shrink", "move", "grow", "resume")
}

// Disruption is how much traffic a step may stop at worst, by what vendors write
// of such changes. A device may stop less than its vendor's guide says.
type Disruption int

// From none to the whole switch.
const (
	DisruptsNothing Disruption = iota
	DisruptsPort               // traffic of the port may stop: a change of PFC blocks the port (Junos)
	DisruptsSwitch             // traffic of every port may stop: Junos partitions its buffer anew, NX-OS its pools
	DisruptsReboot             // the switch restarts; no register needs it by itself, a backend may
)

// String names the reach.
func (d Disruption) String() string {
	return named.Of(d, "disruption", "none", "port", "switch", "reboot")
}

// Phase returns the part of a transition that the step belongs to.
func (s Step) Phase() Phase {
	switch {
	case s.Kind == GroupLossless && s.Shrinks():
		return Quiesce
	case s.Kind == GroupLossless:
		return Resume
	case s.Kind.classifies() && s.To&^s.From == 0:
		return Quiesce
	case s.Kind.classifies():
		return Resume
	case !s.Kind.Allocates():
		return Move
	case s.Shrinks():
		return Shrink
	default:
		return Grow
	}
}

// classifies tells whether registers of the kind say which packets a group or a channel gets. Their value is a set.
func (k Kind) classifies() bool { return k == PriorityDSCP || k == ChannelTraffic }

// Disruption returns what the step may do to traffic.
func (s Step) Disruption() Disruption { return s.Kind.Disruption() }

// Precondition says what must be true on the device before the step; empty:
// nothing. The caller waits for it, because only the device knows.
func (s Step) Precondition() string {
	switch s.Phase() {
	case Quiesce:
		return "no lossless traffic comes in: from here on it may be dropped"
	case Shrink:
		return fmt.Sprintf("at most %s in use, or the step waits until they are", s.Kind.Text(s.To))
	case Grow:
		return fmt.Sprintf("%d cells free: earlier phases have given them back", s.To-s.From)
	case Resume:
		if s.Kind == ChannelTraffic {
			return "the credits of the channel are in place, and its neighbour has the same map"
		}
		return "the headroom of the group is in place"
	}
	return ""
}

// rank orders the steps of a phase.
//
// Among decreases, headroom goes before reserved and before shared: FBOSS writes the headroom first when it gets lower,
// else the shared part, and the xoff of a SONiC profile has to fall before its size, or the check of the two together
// refuses (sonic-swss pull request 2890). A group's headroom goes before the pool that bounds it. A headroom pool that
// disappears goes last, because from then on every group is charged for its own headroom. Increases are the mirror.
//
// Among marking thresholds, those that move apart go first, so that kmin is never above kmax. DSCPs are taken from a
// priority before its group stops being lossless, and given to it after its group became lossless.
func (s Step) rank() int {
	switch {
	case s.Phase() == Grow:
		return -s.Inverse().rank()
	case s.Kind.classifies() && s.Phase() == Quiesce:
		return -1
	case s.Kind.classifies(), s.Kind == GroupReserved, s.Kind == PortMinimum:
		return 1
	case s.Kind == QueueReserved:
		return 2
	case s.Kind == PoolHeadroom && s.To > 0:
		return 3
	case s.Kind == PoolShared:
		return 4
	case s.Kind == PoolHeadroom:
		return 5
	case s.Kind == QueueECNMin && !s.Shrinks(), s.Kind == QueueECNMax && s.Shrinks():
		return 1
	}
	return 0
}

// inOrder sorts steps into their phases and each phase by rank; steps of the same rank keep their order.
func inOrder(steps []Step) {
	type place struct {
		phase Phase
		rank  int
	}
	at := map[place][]Step{} // there are few places, and many steps
	for _, s := range steps {
		p := place{s.Phase(), s.rank()}
		at[p] = append(at[p], s)
	}
	steps = steps[:0]
	for _, p := range slices.SortedFunc(maps.Keys(at), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.rank, b.rank))
	}) {
		steps = append(steps, at[p]...)
	}
}

// Undo returns the steps that lead back, in the order in which they may be made: the inverses, last first.
func Undo(steps []Step) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[len(steps)-1-i] = s.Inverse()
	}
	return out
}
