package calibrate

import (
	"slices"
	"sort"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// poolFill is a fill as the search needs it: its readings are those that depend on the pool alone, in packets or cells.
type poolFill struct {
	Fill
	n int64 // cells of a packet
}

// poolPoint is a point as the search needs it.
type poolPoint struct {
	n, held, used int64
	refused       bool
	beyond        bool // held counts shared cells alone: the reserved ones are full
}

// search is what was read of the pools that package rules looks for, for one size of packets in cells.
//
// Every reading of a fill grows with the shared cells, the reserved cells and the packets that leak out. So the
// smallest of a box bound its readings from below and the largest from above. That is exact for packets of one cell.
// Longer packets leave a rest of up to n-1 cells to the next group, which can turn the order of neighbours. So for
// them, and for groups that are filled together, readings of a box are widened by a packet.
type search struct {
	fills  []poolFill
	points []poolPoint
	state  rules.Model
	memory []rules.Filled
}

// exact tells whether the readings of a fill are in the order of the candidates.
func (f *poolFill) exact() bool { return f.n == 1 && (f.InTurn || f.Groups <= 1) }

// fill returns what a fill gives.
func fill(p *rules.Point, s *rules.Model, f *Fill, n int64, out []rules.Filled) []rules.Filled {
	s.Reset(p)
	return s.Fill(max(f.Groups, 1), n, f.InTurn, out)
}

// reading returns what a pool reading of a group would be: the packet of XOFF, the first drop of a lossy group, or the
// watermark of its shared cells.
func reading(g *rules.Filled, what Quantity) int64 {
	switch what {
	case XOFF:
		return g.XOFF
	case Drop:
		return g.Drop
	default:
		return g.Shared
	}
}

// Possible is the test of package rules.
func (s *search) Possible(b *rules.Box) bool {
	low, one := b.Point()
	if high := (rules.Point{Rule: b.Rule, Alpha: b.Alpha, Numbers: b.Hi}); !one {
		return s.each(&high, false, func(is Range, got, slack int64) bool { return got+slack >= is.Lo }) &&
			s.each(&low, true, func(is Range, got, slack int64) bool { return got-slack <= is.Hi })
	}
	return s.fits(low)
}

// fits tells whether the candidate gives every reading.
func (s *search) fits(p rules.Point) bool {
	return s.each(&p, false, func(is Range, got, _ int64) bool { return is.Has(got) }) &&
		!slices.ContainsFunc(s.points, func(x poolPoint) bool { return x.refused && x.takenBy(&p) })
}

// each computes every reading until ok refuses one. Of the points it looks at those that were refused, or at the
// others.
func (s *search) each(p *rules.Point, refused bool, ok func(is Range, got, slack int64) bool) bool {
	for i := range s.fills {
		f := &s.fills[i]
		s.memory = fill(p, &s.state, &f.Fill, f.n, s.memory[:0])
		slack := int64(0)
		if !f.exact() {
			slack = 1
		}
		for _, r := range f.Readings {
			k := slack
			if r.What == SharedMark {
				k *= f.n
			}
			if !ok(r.Is, reading(&s.memory[r.Group], r.What), k) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.points, func(x poolPoint) bool { return x.refused == refused && x.takenBy(p) == refused })
}

// takenBy tells whether the candidate would have taken the packet of a point.
func (x *poolPoint) takenBy(p *rules.Point) bool { return p.Takes(x.held, x.used, x.n, x.beyond) }

// sought are the numbers that a search looks for.
var sought = []rules.Number{rules.Shared, rules.Reserved, rules.Leak}

// found is the candidates of one search: their projections, and some of them.
type found struct {
	rules.Box
	samples  []rules.Point
	complete bool // the samples are all candidates
	outer    bool // a search was ended by its bound
}

// run searches both ends of each range. It returns false if no candidate gives every reading.
func (s *search) run(root rules.Box) (found, bool) {
	out := found{Box: root}
	for i, n := range sought {
		if i > 0 && root.Lo[n] == root.Hi[n] {
			continue
		}
		for _, upper := range [2]bool{false, true} {
			b, exact, ok := rules.End(s, root, n, upper)
			if !ok {
				return found{}, false
			}
			out.outer = out.outer || !exact
			if upper {
				out.Hi[n] = b.Hi[n]
			} else {
				out.Lo[n] = b.Lo[n]
			}
			for _, shared := range spread(rangeOf(&b, rules.Shared), 3) {
				b.Lo[rules.Shared] = shared
				p, _ := b.Point()
				s.sample(&out, p)
			}
		}
	}
	s.sampleAll(&out)
	return out, true
}

// rangeOf returns the range of a number in a box.
func rangeOf(b *rules.Box, n rules.Number) Range { return Range{b.Lo[n], b.Hi[n]} }

// sample keeps a candidate that gives every reading.
func (s *search) sample(out *found, p rules.Point) {
	if !slices.Contains(out.samples, p) && s.fits(p) {
		out.samples = append(out.samples, p)
	}
}

// sampled is how many candidates of a box are looked at in the direction of each number. If the box has no more, the
// samples are complete.
var sampled = []int64{48, 12, 4}

// sampleAll looks at candidates all over the box.
func (s *search) sampleAll(out *found) {
	var at [3][]int64
	out.complete = true
	for i, n := range sought {
		is := rangeOf(&out.Box, n)
		at[i], out.complete = spread(is, sampled[i]), out.complete && is.Width() < sampled[i]
	}
	p, _ := out.Point()
	for _, p.Numbers[rules.Leak] = range at[2] {
		for _, p.Numbers[rules.Reserved] = range at[1] {
			for _, p.Numbers[rules.Shared] = range at[0] {
				s.sample(out, p)
			}
		}
	}
}

// spread returns up to most numbers of a range, evenly spread, with both ends.
func spread(r Range, most int64) (out []int64) {
	steps := min(r.Width(), most-1)
	for i := range steps + 1 {
		out = append(out, r.Lo+r.Width()/max(steps, 1)*i+r.Width()%max(steps, 1)*i/max(steps, 1))
	}
	return out
}

// offsets returns the XON offsets with which a group sends XON after a number of packets in the range, of a switch that
// is the filled state; false if no offset does. The packets grow with the offset.
func offsets(p *rules.Point, s *rules.Model, g int, n int64, is, within Range) (Range, bool) {
	high := min(within.Hi, p.Numbers[rules.Shared]+p.Numbers[rules.Reserved]+1)
	if high < within.Lo {
		return Range{}, false
	}
	least := func(want int64) int64 { // the least offset with which at least want packets must leave
		return within.Lo + int64(sort.Search(int(high-within.Lo+1), func(i int) bool {
			p.Numbers[rules.Offset] = within.Lo + int64(i)
			return s.XONBelow(g, n) >= want
		}))
	}
	out := Range{least(is.Lo), high}
	if is.Hi != NoBound {
		out.Hi = least(is.Hi+1) - 1
	}
	return out, out.Lo <= out.Hi
}
