package credits

import "github.com/cellwarden/cellwarden/cbfc"

// This file has the sending end of a run: the turns of its channels, and its direction of the link.

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
