package risk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// CommonEgress is the behaviour of groups that pause because egress ports are congested. The model:
//
//   - each of n egress ports is congested for a part C of the time, independently of the others;
//   - a congested egress port has an incast of k senders: each set of k of the n ports is equally likely, independently
//     of the other incasts;
//   - a port is paused while one incast or more has it among its senders, and all of its lossless groups then are.
//
// The number m of incasts is binomial, with n and C. Of a port set that is paused already, with u ports, an incast hits
// h with the hypergeometric probability C(u,h) C(n-u,k-h) / C(n,k), and u grows by k - h. That is a chain with the
// number of paused ports as its state. By symmetry, each set of u ports is equally likely, given u. So the ports divide
// over the slices by the hypergeometric distribution too, and what is left is the probability that u random ports
// overflow a pool: see [overflowing].
//
// An egress port can be among its own senders, and an incast can be of any class. Neither is in the model.
func CommonEgress(ports int, congested float64, fanIn int) Behaviour {
	return func(pools []Pool) (Overflow, error) {
		if err := checkFraction("congested", congested); err != nil {
			return Overflow{}, err
		}
		if ports < 1 || ports > buffer.MaxPorts || fanIn < 1 || fanIn > ports {
			return Overflow{}, fmt.Errorf("%d egress ports with %d senders: want 1 to %d ports, and 1 to as many "+
				"senders", ports, fanIn, buffer.MaxPorts)
		}
		over := random{over: []float64{0}}
		for _, set := range separate(pools) {
			over = over.beside(overflowing(set))
		}
		if rest := ports - over.ports(); rest < 0 {
			return Overflow{}, fmt.Errorf("%d egress ports: want the %d that have groups, or more", ports, over.ports())
		} else if rest > 0 {
			over = over.beside(random{over: make([]float64, rest+1)})
		}
		out := Overflow{AtMost: over.atMost}
		for u, weight := range pausedPorts(ports, congested, fanIn) {
			out.Probability += float64(weight * over.over[u])
		}
		out.Probability = min(out.Probability, 1)
		return out, nil
	}
}

// negligible is a weight that no probability of interest notices.
const negligible = 1e-30

// pausedPorts returns the probability of each number of paused ports.
func pausedPorts(ports int, congested float64, fanIn int) []float64 {
	out, at := make([]float64, ports+1), make([]float64, ports+1)
	at[0] = 1
	hits := make([][]float64, ports+1) // by the ports that are paused already: how many of them an incast hits
	left := 1.0
	for _, weight := range binomial(ports, congested) {
		for u := range at {
			out[u] += float64(weight * at[u])
		}
		// The rest weighs nothing once nearly all of the distribution is behind.
		if left -= weight; left < 1e-9 && weight < negligible {
			break
		}
		next := make([]float64, ports+1)
		for u, p := range at {
			if p < negligible {
				continue
			}
			if hits[u] == nil {
				hits[u] = hypergeometric(ports, u, fanIn)
			}
			for h, q := range hits[u] {
				if q > 0 {
					next[u+fanIn-h] += float64(p * q)
				}
			}
		}
		at = next
	}
	return out
}

// random is the probability of an overflow if u ports of a set are paused, and each set of u is equally likely.
type random struct {
	over   []float64 // by u, from 0 to all
	atMost bool
}

// ports is the number of the ports.
func (r random) ports() int { return len(r.over) - 1 }

// beside joins two sets of ports whose pools have no port in common. Of u paused ports, j are of the first set with the
// hypergeometric probability.
func (r random) beside(other random) random {
	n, first := r.ports()+other.ports(), r.ports()
	out := random{make([]float64, n+1), r.atMost || other.atMost}
	for u := range out.over {
		for j, q := range hypergeometric(n, first, u) {
			if q > 0 {
				out.over[u] += float64(q * either(r.over[j], other.over[u-j]))
			}
		}
	}
	return out
}

// The work that is done for an exact result; beyond it the result is a bound.
const (
	mostSubsets = 1 << 18
	mostSums    = 1 << 26
)

// overflowing returns the probability that u random ports of a set of pools overflow one of these. Ports that bring the
// same to every pool are of one kind. If the kinds allow it, all numbers of paused ports of each kind are enumerated,
// with the probability of each (the multivariate hypergeometric distribution), for any number of pools. Else the
// distribution of the cells is computed, pool by pool; of several pools the sum is a bound.
func overflowing(set []Pool) random {
	ports := portCells(set)
	slices.SortStableFunc(ports, func(a, b []cells.Count) int { return slices.Compare(b, a) })
	var kinds [][]cells.Count
	var many []int
	for _, p := range ports {
		if n := len(kinds); n > 0 && slices.Equal(kinds[n-1], p) {
			many[n-1]++
		} else {
			kinds, many = append(kinds, p), append(many, 1)
		}
	}
	subsets := 1
	for _, n := range many {
		subsets = min(subsets*(n+1), mostSubsets+1)
	}
	if subsets <= mostSubsets {
		return enumerated(set, kinds, many)
	}
	out := random{over: make([]float64, len(ports)+1), atMost: len(set) > 1}
	for i := range set {
		brings := make([]cells.Count, len(ports))
		for k, p := range ports {
			brings[k] = p[i]
		}
		one := summed(set[i].Cells, brings)
		out.atMost = out.atMost || one.atMost
		for u, x := range one.over {
			out.over[u] = min(1, out.over[u]+x)
		}
	}
	return out
}

