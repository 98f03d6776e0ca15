package credits

import (
	"github.com/cellwarden/cellwarden/unit"
)

// Retry is link-layer retry (SAI doc/LLR). All times are of the unit of the link.
type Retry struct {
	Frames  int64      // most that are not acknowledged
	Bytes   unit.Bytes // most of them in bytes
	Spacing int64      // between two acknowledgements, at least
	Timer   int64      // without progress until all is repeated; 0: never
	Count   int        // replays without progress before a flush
}

// Replay is the sending end of link-layer retry (SAI doc/LLR): it keeps each frame until it is acknowledged, and
// repeats all that it keeps when a frame was refused or no acknowledgement comes (go-back-N). After Count replays
// without progress it gives up what it keeps (a flush), and begins again: an INIT tells the receiver the next number,
// and nothing is sent until its INIT_ECHO is back (the action "block").
type Replay[P any] struct {
	Retry
	Counters ReplayCounters

	kept     []Frame[P] // not acknowledged, in order
	bytes    unit.Bytes
	cursor   int   // the next of them to repeat; len(kept): none
	next     int64 // number of the next new frame
	replays  int   // without progress
	timer    int64 // when it expires; Never: it does not run
	flushing bool
	initDue  bool
	given    []Frame[P] // given up by the flush, until the receiver has answered
}

// ReplayCounters count what a replay buffer did.
type ReplayCounters struct {
	Replays  int64 // times at which it began to repeat
	Repeated int64 // frames that were sent again
	Timeouts int64 // replays that a timer began
	Flushes  int64 // times at which it gave its frames up
	Most     int64 // most frames that were not acknowledged
}

// Place tells whether a new frame may be sent: there is room to keep it, and the buffer neither repeats nor waits for
// the answer to a flush.
func (b *Replay[P]) Place(size unit.Bytes) bool {
	return !b.flushing && b.cursor >= len(b.kept) && int64(len(b.kept)) < b.Frames && b.bytes+size <= b.Bytes
}

// Keep numbers a new frame that is sent now, and keeps it. There must be a place.
func (b *Replay[P]) Keep(now int64, f *Frame[P]) {
	f.Number = b.next
	b.next++
	b.kept = append(b.kept, *f)
	b.bytes += f.Size
	// A new frame is sent at once, so there is nothing to repeat.
	b.cursor = len(b.kept)
	b.Counters.Most = max(b.Counters.Most, int64(len(b.kept)))
	// The timer runs from the first frame that waits, and anew with all progress.
	if len(b.kept) == 1 {
		b.restart(now)
	}
}

// Repeat returns the next frame to repeat, if there is one.
func (b *Replay[P]) Repeat() (f Frame[P], ok bool) {
	if b.flushing || b.cursor >= len(b.kept) {
		return f, false
	}
	f = b.kept[b.cursor]
	b.cursor++
	b.Counters.Repeated++
	return f, true
}

// restart starts the replay timer.
func (b *Replay[P]) restart(now int64) {
	b.timer = Never
	if b.Timer > 0 && (len(b.kept) > 0 || b.flushing) {
		b.timer = now + b.Timer
	}
}

// Answer removes what is acknowledged, and goes back if frames were refused.
func (b *Replay[P]) Answer(now int64, a Acknowledgement) {
	n := 0
	// An acknowledgement is of all frames up to its number.
	for n < len(b.kept) && b.kept[n].Number <= a.Number {
		b.bytes -= b.kept[n].Size
		n++
	}
	if n > 0 {
		// Progress also begins the count of replays anew.
		b.kept, b.cursor, b.replays = b.kept[n:], max(0, b.cursor-n), 0
		b.restart(now)
	}
	if a.Refused && len(b.kept) > 0 {
		b.goBack(now)
	}
}

// goBack repeats all that is kept.
func (b *Replay[P]) goBack(now int64) {
	b.cursor = 0
	b.Counters.Replays++
	b.restart(now)
}

