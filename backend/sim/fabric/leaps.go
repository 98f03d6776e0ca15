package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// leaps are the times of a fast run that were not simulated: see fast_forward.go.
type leaps []leapOver

// leapOver is a leap: at a time of the network's clock, over so much time of the model.
type leapOver struct{ at, over int64 }

// sum is the length of all leaps: by so much the clock of the network is behind the time of the model.
func (l leaps) sum() (sum int64) {
	for _, x := range l {
		sum += x.over
	}
	return sum
}

// real turns a time of the network's clock into the time of the model. What happened at the time of a leap happened
// before it.
func (l leaps) modelTime(at int64) unit.Time {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].at < at {
			return unit.Time(at + l[:i+1].sum())
		}
	}
	return unit.Time(at)
}

// leap passes so many repetitions of a while.
func (s *Sim) leap(start, end *progress, n int64) {
	over := n * (end.at - start.at)
	s.leaps = append(s.leaps, leapOver{s.now, over})
	total := &s.parts[0].total
	passed := make([]int64, len(s.flows))
	for _, g := range s.sharers {
		// Flows that share a link pass equally many.
		frames, flows := n*sum(g, start, end), int64(len(g))
		for k, i := range g {
			passed[i] = (frames*(int64(k)+1))/flows - frames*int64(k)/flows
			s.pass(i, passed[i])
		}
		total.Sent += frames
		total.Delivered += frames
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

// pass counts frames of a flow that were sent and delivered in a leap.
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
	f.seq += int32(frames)
	if f.unsent > 0 {
		f.unsent -= payload
	}
}

// passPackets gives the frames under way the numbers that they have after a leap: those of flows with acknowledgements
// are compared.
func (s *Sim) passPackets(passed []int64) {
	renumber := func(k *packet.Packet) { k.Seq += int32(passed[k.Flow]) }
	for _, p := range s.parts {
		for i := range p.store.Packets {
			renumber(&p.store.Packets[i])
		}
	}
	for i := range s.ports {
		l := &s.ports[i].line
		for j := range l.Len {
			renumber(&l.At(j).packet)
		}
	}
}

// pass advances the counters of a port.
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

// bringNearer moves the fixed times that are to come by the length of a leap.
func (s *Sim) bringNearer(over int64) {
	for i := range s.flows {
		f := &s.flows[i]
		if f.stop > s.now && f.stop < clock.Never {
			f.stop -= over
		}
		if at := s.starting.at[i]; at > s.now && at < clock.Never {
			of, source := s.partOf(f.from), s.flowSource(int32(i))
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
