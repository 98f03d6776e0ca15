package identify

import "github.com/cellwarden/cellwarden/internal/rules"

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

// Learn takes over sessions that were run before. A session is looked at once all that its answers depend on is in
// use, so that no rule is dropped because its neighbour stands for it.
func (e *Identification) Learn(all []Session) Stop {
	left := all
	for _, f := range append([]feature{several}, order...) {
		needed := false
		for _, s := range left {
			needed = needed || s.features()&f != 0
		}
		if !needed {
			continue
		}
		e.use(f)
		var later []Session
		for _, s := range left {
			if s.features()&^e.features != 0 {
				later = append(later, s)
				continue
			}
			e.sessions = append(e.sessions, s)
		}
		if len(later) < len(left) {
			e.solve()
		}
		left = later
		switch {
		case len(e.left) == 0:
			return Contradiction
		case e.spent():
			return Effort
		}
	}
	return Read
}

// Count adds what sessions cost to what was spent, and tells whether an egress port dropped packets in one of them.
func (e *Identification) Count(all []Session) (egress bool) {
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
			egress = egress || x.Egress
		}
	}
	return egress
}

// Spent tells whether the search gave up because it may compute no more.
func (e *Identification) Spent() bool { return e.spent() }
