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
				e.sessions = append(e.sessions, s)
			}
			return ready
		})
		if len(left) < before {
			e.solve()
		}
		switch {
		case len(e.left) == 0:
			return Contradiction
		case e.spent():
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

// Spent tells whether the search gave up because it may compute no more.
func (e *Identification) Spent() bool { return e.spent() }
