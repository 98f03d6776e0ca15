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
	for _, x := range e.prologue(all, 1) {
		if _, err := e.step(sw, x); err != nil {
			return false, err
		}
	}
	unlike := 0
	for i := range 8 {
		t := e.group(e.random.IntN(len(e.o.Ports)), 0)
		t.PG = e.o.PGs[e.random.IntN(len(e.o.PGs))]
		counts := e.counts(all, t, shortest)
		n := counts[len(counts)-1]
		if i%2 == 1 {
			n = 1 + e.random.Int64N(n)
		}
		length := int64(shortest + e.random.IntN(1400))
		if i%3 == 0 {
			length = shortest
		}
		x := t.send(n, length)
		predicted := foretell(clones(all), &x)
		x, err := e.step(sw, x)
		if err != nil {
			return false, err
		}
		if arrived := foretell(all, &x); x.Packets < n { // the prediction is of those that reached the switch
			predicted = arrived
		}
		ok := x.Accepted.Meets(predicted)
		e.Controls = append(e.Controls, Control{x, predicted, ok})
		unlike += int(rules.One(!ok))
	}
	e.running = 0
	before := len(e.left)
	e.solve()
	return len(e.left) == 0 || unlike <= e.o.Outliers && len(e.left) == before, nil
}
