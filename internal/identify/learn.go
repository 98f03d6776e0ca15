package identify

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Read is the Stop of readings that were taken before: nothing was asked.
const Read Stop = "read"

// features returns on which features the answers of a session depend.
func (s Session) features() (f feature) {
	f = several
	for i, x := range s {
		if x.Release {
			f |= release
			continue
		}
		if len(x.Paused) > 0 {
			f |= pauses
		}
		if x.Length > shortest {
			f |= long
		}
		for _, y := range s[:i] {
			switch {
			case y.Release:
			case y.Port == x.Port && y.PG != x.PG:
				f |= samePort
			case (y.Port-x.Port)%4 != 0:
				f |= ports
			}
		}
	}
	return f
}

// Learn takes over sessions that were run before, with what they cost. A session is looked at once all that its answers
// depend on is in use, so that no rule is dropped because its neighbour stands for it.
func (e *Identification) Learn(all []Session) Stop {
	if e.count(all); e.egress {
		return Egress
	}
	left := slices.Clone(all)
	for f := several; f <= release; f <<= 1 {
		if !slices.ContainsFunc(left, func(s Session) bool { return s.features()&f != 0 }) {
			continue
		}
		e.use(f)
		before := len(left)
		left = slices.DeleteFunc(left, func(s Session) bool {
			ready := s.features()&^e.features == 0
			if ready {
				e.Sessions = append(e.Sessions, s)
			}
			return ready
		})
		if len(left) < before {
			e.solve()
		}
		switch {
		case len(e.left) == 0:
			return Contradiction
		case e.Spent():
			return Effort
		}
	}
	return Read
}

// count adds what sessions cost to what was spent, and notes whether an egress port dropped packets in one of them.
func (e *Identification) count(all []Session) {
	for _, s := range all {
		e.cost.Drains++
		for i := range s {
			x := &s[i]
			e.cost.Drains += rules.One(x.Release)
			e.cost.Readings += int64(len(x.Paused))
			if counted := x.Accepted != (rules.Span{Hi: x.Packets}); !x.Release && (counted || len(x.Paused) > 0) {
				e.cost.Packets += x.Packets
				e.cost.Readings += rules.One(counted)
			}
			e.egress = e.egress || x.Egress
		}
	}
}

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
		stop := x.Learn(e.Sessions)
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
	for i, s := range e.Sessions {
		e.state.Reset(p)
		for j := range s {
			if s[j].unlike(&e.state) > 0 {
				out = append(out, Place{i, j})
			}
		}
	}
	return out
}

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
