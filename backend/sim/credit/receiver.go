package credit

import "github.com/cellwarden/cellwarden/cells"

// receiver is the receiving end of a Link: its buffers and egresses, and its direction of the link.
type receiver struct {
	Receiver
	Sequence
	stored []cells.Count // of each channel
	queues [][]*frame    // in the buffer
	total  cells.Count
	busy   bool
	noise  Noise
	wake   int64 // time at which another look is scheduled
}

func (r *receiver) init(s *run) {
	n := len(s.Channels)
	r.Receiver = NewReceiver(n, s.Spacing, s.Most)
	if s.Retry != nil {
		r.Sequence.Spacing = s.Retry.Spacing
	}
	r.stored, r.queues = make([]cells.Count, n), make([][]*frame, n)
	r.noise = NewNoise(s.Errors, s.Seed, 2)
}

// arrive handles a frame whose last bit is there.
func (r *receiver) arrive(s *run, f *frame) {
	if s.Retry != nil && !r.Accept(f.number, !f.bad) {
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

// reset handles an INIT: the frames that were given up and have not arrived are lost.
func (r *receiver) reset(s *run, i *Init[*frame]) {
	for _, k := range i.Given {
		switch {
		case k.Number < r.Expected(): // it has arrived
		case k.Frame.channel < 0:
			s.result.CCLost++
			s.ended(k.Frame)
		default:
			s.lose(k.Frame)
		}
	}
	r.Reset(i.Next)
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
		n := r.Reconcile(c)
		s.result.Channels[c.Channel].Repaired += n
		s.leaked[c.Channel] -= n
	}
	s.ended(f)
}

// ended counts a CC_Update that is no longer under way.
func (s *run) ended(f *frame) {
	for _, c := range f.consumed {
		s.sender.updates[c.Channel]--
		s.sender.stopIfIdle(s, c.Channel)
	}
}

// store puts a frame in the buffer.
func (r *receiver) store(s *run, f *frame) {
	n := s.memory.Cell.Packet(f.size, s.memory.Overhead)
	i := f.channel
	s.underway[i] -= f.credits
	r.Receiver.Ends[i].Arrive(f.credits)
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

// tryReverse sends what is due in the other direction: an answer, or a frame if the direction is never idle.
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
		return
	}
	if at := min(r.Sequence.Next(s.now), r.Receiver.Next(s.now)); at < Never && at != r.wake {
		r.wake = at
		s.add(event{at: at, kind: reverseDue})
	}
}

// answerDue returns the answer that is to be sent now, if there is one: those of LLR first, then a CF_Update.
func (r *receiver) answerDue(s *run) (answer, bool) {
	if next, due := r.Echo(); due {
		return answer{kind: initEcho, number: next}, true
	}
	if a, due := r.Answer(s.now); due {
		kind := acknowledge
		if a.Refused {
			kind = refuse
		}
		return answer{kind: kind, number: a.Number}, true
	}
	f, due := r.Update(s.now)
	return answer{kind: cfUpdate, channel: f.Channel, freed: f.Counter}, due
}

// tell sends an ordered set, unless an error falls on it. INIT_ECHO is never lost (inferred: nothing is published about
// it).
func (s *run) tell(a answer) {
	length := s.answer()
	s.rx.busy = true
	s.add(event{at: s.now + length, kind: reverseFree})
	lost := s.rx.noise.Hits(s.now, s.now+length) && a.kind != initEcho
	if a.kind == cfUpdate {
		s.result.CFSent++
		if lost {
			s.result.CFLost++
		}
	}
	if !lost {
		s.add(event{at: s.now + length + s.Way + s.Apply, kind: answerDone, answer: a})
	}
}
