package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// Scheduler says which queue of a port sends next, in two levels: first a group
// of queues has its turn, then a queue of that group. These are the priority
// groups of enhanced transmission selection (ETS, IEEE 802.1Qaz), a traffic
// class each. The zero Scheduler is one group of all queues in which they send
// a packet each in turn.
//
// At both levels those that are strict or shaped go first, the highest number
// before the others (802.1Q's order of traffic classes); the weighted ones
// share what these leave. No weighted one is ever idle for the sake of another:
// a weight is the least share that one has while it has something to send, and
// what it does not use the others get in proportion to their weights. A strict
// one that always has something to send starves all that come after it.
//
// A queue that a pause stops counts as one that has nothing to send. It gathers
// neither deficit nor credit; see [DWRR] and [Shaped]. So a queue is not paid
// back after a pause what it could not send in it.
type Scheduler struct {
	Queues [Priorities]Selection // of each egress queue among those of its group
	Groups [Priorities]Selection // of each group
	Group  [Priorities]int       // to which each queue belongs, 0 to 7

	// Quantum is the bytes that a turn of DWRR is worth for each unit of weight;
	// 0: 256. A larger one makes longer bursts, not other shares.
	Quantum unit.Bytes
	// Overhead is counted by DWRR with each frame; 0: frames count from
	// destination address to FCS, 20: with preamble and gap.
	Overhead unit.Bytes
}

// Selection is how a queue, or a group, competes with others. Zero: WRR with a weight
// of 1.
type Selection struct {
	Algorithm Algorithm
	Weight    int          // of WRR and DWRR; 0: 1
	IdleSlope unit.BitRate // of Shaped: idleSlope, the rate it may have on the wire
}

// Algorithm is a transmission selection algorithm.
type Algorithm uint8

const (
	// WRR is weighted round robin: a turn is worth as many packets as the
	// weight says, whatever their length.
	WRR Algorithm = iota

	// DWRR is deficit weighted round robin (Shreedhar and Varghese, SIGCOMM
	// 1995), 802.1Qaz's ETS: a turn is worth weight times quantum bytes, a frame
	// that needs more waits for the next turn, and what a turn has left is kept
	// for the next one, but not by who has nothing to send or is paused when the
	// scheduler looks: its deficit is lost.
	DWRR

	// Strict goes before all that have a lower number or a weight.
	Strict

	// Shaped is strict while its credit is not below 0: the credit-based shaper
	// of 802.1Qav (802.1Q clause 8.6.8.2). Credit rises by idleSlope while frames
	// wait, or while it is below 0, and falls by sendSlope, which is the port's
	// rate less idleSlope, while it sends, preamble and gap included. A credit
	// above 0 is lost when nothing waits any more; one below 0 never is.
	//
	// While it is paused it has nothing to send: its credit is 0 at most. What a
	// pause does to credit has no source here; this is a choice.
	Shaped

	algorithms
)

var algorithmNames = [algorithms]string{"wrr", "dwrr", "strict", "shaped"}

// String names the algorithm: "dwrr".
func (a Algorithm) String() string {
	if a >= algorithms {
		return fmt.Sprintf("Algorithm(%d)", uint8(a))
	}
	return algorithmNames[a]
}

// Limits of a Scheduler.
const (
	maxWeight  = 1 << 16
	maxQuantum = 1 << 20
)

// Validate refuses what is out of range, with all complaints at once. That all
// idle slopes together fit the port is checked by New, which knows its rate.
func (s Scheduler) Validate() error {
	var bad []error
	for q := range Priorities {
		bad = append(bad, s.Queues[q].validate("queues", q), s.Groups[q].validate("groups", q))
		if s.Group[q] < 0 || s.Group[q] >= Priorities {
			bad = append(bad, fmt.Errorf("group[%d]: %d (accepted: 0 to %d)", q, s.Group[q], Priorities-1))
		}
	}
	if s.Quantum < 0 || s.Quantum > maxQuantum {
		bad = append(bad, fmt.Errorf("quantum: %v (accepted: 0 to %v)", s.Quantum, unit.Bytes(maxQuantum)))
	}
	if s.Overhead < 0 || s.Overhead > 256 {
		bad = append(bad, fmt.Errorf("overhead: %v (accepted: 0 to 256B)", s.Overhead))
	}
	return errors.Join(bad...)
}

func (t Selection) validate(what string, i int) error {
	switch {
	case t.Algorithm >= algorithms:
		return fmt.Errorf("%s[%d]: %v is not an algorithm (accepted: wrr, dwrr, strict, shaped)", what, i, t.Algorithm)
	case t.Weight < 0 || t.Weight > maxWeight:
		return fmt.Errorf("%s[%d]: weight %d (accepted: 0 to %d)", what, i, t.Weight, maxWeight)
	case t.Weight > 0 && t.Algorithm >= Strict:
		return fmt.Errorf("%s[%d]: %v with a weight of %d: only wrr and dwrr have weights", what, i, t.Algorithm,
			t.Weight)
	case t.Algorithm != Shaped && t.IdleSlope != 0:
		return fmt.Errorf("%s[%d]: %v with an idle slope of %v: only shaped has one", what, i, t.Algorithm, t.IdleSlope)
	case t.Algorithm == Shaped && (t.IdleSlope <= 0 || t.IdleSlope%slopeUnit != 0):
		return fmt.Errorf("%s[%d]: idle slope %v (accepted: whole kilobits per second above 0)", what, i, t.IdleSlope)
	}
	return nil
}
