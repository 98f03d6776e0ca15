// Package risk says how likely it is that a shared headroom pool overflows. A pool that is smaller than the headroom of
// all its groups rests on the assumption that they do not all pause at the same time; this package states the
// assumption as a number.
//
//	pools, err := risk.Pools(in)
//
// A pool has groups, each with the cells that it brings when it pauses: the worst case of its link, or its headroom if
// that is less. It overflows while the groups that are paused bring more than it has. Which sets of groups do is
// counted ([Pool.AtOnce], [Pool.Smallest]); how often they are paused together follows from a stated behaviour: each
// group for itself ([Pool.Independent]), by congested egress ports that they have in common ([CommonEgress]), or
// as measured ([Pool.Measured]). These are exact up to rounding: the distribution of the sum is computed, cell by cell,
// and only positive numbers are added, so that small probabilities keep their digits. [Pool.Sample] estimates the first
// of them by importance sampling, with an interval, as a check by other means. A switch with several slices loses
// frames if one of its pools overflows: a [Behaviour] says how likely that is.
//
// A [Question] states a behaviour in words, and its answer is the published document: that of the verb risk and of the
// API of serve.
//
// The probability is that of a random moment, with every paused group at its worst case. Real groups bring less,
// mostly: it is an upper bound for the behaviour.
package risk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
)

// Group is a lossless group of a pool.
type Group struct {
	Port  string
	Group int
	Cells cells.Count // that it brings when it pauses
}

// Pool is the shared headroom pool of one slice.
type Pool struct {
	Slice  int
	Cells  cells.Count
	Groups []Group // largest first

	ended func() error // asked between groups: why nobody waits for the answer; nil: it is waited for
}

// until returns pools whose computations end with a context.
func until(ctx context.Context, pools []Pool) []Pool {
	for i := range pools {
		pools[i].ended = ctx.Err
	}
	return pools
}

// over is the error of a computation for which nobody waits.
func (p *Pool) over() error {
	if p.ended == nil {
		return nil
	}
	return p.ended()
}

// Pools returns the shared headroom pools of an intent, one for each slice with lossless groups; none if headroom is
// dedicated. A port that is refused is counted: the pool is for all ports of the intent.
func Pools(in buffer.Intent) ([]Pool, error) {
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return nil, err
	}
	part := a.PoolPart()
	if part == 0 {
		return nil, nil
	}
	pools := make([]Pool, len(in.Chip.Slices))
	for i := range in.Ports {
		for _, g := range a.GroupsOf(i) {
			if !g.Lossless {
				continue
			}
			brings := g.Headroom
			if g.Worst.Known {
				brings = min(brings, g.Worst.Cells)
			}
			for _, s := range g.Slices {
				pools[s].Groups = append(pools[s].Groups, Group{in.Ports[i].Name, g.Group.Group, brings})
			}
		}
	}
	var out []Pool
	for s := range pools {
		if p := &pools[s]; len(p.Groups) > 0 {
			p.Slice, p.Cells = s, part
			slices.SortStableFunc(p.Groups, func(a, b Group) int { return cmp.Compare(b.Cells, a.Cells) })
			out = append(out, *p)
		}
	}
	return out, nil
}

// All returns the cells that all groups bring together.
func (p *Pool) All() (sum cells.Count) {
	for _, g := range p.Groups {
		sum += g.Cells
	}
	return sum
}

// AtOnce returns how many groups can pause at the same time, whichever they are, without an overflow.
func (p *Pool) AtOnce() int {
	left := p.Cells
	for i, g := range p.Groups {
		if left -= g.Cells; left < 0 {
			return i
		}
	}
	return len(p.Groups)
}

// Smallest returns a smallest set of groups that overflows the pool when they pause together: the largest ones. nil:
// not even all of them do.
func (p *Pool) Smallest() []Group {
	if n := p.AtOnce(); n < len(p.Groups) {
		return p.Groups[:n+1]
	}
	return nil
}

// Independent returns the probability of an overflow if each group is paused for this part of the time, independently
// of the others.
func (p *Pool) Independent(paused float64) (float64, error) {
	if err := checkFraction("paused", paused); err != nil {
		return 0, err
	}
	s := newSum(p)
	for _, g := range p.Groups {
		if err := p.over(); err != nil {
			return 0, err
		}
		s.add(g.Cells, paused)
	}
	return s.over, nil
}

// Measured returns the probability of an overflow if each group brings one of its measured watermarks, each equally
// often, independently of the others. A group without a measurement brings what [Group].Cells says, always: unknown is
// the worst case.
func (p *Pool) Measured(watermarks map[string][]cells.Count) (float64, error) {
	s := newSum(p)
	for _, g := range p.Groups {
		if err := p.over(); err != nil {
			return 0, err
		}
		measured := watermarks[g.Key()]
		if len(measured) == 0 {
			s.add(g.Cells, 1)
			continue
		}
		values := map[cells.Count]int{}
		for _, w := range measured {
			if w < 0 {
				return 0, fmt.Errorf("port %s group %d: a watermark of %d cells", g.Port, g.Group, w)
			}
			values[w]++
		}
		s.addOneOf(values, len(measured))
	}
	return s.over, nil
}

// Key names the group in a map of watermarks.
func (g Group) Key() string { return fmt.Sprintf("%s %d", g.Port, g.Group) }

