package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// A long run is mostly steady: the same flows share the same links, and pauses come and go as before. RunFast simulates
// a steady state for a while, and then leaps over as many repetitions of this while as fit before something changes.
//
// The state of the network does not change in a leap: its queues, pauses and timers are what they are. The counters
// advance by whole multiples of what they advanced before, the flows have so much less to send, and the clock of the
// network stops: it is behind the time of the model by the sum of all leaps (Sim.leap). What waits for a fixed time,
// the start or the stop of a flow, comes nearer by the leap.
//
// A leap is an estimate, because queues do not repeat exactly: in an incast of 16 hosts no state repeated within 60,000
// frames. So a while is repeated only if it is steady: see below. Whiles become longer until one is.

// FastForward is what RunFast has left out. Leaps counts the leaps. With Refused the run is exact, as by Run.
type FastForward struct {
	Skipped unit.Time // model time that was not simulated
	Leaps   int
	// Refused says why nothing may be left out; "" if something may.
	Refused string
}

// shortestHalf is half of the first while, in picoseconds.
const shortestHalf = int64(20 * unit.Microsecond)

// RunFast is Run that leaps over steady states. It ends early when stop returns true, which it asks at least once in
// 40 us of simulated time; nil: it does not ask. until is model time, which includes what is skipped.
func (s *Sim) RunFast(until unit.Time, stop func() bool) FastForward {
	out := FastForward{Refused: s.leapless()}
	half, before := shortestHalf, unknownUnevenness
	for s.Now() < until && (stop == nil || !stop()) {
		// Nothing may be left out, or what is left is shorter than a while: then each event is simulated.
		if out.Refused != "" || int64(until-s.Now()) < 2*half {
			next := until
			if stop != nil {
				// These are the 40 us within which stop is asked.
				next = min(until, s.Now()+unit.Time(2*shortestHalf))
			}
			now := s.Now()
			if s.Run(next); s.Now() == now {
				break // nothing is pending
			}
			continue
		}
		// Flows can have begun or ended since the last while.
		s.sharers = s.shares()
		w := s.observeWhile(half, stop)
		switch {
		case w.end().at-w.start().at < 2*half:
			return out // nothing is pending, or stop said so
		// Other flows send at its end, so the next while begins short again.
		case w.start().active != w.end().active:
			half, before = max(half/2, shortestHalf), unknownUnevenness
		// A longer while can show what a short one cannot.
		case !s.steady(w, before):
			half, before = half*2, w.uneven
		default:
			before = w.uneven
			s.leapOver(w, int64(until), &out)
		}
	}
	return out
}

// leapOver repeats a steady while as often as it fits, and then its last parts, so that little is left to be
// simulated. It counts the time that is left out, and the leaps. The whole while comes first, then what fits of its
// second half, its last quarter and its last eighth.
func (s *Sim) leapOver(w *while, until int64, out *FastForward) {
	end := w.end()
	for _, start := range w.points[:len(w.points)-1] {
		if n := s.room(start, end, until-s.leaps.sum()); n > 0 {
			s.leap(start, end, n)
			out.Skipped += unit.Time(n * (end.at - start.at))
			out.Leaps++
		}
	}
}

// leap skips n repetitions of a while. Only counters that steady has found alike are multiplied; the peaks of the
// accounts stay.
func (s *Sim) leap(start, end *progress, n int64) {
	over := n * (end.at - start.at)
	s.leaps = append(s.leaps, leapOver{s.now, over})
	// Totals are sums over the parts, so one part can take all of it.
	total := &s.parts[0].total
	passed := make([]int64, len(s.flows))
	for _, g := range s.sharers {
		// Flows that share a link pass equally many.
		frames, flows := n*sum(g, start, end), int64(len(g))
		for k, i := range g {
			// The parts are whole frames, and add up to all of them.
			passed[i] = (frames*(int64(k)+1))/flows - frames*int64(k)/flows
			s.pass(i, passed[i])
		}
	}
	s.passPackets(passed)
	for i := range s.ports {
		s.ports[i].pass(&start.ports[i], &end.ports[i], n)
	}
	a, z := &start.total, &end.total
	total.PauseSent += n * (z.PauseSent - a.PauseSent)
	total.ResumeSent += n * (z.ResumeSent - a.ResumeSent)
	total.Marked += n * (z.Marked - a.Marked)
	for kind := range total.Feedback {
		total.Feedback[kind] += n * (z.Feedback[kind] - a.Feedback[kind])
	}
	// As many answers are made as arrive, so that those under way stay the same.
	answers := n * (z.FeedbackDelivered - a.FeedbackDelivered)
	total.FeedbackMade += answers
	total.FeedbackDelivered += answers
	s.bringNearer(over)
}

