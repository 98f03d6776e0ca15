package ecn

import (
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/unit"
)

// Stability is the behaviour of the fluid model with a delay in its loop.
type Stability struct {
	Delay       unit.Time  // from a mark to the sender's reaction
	Step        unit.Time  // of the integration
	Span        unit.Time  // integrated time; the values are those of its second half
	Mean        unit.Bytes // of the queue
	Deviation   unit.Bytes // standard deviation of the queue
	Max         unit.Bytes
	Utilisation float64 // of the bottleneck, 0 to 1
	Stable      bool
}

// The integration of [DCQCN.Stability].
const (
	stabilityStep = unit.Microsecond
	stabilitySpan = 400 * unit.Millisecond
)

// Stability integrates the fluid model with a delay in the loop. It starts with senders at line rate and an empty
// queue, uses Heun's method in steps of 1 us over 400 ms, and reports the second half:
//
//	dRc    = -Rc*alpha*a/(2*tau) + (Rt-Rc)*Rc'*(b+d)/2
//	dRt    = -(Rt-Rc)*a/tau + R_AI*Rc'*(c+e)
//	dalpha = g*((1-(1-p')^(tau'*Rc')) - alpha)/tau'
//	dq     = N*Rc - C
//
// A prime marks a value one delay ago. Rates are at most the line rate, the queue is not negative, and above Kmax
// everything is marked. The loop is called stable if the queue's standard deviation is at most a tenth of its mean and
// the queue has not run empty. The model has flows in step, no packets, no PFC, and no timers out of phase. A delay
// below a step counts as a step; one above 10 ms is refused, and one at which the integration diverges: a rate below 0
// has no meaning.
func (d DCQCN) Stability(e Thresholds, delay unit.Time) (Stability, error) {
	if err := d.validate(e); err != nil {
		return Stability{}, err
	}
	if delay < 0 || delay > 10*unit.Millisecond {
		return Stability{}, fmt.Errorf("loop delay %v (want 0 to 10 ms)", delay)
	}
	l := newLoop(d, e, delay)
	steps := int(stabilitySpan / stabilityStep)
	for range steps / 2 {
		l.step()
	}
	var seen statistics
	seen.least = math.Inf(1)
	for range steps / 2 {
		before := l.now.queue
		l.step()
		seen.add(l.now.queue, before+l.arrived-l.now.queue)
	}
	if math.IsNaN(seen.sum) || math.IsInf(seen.sum, 0) {
		return Stability{}, fmt.Errorf("loop delay %v: the fluid model diverges at %v with %d flows (want a shorter delay)",
			delay, d.Rate, d.Flows)
	}
	n, packet := float64(steps/2), float64(d.Packet)
	mean := seen.sum / n
	deviation := math.Sqrt(max(float64(seen.squares/n)-float64(mean*mean), 0))
	return Stability{
		Delay: delay, Step: stabilityStep, Span: stabilitySpan,
		Mean: inBytes(mean * packet), Deviation: inBytes(deviation * packet), Max: inBytes(seen.most * packet),
		Utilisation: seen.sent / (n * d.capacity() * seconds(stabilityStep)),
		Stable:      deviation <= mean/10 && seen.least > 0,
	}, nil
}

// inBytes rounds to bytes.
func inBytes(b float64) unit.Bytes { return unit.Bytes(math.Round(b)) }

// statistics is what Stability reports, in packets.
type statistics struct{ sum, squares, most, least, sent float64 }

// add adds a step.
func (s *statistics) add(queue, sent float64) {
	s.sum += queue
	s.squares += float64(queue * queue)
	s.most, s.least = max(s.most, queue), min(s.least, queue)
	s.sent += sent
}

// flow is the state of the integration in packets and seconds: the queue, and
// each sender's Rc, Rt and alpha. It is also used for their derivatives.
type flow struct{ current, target, estimate, queue float64 }

// loop integrates the model.
type loop struct {
	d                DCQCN
	kmin, kmax, pmax float64
	now              flow
	past             []sample // a ring with one delay and one step
	at               int
	reaction         reaction // to the sample one delay ago
	arrived          float64  // packets in the last step
}

// sample is the marking probability and a sender's rate at one time.
type sample struct{ mark, rate float64 }

// reaction is a sender's reaction to a sample, one delay later: how fast it halves the distance to its target, raises
// the target, and is cut, and the share of its intervals with a mark.
type reaction struct{ halve, raise, cut, seen float64 }

// newLoop returns the state at the start.
func newLoop(d DCQCN, e Thresholds, delay unit.Time) *loop {
	packet := float64(d.Packet)
	l := &loop{
		d: d, kmin: float64(e.KMin) / packet, kmax: float64(e.KMax) / packet,
		pmax: float64(e.PMax) / float64(unit.Whole),
		now:  flow{current: d.capacity(), target: d.capacity(), estimate: 1},
		past: make([]sample, 1+max(1, int((delay+stabilityStep-1)/stabilityStep))),
	}
	for i := range l.past {
		l.past[i] = sample{0, l.now.current}
	}
	l.reaction = l.react(l.past[0])
	return l
}

// marking returns the marking probability at the present queue depth.
func (l *loop) marking() float64 {
	switch {
	case l.now.queue <= l.kmin:
		return 0
	case l.now.queue > l.kmax:
		return 1
	}
	return l.pmax * (l.now.queue - l.kmin) / (l.kmax - l.kmin)
}

// react returns the reaction to a sample.
func (l *loop) react(s sample) reaction {
	g, tau := l.d.gains(s.mark, s.rate), seconds(l.d.CNPInterval)
	return reaction{
		halve: s.rate * (g.b + g.d) / 2,
		raise: float64(l.d.packets(l.d.Increase) * s.rate * (g.c + g.e)),
		cut:   atLeastOnce(s.mark, tau*s.rate) / tau,
		seen:  atLeastOnce(s.mark, seconds(l.d.AlphaTimer)*s.rate),
	}
}

// slope returns the derivatives of a state.
func (l *loop) slope(f flow, n reaction) flow {
	gap := f.target - f.current
	return flow{
		current:  float64(gap*n.halve) - float64(f.current*f.estimate*n.cut/2),
		target:   n.raise - float64(gap*n.cut),
		estimate: (n.seen - f.estimate) / (float64(l.d.Gain) * seconds(l.d.AlphaTimer)),
		queue:    float64(float64(l.d.Flows)*f.current) - l.d.capacity(),
	}
}

// move returns the state after a time h along a slope, within its bounds.
func (l *loop) move(f, s flow, h float64) flow {
	line := l.d.capacity()
	return flow{
		current:  min(f.current+float64(h*s.current), line),
		target:   min(f.target+float64(h*s.target), line),
		estimate: f.estimate + float64(h*s.estimate),
		queue:    max(f.queue+float64(h*s.queue), 0),
	}
}

// step advances by one step of Heun's method. Forward Euler weakens the damping
// of the loop enough to call a stable loop unstable.
func (l *loop) step() {
	h := seconds(stabilityStep)
	l.past[l.at] = sample{l.marking(), l.now.current}
	l.at = (l.at + 1) % len(l.past)
	soon := l.react(l.past[(l.at+1)%len(l.past)])
	first := l.slope(l.now, l.reaction)
	second := l.slope(l.move(l.now, first, h), soon)
	mean := flow{
		(first.current + second.current) / 2, (first.target + second.target) / 2,
		(first.estimate + second.estimate) / 2, (first.queue + second.queue) / 2,
	}
	l.arrived = float64((mean.queue + l.d.capacity()) * h)
	l.now, l.reaction = l.move(l.now, mean, h), soon
}
