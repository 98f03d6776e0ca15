package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Burst is what happens to dynamic thresholds when new queues fill fast: New
// queues begin to receive at Arrival while Old queues stand at the threshold
// and each drains at the rate of its port. All ports are equally fast.
type Burst struct {
	Pool     cells.Count         // shared cells, 1 to MaxSharedCells
	Alpha    thresholds.Alpha    // of every queue
	Old, New int                 // queues: Old from 0, New from 1, to thresholds.MaxGroups each
	Arrival  thresholds.Fraction // at each new queue, in rates of a port: above 1; numerator and denominator to 4096
}

// Transient is how a burst ends for its new queues.
type Transient struct {
	// Early: they hit the threshold while the old queues are still above
	// theirs, and are refused cells below the share that is fair in the end.
	Early bool
	// Time from the beginning until they reach their threshold, in the time
	// that a port takes to send one cell.
	Time thresholds.Fraction
	// Queue is what each of them holds then, in cells.
	Queue thresholds.Fraction
	// Fair is what each queue holds in the end: alpha*B/(1+alpha*(Old+New)).
	Fair thresholds.Fraction
}

// Validate refuses what is out of range, with all complaints at once.
func (b Burst) Validate() error {
	var bad complain.List
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

// Transient solves the fluid model exactly. With r the arrival, N the old and
// M the new queues, the threshold starts at T0 = alpha*B/(1+alpha*N) and falls
// as the pool fills; the old queues, each at T0, fall at rate 1 at best.
//
// If alpha*M*(r-1) <= 1+alpha*N the threshold falls no faster than the old
// queues drain: all move together and the new ones reach the fair share
// q = alpha*B/(1+alpha*(N+M)) after q/(r-1). Otherwise it falls away under the
// old ones, which drain at 1 each, and meets the new ones at
//
//	t = T0 / ((r-1) + alpha*(M*(r-1) - N)),  q = (r-1)*t
//
// The regimes are those of Choudhury and Hahne (1998); the formulas were
// derived here and checked by integrating the model. Not modelled: packets,
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

// timesSmall returns f * n in lowest terms; n is at most 4096, and the ranges
// of Burst keep the product within int64.
func timesSmall(f thresholds.Fraction, n int64) thresholds.Fraction {
	part := thresholds.FractionOf(n, max(f.Den, 1))
	return thresholds.Fraction{Num: f.Num * part.Num, Den: part.Den}
}
