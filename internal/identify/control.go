package identify

import (
	"github.com/cellwarden/cellwarden/internal/rules"
)

// Control is a probe whose answer was predicted before it was run.
type Control struct {
	Step      Step
	Predicted rules.Span // packets that are not dropped
	Held      bool
}

// predict returns how many packets of a step are not dropped, by the possible switches. It does not advance them.
func predict(all []particle, x *Step) rules.Span {
	out := rules.Span{Lo: x.Packets}
	for _, p := range all {
		m := p.state.Clone()
		m.Hold(x.Dst)
		n := x.Packets - m.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length).Dropped
		out.Lo, out.Hi = min(out.Lo, n), max(out.Hi, n)
	}
	return out
}

// control runs one session that was not chosen, predicted before: groups of all kinds with numbers of packets by
// chance. It returns true if every answer is as it was predicted, or no rule remains.
func (e *Identification) control(sw Switch) (bool, error) {
	all := e.particles(nil)
	if len(all) == 0 {
		return true, nil
	}
	if err := e.drain(sw); err != nil {
		return false, err
	}
	for _, x := range e.prologue(all, e.o.Dsts[:1]) {
		if _, err := e.step(sw, x); err != nil {
			return false, err
		}
	}
	unlike := 0
	for i := range 8 {
		t := target{e.o.Ports[e.random.IntN(len(e.o.Ports))], e.o.PGs[e.random.IntN(len(e.o.PGs))], e.o.Dsts[0]}
		counts := e.counts(all, t, shortest)
		n := counts[len(counts)-1]
		if i%2 == 1 {
			n = 1 + e.random.Int64N(n)
		}
		length := int64(shortest + e.random.IntN(1400))
		if i%3 == 0 {
			length = shortest
		}
		x := Step{Port: t.port, PG: t.pg, Dst: t.dst, Packets: n, Length: length}
		predicted := predict(all, &x)
		x, err := e.step(sw, x)
		if err != nil {
			return false, err
		}
		if x.Packets < n { // the prediction is of those that reached the switch
			predicted = predict(all, &x)
		}
		ok := x.Accepted.Meets(predicted)
		for _, p := range all {
			x.missed(p.state)
		}
		e.Controls = append(e.Controls, Control{x, predicted, ok})
		unlike += int(one(!ok))
	}
	e.running = 0
	before := len(e.left)
	e.solve()
	return len(e.left) == 0 || unlike <= e.outliers && len(e.left) == before, nil
}
