package credit

import "github.com/cellwarden/cellwarden/unit"

// retrySender is the replay buffer at the sender (SAI doc/LLR). Without LLR it
// keeps nothing.
type retrySender struct {
	kept     []*frame // not acknowledged, in order
	bytes    unit.Bytes
	cursor   int   // the next of them to repeat; len(kept): none
	next     int64 // number of the next new frame
	replays  int   // without progress
	timer    int64 // when the replay timer expires; 0: it does not run
	flushing bool
}

// place tells whether there is room to keep a frame.
func (t *retrySender) place(s *run, size unit.Bytes) bool {
	if s.Retry == nil {
		return true
	}
	return !t.flushing && int64(len(t.kept)) < s.Retry.Frames && t.bytes+size <= s.Retry.Bytes
}

// keep numbers a new frame and keeps it.
func (t *retrySender) keep(s *run, f *frame) *frame {
	if s.Retry == nil {
		return f
	}
	f.number = t.next
	t.next++
	t.kept = append(t.kept, f)
	t.bytes += f.size
	t.cursor = len(t.kept)
	s.result.Retry = max(s.result.Retry, int64(len(t.kept)))
	if len(t.kept) == 1 {
		t.restart(s)
	}
	return f
}

// repeat returns the next frame to repeat, if the sender repeats; no new frame
// is sent meanwhile.
func (t *retrySender) repeat(s *run) (*frame, bool) {
	if t.flushing {
		return nil, true
	}
	if t.cursor >= len(t.kept) {
		return nil, false
	}
	f := t.kept[t.cursor]
	t.cursor++
	s.result.Repeated++
	return f, true
}

// restart starts the replay timer.
func (t *retrySender) restart(s *run) {
	t.timer = 0
	if s.Retry.Timer > 0 && len(t.kept) > 0 {
		t.timer = s.now + s.Retry.Timer
		s.add(event{at: t.timer, kind: replayDue})
	}
}

// answered removes what is acknowledged, and goes back if frames were refused.
func (t *retrySender) answered(s *run, a answer) {
	n := 0
	for n < len(t.kept) && t.kept[n].number <= a.number {
		t.bytes -= t.kept[n].size
		n++
	}
	if n > 0 {
		t.kept, t.cursor, t.replays = t.kept[n:], max(0, t.cursor-n), 0
		t.restart(s)
	}
	if a.kind == refuse && len(t.kept) > 0 && !t.flushing {
		t.goBack(s)
	}
}

// goBack repeats all that is kept.
func (t *retrySender) goBack(s *run) {
	t.cursor = 0
	s.result.Replays++
	t.restart(s)
}

// expired repeats all when the timer has expired, or gives up.
func (t *retrySender) expired(s *run) {
	if t.timer != s.now || len(t.kept) == 0 || t.flushing {
		return
	}
	if t.replays == s.Retry.Count {
		t.flush(s)
		return
	}
	t.replays++
	s.result.Timeouts++
	t.goBack(s)
}

// flush gives up the frames that are kept, and begins again: the receiver hears
// of it behind the frames on the link, and the sender goes on when its answer is
// back. Frames wait meanwhile (the action "block").
func (t *retrySender) flush(s *run) {
	s.result.Flushes++
	for _, f := range t.kept {
		switch {
		case f.number < s.rx.expected: // it has arrived
		case f.channel < 0:
			s.ended(f)
		default:
			s.lose(f)
		}
	}
	t.kept, t.bytes, t.cursor, t.replays, t.timer, t.flushing = nil, 0, 0, 0, 0, true
	// A frame that has begun ends first: it is at most the longest.
	settled := s.now + s.Way
	if s.sender.busy {
		settled += longestBits
	}
	s.add(event{at: settled, kind: linkReset})
	s.add(event{at: settled + answerBits + s.Way + s.Apply, kind: senderReset})
}

// inOrder tells whether a frame is the next one and whole, and answers it.
func (r *receiver) inOrder(s *run, f *frame) bool {
	switch {
	case s.tx.flushing:
		return false // of before the flush: it was given up
	case f.bad || f.number > r.expected:
		if !r.refused {
			r.refused, r.due, r.isDue = true, refuse, true
		}
		return false
	case f.number < r.expected:
		s.result.Duplicates++
		if !r.refused {
			r.due, r.isDue = acknowledge, true
		}
		return false
	}
	r.expected++
	r.refused = false
	if !r.isDue || r.due != refuse {
		r.due, r.isDue = acknowledge, true
	}
	return true
}
