package credit

import (
	"container/heap"
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// kind is the kind of an event. Events of one time happen in the order of their
// kinds: what frees comes before what asks whether something is free.
type kind uint8

const (
	frameFreed     kind = iota // a frame's credits count as freed
	frameArrived               // the last bit of a frame is at the receiver
	answerDone                 // the sender may use an answer
	frameLeft                  // a frame has left the receiver's buffer
	linkReset                  // an INIT is at the receiver: LLR begins again
	channelTurn                // a channel begins, or is to be initialized
	channelCleared             // both ends of a channel are cleared
	ccDue                      // a CC_Update is due
	replayDue                  // the replay timer has expired
	forwardFree                // the sender's direction is idle
	reverseFree                // the other direction is idle
	reverseDue                 // an answer may be due
)

// event is something that happens.
type event struct {
	at      int64
	kind    kind
	order   uint64
	channel int
	frame   *frame
	answer  answer
	init    Init[*frame]
}

// events is a heap of events.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	a, b := &e[i], &e[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.kind != b.kind {
		return a.kind < b.kind
	}
	return a.order < b.order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// frame is a frame on the link: data of a channel, or a CC_Update.
type frame struct {
	channel  int // -1: a CC_Update
	size     unit.Bytes
	bits     int64
	credits  cbfc.Credits
	consumed []Consumed // of a CC_Update: the counters of the channels as it was first sent
	number   int64      // of LLR
	bad      bool       // corrupted on its last way
}

// answer is an ordered set of the receiver.
type answer struct {
	kind    answerKind
	channel int
	freed   cbfc.Counter
	number  int64 // LLR: the last frame that arrived in order; of an INIT_ECHO the number of its INIT
}

type answerKind uint8

const (
	cfUpdate answerKind = iota
	acknowledge
	refuse
	initEcho
)

// run is the state of a run.
type run struct {
	*Link
	now    int64
	queue  events
	order  uint64
	memory thresholds.Memory
	room   cells.Count
	result Result
	sender sender
	rx     receiver
	tx     *Replay[*frame] // nil: the link has no LLR
	replay int64           // time for which the expiry of its timer is scheduled
	// Credits of frames that were sent and have neither arrived nor been lost, and of
	// those that were lost and not repaired: the invariants compare them.
	underway, leaked []cbfc.Credits
	check            func(*run) // after each event, for tests
}

// Run simulates the link up to a time.
func (l *Link) Run(until int64) (Result, error) { return l.run(until, nil) }

// run is Run with a function that is called after each event.
func (l *Link) run(until int64, check func(*run)) (Result, error) {
	if err := l.Validate(); err != nil {
		return Result{}, fmt.Errorf("link: %w", err)
	}
	n := len(l.Channels)
	s := &run{Link: l, memory: l.Memory, room: l.Room, check: check, underway: make([]cbfc.Credits, n),
		leaked: make([]cbfc.Credits, n), result: Result{Channels: make([]ChannelResult, n)}}
	if s.memory == (thresholds.Memory{}) {
		s.memory = thresholds.Memory{Cell: cells.Size(l.Account.Credit), Overhead: l.Account.Overhead}
	}
	if s.room == 0 {
		s.room = s.allCredits()
	}
	s.begin()
	for s.queue.Len() > 0 && s.queue[0].at <= until {
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		s.happen(&e)
		if s.queue.Len() == 0 || s.queue[0].at > s.now {
			// All that happens at a time counts for what begins then.
			s.trySend()
			s.tryReverse()
			s.planReplay()
		}
		if s.check != nil {
			s.check(s)
		}
	}
	return s.done(until), nil
}

// allCredits returns a cell for each credit of the link.
func (l *Link) allCredits() (n cells.Count) {
	if l.Pool != nil {
		return cells.Count(l.Pool.Size)
	}
	for _, c := range l.Channels {
		n += cells.Count(c.Limit)
	}
	return n
}

// begin schedules what happens by itself.
func (s *run) begin() {
	s.sender.init(s)
	s.rx.init(s)
	if s.Retry != nil {
		s.tx = NewReplay[*frame](*s.Retry)
	}
	for i, c := range s.Channels {
		s.add(event{at: c.Start, kind: channelTurn, channel: i})
	}
	if s.Timer > 0 {
		s.add(event{at: s.Timer, kind: ccDue})
	}
	s.add(event{at: s.Phase, kind: reverseDue})
}

// add schedules an event.
func (s *run) add(e event) {
	s.order++
	e.order = s.order
	heap.Push(&s.queue, e)
}

// planReplay schedules the expiry of the replay timer.
func (s *run) planReplay() {
	if s.tx == nil {
		return
	}
	if at := s.tx.Deadline(); at < Never && at != s.replay {
		s.replay = at
		s.add(event{at: at, kind: replayDue})
	}
}

// happen handles an event.
func (s *run) happen(e *event) {
	switch e.kind {
	case frameFreed:
		s.rx.Free(e.channel, e.frame.credits)
	case frameArrived:
		s.rx.arrive(s, e.frame)
	case answerDone:
		s.answered(e.answer)
	case frameLeft:
		s.rx.left(s, e.channel)
	case linkReset:
		s.rx.reset(s, &e.init)
	case channelTurn:
		s.sender.turn(s, e.channel)
	case channelCleared:
		s.clear(e.channel)
	case ccDue:
		s.sender.ccDue = true
		s.add(event{at: s.now + s.Timer, kind: ccDue})
	case replayDue:
		s.tx.Expire(s.now)
	case forwardFree:
		s.sender.busy = false
	case reverseFree:
		s.rx.busy = false
	case reverseDue: // both ends look after each time
	}
}

// done completes the result.
func (s *run) done(until int64) Result {
	r := &s.result
	r.End = s.now
	if s.queue.Len() > 0 {
		r.End = until
	}
	if s.sender.blocked {
		r.Waited += r.End - s.sender.since
	}
	if s.tx != nil {
		r.ReplayCounters = s.tx.Counters
	}
	r.Acks, r.Nacks, r.Duplicates = s.rx.Acks, s.rx.Nacks, s.rx.Duplicates
	for i := range r.Channels {
		r.Channels[i].InUse = s.sender.Ends[i].InUse()
		r.Channels[i].Leaked = s.leaked[i]
	}
	return s.result
}

// frameOf returns the next frame of a channel.
func (s *run) frameOf(i int) *frame {
	c := &s.Channels[i]
	size := c.Sizes[s.result.Channels[i].Sent%int64(len(c.Sizes))]
	return &frame{channel: i, size: size, bits: thresholds.FrameBits(size), credits: s.Account.Packet(size)}
}
