package ecn

import (
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Advice is a marking profile that marks before groups pause, with the reason for each value.
type Advice struct {
	Thresholds
	Bound unit.Bytes // the largest KMin that marks before pausing
	BDP   unit.Bytes // rate times round trip, rounded up
	// WhyKMin, WhyKMax and WhyPMax are the reasons.
	WhyKMin, WhyKMax, WhyPMax string
}

// Advise returns a profile for n congested groups, senders of this number of
// flows through a bottleneck of this rate, and this round trip.
//
// KMin is the bandwidth-delay product: senders that react one round trip after the mark then find a queue that keeps
// the link full. It is at most a quarter of the bound ([Check.KMinFor]), because KMax is four times KMin, the ratio of
// the DCQCN settings in HPCC's simulator (SIGCOMM 2019: 100 and 400 KB at 25G), and KMax must not exceed the bound, so
// that every packet is marked before a group pauses. PMax is twice the probability at which DCQCN's senders settle
// ([DCQCN.FixedPoint]), so that their queue settles halfway between the two; at least 1 %, as in the DCQCN paper
// (SIGCOMM 2015).
//
// Refused are rates and flows out of DCQCN's range, a round trip that is not above 0 or above 10 ms, and a bound below
// 4 bytes, under which no profile marks first.
func (c Check) Advise(n int, rate unit.BitRate, flows int, roundTrip unit.Time) (Advice, error) {
	if roundTrip <= 0 || roundTrip > 10*unit.Millisecond {
		return Advice{}, fmt.Errorf("round trip %v (want above 0 to 10 ms)", roundTrip)
	}
	d := DefaultDCQCN(rate, flows)
	if err := d.Validate(); err != nil {
		return Advice{}, err
	}
	a := Advice{Bound: c.KMinFor(n),
		BDP: unit.Bytes(exact.Whole(rate/1000).Times(int64(roundTrip), 8*int64(unit.Second)/1000).Ceil())}
	if a.Bound < 4 {
		return a, fmt.Errorf("with %d congested groups a queue has %v when they pause: no profile marks before (want "+
			"fewer congested groups, a larger alpha, or a larger pool)", c.among(n), c.QueueAtPause(n))
	}
	a.KMin = a.BDP
	a.WhyKMin = fmt.Sprintf("the bandwidth-delay product of %v and %v, so that the queue keeps the link full while "+
		"senders react", rate, roundTrip)
	if quarter := a.Bound / 4; quarter < a.KMin {
		a.KMin = quarter
		a.WhyKMin = fmt.Sprintf("a quarter of %v, the largest that marks before pausing; it is less than the "+
			"bandwidth-delay product of %v, so that the link can run empty while senders react", a.Bound, a.BDP)
	}
	a.KMax = 4 * a.KMin
	a.WhyKMax = fmt.Sprintf("four times kmin, as in HPCC's settings for DCQCN; up to %v every packet is marked "+
		"before a group pauses", a.Bound)
	point, err := d.FixedPoint(Thresholds{KMax: 1, PMax: unit.Whole})
	if err != nil {
		return a, err
	}
	a.PMax = min(unit.Whole, max(unit.OnePercent, unit.Percent(math.Ceil(2*point.Probability*float64(unit.Whole)))))
	a.WhyPMax = fmt.Sprintf("DCQCN (flows: %d) settles where %.2g%% is marked: twice that, and 1%% or more, so that "+
		"the queue settles at half of the way from kmin to kmax, or below", flows, 100*point.Probability)
	return a, nil
}
