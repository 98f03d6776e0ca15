package identify

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Remains tells whether a switch is among what is still possible.
func (e *Identification) Remains(p *rules.Point) bool {
	x := *p
	n := &x.Numbers
	if n[rules.Reserved] == 0 {
		x.Rule[rules.Minimum] = rules.MinimumFirst
	}
	for _, c := range rules.Choices() { // a value that no probe was for is behind the first one
		if !slices.Contains(values(c, e.features), x.Rule[c]) {
			x.Rule[c] = 0
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