// enumerated adds up all numbers of paused ports of each kind. Kind by kind: of u paused ports among the first kinds,
// j are of the last one with the hypergeometric probability, which does not depend on how the others divide.
func enumerated(set []Pool, kinds [][]cells.Count, many []int) random {
	before := make([]int, len(kinds)+1) // ports of the kinds before
	for k, n := range many {
		before[k+1] = before[k] + n
	}
	all := before[len(kinds)]
	out := random{over: make([]float64, all+1)}
	chosen := make([][][]float64, len(kinds)) // by kind and by u: how many are of the kind
	for k := range kinds {
		for u := range before[k+1] + 1 {
			chosen[k] = append(chosen[k], hypergeometric(before[k+1], many[k], u))
		}
	}
	brings := make([]cells.Count, len(set))
	var visit func(k, u int, weight float64) float64
	visit = func(k, u int, weight float64) (over float64) {
		for i := range set {
			if brings[i] > set[i].Cells {
				return weight
			}
		}
		if k == 0 {
			return 0
		}
		for j, q := range chosen[k-1][u] {
			if q == 0 {
				continue
			}
			for i := range brings {
				brings[i] += cells.Count(j) * kinds[k-1][i]
			}
			over += visit(k-1, u-j, float64(weight*q))
			for i := range brings {
				brings[i] -= cells.Count(j) * kinds[k-1][i]
			}
		}
		return over
	}
	for u := range out.over {
		out.over[u] = visit(len(kinds), u, 1)
	}
	return out
}

// summed computes the distribution of the cells of u random ports of one pool, port by port: the i-th port is one of u
// among i with u/i. If that is too much work, cells are counted in coarser steps, and upward, for a bound.
func summed(pool cells.Count, brings []cells.Count) random {
	least := slices.SortedFunc(slices.Values(brings), cmp.Compare[cells.Count])
	most := 0 // as many ports can be paused without an overflow, if they are those that bring the least
	for left := pool; most < len(least) && least[most] <= left; most++ {
		left -= least[most]
	}
	out := random{over: make([]float64, len(brings)+1)}
	if most == len(brings) { // no set of ports overflows the pool, however large it is
		return out
	}
	step := cells.Count(1)
	for int64(len(brings))*int64(most+1)*int64(pool/step+1) > mostSums {
		step, out.atMost = 2*step, true
	}
	width := int(pool/step) + 1
	at := make([][]float64, most+1) // by u, then by the steps that they bring
	for u := range at {
		at[u] = make([]float64, width)
	}
	at[0][0] = 1
	for i, b := range brings {
		n := int((b + step - 1) / step)
		for u := i + 1; u >= 1; u-- {
			in := float64(u) / float64(i+1) // that the port is one of the u
			if u > most+1 {
				out.over[u] = 1
				continue
			}
			beyond := 0.0
			for s := max(0, width-n); s < width; s++ {
				beyond += at[u-1][s]
			}
			out.over[u] = float64((1-in)*out.over[u]) + float64(in*(out.over[u-1]+beyond))
			if u > most {
				continue
			}
			for s := width - 1; s >= 0; s-- {
				stays := float64((1 - in) * at[u][s])
				if s >= n {
					stays += float64(in * at[u-1][s-n])
				}
				at[u][s] = stays
			}
		}
	}
	for u := range out.over {
		out.over[u] = min(1, out.over[u])
	}
	return out
}

// hypergeometric returns the probability of each number of marked things among u random ones of n, of which some are
// marked. It begins at the most likely number, so that no term vanishes that matters.
func hypergeometric(n, marked, u int) []float64 {
	least, most := max(0, u-(n-marked)), min(u, marked)
	out := make([]float64, most+1)
	mode := int(int64(u+1) * int64(marked+1) / int64(n+2))
	mode = min(max(mode, least), most)
	out[mode] = 1
	total := 1.0
	for j := mode; j < most; j++ {
		out[j+1] = out[j] * float64(marked-j) * float64(u-j) / (float64(j+1) * float64(n-marked-u+j+1))
		total += out[j+1]
	}
	for j := mode; j > least; j-- {
		out[j-1] = out[j] * float64(j) * float64(n-marked-u+j) / (float64(marked-j+1) * float64(u-j+1))
		total += out[j-1]
	}
	for j := range out {
		out[j] /= total
	}
	return out
}
