package identify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Answer is what a switch says after packets were sent: how many were dropped, how many of these by the egress port,
// and whether the group is paused.
type Answer struct {
	Dropped, Egress int64
	Paused          bool
	Lost            int64        // packets that did not reach the switch
	Marks           []rules.Span // watermarks since [Switch.Begin] in cells, as [rules.Marks] has them; nil: not read
}

// Switch is a switch that is asked.
type Switch interface {
	// Begin drains all egress ports that are stopped.
	Begin() error
	// Send sends packets to a group, for an egress port, which it stops before if it is not stopped.
	Send(port, pg, dst int, packets, length int64) (Answer, error)
	// Release starts an egress port.
	Release(dst int) error
	// Paused tells whether a group is paused.
	Paused(port, pg int) (bool, error)
}

// ErrAgain says that the switch did not do what it was asked to: it is asked again.
var ErrAgain = errors.New("no answer")

// mostTries is how often a switch is asked for the same.
const mostTries = 20

// again asks until a switch does what it is asked to.
func again(ask func() error) (err error) {
	for range mostTries {
		if err = ask(); !errors.Is(err, ErrAgain) {
			break
		}
	}
	return err
}

// drain begins a session, or ends the last one.
func (e *Identification) drain(sw Switch) error {
	e.cost.Drains += int64(len(e.held))
	e.held, e.running = nil, 0
	return again(sw.Begin)
}

// step does a step in the session that goes on, and returns it with its answers.
func (e *Identification) step(sw Switch, x Step) (_ Step, err error) {
	if x.Release {
		x, err = e.release(sw, x)
	} else {
		x, err = e.send(sw, x)
	}
	if err == nil && e.running == 0 {
		e.Sessions, e.running = append(e.Sessions, nil), 1
	}
	if err == nil {
		s := &e.Sessions[len(e.Sessions)-1]
		*s = append(*s, x)
	}
	return x, err
}

// release starts an egress port, and reads which groups are paused.
func (e *Identification) release(sw Switch, x Step) (_ Step, err error) {
	e.cost.Drains++
	e.held = slices.DeleteFunc(e.held, func(d int) bool { return d == x.Dst })
	err = again(func() error { return sw.Release(x.Dst) })
	x.Paused = slices.Clone(x.Paused)
	for i := 0; i < len(x.Paused) && err == nil; i++ {
		p := &x.Paused[i]
		e.cost.Readings++
		err = again(func() (err error) { p.Is, err = sw.Paused(p.Port, p.PG); return err })
	}
	return x, err
}

// ask sends packets of a step.
func (e *Identification) ask(sw Switch, x Step, packets int64) (r Answer, err error) {
	err = again(func() (err error) { r, err = sw.Send(x.Port, x.PG, x.Dst, packets, x.Length); return err })
	e.cost.Readings++
	e.cost.Packets += packets
	return r, err
}

// send sends packets. If stray packets may leak out of an egress port that it stops, those that are lost are sent
// again, so that as many reach the switch as use up what leaks out.
func (e *Identification) send(sw Switch, x Step) (Step, error) {
	stops := !slices.Contains(e.held, x.Dst)
	r, err := e.ask(sw, x, x.Packets)
	for tries := 0; stops && e.o.Stray > 0 && r.Lost > 0 && err == nil; tries++ { // else what leaks out is not used up
		if tries == mostTries {
			return x, fmt.Errorf("port %d group %d: of %d packets for egress port %d, %d are lost after %d repetitions (want "+
				"a path that loses fewer, or a probe without stray packets)", x.Port, x.PG, x.Packets, x.Dst, r.Lost, tries)
		}
		var more Answer
		more, err = e.ask(sw, x, r.Lost)
		more.Dropped, more.Egress = more.Dropped+r.Dropped, more.Egress+r.Egress
		r = more
	}
	if err != nil {
		return x, err
	}
	x.answer(&r)
	e.egress = e.egress || x.Egress
	if e.o.Coarse && r.Dropped > 0 {
		x.Accepted = rules.Span{Hi: x.Packets - 1}
	}
	if stops { // only those that leak out of a new stop are not known
		e.held = append(e.held, x.Dst)
		x.Accepted.Lo = max(x.Accepted.Lo-e.o.Stray, 0)
	}
	if e.features&pauses != 0 || x.Paused != nil {
		x.Paused = []Pause{{x.Port, x.PG, r.Paused}}
	}
	if !e.released() { // else they are of what has left
		x.Marks = r.Marks
		e.cost.Readings += int64(len(r.Marks))
	}
	return x, nil
}

// released tells whether an egress port was started in the session that goes on.
func (e *Identification) released() bool {
	return e.running > 0 && e.Sessions[len(e.Sessions)-1].releases()
}

// Run asks a switch until nothing is left to ask, the drains are used up, or no rule is left. An error is the
// switch's. In the end all egress ports are drained.
func (e *Identification) Run(sw Switch) (Stop, error) {
	err := e.drain(sw)
	if err == nil {
		err = e.open(sw)
	}
	var stop Stop
	for err == nil && stop == "" {
		stop, err = e.advance(sw)
	}
	if end := e.drain(sw); err == nil { // no port is left stopped, if the switch still answers
		err = end
	}
	return stop, err
}