// leapless says why the network has no steady state that a leap may pass; "" if it may have one. The reason is a text
// for the user, without a full stop.
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
		if s.switches[i].trim.bytes > 0 {
			return "a switch trims frames"
		}
	}
	for i := range s.senders {
		if x := &s.senders[i]; len(x.frames) > 0 || x.message > 0 || x.trace != nil || x.bursts.on > 0 {
			return "a flow sends frames of several lengths, messages or bursts, or is silent at times"
		} else if x.selective != nil {
			return "a flow repeats single frames"
		} else if x.rate.On() {
			return "the rates of DCQCN change more slowly than a while can show"
		}
	}
	return ""
}

// room is how often a while can be repeated before a flow ends, starts or stops, or the run ends; one more is left to
// be simulated. It can be negative, which is none. Each fixed time counts, since the while must not pass it.
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

// pass counts frames of a flow that were sent and delivered in a leap. All frames of such a flow have one length
// (leapless).
func (s *Sim) pass(i int, frames int64) {
	f := &s.flows[i]
	payload := frames * (f.frame - f.header)
	f.sent += frames
	f.delivered += frames
	f.bytes += frames * f.frame
	if f.sender >= 0 {
		x := &s.senders[f.sender]
		for _, at := range []*position{&x.next, &x.oldest} {
			at.seq += int32(frames)
			at.off += payload
		}
		x.newest += int32(frames)
		x.expected += int32(frames)
		return
	}
	f.packet.Seq += int32(frames)
	if f.unsent > 0 {
		f.unsent -= payload
	}
}

// passPackets gives the frames under way the numbers that they have after a leap: those of flows with
// acknowledgements are compared.
func (s *Sim) passPackets(passed []int64) {
	renumber := func(r *packet.Queue) {
		for j := range r.Len {
			r.At(j).Seq += int32(passed[r.At(j).Flow])
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		renumber(&p.line)
		for q := range p.queues {
			renumber(&p.queues[q])
		}
	}
}

// pass advances the counters of a port. a and z are the counters at the beginning and the end of the while.
func (p *port) pass(a, z *PortCounters, n int64) {
	p.framesIn += n * (z.FramesIn - a.FramesIn)
	p.framesOut += n * (z.FramesOut - a.FramesOut)
	p.bytesIn += n * (z.BytesIn - a.BytesIn)
	p.bytesOut += n * (z.BytesOut - a.BytesOut)
	if p.history == nil {
		return // and so a and z have no more either
	}
	c := p.history
	c.PauseFramesIn += n * (z.PauseFramesIn - a.PauseFramesIn)
	c.PauseFramesOut += n * (z.PauseFramesOut - a.PauseFramesOut)
	for q := range c.PauseSent {
		c.PauseSent[q] += n * (z.PauseSent[q] - a.PauseSent[q])
		c.ResumeSent[q] += n * (z.ResumeSent[q] - a.ResumeSent[q])
		c.PauseReceived[q] += n * (z.PauseReceived[q] - a.PauseReceived[q])
		c.ResumeReceived[q] += n * (z.ResumeReceived[q] - a.ResumeReceived[q])
		c.Marked[q] += n * (z.Marked[q] - a.Marked[q])
		c.PausedTime[q] += unit.Time(n) * (z.PausedTime[q] - a.PausedTime[q])
	}
}

// bringNearer moves the fixed times that are to come by the length of a leap. over is in picoseconds. The stop of a
// flow has no event, so its time alone is changed.
func (s *Sim) bringNearer(over int64) {
	for i := range s.flows {
		f := &s.flows[i]
		if f.stop > s.now && f.stop < clock.Never {
			f.stop -= over
		}
		if at := s.starting.at[i]; at > s.now && at < clock.Never {
			of, source := s.partOf(f.from), s.flowSource(int32(i))
			// The event is taken from its old time and put at the new one.
			of.Cancel(source)
			s.starting.at[i] = at - over
			of.Set(source, at-over)
		}
	}
	for g := range s.starting.gates {
		for i := range s.starting.gates[g].followers {
			s.starting.gates[g].followers[i].earliest -= over
		}
	}
}

// A while is steady if its halves agree, and if the pauses do not become more even any more.
//
// Hosts that start together pause together, and leave this step only slowly: for tens of milliseconds pauses become
// rarer, by 20 % in an incast of 16 hosts, in which time the halves of many a while agree by chance. How even the
// pauses are shows this much more clearly than their number: the time of all pauses in a beat of some microseconds
// differs from its mean by 5 % as long as the hosts pause together, and by less and less afterwards, about in
// proportion to the inverse of the time since the start. Where it does not fall any more, or is small, the number of
// pauses stands within 1 % of where it stays (measured in incasts of 4 to 128 hosts; TestRunFastAgainstExact).
