package credit

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
)

// receiver is the receiving end: its buffers and egresses, and its direction of
// the link.
type receiver struct {
	ends   []cbfc.Receiver
	news   []bool        // the channel has freed something that no CF_Update has told
	off    []bool        // no CF_Updates of the channel are sent
	stored []cells.Count // of each channel
	queues [][]*frame    // in the buffer
	total  cells.Count
	turnOf int // the channel whose CF_Update is asked for first
	last   int64
	sent   bool // a CF_Update was sent at last
	busy   bool
	noise  noise
	// of LLR
	expected int64 // number of the next frame in order
	refused  bool  // a refusal was sent, and the frame has not come yet
	due      answerKind
	isDue    bool
	lastAck  int64
	// times at which another look is scheduled
	wake, wakeAck int64
	sentAck       bool
}

func (r *receiver) init(s *run) {
	n := len(s.Channels)
	r.ends, r.news, r.stored = make([]cbfc.Receiver, n), make([]bool, n), make([]cells.Count, n)
	r.off = make([]bool, n)
	r.queues = make([][]*frame, n)
	r.noise = newNoise(s.Errors, s.Seed, 2)
}

// arrive handles a frame whose last bit is there.
func (r *receiver) arrive(s *run, f *frame) {
	if s.Retry != nil && !r.inOrder(s, f) {
		return
	}
	switch {
	case f.bad && f.channel < 0:
		s.result.CCLost++
		s.ended(f)
	case f.bad:
		s.lose(f)
	case f.channel < 0:
		r.reconcile(s, f)
	default:
		r.store(s, f)
	}
}

// lose counts a frame that never arrives: its credits leak.
func (s *run) lose(f *frame) {
	s.result.Channels[f.channel].Lost++
	s.underway[f.channel] -= f.credits
	s.leaked[f.channel] += f.credits
}

// reconcile repairs what leaked before a CC_Update.
func (r *receiver) reconcile(s *run, f *frame) {
	for _, c := range f.consumed {
		if n := r.ends[c.channel].Reconcile(c.counter); n > 0 {
			s.result.Channels[c.channel].Repaired += n
			s.leaked[c.channel] -= n
			r.news[c.channel] = true
		}
	}
	s.ended(f)
}

// ended counts a CC_Update that is no longer under way.
func (s *run) ended(f *frame) {
	for _, c := range f.consumed {
		s.sender.updates[c.channel]--
		s.sender.stopIfIdle(s, c.channel)
	}
}

// store puts a frame in the buffer.
func (r *receiver) store(s *run, f *frame) {
	n := s.memory.Cell.Packet(f.size, s.memory.Overhead)
	i := f.channel
	s.underway[i] -= f.credits
	r.ends[i].Arrive(f.credits)
	if r.total+n > s.room {
		s.result.Overflow++
		s.result.Channels[i].Lost++
		s.add(event{at: s.now, kind: frameFreed, channel: i, frame: f}) // it takes no cell
		return
	}
	r.total += n
	r.stored[i] += n
	s.result.Stored = max(s.result.Stored, r.total)
	s.result.Channels[i].Stored = max(s.result.Channels[i].Stored, r.stored[i])
	r.queues[i] = append(r.queues[i], f)
	if len(r.queues[i]) == 1 {
		r.forward(s, i)
	}
}

// forward begins the first frame of a channel at its egress.
func (r *receiver) forward(s *run, i int) {
	c, at := &s.Channels[i], s.now
	for _, stop := range c.Stops {
		if at >= stop.From && at < stop.To {
			at = stop.To
		}
	}
	s.add(event{at: at + c.Slow*r.queues[i][0].bits, kind: frameLeft, channel: i})
}

// left removes a frame that has left by the egress.
func (r *receiver) left(s *run, i int) {
	f := r.queues[i][0]
	r.queues[i] = r.queues[i][1:]
	n := s.memory.Cell.Packet(f.size, s.memory.Overhead)
	r.stored[i] -= n
	r.total -= n
	s.result.Channels[i].Delivered++
	s.result.Channels[i].Bits += f.bits
	s.add(event{at: s.now + s.Hold, kind: frameFreed, channel: i, frame: f})
	if len(r.queues[i]) > 0 {
		r.forward(s, i)
	}
}

// free counts the credits of a frame as freed.
func (r *receiver) free(s *run, e *event) {
	r.ends[e.channel].Free(e.frame.credits)
	r.news[e.channel] = true
}

// tryReverse sends what is due in the other direction: an acknowledgement, a
// CF_Update, or a frame if the direction is never idle.
func (s *run) tryReverse() {
	r := &s.rx
	if r.busy || s.now < s.Phase {
		return
	}
	if a, due := r.answerDue(s); due {
		s.tell(a)
		return
	}
	if s.Reverse > 0 {
		r.busy = true
		s.add(event{at: s.now + s.Reverse, kind: reverseFree})
	}
}

// answerDue returns the answer that is to be sent now, if there is one. For one
// that has to wait for the spacing it schedules another look.
func (r *receiver) answerDue(s *run) (answer, bool) {
	if r.isDue {
		if at := r.lastAck + s.Retry.Spacing; r.due == refuse || !r.sentAck || s.now >= at {
			r.isDue, r.lastAck, r.sentAck = false, s.now, true
			return answer{kind: r.due, number: r.expected - 1}, true
		} else if s.Reverse == 0 {
			s.lookAt(&r.wakeAck, at)
		}
	}
	anyway := s.Most > 0 && s.now >= r.last+s.Most
	for k := range r.ends {
		i := (r.turnOf + k) % len(r.ends)
		if r.off[i] || !r.news[i] && !anyway {
			continue
		}
		if at := r.last + s.Spacing; r.sent && s.now < at {
			if s.Reverse == 0 {
				s.lookAt(&r.wake, at)
			}
			return answer{}, false
		}
		r.turnOf, r.news[i], r.last, r.sent = i+1, false, s.now, true
		return answer{kind: cfUpdate, channel: i, freed: r.ends[i].Freed}, true
	}
	return answer{}, false
}

// lookAt schedules another look, once.
func (s *run) lookAt(scheduled *int64, at int64) {
	if *scheduled != at {
		*scheduled = at
		s.add(event{at: at, kind: reverseDue})
	}
}

// tell sends an ordered set, unless an error falls on it.
func (s *run) tell(a answer) {
	s.rx.busy = true
	s.add(event{at: s.now + answerBits, kind: reverseFree})
	lost := s.rx.noise.hits(s.now, s.now+answerBits)
	switch a.kind {
	case cfUpdate:
		s.result.CFSent++
		if lost {
			s.result.CFLost++
		}
		if s.Most > 0 {
			s.add(event{at: s.now + s.Most, kind: reverseDue})
		}
	case acknowledge:
		s.result.Acks++
	case refuse:
		s.result.Nacks++
	}
	if !lost {
		s.add(event{at: s.now + answerBits + s.Way + s.Apply, kind: answerDone, answer: a})
	}
}