// Expire repeats all when the timer has expired, or gives up. During a flush it repeats the INIT.
func (b *Replay[P]) Expire(now int64) {
	switch {
	// A timer that does not run stands at Never.
	case now < b.timer:
	case b.flushing:
		b.initDue = true
		b.restart(now)
	case b.replays == b.Count:
		b.flush(now)
	default:
		b.replays++
		b.Counters.Timeouts++
		b.goBack(now)
	}
}

// flush gives up the frames that are kept.
func (b *Replay[P]) flush(now int64) {
	b.Counters.Flushes++
	// An INIT that is repeated has them again.
	b.given = b.kept
	b.kept, b.bytes, b.cursor, b.replays, b.flushing, b.initDue = nil, 0, 0, 0, true, true
	b.restart(now)
}

// Init is the message by which a sender begins again. Given is for the simulation alone: the receiver knows which of
// these frames it has, so it counts the others as lost.
type Init[P any] struct {
	Next  int64 // number of the next frame
	Given []Frame[P]
}

// Init returns the INIT that is to be sent now, if one is due.
func (b *Replay[P]) Init() (i Init[P], ok bool) {
	if !b.initDue {
		return i, false
	}
	b.initDue = false
	return Init[P]{b.next, b.given}, true
}

// Echo ends a flush: the receiver has answered the INIT with this number.
func (b *Replay[P]) Echo(next int64) {
	// An echo with another number is of an earlier INIT.
	if b.flushing && next == b.next {
		b.flushing, b.initDue, b.given, b.timer = false, false, nil, Never
	}
}

// Acknowledgement is an answer of link-layer retry: LLR_ACK, or LLR_NACK.
type Acknowledgement struct {
	Number  int64 // the last frame that arrived in order
	Refused bool  // the next one did not: LLR_NACK
}

// Sequence is the receiving end of link-layer retry: it accepts frames in order, and acknowledges or refuses them.
type Sequence struct {
	Spacing    int64 // between two acknowledgements, at least
	Duplicates int64 // frames that had arrived already, and were dropped
	Acks       int64 // acknowledgements sent
	Nacks      int64 // refusals sent

	expected int64 // number of the next frame in order
	refused  bool  // a refusal was sent, and the frame has not come yet
	due      bool  // an answer is due
	refuse   bool  // it is a refusal
	last     int64
	sent     bool
	echo     int64 // the number of an INIT that has no answer yet
	echoDue  bool
}

// Accept tells whether a frame is the next one and whole, and answers it.
func (q *Sequence) Accept(number int64, whole bool) bool {
	switch {
	case !whole || number > q.expected:
		// A gap is refused once, until the frame that is missing has come.
		if !q.refused {
			q.refused, q.refuse, q.due = true, true, true
		}
		return false
	// The sender repeats what has arrived, so it is told once more what it need not keep.
	case number < q.expected:
		q.Duplicates++
		if !q.refused {
			q.refuse, q.due = false, true
		}
		return false
	}
	q.expected++
	q.refused = false
	// A refusal that has not been sent is not replaced by an acknowledgement.
	if !q.due || !q.refuse {
		q.refuse, q.due = false, true
	}
	return true
}

// Answer returns the acknowledgement or refusal that begins now, if one is due. Refusals wait for no spacing.
func (q *Sequence) Answer(now int64) (a Acknowledgement, ok bool) {
	if !q.due || !q.refuse && q.sent && now < q.last+q.Spacing {
		return a, false
	}
	q.due, q.last, q.sent = false, now, true
	if q.refuse {
		q.Nacks++
	} else {
		q.Acks++
	}
	return Acknowledgement{q.expected - 1, q.refuse}, true
}

// Next returns the first time at which Answer may return one: now or later; Never if none is to come.
func (q *Sequence) Next(now int64) int64 {
	switch {
	case !q.due:
		return Never
	case q.refuse || !q.sent:
		return now
	}
	return max(now, q.last+q.Spacing)
}

// Reset begins again at a number: an INIT has arrived.
func (q *Sequence) Reset(next int64) {
	q.expected, q.refused, q.due = next, false, false
	q.echo, q.echoDue = next, true
}

// Echo returns the answer to an INIT, if one is due.
func (q *Sequence) Echo() (next int64, ok bool) {
	ok, q.echoDue = q.echoDue, false
	return q.echo, ok
}
