package credits

import "github.com/cellwarden/cellwarden/cells"

// receiver is what a Link has beside the state of its receiving end: its buffers and egresses, and its direction of
// the link. busy is of the direction back, in which the answers go. All times are bit times. wake is 0 before the
// first look.
type receiver struct {
	stored []cells.Count // of each channel
	queues [][]*frame    // in the buffer
	total  cells.Count
	busy   bool
	wake   int64 // time at which another look is scheduled
}

// newReceiver returns empty buffers. No channel has a buffer of its own: room bounds all together.
func newReceiver(channels int) receiver {
	return receiver{stored: make([]cells.Count, channels), queues: make([][]*frame, channels)}
}

// arrive handles a frame whose last bit is there. A CC_Update takes no cell: it ends where it arrives.
func (r *receiver) arrive(s *run, f *frame) {
	switch fate := s.far.Arrive(f); {
	case fate == Ignored:
	// It is not under way any more, whether it was lost or taken over.
	case f.CC:
		s.ended(f)
	case fate == Lost:
		s.lose(f)
	default:
		r.store(s, f)
	}
}

// reset handles an INIT: the frames that were given up and have not arrived are lost. CC_Updates among them are
// counted as ended, all others as lost.
func (r *receiver) reset(s *run, i *Init[none]) {
	s.far.Reset(i, func(f *frame) {
		if f.CC {
			s.ended(f)
		} else {
			s.lose(f)
		}
	})
}

// lose counts a frame that never arrives. Its credits stay in use at the sender until a CC_Update repairs the count
// (see Leaked).
func (s *run) lose(f *frame) {
	s.result.Channels[f.Channel].Lost++
	s.underway[f.Channel] -= f.Credits
}

// ended counts a CC_Update that is no longer under way. updates counts the CC_Updates under way that name a channel:
// it may stop only without any.
func (s *run) ended(f *frame) {
	for _, c := range f.Consumed {
		s.sender.updates[c.Channel]--
		s.sender.stopIfIdle(s, c.Channel)
	}
}

// store puts a frame in the buffer. A frame fills whole cells of the memory, which can be more or fewer than the
// credits that the sender has counted for it.
func (r *receiver) store(s *run, f *frame) {
	n := s.memory.Cell.Packet(f.Size, s.memory.Overhead)
	i := f.Channel
	s.underway[i] -= f.Credits
	// Its credits are freed all the same: the counters of both ends would differ for ever otherwise.
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
	// Of a channel one frame is at the egress. The next one begins when it has left.
	if len(r.queues[i]) == 1 {
		r.sendOn(s, i)
	}
}

// sendOn begins the first frame of a channel at its egress. With Slow 0 it leaves at once, unless a stop holds it.
func (r *receiver) sendOn(s *run, i int) {
	c, at := &s.Channels[i], s.now
	// They are in the order of time, so a stop that begins where another one ends counts as well.
	for _, stop := range c.Stops {
		if at >= stop.From && at < stop.To {
			at = stop.To
		}
	}
	s.add(event{at: at + c.Slow*bitsOf(r.queues[i][0]), kind: frameLeft, channel: i})
}

// remove removes a frame that has left by the egress. Its cells are free now, and its credits after Hold.
func (r *receiver) remove(s *run, i int) {
	f := r.queues[i][0]
	r.queues[i] = r.queues[i][1:]
	n := s.memory.Cell.Packet(f.Size, s.memory.Overhead)
	r.stored[i] -= n
	r.total -= n
	s.result.Channels[i].Delivered++
	s.result.Channels[i].Bits += bitsOf(f)
	s.add(event{at: s.now + s.Hold, kind: frameFreed, channel: i, frame: f})
	if len(r.queues[i]) > 0 {
		r.sendOn(s, i)
	}
}

// tryReverse sends what is due in the other direction: an answer, or a frame if the direction is never idle. Answers
// go before the frames of that direction, and neither interrupts the other.
func (s *run) tryReverse() {
	r := &s.rx
	if r.busy || s.now < s.Phase {
		return
	}
	length := s.answer()
	if a, lost, due := s.far.NextSet(s.now, length, false); due {
		r.busy = true
		s.add(event{at: s.now + length, kind: reverseFree})
		// A lost answer takes its time on the link, and nobody receives it.
		if !lost {
			s.add(event{at: s.now + length + s.Way + s.Apply, kind: answerDone, set: a})
		}
		return
	}
	// Answers wait for the frame that is being sent.
	if s.Reverse > 0 {
		r.busy = true
		s.add(event{at: s.now + s.Reverse, kind: reverseFree})
		return
	}
	// For each time one look is scheduled.
	if at := s.far.NextAnswer(s.now); at < Never && at != r.wake {
		r.wake = at
		s.add(event{at: at, kind: reverseDue})
	}
}
