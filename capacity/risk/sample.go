package risk

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/cells"
)

// Estimate is a probability that was sampled, with the interval that has it in 95 of 100 runs.
type Estimate struct {
	Probability float64
	Low, High   float64
	Trials      int
	Hits        int // trials in which the pool overflows
}

// Sample estimates what [Pool.Independent] computes. Each trial draws the groups that are paused, more often than they
// are: so often that the pool is about full. A trial in which it overflows counts with the quotient of the two
// probabilities of its groups. An overflow that is as rare as 1e-6, or 1e-12, is then hit in half of the trials. (The
// exponential tilting of rare-event simulation; Bucklew 2004, chapter 4.) The same seed gives the same estimate.
func (p *Pool) Sample(paused float64, seed uint64, trials int) (Estimate, error) {
	if err := checkFraction("paused", paused); err != nil {
		return Estimate{}, err
	}
	if trials < 2 || trials > 100_000_000 {
		return Estimate{}, fmt.Errorf("%d trials: want 2 to 100,000,000", trials)
	}
	e := Estimate{Trials: trials}
	if paused == 0 || paused == 1 || p.Smallest() == nil {
		e.Probability, _ = p.Independent(paused)
		e.Low, e.High = e.Probability, e.Probability
		return e, nil
	}
	tilt := p.tilt(paused)
	rng := rand.New(rand.NewPCG(seed, 0))
	total, squares := 0.0, 0.0
	for range trials {
		brings, weight := cells.Count(0), 1.0
		for i, g := range p.Groups {
			if rng.Float64() < tilt[i] {
				brings += g.Cells
				weight *= paused / tilt[i]
			} else {
				weight *= (1 - paused) / (1 - tilt[i])
			}
		}
		if brings > p.Cells {
			e.Hits++
			total += weight
			squares += float64(weight * weight)
		}
	}
	n := float64(trials)
	e.Probability = total / n
	deviation := math.Sqrt(max(0, squares/n-float64(e.Probability*e.Probability)) / n)
	e.Low, e.High = max(0, e.Probability-1.96*deviation), e.Probability+1.96*deviation
	return e, nil
}

// tilt returns how often each group is paused in a trial: p e^(t h) / (1 - p + p e^(t h)), with the t at which the
// groups bring one cell more than the pool has, on average. A pool that is full without a tilt has none.
func (p *Pool) tilt(paused float64) []float64 {
	out := make([]float64, len(p.Groups))
	at := func(t float64) (mean float64) {
		for i, g := range p.Groups {
			odds := paused / (1 - paused) * math.Exp(t*float64(g.Cells)/float64(p.Cells))
			out[i] = odds / (1 + odds)
			mean += out[i] * float64(g.Cells)
		}
		return mean
	}
	low, high := 0.0, 1.0
	want := float64(p.Cells) + 1
	for at(high) < want && high < 1e6 {
		high *= 2
	}
	for range 100 {
		if mid := (low + high) / 2; at(mid) < want {
			low = mid
		} else {
			high = mid
		}
	}
	at(high)
	for i := range out {
		out[i] = min(max(out[i], paused), 1-1e-9)
	}
	return out
}
