package identify

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Result is what is known in the end.
type Result struct {
	Stop  Stop
	Cost  Cost
	Rules []Remaining // every rule that is still possible
	// Numbers are the intervals that hold under all of these rules.
	Numbers [len(rules.Numbers{})]rules.Span
}

// Remaining is a rule that is still possible, with the intervals of its numbers.
type Remaining struct {
	Box     rules.Box
	Example *rules.Point // a switch that gives every reading; nil: none was found, and none excluded
}

// Result returns what is known.
func (e *Identification) Result(stop Stop) Result {
	r := Result{Stop: stop, Cost: e.cost}
	for i, h := range e.left {
		b := h.hull()
		x := Remaining{Box: b}
		if len(h.points) > 0 {
			x.Example = &h.points[0]
		}
		r.Rules = append(r.Rules, x)
		for n := range r.Numbers {
			lo, hi := b.Lo[n], b.Hi[n]
			if i > 0 {
				lo, hi = min(lo, r.Numbers[n].Lo), max(hi, r.Numbers[n].Hi)
			}
			r.Numbers[n] = rules.Span{Lo: lo, Hi: hi}
		}
	}
	return r
}

// Unasked tells whether there are values of a choice that no probe was for. In the rules that remain, the first value
// then stands for these, too.
func (e *Identification) Unasked(c rules.Choice) bool {
	return len(values(c, e.features)) < len(values(c, ^feature(0)))
}

// Remains tells whether a switch is among what is still possible.
func (e *Identification) Remains(p *rules.Point) bool {
	x := *p
	n := &x.Numbers
	if n[rules.Reserved] == 0 {
		x.Rule[rules.Minimum] = rules.MinimumFirst
	}
	for _, c := range rules.Choices() { // a value that no probe was for is behind the first one
		if v := values(c, e.features); !slices.Contains(v, x.Rule[c]) {
			x.Rule[c] = v[0]
		}
	}
	if e.features&several == 0 {
		x.Alpha = e.left[0].alpha
	}
	for _, h := range e.left {
		if h.rule != x.Rule || h.alpha != x.Alpha {
			continue
		}
		return slices.ContainsFunc(h.pieces, func(y piece) bool {
			for _, i := range rules.AllNumbers() {
				if used(&x.Rule, i, e.features) && (n[i] < y.box.Lo[i] || n[i] > y.box.Hi[i]) {
					return false
				}
			}
			return true
		})
	}
	return false
}
