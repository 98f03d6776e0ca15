package fabric

import (
	"slices"

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
// frames. So a while counts as steady only if its two halves agree, for each flow, and for the pauses and marks of the
// network: see steady. It becomes longer until they do.

// FastForward is what RunFast has left out.
type FastForward struct {
	Skipped unit.Time // model time that was not simulated
	Leaps   int
	// Refused says why nothing may be left out; "" if something may.
	Refused string
}

// The halves of a steady while differ by at most one part in so many, in the frames of each flow and in the pauses and
// marks of the network.
const (
	flowTolerance    = 200
	shareTolerance   = 50 // of a flow from the mean of those that share a link
	networkTolerance = 50
	fewestFrames     = 200 // of each flow that sends, in a while
)

// shortestHalf is half of the first while, in picoseconds.
const shortestHalf = int64(20 * unit.Microsecond)

// RunFast is Run that leaps over steady states. It ends early when stop returns true, which it asks before each while;
// nil: it does not ask.
func (s *Sim) RunFast(until unit.Time, stop func() bool) FastForward {
	out := FastForward{Refused: s.leapless()}
	half := shortestHalf
	for s.Now() < until && (stop == nil || !stop()) {
		if out.Refused != "" || int64(until-s.Now()) < 2*half {
			next := until
			if stop != nil {
				next = min(until, s.Now()+unit.Time(max(half, 2*shortestHalf)))
			}
			before := s.Now()
			if s.Run(next); s.Now() == before {
				break // nothing is pending
			}
			continue
		}
		s.sharers = s.shares()
		start := s.progress()
		s.Run(s.Now() + unit.Time(half))
		middle := s.progress()
		s.Run(s.Now() + unit.Time(half))
		end := s.progress()
		switch {
		case end.at-start.at < 2*half:
			return out // nothing is pending
		case start.active != end.active:
			half = max(half/2, shortestHalf)
		case !s.steady(start, middle, end):
			half *= 2
		default:
			if n := s.room(start, end, int64(until)-s.leaps.sum()); n > 0 {
				s.leap(start, end, n)
				out.Skipped += unit.Time(n * (end.at - start.at))
				out.Leaps++
			}
		}
	}
	return out
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
		} else if x.reaction.on {
			return "the rates of DCQCN change more slowly than a while can show"
		}
	}
	return ""
}

// progress is what counters show at a time.
type progress struct {
	at        int64
	active    uint64  // which flows send, as a hash
	delivered []int64 // frames of each flow
	ports     []PortCounters
	total     totals
	paused    int64 // sum of all pauses
	peaks     int64 // sum of the largest use of all groups
	waiting   int64 // frames under way
}

// progress returns the counters now.
func (s *Sim) progress() *progress {
	p := &progress{at: s.now, total: s.totals(), waiting: s.underWay()}
	for i := range s.flows {
		p.delivered = append(p.delivered, s.flows[i].delivered)
		if s.remains(i) > 0 && s.starting.at[i] <= s.now {
			p.active = mix(p.active ^ uint64(i) + 1)
		}
	}
	for i := range s.ports {
		e := s.endOf(int32(i))
		c := s.Counters(e)
		for q := range c.PausedTime {
			if s.ports[i].linked {
				c.PausedTime[q] = s.PausedTime(e, q)
				p.paused += int64(c.PausedTime[q])
			}
		}
		p.ports = append(p.ports, c)
	}
	sum := s.Summary()
	p.peaks = int64(sum.MaxHeadroom + sum.MaxShared)
	return p
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
	case f.left < 0 || s.starting.payload[i] == 0:
		return never
	}
	return f.left
}

// steady tells whether the two halves of a while agree. Flows of one class to one host share a link: they are fair to
// each other in the long run, and one after the other is ahead meanwhile. So if each of them is near the mean, the sum
// of such flows must agree, and else each flow.
func (s *Sim) steady(start, middle, end *progress) bool {
	if end.total.Drops > start.total.Drops || end.total.Resent > start.total.Resent ||
		end.total.Timeouts > start.total.Timeouts || end.peaks > middle.peaks {
		return false
	}
	s.sharers = split(s.sharers, start, end)
	frames := int64(0)
	for _, g := range s.sharers {
		first, second := sum(g, start, middle), sum(g, middle, end)
		if first+second == 0 {
			continue
		}
		if first+second < fewestFrames*int64(len(g)) || !near(first, second, flowTolerance) {
			return false
		}
		frames += first + second
	}
	// The frames under way do not become many more, or many less.
	return frames > 0 && within((end.waiting-start.waiting)*flowTolerance, -frames, frames) &&
		near(middle.total.PauseSent-start.total.PauseSent, end.total.PauseSent-middle.total.PauseSent, networkTolerance) &&
		near(middle.total.Marked-start.total.Marked, end.total.Marked-middle.total.Marked, networkTolerance) &&
		near(middle.paused-start.paused, end.paused-middle.paused, networkTolerance)
}

// split takes apart flows that were not served equally: something else than the common link limits some of them.
func split(groups [][]int, start, end *progress) (out [][]int) {
	for _, g := range groups {
		all := sum(g, start, end)
		unequal := slices.ContainsFunc(g, func(i int) bool {
			return !near((end.delivered[i]-start.delivered[i])*int64(len(g)), all, shareTolerance)
		})
		if !unequal {
			out = append(out, g)
			continue
		}
		for k := range g {
			out = append(out, g[k:k+1])
		}
	}
	return out
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

// near tells whether two numbers differ by at most one part in so many of their sum, or by one.
func near(a, b, part int64) bool { return within((a-b)*part, -max(a+b, part), max(a+b, part)) }

// room is how often a while can be repeated before a flow ends, starts or stops, or the run ends; one more is left to
// be simulated.
func (s *Sim) room(start, end *progress, until int64) int64 {
	span := end.at - start.at
	n := (until - s.now) / span
	for i := range s.flows {
		f := &s.flows[i]
		if at := s.starting.at[i]; at > s.now && at < never {
			n = min(n, (at-s.now)/span)
		}
		if f.stop > s.now && f.stop < never {
			n = min(n, (f.stop-s.now)/span)
		}
	}
	for _, g := range s.sharers {
		each := (sum(g, start, end) + int64(len(g)) - 1) / int64(len(g))
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
