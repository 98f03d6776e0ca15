package risk

import "github.com/cellwarden/cellwarden/cells"

// RatioFor is the ratio that a target allows.
var RatioFor = ratioFor

// BothWays returns the probability that u random ports overflow a pool, for each u, by the enumeration of kinds and by
// the distribution of the cells.
func BothWays(pool cells.Count, brings []cells.Count) (kinds, sums []float64) {
	each, many := make([][]cells.Count, len(brings)), make([]int, len(brings))
	for i, b := range brings {
		each[i], many[i] = []cells.Count{b}, 1
	}
	return enumerated([]Pool{{Cells: pool}}, each, many).over, summed(pool, brings).over
}

// IndependentOfAll is Independent that computes every sum, also those that cannot be.
func (p *Pool) IndependentOfAll(paused float64) float64 {
	s := newSum(p)
	s.can = nil
	for _, g := range p.Groups {
		s.add(g.Cells, paused)
	}
	return s.over
}
