package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// A long run is mostly steady: the same flows share the same links, and pauses come and go as before. RunFast simulates
// a steady state for a while, and then leaps over as many repetitions of this while as fit before something changes.
//
// The state of the network does not change in a leap: its queues, pauses and timers are what they are. The counters
// advance by whole multiples of what they advanced before, the flows have so much less to send, and the clock of the
// network stops: it is behind the time of the model by the sum of all leaps (leaps.go). What waits for a fixed time,
// the start or the stop of a flow, comes nearer by the leap.
//
// A leap is an estimate, because queues do not repeat exactly: in an incast of 16 hosts no state repeated within 60,000
// frames. So a while is repeated only if it is steady: see steady_while.go. Whiles become longer until one is.

// FastForward is what RunFast has left out.
type FastForward struct {
	Skipped unit.Time // model time that was not simulated
	Leaps   int
	// Refused says why nothing may be left out; "" if something may.
	Refused string
}

// shortestHalf is half of the first while, in picoseconds.
const shortestHalf = int64(20 * unit.Microsecond)

// RunFast is Run that leaps over steady states. It ends early when stop returns true, which it asks at least once in 40
// us of simulated time; nil: it does not ask.
func (s *Sim) RunFast(until unit.Time, stop func() bool) FastForward {
	out := FastForward{Refused: s.leapless()}
	half, before := shortestHalf, unknownUnevenness
	for s.Now() < until && (stop == nil || !stop()) {
		if out.Refused != "" || int64(until-s.Now()) < 2*half {
			next := until
			if stop != nil {
				next = min(until, s.Now()+unit.Time(2*shortestHalf))
			}
			now := s.Now()
			if s.Run(next); s.Now() == now {
				break // nothing is pending
			}
			continue
		}
		s.sharers = s.shares()
		w := s.observeWhile(half, stop)
		switch {
		case w.end().at-w.start().at < 2*half:
			return out // nothing is pending, or stop said so
		case w.start().active != w.end().active:
			half, before = max(half/2, shortestHalf), unknownUnevenness
		case !s.steady(w, before):
			half, before = half*2, w.uneven
		default:
			before = w.uneven
			out.add(s.leapOver(w, int64(until)))
		}
	}
	return out
}

// add counts leaps.
func (f *FastForward) add(over unit.Time, leaps int) {
	f.Skipped += over
	f.Leaps += leaps
}

// leapOver repeats a steady while as often as it fits, and then its last parts, so that little is left to be
// simulated. It returns the time that was left out, and the number of leaps.
func (s *Sim) leapOver(w *while, until int64) (over unit.Time, leaps int) {
	end := w.end()
	for _, start := range w.points[:len(w.points)-1] {
		if n := s.room(start, end, until-s.leaps.sum()); n > 0 {
			s.leap(start, end, n)
			over += unit.Time(n * (end.at - start.at))
			leaps++
		}
	}
	return over, leaps
}

// leapless says why the network has no steady state that a leap may pass; "" if it may have one.
func (s *Sim) leapless() string {
	if len(s.failing.list) > 0 || s.failing.deadlocks.every > 0 {
		return "the network has failures, or looks for deadlocks"
	}
	for _, p := range s.parts {
		if p.observer != nil {
			return "an observer sees every event"
		}
	}
	for i := range s.ports {
		if s.ports[i].pausing.lldp != nil {
			return "ports send LLDP at their times"
		}
		if s.ports[i].pausing.layer != nil {
			return "links have credits, retry or errors, whose counters do not repeat"
		}
	}
	for i := range s.switches {
		if s.switches[i].tallies != nil || s.switches[i].rule != nil {
			return "a switch counts its queues, or has an admission rule"
		}
	}
	for i := range s.senders {
		if x := &s.senders[i]; len(x.frames) > 0 || x.message > 0 || x.trace != nil || x.bursts.on > 0 {
			return "a flow sends frames of several lengths, messages or bursts, or is silent at times"
		} else if x.rate.On() {
			return "the rates of DCQCN change more slowly than a while can show"
		}
	}
	return ""
}

// remains is the payload that a flow has not sent yet; of a flow without end it is never used up.
func (s *Sim) remains(i int) int64 {
	f := &s.flows[i]
	switch {
	case f.stop <= s.now:
		return 0
	case f.sender >= 0 && s.starting.payload[i] > 0:
		x := &s.senders[f.sender]
		return x.size - x.next.off
	case f.unsent < 0 || s.starting.payload[i] == 0:
		return clock.Never
	}
	return f.unsent
}

// shares divides the flows that send by what they share: the receiver, the class and the length of their frames.
func (s *Sim) shares() (out [][]int) {
	type link struct {
		to            int32
		class         uint8
		paced         bool
		frame, header int64
		rate          int64
	}
	index := map[link]int{}
	for i := range s.flows {
		f := &s.flows[i]
		if s.remains(i) == 0 || s.starting.at[i] > s.now {
			continue
		}
		key := link{f.toPort, f.class, f.paced, int64(f.frame), int64(f.header), int64(f.rate)}
		n, ok := index[key]
		if !ok {
			n = len(out)
			index[key] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out
}

// room is how often a while can be repeated before a flow ends, starts or stops, or the run ends; one more is left to
// be simulated.
func (s *Sim) room(start, end *progress, until int64) int64 {
	span := end.at - start.at
	n := (until - s.now) / span
	for i := range s.flows {
		f := &s.flows[i]
		if at := s.starting.at[i]; at > s.now && at < clock.Never {
			n = min(n, (at-s.now)/span)
		}
		if f.stop > s.now && f.stop < clock.Never {
			n = min(n, (f.stop-s.now)/span)
		}
	}
	for _, g := range s.sharers {
		frames := sum(g, start, end)
		if within(frames, 1, fewestShared-1) {
			return 0 // one frame more or less would be too much
		}
		each := (frames + int64(len(g)) - 1) / int64(len(g))
		for _, i := range g {
			if sent := each * (s.flows[i].frame - s.flows[i].header); sent > 0 {
				n = min(n, s.remains(i)/sent)
			}
		}
	}
	return n - 1
}

// sum is the frames of some flows in a while.
func sum(flows []int, start, end *progress) (n int64) {
	for _, i := range flows {
		n += end.delivered[i] - start.delivered[i]
	}
	return n
}
