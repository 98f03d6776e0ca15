package risk

import (
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// Overflow is the probability that a pool overflows, or that one of several pools does.
type Overflow struct {
	Probability float64
	AtMost      bool // the probability is at most this: it is a bound, and not exact
}

// Behaviour is how groups pause: it returns the probability that one of the pools overflows, or more of them. With the
// pool of one slice that is the slice's, with all pools of an intent the switch's.
type Behaviour func([]Pool) (Overflow, error)

// Apart is the behaviour of groups that are independent of each other, by the probability that one pool overflows.
// Pools that share no group overflow independently: one of them does with 1 - (1-p1)(1-p2)... Pools with the same
// groups overflow together, and count once. If pools share some of their groups, their sum is a bound.
func Apart(one func(*Pool) (float64, error)) Behaviour {
	return func(pools []Pool) (Overflow, error) {
		total := Overflow{}
		for _, set := range separate(pools) {
			any := Overflow{AtMost: len(set) > 1}
			for i := range set {
				over, err := one(&set[i])
				if err != nil {
					return Overflow{}, err
				}
				any.Probability += over
			}
			any.Probability = min(any.Probability, 1)
			total = total.or(any)
		}
		return total, nil
	}
}

// or is the probability of one of two independent overflows. Only positive numbers are added, so that small
// probabilities keep their digits.
func (o Overflow) or(other Overflow) Overflow {
	return Overflow{either(o.Probability, other.Probability), o.AtMost || other.AtMost}
}

// either is 1 - (1-a)(1-b).
func either(a, b float64) float64 { return min(1, a+float64((1-a)*b)) }

// separate divides pools into sets that have no port in common. Of pools with the same groups one is kept: on Tomahawk
// two slices are charged with the same groups.
func separate(pools []Pool) (sets [][]Pool) {
	var left []Pool
	for _, p := range pools {
		if !slices.ContainsFunc(left, func(o Pool) bool {
			return o.Cells == p.Cells && slices.Equal(o.Groups, p.Groups)
		}) {
			left = append(left, p)
		}
	}
	for len(left) > 0 {
		set := left[:1:1]
		ports := portsOf(left[0])
		left = left[1:]
		for grown := true; grown; {
			grown = false
			for i := range left {
				if p := left[i]; slices.ContainsFunc(p.Groups, func(g Group) bool { return ports[g.Port] }) {
					for port := range portsOf(p) {
						ports[port] = true
					}
					set, left, grown = append(set, p), slices.Delete(slices.Clone(left), i, i+1), true
					break
				}
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// portsOf are the ports of a pool's groups.
func portsOf(p Pool) map[string]bool {
	ports := make(map[string]bool, len(p.Groups))
	for _, g := range p.Groups {
		ports[g.Port] = true
	}
	return ports
}

// MostPaused returns the largest part of the time for which each group may be paused, independently, so that one of the
// pools overflows at most with the probability target: to four digits, rounded down.
func MostPaused(pools []Pool, target float64) (float64, error) {
	if err := checkFraction("target", target); err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(pools, func(p Pool) bool { return p.Smallest() != nil }) {
		return 1, nil
	}
	low, high := 0.0, 1.0
	for range 60 {
		mid := (low + high) / 2
		x, err := Apart(func(p *Pool) (float64, error) { return p.Independent(mid) })(pools)
		if err != nil {
			return 0, err
		}
		if x.Probability <= target {
			low = mid
		} else {
			high = mid
		}
	}
	return low, nil
}

// portCells are the cells that each port brings to each pool when all of its groups pause, in the order of the pools'
// groups.
func portCells(set []Pool) (out [][]cells.Count) {
	at := map[string]int{}
	for i := range set {
		for _, g := range set[i].Groups {
			k, known := at[g.Port]
			if !known {
				k = len(out)
				at[g.Port], out = k, append(out, make([]cells.Count, len(set)))
			}
			out[k][i] += g.Cells
		}
	}
	return out
}
