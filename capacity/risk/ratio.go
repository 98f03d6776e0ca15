package risk

import (
	"context"
	"sort"

	"github.com/cellwarden/cellwarden/buffer"
)

// ratioAnswer is the answer to the question which ratio a target allows.
type ratioAnswer struct {
	Ratio  int     // the largest with which the switch does not overflow more often; 0: not even 1 does it
	Risk   float64 // with this ratio
	Beyond float64 // with the next one; 0: no next one
	Fits   bool    // whether the intent fits with it
	Least  int     // the smallest ratio with which it fits; 0: with none
}

// ratioFor returns the largest ratio of a shared headroom pool whose risk is at most target. A larger ratio is a
// smaller pool, and a larger risk.
func ratioFor(ctx context.Context, in buffer.Intent, target float64, behaves Behaviour) (ratioAnswer, error) {
	if err := checkFraction("target", target); err != nil {
		return ratioAnswer{}, err
	}
	risk := func(ratio int) (float64, error) {
		pools, err := Pools(withRatio(in, ratio))
		if err != nil || len(pools) == 0 {
			return 0, err
		}
		x, err := behaves(until(ctx, pools))
		return x.Probability, err
	}
	low, high := 0, buffer.MaxRatio+1 // low is within the target, or no ratio is
	out := ratioAnswer{}
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
		out.Least = 1 + sort.Search(buffer.MaxRatio-1, func(i int) bool { return fits(1 + i) })
	}
	return out, nil
}
