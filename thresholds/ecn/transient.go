package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Burst describes how dynamic thresholds react when new queues fill fast. New
// queues begin to receive at Arrival while Old queues are at the threshold, and
// each drains at its port's rate. All ports have the same speed.
type Burst struct {
	Pool     cells.Count      // shared cells, 1 to MaxSharedCells
	Alpha    thresholds.Alpha // of every queue
	Old, New int              // queues: Old from 0, New from 1, each up to thresholds.MaxGroups
	// Arrival is the rate at each new queue as a multiple of the port's rate:
	// above 1, with numerator and denominator up to 4096.
	Arrival thresholds.Fraction
}

// Transient is the end of a burst for its new queues.
type Transient struct {
	// Early says that they reach the threshold while the old queues are still
	// above theirs. They are then refused cells below the share that is fair in
	// the end.
	Early bool
	// Time is the time until they reach their threshold, in units of the time
	// that a port takes to send a cell.
	Time thresholds.Fraction
	// Queue is what each of them holds then, in cells.
	Queue thresholds.Fraction
	// Fair is what each queue holds in the end: alpha*B/(1+alpha*(Old+New)).
	Fair thresholds.Fraction
}

// Validate refuses values out of range, with all complaints at once.
func (b Burst) Validate() error {
	var bad fielderr.List
	bad.Join(Sharing{Pool: b.Pool, Alpha: b.Alpha}.Validate())
	if b.Pool == 0 {
		bad.Addf("pool of 0 cells: there is nothing to share")
	}
	if b.Old < 0 || b.Old > thresholds.MaxGroups || b.New < 1 || b.New > thresholds.MaxGroups {
		bad.Add("", fmt.Sprintf("%d old and %d new queues", b.Old, b.New),
			fmt.Sprintf("0 to %d and 1 to %d", thresholds.MaxGroups, thresholds.MaxGroups))
	}
	if r := b.Arrival; r.Den < 1 || r.Num <= r.Den || r.Num > 4096 || r.Den > 4096 {
		bad.Add("", fmt.Sprintf("arrival at %v times the port's rate", r), "above 1, of parts up to 4096")
	}
	return bad.Err()
}

// Transient solves the fluid model exactly. r is the arrival, N the old and M
// the new queues. The threshold starts at T0 = alpha*B/(1+alpha*N) and falls as
// the pool fills. The old queues are at T0 and fall at a rate of at most 1.
//
// If alpha*M*(r-1) <= 1+alpha*N, the threshold falls no faster than the old
// queues drain. All queues move together, and the new ones reach the fair share
// q = alpha*B/(1+alpha*(N+M)) after q/(r-1). Otherwise the threshold falls
// below the old queues, which drain at 1 each, and meets the new ones at
//
//	t = T0 / ((r-1) + alpha*(M*(r-1) - N)),  q = (r-1)*t
//
// The two cases are those of Choudhury and Hahne (1998). The formulas were
// derived here, and checked by integrating the model. Not modelled: packets,
// reserved cells and pausing.
func (b Burst) Transient() (Transient, error) {
	if err := b.Validate(); err != nil {
		return Transient{}, err
	}
	num, den := b.Alpha.Ratio()
	n, m := int64(b.Old), int64(b.New)
	rate := b.Arrival.Den
	over := b.Arrival.Num - rate // (r-1), in parts of rate
	pool := num * int64(b.Pool)
	fair := thresholds.FractionOf(pool, den+num*(n+m))
	if num*m*over <= (den+num*n)*rate {
		return Transient{Time: timesSmall(thresholds.FractionOf(fair.Num, fair.Den*over), rate), Queue: fair,
			Fair: fair}, nil
	}
	// t = (pool/(den+num*n)) / ((over*(den+num*m) - num*n*rate) / (rate*den))
	bottom := (den + num*n) * (over*(den+num*m) - num*n*rate)
	return Transient{
		Early: true,
		Time:  timesSmall(thresholds.FractionOf(pool*den, bottom), rate),
		Queue: timesSmall(thresholds.FractionOf(pool*den, bottom), over),
		Fair:  fair,
	}, nil
}

// timesSmall returns f * n in lowest terms. n is at most 4096, and the ranges
// of Burst keep the product within int64.
func timesSmall(f thresholds.Fraction, n int64) thresholds.Fraction {
	part := thresholds.FractionOf(n, max(f.Den, 1))
	return thresholds.Fraction{Num: f.Num * part.Num, Den: part.Den}
}
