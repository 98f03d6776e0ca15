package identify

import (
	"slices"

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
	Egress   bool       // the egress port dropped some, so that nothing is known of the ingress
	Paused   []Pause
	Marks    []rules.Span // watermarks afterwards, in cells, as [rules.Marks] has them; nil: not read
}

// send returns a step that sends packets to the same group for the same egress port.
func (x Step) send(packets, length int64) Step {
	return Step{Port: x.Port, PG: x.PG, Dst: x.Dst, Packets: packets, Length: length}
}

// Pause is the state of a group: it is paused, or not.
type Pause struct {
	Port, PG int
	Is       bool
}

// answer takes over what a switch says of the packets of a step. Those that are lost on their way change nothing.
func (x *Step) answer(r *Answer) {
	x.Packets -= r.Lost
	n := x.Packets - r.Dropped
	x.Accepted, x.Egress = rules.Span{Lo: n, Hi: n}, r.Egress > 0
}

// releases tells whether an egress port is started in a session.
func (s Session) releases() bool {
	return slices.ContainsFunc(s, func(x Step) bool { return x.Release })
}

// model computes what a switch answers, or what the switches of a box can.
type model interface {
	Answer(port, pg, dst int, packets, length int64) rules.Answers
	Release(dst int)
	Pauses(port, pg int) rules.Span
}

// unlike counts the readings of a session that a model does not give, up to one more than most.
func (s Session) unlike(m model, most int) (n int) {
	for i := 0; i < len(s) && n <= most; i++ {
		n += s[i].unlike(m)
	}
	return n
}

// unlike advances a model by a step, and counts the readings that it does not give.
func (x *Step) unlike(m model) (n int) {
	if x.Release {
		m.Release(x.Dst)
	} else {
		a := m.Answer(x.Port, x.PG, x.Dst, x.Packets, x.Length)
		n += int(rules.One(!a.Accepted.Meets(x.Accepted)))
		for i, is := range x.Marks {
			n += int(rules.One(!a.Marks[i].Meets(is)))
		}
	}
	for _, p := range x.Paused {
		n += int(rules.One(!m.Pauses(p.Port, p.PG).Has(rules.One(p.Is))))
	}
	return n
}
