package risk

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// Behaviour is how groups pause: it returns the probability that a pool overflows.
type Behaviour func(*Pool) (float64, error)

// worst returns the largest probability of the pools, and the slice of the pool that has it.
func worst(pools []Pool, behaves Behaviour) (probability float64, slice int, err error) {
	known, err := each(pools, behaves)
	if err != nil {
		return 0, 0, err
	}
	for i, x := range known {
		if i == 0 || x > probability {
			probability, slice = x, pools[i].Slice
		}
	}
	return probability, slice, nil
}

// each asks a behaviour of every pool. Pools with the same groups are asked once; those of other ports are not the
// same, even if they bring as much: a behaviour may depend on the port.
func each(pools []Pool, behaves Behaviour) (known []float64, err error) {
	known = make([]float64, len(pools))
	for i := range pools {
		like := slices.IndexFunc(pools[:i], func(o Pool) bool {
			return o.Cells == pools[i].Cells && slices.Equal(o.Groups, pools[i].Groups)
		})
		if like >= 0 {
			known[i] = known[like]
			continue
		}
		if known[i], err = behaves(&pools[i]); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// Ratio is the answer to the question which ratio a target allows.
type Ratio struct {
	Ratio  int     // the largest with which no pool overflows more often; 0: not even 1 does it
	Risk   float64 // with this ratio
	Beyond float64 // with the next one; 0: no next one
	Fits   bool    // whether the intent fits with it
	Least  int     // the smallest ratio with which it fits; 0: with none
}

// RatioFor returns the largest ratio of a shared headroom pool whose risk is at most target. A larger ratio is a
// smaller pool, and a larger risk.
func RatioFor(in buffer.Intent, target float64, behaves Behaviour) (Ratio, error) {
	if err := checkFraction("target", target); err != nil {
		return Ratio{}, err
	}
	risk := func(ratio int) (float64, error) {
		pools, err := Pools(withRatio(in, ratio))
		if err != nil || len(pools) == 0 {
			return 0, err
		}
		x, _, err := worst(pools, behaves)
		return x, err
	}
	low, high := 0, buffer.MaxRatio+1 // low is within the target, or no ratio is
	out := Ratio{}
	for high-low > 1 {
		mid := low + (high-low)/2
		x, err := risk(mid)
		if err != nil {
			return out, err
		}
		if x <= target {
			low, out.Risk = mid, x
		} else {
			high, out.Beyond = mid, x
		}
	}
	if out.Ratio = low; high > buffer.MaxRatio {
		out.Beyond = 0
	}
	fits := func(ratio int) bool {
		a, err := buffer.NewAdmission(withRatio(in, ratio))
		return err == nil && a.Fits()
	}
	out.Fits = low > 0 && fits(low)
	if fits(buffer.MaxRatio) { // a larger ratio is a smaller pool, which fits if a larger one does
		least, most := 0, buffer.MaxRatio
		for most-least > 1 {
			if mid := least + (most-least)/2; fits(mid) {
				most = mid
			} else {
				least = mid
			}
		}
		out.Least = most
	}
	return out, nil
}

// MostPaused returns the largest part of the time for which each group may be paused, independently, so that the pool
// overflows at most with the probability target: to four digits, rounded down.
func (p *Pool) MostPaused(target float64) (float64, error) {
	if err := checkFraction("target", target); err != nil {
		return 0, err
	}
	if p.Smallest() == nil {
		return 1, nil
	}
	low, high := 0.0, 1.0
	for range 60 {
		mid := (low + high) / 2
		x, err := p.Independent(mid)
		if err != nil {
			return 0, err
		}
		if x <= target {
			low = mid
		} else {
			high = mid
		}
	}
	return low, nil
}
