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

// Point is the risk of a shared headroom pool that is made with a ratio.
type Point struct {
	Ratio int
	// Value is the probability that one of the switch's pools overflows, by a behaviour; or the part of the time for
	// which each group may be paused.
	Value float64
	Fits  bool // the intent fits with this ratio
}

// Curve returns the probability for each ratio that one of the switch's pools overflows.
func Curve(in buffer.Intent, ratios []int, behaves Behaviour) ([]Point, error) {
	return over(in, ratios, func(pools []Pool) (float64, error) {
		x, err := behaves(pools)
		return x.Probability, err
	})
}

// PausedCurve returns for each ratio the part of the time for which each group may be paused, independently, so that
// the switch does not overflow more often than target.
func PausedCurve(in buffer.Intent, ratios []int, target float64) ([]Point, error) {
	return over(in, ratios, func(pools []Pool) (float64, error) {
		return MostPaused(pools, target)
	})
}

// over asks for the pools of each ratio. Without a pool there is no point.
func over(in buffer.Intent, ratios []int, value func([]Pool) (float64, error)) (out []Point, err error) {
	for _, ratio := range ratios {
		with := withRatio(in, ratio)
		a, err := buffer.NewAdmission(with)
		if err != nil {
			return nil, err
		}
		pools, err := Pools(with)
		if err != nil {
			return nil, err
		}
		if len(pools) == 0 {
			continue
		}
		x, err := value(pools)
		if err != nil {
			return nil, err
		}
		out = append(out, Point{Ratio: ratio, Value: x, Fits: a.Fits()})
	}
	return out, nil
}

// withRatio returns the intent with a pool that has a ratio.
func withRatio(in buffer.Intent, ratio int) buffer.Intent {
	in.Pool.SharedHeadroom, in.Pool.SharedHeadroomRatio = 0, ratio
	return in
}

// Ratios are the ratios that a picture of one pool with groups shows: 1 to 8, and then about three for each doubling,
// up to the number of the groups. A pool by a larger ratio has no smaller size, because it holds at least one group.
func Ratios(groups int) (out []int) {
	for r := 1; r < min(groups, buffer.MaxRatio); r += max(1, r/4) {
		out = append(out, r)
	}
	return append(out, max(1, min(groups, buffer.MaxRatio)))
}
