package credits

import (
	"github.com/cellwarden/cellwarden/cbfc"
)

// takeTurn starts a channel, or the next of its restarts.
func (s *run) takeTurn(i int) {
	c, restarts := &s.channels[i], s.Channels[i].Restarts
	switch k := c.restart; {
	// The first turn is the start of the channel, and the others are its restarts.
	case k == 0:
		c.ready, s.near.Sender.Silent[i] = true, false
	case restarts[k-1].Abrupt:
		s.clear(i)
	default:
		c.ready, c.clear = false, true
		s.stopIfIdle(i)
	}
	if k := c.restart; k < len(restarts) {
		c.restart++
		s.add(event{at: max(s.now, restarts[k].At), kind: channelTurn, channel: i})
	}
}

// stopIfIdle ends the messages of a channel that is to be initialized: its
// CC_Updates once nothing of it is in use, its CF_Updates once no CC_Update with it
// is under way. When the last CF_Update has arrived both ends are cleared. A message
// of before would be taken for one of the new counters.
func (s *run) stopIfIdle(i int) {
	c := &s.channels[i]
	if !c.clear {
		return
	}
	silent := &s.near.Sender.Silent[i]
	*silent = *silent || s.near.Sender.Ends[i].InUse() == 0
	if *silent && c.updates == 0 {
		c.clear, s.far.Receiver.Off[i] = false, true
		s.add(event{at: s.now + s.answer() + s.Way + s.Apply + 1, kind: channelCleared, channel: i})
	}
}

// clear clears the counters of both ends of a channel.
func (s *run) clear(i int) {
	end := &s.near.Sender.Ends[i]
	// The limit is what was agreed on, and no counter.
	*end = cbfc.Sender{Limit: end.Limit}
	s.far.Receiver.Clear(i)
	s.channels[i].ready, s.near.Sender.Silent[i] = true, false
}

// hasFrame tells whether a channel has a frame to send.
func (s *run) hasFrame(i int) bool {
	c := &s.Channels[i]
	return s.channels[i].ready && (c.Frames == 0 || s.result.Channels[i].Sent < c.Frames)
}

// trySend begins a frame if the link is idle: an INIT of LLR, a frame to repeat, a CC_Update that is due, or the next
// frame of the next channel that has one and the credits for it.
func (s *run) trySend() {
	if s.sending {
		return
	}
	// No error falls on an INIT: see the package.
	if i, due := s.near.NextInit(); due {
		s.sending = true
		s.add(event{at: s.now + answerBits, kind: forwardFree})
		s.add(event{at: s.now + answerBits + s.Way, kind: linkReset, init: i})
		return
	}
	if f := s.nextFrame(); f != nil {
		if s.blocked {
			s.result.Waited += s.now - s.since
			s.blocked = false
		}
		s.transmit(f)
		return
	}
	// An idle link waits only if a channel has a frame.
	waits := false
	for i := range s.Channels {
		waits = waits || s.hasFrame(i)
	}
	if waits && !s.blocked {
		s.blocked, s.since = true, s.now
	}
}

// nextFrame returns the frame to send, or nil.
func (s *run) nextFrame() *frame {
	// Frames that are repeated come before new ones, so that they arrive in the order of their numbers.
	if f, due := s.near.NextRepeat(); due {
		return &f
	}
	// The CC_Update is counted for each channel in it: see stopIfIdle.
	if f, due := s.near.NextCC(s.now); due {
		for _, c := range f.Consumed {
			s.channels[c.Channel].updates++
		}
		return &f
	}
	for k := range s.Channels {
		i := (s.turn + k) % len(s.Channels)
		if !s.hasFrame(i) {
			continue
		}
		f := s.frameOf(i)
		// Another channel may have credits, or a shorter frame.
		if !s.near.Sender.May(i, f.Credits) || !s.near.HasPlace(f.Size) {
			continue
		}
		// The channel after it is asked first the next time.
		s.turn = i + 1
		s.channels[i].underway += f.Credits
		s.result.Channels[i].Sent++
		s.near.Send(s.now, f)
		return f
	}
	return nil
}

// transmit sends a frame, and finds out whether it arrives whole.
func (s *run) transmit(f *frame) {
	s.sending = true
	bits := bitsOf(f)
	// An error in the gap before the frame harms nothing.
	s.near.Launch(f, s.now+gapBits, s.now+bits)
	s.add(event{at: s.now + bits, kind: forwardFree})
	s.add(event{at: s.now + bits + s.Way, kind: frameArrived, frame: f})
}

// answered handles an answer of the receiver.
func (s *run) answered(a *Set) {
	s.near.Apply(s.now, a)
	if a.Kind == CFUpdate {
		s.stopIfIdle(a.Freed.Channel)
	}
}

// The receiving end of a run: its buffers and egresses, and its direction of the link.

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
