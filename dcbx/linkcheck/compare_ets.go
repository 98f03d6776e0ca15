package linkcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// shares returns the shares of both ends: those in force after negotiation, or those that the ends are configured with.
func (r *Result) shares(a, b *End) (x, y Shares, ok bool) {
	x, first := a.Shares.Get()
	y, second := b.Shares.Get()
	if s := r.Settled; s != nil && first && second {
		use := func(t *dcbx.Table, own *Shares) {
			if t.Validate() == nil {
				*own = sharesOf(t)
			}
		}
		use(&s.A.Table, &x)
		use(&s.B.Table, &y)
	}
	return x, y, first && second
}

// bandwidths compares how the ends share the link: which priorities are together, which are strict, and how much the
// others have, of the priorities that both carry. Shares that differ by less than a percent are the same: the TLVs have
// whole percents.
func (r *Result) bandwidths(a, b *End) {
	x, y, ok := r.shares(a, b)
	if !ok {
		return
	}
	of := x.Of & y.Of
	if x.Grouped && y.Grouped {
		if p, q, apart := x.apart(&y, of); apart {
			r.add("ets-groups", fmt.Sprintf("%s has the groups %s, %s has %s", a.Name, x.groups(), b.Name, y.groups()),
				fmt.Sprintf("priorities %d and %d share one bandwidth at one end and have two at the other", p, q),
				"configure the same groups at both ends, or have the switch recommend them to a willing server")
			return
		}
	}
	wholeA, wholeB := x.total(of), y.total(of)
	var strict, differ []string
	strictAt, notAt := a, b // the first of them
	for _, set := range x.join(&y) {
		if set &= of; set == 0 {
			continue
		}
		wa, sa := x.part(set)
		wb, sb := y.part(set)
		switch {
		case sa != sb:
			if len(strict) == 0 && sb {
				strictAt, notAt = b, a
			}
			strict = append(strict, set.String())
		case !sa && apart(wa, wholeA, wb, wholeB):
			differ = append(differ, fmt.Sprintf("priorities %v: %s and %s", set, percent(wa, wholeA), percent(wb, wholeB)))
		}
	}
	if len(strict) > 0 {
		r.add("ets-strict",
			fmt.Sprintf("priorities %s are strict at %s and not at %s", strings.Join(strict, ", "), strictAt.Name, notAt.Name),
			fmt.Sprintf("in one direction, from that end, they send before all others and can take the whole link; in the "+
				"other they have a share (%s, %s)", a.Name, b.Name),
			"make them strict at both ends or at none")
	}
	if len(differ) > 0 {
		r.add("ets-bandwidth", fmt.Sprintf("shares of the link at %s and %s: %s", a.Name, b.Name, strings.Join(differ, "; ")),
			"in a congested link each direction shares otherwise; what is planned for one end does not hold at the other",
			"configure the same shares at both ends, if one plan is meant for both directions")
	}
}

// apart finds two priorities of a set that are in one group at one end and in two at the other.
func (s *Shares) apart(o *Shares, of pfc.Priorities) (p, q int, found bool) {
	for p := range s.Group {
		for q := range p {
			if of.Has(p) && of.Has(q) && (s.Group[p] == s.Group[q]) != (o.Group[p] == o.Group[q]) {
				return q, p, true
			}
		}
	}
	return 0, 0, false
}

// groups prints which of the priorities that the port carries are together: "0,1,2,5 | 3 | 4".
func (s *Shares) groups() string {
	var out []string
	for _, set := range s.join(s) {
		if set &= s.Of; set != 0 {
			out = append(out, set.String())
		}
	}
	return strings.Join(out, " | ")
}

// join returns the smallest sets of priorities that no group of either end crosses, by their lowest priority.
func (s *Shares) join(o *Shares) (sets []pfc.Priorities) {
	for p := range s.Group {
		merged := pfc.Of(p)
		for q := range p {
			if s.Group[p] == s.Group[q] || o.Group[p] == o.Group[q] {
				merged |= pfc.Of(q)
			}
		}
		var apart []pfc.Priorities
		for _, set := range sets {
			if set&merged != 0 {
				merged |= set
			} else {
				apart = append(apart, set)
			}
		}
		sets = append(apart, merged)
	}
	slices.SortFunc(sets, func(x, y pfc.Priorities) int { return x.Lowest() - y.Lowest() })
	return sets
}

// part returns the weight of a set of priorities, and whether all of it is strict.
func (s *Shares) part(set pfc.Priorities) (weight int64, strict bool) {
	strict, seen := true, [pfc.PerLink]bool{}
	for p := range pfc.PerLink {
		g := s.Group[p]
		if !set.Has(p) || seen[g] {
			continue
		}
		seen[g] = true
		if !s.Strict[g] {
			strict, weight = false, weight+s.Weight[g]
		}
	}
	return weight, strict
}

// total returns the weight of all groups that have some of these priorities.
func (s *Shares) total(of pfc.Priorities) int64 {
	sum, _ := s.part(of)
	return max(sum, 1)
}

// apart tells whether two shares differ by a percent or more.
func apart(a, wholeA, b, wholeB int64) bool {
	d := a*wholeB - b*wholeA
	return max(d, -d)*100 >= wholeA*wholeB
}

// percent prints a share.
func percent(part, whole int64) string {
	return unit.Percent(part * int64(unit.Whole) / whole).String()
}
