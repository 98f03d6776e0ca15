package credit

import "github.com/cellwarden/cellwarden/cbfc"

// sender is the sending end: the counters of its channels, and its direction of
// the link.
type sender struct {
	ends    []cbfc.Sender
	ready   []bool // the channel has begun, and is not being initialized
	begun   []bool // it has begun
	quiet   []bool // no CC_Update has the channel: it is being initialized and all its credits are back
	clear   []bool // the channel is to be cleared when nothing of it is in use
	updates []int  // CC_Updates that have the channel and are under way
	restart []int  // the next of its restarts
	turnOf  int    // the channel that is asked first
	busy    bool
	ccDue   bool
	noise   noise
	blocked bool  // the link is idle although a channel has a frame
	since   int64 // when that began
}

func (t *sender) init(s *run) {
	n := len(s.Channels)
	t.ends, t.ready, t.clear = make([]cbfc.Sender, n), make([]bool, n), make([]bool, n)
	t.begun, t.quiet = make([]bool, n), make([]bool, n)
	t.restart, t.updates = make([]int, n), make([]int, n)
	for i, c := range s.Channels {
		t.ends[i].Limit = c.Limit
	}
	t.noise = newNoise(s.Errors, s.Seed, 1)
}

// turn begins a channel, or the next of its restarts.
func (t *sender) turn(s *run, i int) {
	restarts := s.Channels[i].Restarts
	switch k := t.restart[i]; {
	case k == 0:
		t.ready[i], t.begun[i] = true, true
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
	t.quiet[i] = t.quiet[i] || t.ends[i].InUse() == 0
	if t.quiet[i] && t.updates[i] == 0 {
		t.clear[i], s.rx.off[i] = false, true
		s.add(event{at: s.now + answerBits + s.Way + s.Apply + 1, kind: channelCleared, channel: i})
	}
}

// clear clears the counters of both ends of a channel.
func (s *run) clear(i int) {
	s.sender.ends[i] = cbfc.Sender{Limit: s.sender.ends[i].Limit}
	s.rx.ends[i], s.rx.news[i], s.rx.off[i] = cbfc.Receiver{}, false, false
	s.sender.ready[i], s.sender.quiet[i] = true, false
}

// has tells whether a channel has a frame to send.
func (t *sender) has(s *run, i int) bool {
	c := &s.Channels[i]
	return t.ready[i] && (c.Frames == 0 || s.result.Channels[i].Sent < c.Frames)
}

// may tells whether a channel has the credits for a frame.
func (t *sender) may(s *run, i int, n cbfc.Credits) bool {
	if s.Pool == nil {
		return t.ends[i].May(n)
	}
	inUse := make([]cbfc.Credits, len(t.ends))
	for k := range t.ends {
		inUse[k] = t.ends[k].InUse()
	}
	return s.Pool.May(i, n, inUse)
}

// trySend begins a frame if the link is idle: one to repeat, a CC_Update that is
// due, or the next frame of the next channel that has one and the credits for it.
func (s *run) trySend() {
	t := &s.sender
	if t.busy {
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
	waits := false
	for i := range s.Channels {
		waits = waits || t.has(s, i)
	}
	if waits && !t.blocked {
		t.blocked, t.since = true, s.now
	}
}

// nextFrame returns the frame to send; nil if there is none.
func (s *run) nextFrame() *frame {
	t := &s.sender
	if f, mine := s.tx.repeat(s); mine {
		return f
	}
	if t.ccDue && s.tx.place(s, cbfc.CCUpdateBytes) {
		t.ccDue = false
		f := &frame{channel: -1, size: cbfc.CCUpdateBytes, bits: ccBits}
		for i := range t.ends {
			if t.begun[i] && !t.quiet[i] {
				f.consumed = append(f.consumed, consumed{i, t.ends[i].Consumed})
				t.updates[i]++
			}
		}
		s.result.CCSent++
		return s.tx.keep(s, f)
	}
	for k := range s.Channels {
		i := (t.turnOf + k) % len(s.Channels)
		if !t.has(s, i) {
			continue
		}
		f := s.frameOf(i)
		if !t.may(s, i, f.credits) || !s.tx.place(s, f.size) {
			continue
		}
		t.turnOf = i + 1
		t.ends[i].Send(f.credits)
		s.underway[i] += f.credits
		s.result.Channels[i].Sent++
		return s.tx.keep(s, f)
	}
	return nil
}

// transmit sends a frame, and finds out whether it arrives whole.
func (s *run) transmit(f *frame) {
	s.sender.busy = true
	f.bad = s.sender.noise.hits(s.now+gapBits, s.now+f.bits)
	if f.bad {
		s.result.Corrupted++
	}
	arrival := *f // a frame that is repeated may be on the link twice
	s.add(event{at: s.now + f.bits, kind: forwardFree})
	s.add(event{at: s.now + f.bits + s.Way, kind: frameArrived, frame: &arrival})
}

// answered handles an answer of the receiver.
func (t *sender) answered(s *run, a answer) {
	if a.kind != cfUpdate {
		s.tx.answered(s, a)
		return
	}
	t.ends[a.channel].Update(a.freed)
	t.stopIfIdle(s, a.channel)
}
