package credit

import "github.com/cellwarden/cellwarden/cbfc"

// sender is the sending end of a Link: the counters of its channels, and its direction of the link.
type sender struct {
	Sender
	ready   []bool // the channel has begun, and is not being initialized
	begun   []bool // it has begun
	quiet   []bool // no CC_Update has the channel: it is being initialized and all its credits are back
	clear   []bool // the channel is to be cleared when nothing of it is in use
	updates []int  // CC_Updates that have the channel and are under way
	restart []int  // the next of its restarts
	turnOf  int    // the channel that is asked first
	busy    bool
	ccDue   bool
	noise   Noise
	blocked bool  // the link is idle although a channel has a frame
	since   int64 // when that began
}

func (t *sender) init(s *run) {
	n := len(s.Channels)
	t.Sender = NewSender(n, s.Pool)
	t.ready, t.clear = make([]bool, n), make([]bool, n)
	t.begun, t.quiet = make([]bool, n), make([]bool, n)
	t.restart, t.updates = make([]int, n), make([]int, n)
	for i, c := range s.Channels {
		t.Ends[i].Limit = c.Limit
	}
	t.noise = NewNoise(s.Errors, s.Seed, 1)
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
	t.quiet[i] = t.quiet[i] || t.Ends[i].InUse() == 0
	if t.quiet[i] && t.updates[i] == 0 {
		t.clear[i], s.rx.Off[i] = false, true
		s.add(event{at: s.now + s.answer() + s.Way + s.Apply + 1, kind: channelCleared, channel: i})
	}
}

// clear clears the counters of both ends of a channel.
func (s *run) clear(i int) {
	s.sender.Ends[i] = cbfc.Sender{Limit: s.sender.Ends[i].Limit}
	s.rx.Clear(i)
	s.sender.ready[i], s.sender.quiet[i] = true, false
}

// has tells whether a channel has a frame to send.
func (t *sender) has(s *run, i int) bool {
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
	if s.tx != nil {
		if i, due := s.tx.Init(); due {
			t.busy = true
			s.add(event{at: s.now + answerBits, kind: forwardFree})
			s.add(event{at: s.now + answerBits + s.Way, kind: linkReset, init: i})
			return
		}
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
	if s.tx != nil && s.tx.Blocks() {
		k, _ := s.tx.Repeat()
		return k.Frame
	}
	if t.ccDue && s.place(&frame{size: cbfc.CCUpdateBytes}) {
		t.ccDue = false
		f := &frame{channel: -1, size: cbfc.CCUpdateBytes, bits: ccBits}
		for i := range t.Ends {
			if t.begun[i] && !t.quiet[i] {
				f.consumed = append(f.consumed, Consumed{i, t.Ends[i].Consumed})
				t.updates[i]++
			}
		}
		s.result.CCSent++
		return s.keep(f)
	}
	for k := range s.Channels {
		i := (t.turnOf + k) % len(s.Channels)
		if !t.has(s, i) {
			continue
		}
		f := s.frameOf(i)
		if !t.May(i, f.credits) || !s.place(f) {
			continue
		}
		t.turnOf = i + 1
		t.Ends[i].Send(f.credits)
		s.underway[i] += f.credits
		s.result.Channels[i].Sent++
		return s.keep(f)
	}
	return nil
}

// place tells whether the replay buffer has room for a frame.
func (s *run) place(f *frame) bool { return s.tx == nil || s.tx.Place(f.size) }

// keep puts a new frame into the replay buffer.
func (s *run) keep(f *frame) *frame {
	if s.tx != nil {
		f.number = s.tx.Keep(s.now, f.size, f)
	}
	return f
}

// transmit sends a frame, and finds out whether it arrives whole.
func (s *run) transmit(f *frame) {
	s.sender.busy = true
	f.bad = s.sender.noise.Hits(s.now+gapBits, s.now+f.bits)
	if f.bad {
		s.result.Corrupted++
	}
	arrival := *f // a frame that is repeated may be on the link twice
	s.add(event{at: s.now + f.bits, kind: forwardFree})
	s.add(event{at: s.now + f.bits + s.Way, kind: frameArrived, frame: &arrival})
}

// answered handles an answer of the receiver.
func (s *run) answered(a answer) {
	switch a.kind {
	case initEcho:
		s.tx.Echo(a.number)
	case acknowledge, refuse:
		s.tx.Answer(s.now, Acknowledgement{a.number, a.kind == refuse})
	default:
		s.sender.Ends[a.channel].Update(a.freed)
		s.sender.stopIfIdle(s, a.channel)
	}
}
