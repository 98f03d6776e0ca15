package identify

import (
	"github.com/cellwarden/cellwarden/internal/rules"
)

// mostSteps is how many steps a session may have.
const mostSteps = 256

// Session is what was asked of an empty switch, in order, with its answers.
type Session []Step

// Step is one request and what was read after it: packets that were sent, for an egress port that is stopped before
// if it is not, or an egress port that was started.
type Step struct {
	Release  bool
	Port, PG int // of the group; not of a release
	Dst      int
	Packets  int64
	Length   int64
	Accepted rules.Span // packets that were not dropped, as far as it was read
	Egress   rules.Span // packets that the egress port dropped
	Paused   []Pause
	Marks    []rules.Span // watermarks afterwards, in cells, as [rules.Marks] has them; nil: not read
}

// Pause is the state of a group: it is paused, or not.
type Pause struct {
	Port, PG int
	Is       bool
}

// one is 1 for true.
func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// misses counts the readings of a session that a switch does not give, up to most. It works in the memory of m.
func (s Session) misses(m *rules.State, p *rules.Point, most int) (n int) {
	m.Reset(p)
	for i := range s {
		if n += s[i].missed(m); n > most {
			return n
		}
	}
	return n
}

// missed advances a switch by a step, and counts the readings that it does not give.
func (x *Step) missed(m *rules.State) (n int) {
	if x.Release {
		m.Release(x.Dst)
	} else {
		m.Hold(x.Dst)
		got := m.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length)
		n += int(one(!x.Accepted.Has(x.Packets-got.Dropped)) + one(!x.Egress.Has(got.Egress)))
		for i, is := range x.Marks {
			n += int(one(!is.Has(got.Marks[i])))
		}
	}
	for _, p := range x.Paused {
		n += int(one(m.Paused(p.Port, p.PG) != p.Is))
	}
	return n
}

// excludes counts the readings of a session that no switch of a box gives, up to most. It works in the memory of m.
func (s Session) excludes(m *rules.Bounds, b *rules.Box, most int) (n int) {
	m.Reset(b)
	for i := range s {
		x := &s[i]
		if x.Release {
			m.Release(x.Dst)
			for _, p := range x.Paused {
				n += int(one(!m.Paused(p.Port, p.PG).Has(one(p.Is))))
			}
		} else {
			m.Hold(x.Dst)
			a := m.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length)
			n += int(one(!a.Accepted.Meets(x.Accepted)) + one(!a.Egress.Meets(x.Egress)))
			for i, is := range x.Marks {
				n += int(one(!a.Marks[i].Meets(is)))
			}
			for _, p := range x.Paused {
				n += int(one(!a.Paused.Has(one(p.Is))))
			}
		}
		if n > most {
			return n
		}
	}
	return n
}
