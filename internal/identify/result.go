package identify

import "github.com/cellwarden/cellwarden/internal/rules"

// Result is what is known in the end.
type Result struct {
	Stop  Stop
	Cost  Cost
	Rules []Remaining // every rule that is still possible
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
	return r
}

// Unasked tells whether there are values of a choice that no probe was for. In the rules that remain, the first value
// then stands for these, too.
func (e *Identification) Unasked(c rules.Choice) bool {
	return len(values(c, e.features)) < len(values(c, ^feature(0)))
}