// advance does what is next: a session, or more features, or an end.
func (e *Identification) advance(sw Switch) (Stop, error) {
	switch {
	case e.egress:
		return Egress, nil
	case len(e.left) == 0:
		return Contradiction, nil
	case e.cost.Drains+int64(len(e.held)) >= int64(e.o.Drains): // with the last ones, which are drained in the end
		return Budget, nil
	}
	best := e.choose()
	switch {
	case e.stopped != nil:
		return "", e.stopped
	case e.Spent():
		return Effort, nil
	case len(best.steps) > 0:
		return "", e.converse(sw, best.steps)
	}
	if next := e.nextFeature(); next != 0 {
		e.use(next)
		return "", nil
	}
	if slices.ContainsFunc(e.left, func(h *hypothesis) bool { return len(h.points) == 0 }) { // as long as the budget allows it
		e.effort *= 4
		e.solve()
		return "", nil
	}
	done, err := e.control(sw)
	switch {
	case err != nil || !done:
		return "", err
	case len(e.left) == 0:
		return Contradiction, nil
	}
	return Same, nil
}

// converse runs a session: the steps that were chosen, and then, as long as they tell something, more steps.
func (e *Identification) converse(sw Switch, steps []Step) error {
	if err := e.drain(sw); err != nil {
		return err
	}
	all := e.particles(nil)
	for len(steps) > 0 {
		for i := 0; i < len(steps); i++ {
			x, err := e.step(sw, steps[i])
			if err != nil {
				return err
			}
			for k := range all {
				all[k].wrong += x.unlike(all[k].state)
			}
			all = slices.DeleteFunc(all, func(p particle) bool { return p.wrong > e.o.Outliers })
			for e.rungs() && x.Accepted.Hi < x.Packets && i+1 < len(steps) && steps[i+1].fills(&x) {
				i++ // it is full: more packets tell nothing
			}
		}
		steps, all = e.onward(all)
	}
	e.running = 0
	e.solve()
	return nil
}

// fills tells whether a step goes on to fill the group of the one before.
func (x *Step) fills(o *Step) bool {
	return !x.Release && x.Port == o.Port && x.PG == o.PG && x.Dst == o.Dst && x.Length == o.Length
}

// fewParticles is with how few possible switches none is chosen that starts an egress port, which costs a drain.
const fewParticles = 12

// onward returns the next steps of the session that goes on. If the possible switches that are left of those at hand
// do not differ, others are looked for, and then more features come into use. No steps: a new session tells more.
func (e *Identification) onward(all []particle) ([]Step, []particle) {
	s := e.Sessions[len(e.Sessions)-1]
	last := s[len(s)-1].Release
	for renewed := false; len(s) < mostSteps && !e.egress && !e.Spent(); {
		if len(all) > 1 && (!last || renewed || len(all) >= fewParticles) {
			var best option
			if last && e.o.Stray == 0 {
				e.releases(&best, all, s, false)
				if len(best.steps) > 0 && e.choose().value > best.value {
					return nil, nil
				}
			} else if !last {
				e.fills(&best, all, s, false)
			}
			if len(best.steps) > 0 {
				return best.steps, all
			}
		}
		if !renewed {
			e.solve()
		} else if next := e.nextFeature(); next == 0 || last || next == release || len(e.left) == 0 || len(e.left) > 8 ||
			len(e.choose().steps) > 0 {
			return nil, nil
		} else {
			e.use(next)
		}
		renewed = true
		all = e.particles(s)
	}
	return nil, nil
}

// overfill is more packets than a group can have room for.
func (e *Identification) overfill() int64 {
	k := &e.o.Known
	return k[rules.Shared].Hi + ownedByPort*k[rules.Headroom].Hi + k[rules.Reserved].Hi + k[rules.Leak].Hi + e.o.Stray + 1
}

// opened is how many groups the first session fills.
const opened = 12

// open fills groups of one slice one after the other, each with more packets than the switch can have room for. What
// they took tells the most of a switch of which nothing is known, if it counts.
func (e *Identification) open(sw Switch) error {
	if e.o.Coarse {
		e.use(several) // even the first group tells forms of the limit and owners of headroom apart
		return nil
	}
	most := e.overfill()
	var s Session
	for i := range min(opened, (len(e.o.Ports)+3)/4) {
		x, err := e.step(sw, e.group(4*i, 0).send(most, shortest))
		if err != nil {
			return err
		}
		s = append(s, x)
		most = x.Accepted.Hi + x.Accepted.Hi/2 + 64 // no group after it has more room
		if i > 1 && s[i].Accepted == s[i-1].Accepted && s[i].Accepted == s[i-2].Accepted {
			break
		}
	}
	e.running = 0
	if !e.egress {
		e.use(several)
	}
	return nil
}

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