func checkFraction(name string, f float64) error {
	if !(f >= 0 && f <= 1) {
		return fmt.Errorf("%s: %v is not a part of the time (want 0 to 1)", name, f)
	}
	return nil
}

// sum is the distribution of what paused groups bring together, up to the size of the pool, and the probability that it
// is more. Products are in float64() so that no machine fuses them with the sum: the result is the same everywhere.
type sum struct {
	at     []float64 // probability of each sum that can be so far, in steps of grain cells
	can    []int     // the sums in at that can be, in ascending order, while they are few; nil: each may
	before []int     // room for can
	last   int       // the largest sum that the pool takes, in the same steps
	over   float64
	step   cells.Count
	pool   cells.Count
}

// fewer is how many times the sums that can be are less than all, so that to look for them takes less time than to
// compute all. Groups of few sizes have few sums: 48 of one and 16 of another have 833.
const fewer = 4

// grain is the greatest common divisor of what the groups bring, 1 or more.
func (p *Pool) grain() cells.Count {
	step := uint64(0)
	for _, g := range p.Groups {
		step = exact.GCD(step, uint64(g.Cells))
	}
	return cells.Count(max(step, 1))
}

// newSum returns the distribution of no group, in steps of the grain; a watermark needs single cells.
func newSum(p *Pool) *sum {
	step := p.grain()
	return &sum{at: []float64{1}, can: []int{0}, last: int(p.Cells / step), step: step, pool: p.Cells}
}

// grow adds sums of probability 0 up to this one, or up to the pool. What the groups bring decides how much memory a
// sum takes, not the pool, which may be far larger.
func (s *sum) grow(top int) {
	more := min(top, s.last) + 1 - len(s.at)
	n := len(s.at)
	s.at = slices.Grow(s.at, max(more, 0))[:n+max(more, 0)]
	clear(s.at[n:])
}

// add adds a group that brings these cells with a probability.
func (s *sum) add(brings cells.Count, paused float64) {
	n := int(brings / s.step)
	if paused == 0 || n == 0 {
		return
	}
	if s.can != nil {
		s.addFew(n, paused)
		return
	}
	for i := max(0, s.last-n+1); i < len(s.at); i++ { // sums that this group takes beyond the pool
		s.over += float64(s.at[i] * paused)
	}
	s.grow(len(s.at) - 1 + n)
	for i := len(s.at) - 1; i >= 0; i-- {
		stays := float64(s.at[i] * (1 - paused))
		if i >= n {
			stays += float64(s.at[i-n] * paused)
		}
		s.at[i] = stays
	}
}

// addFew is add where few sums can be. The others have the probability 0 before and after.
func (s *sum) addFew(n int, paused float64) {
	old, can := s.can, s.before[:0]
	next := 0 // of old, a sum without the group
	for _, i := range old {
		if i+n > s.last {
			s.over += float64(s.at[i] * paused)
			continue
		}
		for ; next < len(old) && old[next] < i+n; next++ {
			can = append(can, old[next])
		}
		if next < len(old) && old[next] == i+n {
			next++
		}
		can = append(can, i+n)
	}
	can = append(can, old[next:]...)
	s.grow(len(s.at) - 1 + n)
	for _, i := range slices.Backward(can) {
		stays := float64(s.at[i] * (1 - paused))
		if i >= n {
			stays += float64(s.at[i-n] * paused)
		}
		s.at[i] = stays
	}
	s.can, s.before = can, old
	if len(can) > len(s.at)/fewer {
		s.can = nil
	}
}

// addOneOf adds a group that brings one of several values, each with its share of a number.
func (s *sum) addOneOf(values map[cells.Count]int, of int) {
	s.can = nil
	if s.step > 1 {
		s.refine()
	}
	sorted := slices.Sorted(maps.Keys(values))
	before := slices.Clone(s.at)
	s.grow(len(before) - 1 + int(min(sorted[len(sorted)-1], s.pool)))
	clear(s.at)
	for _, v := range sorted {
		weight := float64(values[v]) / float64(of)
		for i, p := range before {
			if k := cells.Count(i) + v; k <= s.pool {
				s.at[k] += float64(p * weight)
			} else {
				s.over += float64(p * weight)
			}
		}
	}
}

// refine goes over to steps of one cell.
func (s *sum) refine() {
	fine := make([]float64, (len(s.at)-1)*int(s.step)+1)
	for i, p := range s.at {
		fine[i*int(s.step)] = p
	}
	s.at, s.last, s.step = fine, int(s.pool), 1
}

// binomial returns the probability of each number of successes among n. It begins at the most likely one, so that no
// term vanishes that matters.
func binomial(n int, p float64) []float64 {
	out := make([]float64, n+1)
	if p == 0 || p == 1 {
		out[int(p)*n] = 1
		return out
	}
	mode := min(n, int(float64(n+1)*p))
	out[mode] = 1
	for k := mode; k < n && out[k] > 0; k++ {
		out[k+1] = out[k] * (float64(n-k) / float64(k+1)) * (p / (1 - p))
	}
	for k := mode; k > 0 && out[k] > 0; k-- {
		out[k-1] = out[k] * (float64(k) / float64(n-k+1)) * ((1 - p) / p)
	}
	total := 0.0
	for _, x := range out {
		total += x
	}
	for k := range out {
		out[k] /= total
	}
	return out
}
