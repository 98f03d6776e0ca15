package pushworld

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// Stream is what an operator does with a switch, one thing after the other, where nothing fails but the pushers that
// the operator kills: the switch has to end alike, whatever the pushes are told about phases, commits and journals.
type Stream struct {
	Ends   Content    // what the switch holds in the end
	Drifts [][]string // what each drift has found: registers, or paths of native values
	Wrong  []string   // what happened that must not
	Lines  []string   // what happened, for people
}

// Manners are all ways in which a Stream can be pushed.
func Manners() []string {
	var out []string
	for _, m := range manners() {
		out = append(out, m.String())
	}
	return out
}

func manners() []manner {
	var out []manner
	for _, phased := range []bool{false, true} {
		for _, rollback := range []time.Duration{0, 2 * time.Minute} {
			out = append(out, manner{phased: phased, rollback: rollback, journal: true})
		}
	}
	return out
}

// RunStream runs the stream of a seed in one of the Manners. The kind of the switch and the steps are the seed's alone.
func RunStream(t *testing.T, seed uint64, how int) *Stream {
	t.Helper()
	var w *World
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, Options{Record: true})
		w.faults.stop()
		w.extras = &extras{Rand: w.extras.Rand}
		w.target.quirks.commits = commitsWork
		m := manners()[how]
		w.note("world", "a switch of kind %s; pushes with%v", w.kind, m)
		w.stream(rand.New(rand.NewPCG(seed, 1)), m)
	})
	s := &Stream{Ends: w.target.content(), Wrong: w.model.wrong, Lines: w.lines}
	for _, o := range w.operations {
		if o.verb == compare {
			s.Drifts = append(s.Drifts, o.differs)
		}
	}
	return s
}

// stream makes the steps.
func (w *World) stream(steps *rand.Rand, how manner) {
	last := w.newJob(0, how)
	last.file = ""
	for range 3 + steps.IntN(5) {
		j := w.newJob(steps.IntN(len(w.plans)), how)
		switch steps.IntN(8) {
		case 0, 1:
			w.alone(j, apply, 0)
			last = j
		case 2: // an apply that is killed is finished
			w.alone(j, apply, time.Duration(1+steps.IntN(400))*time.Millisecond)
			w.alone(j, resume, 0)
			if j.file == "" { // it was killed before it had sent anything
				w.alone(j, apply, 0)
			}
			last = j
		case 3: // an apply that is killed is undone
			w.alone(j, apply, time.Duration(1+steps.IntN(400))*time.Millisecond)
			w.alone(j, undo, 0)
		case 4:
			if last.file != "" && last.plan.name != tooLarge {
				w.alone(last, undo, 0)
				last = w.newJob(0, how)
			}
		case 5:
			w.target.restart()
			w.run(func() bool { return false })
		case 6:
			if m, ok := w.target.machine.(*openConfig); ok {
				w.model.byConsole(m.rename)
			}
		case 7: // the last plan, or one that may differ
			j.plan = []plan{last.plan, j.plan}[steps.IntN(2)]
			w.alone(j, compare, 0)
		}
	}
}

func (w *World) newJob(plan int, how manner) *job {
	j := &job{number: len(w.jobs) + 1, plan: w.plans[plan], how: how}
	w.jobs = append(w.jobs, j)
	return j
}

// alone runs one operation to its end, or kills it after a time, and waits until nothing is under way.
func (w *World) alone(j *job, v verb, killed time.Duration) {
	if (v == resume || v == undo) && j.file == "" {
		return
	}
	o := w.begin(fmt.Sprintf("pusher %d", 1), w.computers[0], j, v, nil)
	if killed > 0 {
		w.after(killed, o.kill)
	}
	w.run(func() bool { return false })
}
