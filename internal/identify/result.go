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
	// Unasked names the choices of which there are values that no probe was for. In the rules, the first value then stands
	// for these, too.
	Unasked []string
}

// Remaining is a rule that is still possible, with the intervals of its numbers.
type Remaining struct {
	Box   rules.Box
	Shown bool // a switch was found that gives every reading; otherwise none was excluded either
}

// Result returns what is known.
func (e *Identification) Result(stop Stop) Result {
	r := Result{Stop: stop, Cost: e.cost}
	for _, h := range e.left {
		r.Rules = append(r.Rules, Remaining{h.hull(), len(h.points) > 0})
	}
	for _, x := range shown {
		if name := x.choice.String(); x.by&e.features == 0 && !slices.Contains(r.Unasked, name) {
			r.Unasked = append(r.Unasked, name)
		}
	}
	return r
}
