package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/scheduler"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Scheduler decides which queue of a port sends next. It has two levels: first
// it selects a group of queues, then a queue of that group. The groups are the
// traffic classes of enhanced transmission selection (ETS, IEEE 802.1Qaz). The
// zero Scheduler has one group with all queues, which send one packet each in
// turn.
//
// At both levels strict and shaped members go first, the highest number before
// the others (802.1Q's order of traffic classes). Weighted members share what
// these leave. A link is never idle while a weighted member has something to
// send. A weight is therefore the smallest share of a member that has something
// to send; the share that it does not use goes to the others in proportion to
// their weights. A strict member that always has something to send starves all
// members after it.
//
// A paused queue counts as empty. It gathers neither deficit nor credit, see
// [DWRR] and [Shaped], so it gets no compensation after the pause.
type Scheduler struct {
	Queues [Priorities]Selection // of each egress queue, among the queues of its group
	Groups [Priorities]Selection // of each group, among the groups
	Group  [Priorities]int       // group of each queue, 0 to 7

	// Quantum is the bytes per turn of DWRR for a weight of 1; 0: 256. A larger
	// quantum makes longer bursts. It does not change the shares.
	Quantum unit.Bytes
	// Overhead is what DWRR counts in addition to each frame. 0 counts frames
	// from destination address to FCS, 20 counts preamble and gap too.
	Overhead unit.Bytes
}

// Selection says how a queue or a group competes with the others of its level: its Algorithm, its Weight in WRR and
// DWRR (0 is 1), and the IdleSlope of Shaped, the rate that it may use on the wire. The zero Selection is WRR with a
// weight of 1.
type Selection = scheduler.Selection

// Algorithm is a transmission selection algorithm.
type Algorithm = scheduler.Algorithm

const (
	// WRR is weighted round robin: a turn is as many packets as the weight
	// says, whatever their length.
	WRR = scheduler.WRR

	// DWRR is deficit weighted round robin (Shreedhar and Varghese, SIGCOMM
	// 1995), the algorithm of 802.1Qaz's ETS. A turn is worth weight times
	// quantum bytes. A frame that needs more waits for the next turn, and what
	// a turn leaves is kept for the next one. A member that has nothing to
	// send, or is paused, when the scheduler looks loses what it has kept.
	DWRR = scheduler.DWRR

	// Strict goes before all members that have a lower number or a weight.
	Strict = scheduler.Strict

	// Shaped is strict while its credit is not negative: the credit-based
	// shaper of 802.1Qav (802.1Q clause 8.6.8.2). Credit rises by idleSlope
	// while frames wait, and while it is negative. It falls by sendSlope, the
	// port's rate less idleSlope, while the member sends, preamble and gap
	// included. A positive credit is lost when no frame waits; a negative one
	// is not.
	//
	// While a queue is paused it has nothing to send, so its credit is at most
	// 0. This project has no source for what a pause does to credit; this is a
	// choice.
	Shaped = scheduler.Shaped
)

// Limits of a Scheduler.
const (
	maxWeight  = 1 << 16
	maxQuantum = 1 << 20
)

// Validate refuses values out of range, with all complaints at once. New also
// checks that the idle slopes fit the port's rate, which Validate does not
// know.
func (s Scheduler) Validate() error {
	if s == (Scheduler{}) {
		return nil
	}
	var bad fielderr.List
	for q := range Priorities {
		bad.Join(validateSelection(s.Queues[q], "queues", q))
		bad.Join(validateSelection(s.Groups[q], "groups", q))
		need(&bad, fmt.Sprintf("group[%d]", q), s.Group[q], 0, Priorities-1)
	}
	bad.Check(within(s.Quantum, 0, maxQuantum), "quantum", s.Quantum, "0 to %v", unit.Bytes(maxQuantum))
	bad.Check(within(s.Overhead, 0, 256), "overhead", s.Overhead, "0 to 256B")
	return bad.Err()
}

// validateSelection refuses a weight or an idle slope that the algorithm does not have.
func validateSelection(t Selection, what string, i int) error {
	switch {
	case t.Algorithm > Shaped:
		return fmt.Errorf("%s[%d]: %v is not an algorithm (want wrr, dwrr, strict, shaped)", what, i, t.Algorithm)
	case t.Weight < 0 || t.Weight > maxWeight:
		return fmt.Errorf("%s[%d]: weight %d (want 0 to %d)", what, i, t.Weight, maxWeight)
	case t.Weight > 0 && t.Algorithm >= Strict:
		return fmt.Errorf("%s[%d]: %v with a weight of %d: only wrr and dwrr have weights", what, i, t.Algorithm,
			t.Weight)
	case t.Algorithm != Shaped && t.IdleSlope != 0:
		return fmt.Errorf("%s[%d]: %v with an idle slope of %v: only shaped has one", what, i, t.Algorithm, t.IdleSlope)
	case t.Algorithm == Shaped && (t.IdleSlope <= 0 || t.IdleSlope%unit.Kbps != 0):
		return fmt.Errorf("%s[%d]: idle slope %v (want whole kilobits per second above 0)", what, i, t.IdleSlope)
	}
	return nil
}

// newScheduler returns the scheduler of a port of this rate; nil for the zero Scheduler, round robin by packets, which
// the port does by itself.
func newScheduler(s Scheduler, rate unit.BitRate) (*scheduler.Scheduler, error) {
	if s == (Scheduler{}) {
		return nil, nil
	}
	c := scheduler.Config(s)
	return scheduler.New(&c, rate)
}
