package credits

import "github.com/cellwarden/cellwarden/cbfc"

// sender is what a Link has beside the state of its sending end: the turns of its channels, and its direction of the
// link.
type sender struct {
	ready   []bool // the channel has begun, and is not being initialized
	clear   []bool // the channel is to be cleared when nothing of it is in use
	updates []int  // CC_Updates that have the channel and are under way
	restart []int  // the next of its restarts
	turnOf  int    // the channel that is asked first
	busy    bool
	blocked bool  // the link is idle although a channel has a frame
	since   int64 // when that began
}

// newSender returns the state before the first channel begins.
func newSender(channels int) sender {
	return sender{ready: make([]bool, channels), clear: make([]bool, channels), updates: make([]int, channels),
		restart: make([]int, channels)}
}

// begin starts a channel, or the next of its restarts.
func (t *sender) begin(s *run, i int) {
	restarts := s.Channels[i].Restarts
	switch k := t.restart[i]; {
	// The first turn is the start of the channel, and the others are its restarts.
	case k == 0:
		t.ready[i], s.near.Sender.Silent[i] = true, false
	case restarts[k-1].Abrupt:
		s.clear(i)
	default:
		t.ready[i], t.clear[i] = false, true
		t.stopIfIdle(s, i)
	}
	if k := t.restart[i]; k < len(restarts) {
		t.restart[i]++
		s.add(event{at: max(s.now, restarts[k].At), kind: channelTurn, channel: i})
	}
}

// stopIfIdle ends the messages of a channel that is to be initialized: its
// CC_Updates once nothing of it is in use, its CF_Updates once no CC_Update with it
// is under way. When the last CF_Update has arrived both ends are cleared. A message
// of before would be taken for one of the new counters.
func (t *sender) stopIfIdle(s *run, i int) {
	if !t.clear[i] {
		return
	}
	silent := &s.near.Sender.Silent[i]
	*silent = *silent || s.near.Sender.Ends[i].InUse() == 0
	if *silent && t.updates[i] == 0 {
		t.clear[i], s.far.Receiver.Off[i] = false, true
		s.add(event{at: s.now + s.answer() + s.Way + s.Apply + 1, kind: channelCleared, channel: i})
	}
}

// clear clears the counters of both ends of a channel.
func (s *run) clear(i int) {
	end := &s.near.Sender.Ends[i]
	// The limit is what was agreed on, and no counter.
	*end = cbfc.Sender{Limit: end.Limit}
	s.far.Receiver.Clear(i)
	s.sender.ready[i], s.near.Sender.Silent[i] = true, false
}

// hasFrame tells whether a channel has a frame to send.
func (t *sender) hasFrame(s *run, i int) bool {
	c := &s.Channels[i]
	return t.ready[i] && (c.Frames == 0 || s.result.Channels[i].Sent < c.Frames)
}

// trySend begins a frame if the link is idle: an INIT of LLR, a frame to repeat, a CC_Update that is due, or the next
// frame of the next channel that has one and the credits for it.
func (s *run) trySend() {
	t := &s.sender
	if t.busy {
		return
	}
	// No error falls on an INIT: see the package.
	if i, due := s.near.NextInit(); due {
		t.busy = true
		s.add(event{at: s.now + answerBits, kind: forwardFree})
		s.add(event{at: s.now + answerBits + s.Way, kind: linkReset, init: i})
		return
	}
	if f := s.nextFrame(); f != nil {
		if t.blocked {
			s.result.Waited += s.now - t.since
			t.blocked = false
		}
		s.transmit(f)
		return
	}
	// An idle link waits only if a channel has a frame.
	waits := false
	for i := range s.Channels {
		waits = waits || t.hasFrame(s, i)
	}
	if waits && !t.blocked {
		t.blocked, t.since = true, s.now
	}
}

// nextFrame returns the frame to send, or nil.
func (s *run) nextFrame() *frame {
	t := &s.sender
	// Frames that are repeated come before new ones, so that they arrive in the order of their numbers.
	if f, due := s.near.NextRepeat(); due {
		return &f
	}
	// The CC_Update is counted for each channel in it: see stopIfIdle.
	if f, due := s.near.NextCC(s.now); due {
		for _, c := range f.Consumed {
			t.updates[c.Channel]++
		}
		return &f
	}
	for k := range s.Channels {
		i := (t.turnOf + k) % len(s.Channels)
		if !t.hasFrame(s, i) {
			continue
		}
		f := s.frameOf(i)
		// Another channel may have credits, or a shorter frame.
		if !s.near.Sender.May(i, f.Credits) || !s.near.HasPlace(f.Size) {
			continue
		}
		// The channel after it is asked first the next time.
		t.turnOf = i + 1
		s.underway[i] += f.Credits
		s.result.Channels[i].Sent++
		s.near.Send(s.now, f)
		return f
	}
	return nil
}

// transmit sends a frame, and finds out whether it arrives whole.
func (s *run) transmit(f *frame) {
	s.sender.busy = true
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
		s.sender.stopIfIdle(s, a.Freed.Channel)
	}
}
