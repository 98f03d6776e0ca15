package identify

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Place is a step of a session with what was read after it, both counted from
// 0.
type Place struct{ Session, Step int }

// mostWrong is how many readings are left out to find a rule.
const mostWrong = 3

// Conflicts returns the smallest sets of steps without whose readings a switch was found that gives all others, up to
// 8. It begins from the whole space, and shares the bounds of an identification. without is how many readings were
// left out, in all ways, without finding a rule, beside the outliers of the options.
func (e *Identification) Conflicts() (sets [][]Place, without int) {
	for k := 1; k <= mostWrong; k++ {
		o := e.o
		o.Outliers, o.Work = e.o.Outliers+k, max(e.o.Work/mostWrong, 1)
		x := New(o)
		stop := x.Learn(e.sessions)
		for _, h := range x.left {
			for i := range h.points {
				if set := e.wrong(&h.points[i]); len(sets) < 8 && !slices.ContainsFunc(sets, func(s []Place) bool {
					return slices.Equal(s, set)
				}) {
					sets = append(sets, set)
				}
			}
		}
		if len(sets) > 0 || stop != Contradiction {
			return sets, without
		}
		without = k
	}
	return nil, without
}

// wrong lists the steps whose answers a switch does not give.
func (e *Identification) wrong(p *rules.Point) (out []Place) {
	for i, s := range e.sessions {
		e.state.Reset(p)
		for j := range s {
			if s[j].unlike(&e.state) > 0 {
				out = append(out, Place{i, j})
			}
		}
	}
	return out
}

// Sessions returns what was asked, with its answers.
func (e *Identification) Sessions() []Session { return e.sessions }

// Predict returns for each step of a new session what the switches that are still possible answer: packets that are
// not dropped, and of a release groups that stay paused.
func (e *Identification) Predict(steps []Step) []rules.Span {
	out := make([]rules.Span, len(steps))
	all := e.particles(nil)
	for i := range steps {
		out[i] = foretell(all, &steps[i])
	}
	return out
}

// Next returns the steps that would tell the most: those of the next session. A search that may compute no more gets
// an eighth of its effort for it.
func (e *Identification) Next() []Step {
	e.most = max(e.most, e.work+e.o.Work/8)
	for {
		if best := e.choose(); len(best.steps) > 0 {
			return best.steps
		}
		next := e.nextFeature()
		if next == 0 {
			return nil
		}
		e.use(next)
	}
}
