package identify

import "slices"

// Conflicts returns the sessions, counted from 1, without each of which alone a
// switch was found that gives every reading. It begins from the whole space, so
// that it takes as long as an identification, and shares its bounds. Nothing: no
// single session is at fault, or it was not found out within these bounds.
func (e *Identification) Conflicts() (out []int) {
	o := e.o
	o.Work = max(e.o.Work/int64(len(e.sessions)+1), 1)
	for i := range e.sessions {
		x := New(o)
		for j, s := range e.sessions {
			if j != i {
				x.sessions = append(x.sessions, s)
			}
		}
		for _, f := range order {
			if e.features&f != 0 {
				x.use(f)
			}
			if len(x.left) == 0 {
				break
			}
		}
		if slices.ContainsFunc(x.left, func(h *hypothesis) bool { return len(h.points) > 0 }) {
			out = append(out, i+1)
		}
	}
	return out
}

// Sessions returns what was asked, with its answers.
func (e *Identification) Sessions() []Session { return e.sessions }

// Next returns the steps that would tell the most: those of the next session. A
// search that may compute no more gets an eighth of its effort for it.
func (e *Identification) Next() []Step {
	e.most = max(e.most, e.work+e.o.Work/8)
	for {
		if best := e.choose(); len(best.steps) > 0 {
			return best.steps
		}
		f, more := e.nextFeature()
		if !more {
			return nil
		}
		e.use(f)
	}
}
