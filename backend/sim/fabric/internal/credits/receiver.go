package credits

// This file has the receiving end of a run: its buffers and egresses, and its direction of the link.

// arrive handles a frame whose last bit is there. A CC_Update takes no cell: it ends where it arrives.
func (s *run) arrive(f *frame) {
	switch fate := s.far.Arrive(f); {
	case fate == Ignored:
	// It is not under way any more, whether it was lost or taken over.
	case f.CC:
		s.ended(f)
	case fate == Lost:
		s.lose(f)
	default:
		s.store(f)
	}
}

// reset handles an INIT: the frames that were given up and have not arrived are lost. CC_Updates among them are
// counted as ended, all others as lost.
func (s *run) reset(i *Init[none]) {
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
	s.channels[f.Channel].underway -= f.Credits
}

// ended counts a CC_Update that is no longer under way. updates counts the CC_Updates under way that name a channel:
// it may stop only without any.
func (s *run) ended(f *frame) {
	for _, c := range f.Consumed {
		s.channels[c.Channel].updates--
		s.stopIfIdle(c.Channel)
	}
}

// store puts a frame in the buffer. A frame fills whole cells of the memory, which can be more or fewer than the
// credits that the sender has counted for it.
func (s *run) store(f *frame) {
	n := s.memory.Cell.Packet(f.Size, s.memory.Overhead)
	i, c, result := f.Channel, &s.channels[f.Channel], &s.result.Channels[f.Channel]
	c.underway -= f.Credits
	// Its credits are freed all the same: the counters of both ends would differ for ever otherwise.
	if s.stored+n > s.room {
		s.result.Overflow++
		result.Lost++
		s.add(event{at: s.now, kind: frameFreed, channel: i, frame: f}) // it takes no cell
		return
	}
	s.stored += n
	c.stored += n
	s.result.Stored, result.Stored = max(s.result.Stored, s.stored), max(result.Stored, c.stored)
	c.queue = append(c.queue, f)
	// Of a channel one frame is at the egress. The next one begins when it has left.
	if len(c.queue) == 1 {
		s.sendOn(i)
	}
}

// sendOn begins the first frame of a channel at its egress. With Slow 0 it leaves at once, unless a stop holds it.
func (s *run) sendOn(i int) {
	c, at := &s.Channels[i], s.now
	// They are in the order of time, so a stop that begins where another one ends counts as well.
	for _, stop := range c.Stops {
		if at >= stop.From && at < stop.To {
			at = stop.To
		}
	}
	s.add(event{at: at + c.Slow*bitsOf(s.channels[i].queue[0]), kind: frameLeft, channel: i})
}

// remove removes a frame that has left by the egress. Its cells are free now, and its credits after Hold.
func (s *run) remove(i int) {
	c := &s.channels[i]
	f := c.queue[0]
	c.queue = c.queue[1:]
	n := s.memory.Cell.Packet(f.Size, s.memory.Overhead)
	c.stored -= n
	s.stored -= n
	s.result.Channels[i].Delivered++
	s.result.Channels[i].Bits += bitsOf(f)
	s.add(event{at: s.now + s.Hold, kind: frameFreed, channel: i, frame: f})
	if len(c.queue) > 0 {
		s.sendOn(i)
	}
}

// tryReverse sends what is due in the other direction: an answer, or a frame if the direction is never idle. Answers
// go before the frames of that direction, and neither interrupts the other.
func (s *run) tryReverse() {
	if s.answering || s.now < s.Phase {
		return
	}
	length := s.answer()
	if a, lost, due := s.far.NextSet(s.now, length, false); due {
		s.answering = true
		s.add(event{at: s.now + length, kind: reverseFree})
		// A lost answer takes its time on the link, and nobody receives it.
		if !lost {
			s.add(event{at: s.now + length + s.Way + s.Apply, kind: answerDone, set: a})
		}
		return
	}
	// Answers wait for the frame that is being sent.
	if s.Reverse > 0 {
		s.answering = true
		s.add(event{at: s.now + s.Reverse, kind: reverseFree})
		return
	}
	// For each time one look is scheduled.
	if at := s.far.NextAnswer(s.now); at < Never && at != s.wake {
		s.wake = at
		s.add(event{at: at, kind: reverseDue})
	}
}
