package credits

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
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

// event is something that happens. Which of channel, frame, set and init has a meaning depends on the kind. at is in
// bit times.
type event struct {
	at      int64
	kind    kind
	channel int
	frame   *frame
	set     Set
	init    Init[none]
}

// frame is a frame on the link.
type frame = Frame[none]

// none is what frames carry: nothing.
type none struct{}

// bitsOf is the time of a frame, with gap and preamble.
func bitsOf(f *frame) int64 { return thresholds.FrameBits(f.Size) }

// run is the state of a run. now is in bit times.
type run struct {
	*Direction
	now    int64
	queue  []event // in the order in which they happen
	memory thresholds.Memory
	room   cells.Count
	result Result
	near   End[none] // the end that sends the frames
	far    End[none] // the end that receives them, and answers
	replay int64     // time for which the expiry of the replay timer is scheduled

	channels  []channelRun
	turn      int         // the channel that is asked first for a frame
	sending   bool        // the sender's direction is busy
	blocked   bool        // the link is idle although a channel has a frame
	since     int64       // when that began
	stored    cells.Count // in the buffer; room bounds all channels together
	answering bool        // the direction back is busy, in which the answers go
	wake      int64       // time at which another look at that direction is scheduled; 0 before the first
	check     func(*run)  // after each event, for tests
}

// channelRun is what a run has of a channel beside the state of both ends.
type channelRun struct {
	ready   bool // it has begun, and is not being initialized
	clear   bool // it is to be cleared when nothing of it is in use
	updates int  // CC_Updates that have it and are under way
	restart int  // the next of its restarts
	// Credits of frames that were sent and have neither arrived nor been lost: the invariants compare them.
	underway cbfc.Credits
	stored   cells.Count // in the receiver's buffer
	queue    []*frame    // the same
}

// Run simulates the link up to a time. until is in bit times; events at that time still happen. An error is one of
// Validate.
func (l *Direction) Run(until int64) (Result, error) { return l.run(until, nil) }

// run is Run with a function that is called after each event. check is nil outside of tests.
func (l *Direction) run(until int64, check func(*run)) (Result, error) {
	if err := l.Validate(); err != nil {
		return Result{}, fmt.Errorf("link: %w", err)
	}
	n := len(l.Channels)
	s := &run{Direction: l, memory: l.Memory, room: l.Room, check: check, channels: make([]channelRun, n),
		result: Result{Channels: make([]ChannelResult, n)}}
	// A link that states no memory has cells as large as its credits, so that nothing is lost to rounding.
	s.memory = cmp.Or(s.memory, thresholds.Memory{Cell: cells.Size(l.Account.Credit), Overhead: l.Account.Overhead})
	// Without a size the buffer holds all that the credits promise.
	s.room = cmp.Or(s.room, s.allCredits())
	s.begin()
	for len(s.queue) > 0 && s.queue[0].at <= until {
		e := s.queue[0]
		s.queue = s.queue[1:]
		s.now = e.at
		s.happen(&e)
		if len(s.queue) == 0 || s.queue[0].at > s.now {
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

// allCredits returns a cell for each credit of the link. With a pool the limits of channels overlap, so the pool's
// size is the number.
func (l *Direction) allCredits() (n cells.Count) {
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
	n := len(s.Channels)
	// The near end sends the frames, and the far end the answers: what is of the other direction is 0 or nil. The last
	// number tells the two directions' errors apart: they have one seed.
	s.near = NewEnd[none](n, s.Pool, 0, 0, s.Retry, NewNoise(s.Errors, s.Seed, 1))
	s.far = NewEnd[none](n, nil, s.Spacing, s.Most, s.Retry, NewNoise(s.Errors, s.Seed, 2))
	for i, c := range s.Channels {
		// A channel is in no CC_Update until it begins.
		s.near.Sender.Ends[i].Limit, s.near.Sender.Silent[i] = c.Limit, true
	}
	for i, c := range s.Channels {
		s.add(event{at: c.Start, kind: channelTurn, channel: i})
	}
	// Without a timer no CC_Update is sent, and a lost frame's credits stay lost.
	if s.Timer > 0 {
		s.add(event{at: s.Timer, kind: ccDue})
	}
	// tryReverse does nothing before Phase, so it has to be called then.
	s.add(event{at: s.Phase, kind: reverseDue})
}

// add schedules an event. Of one time and kind, the one that was added first comes first, so that a run is the same
// each time.
func (s *run) add(e event) {
	i, _ := slices.BinarySearchFunc(s.queue, &e, func(a event, b *event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), -1)
	})
	s.queue = slices.Insert(s.queue, i, e)
}

// planReplay schedules the expiry of the replay timer. A deadline of Never is that of a sender that waits for
// nothing.
func (s *run) planReplay() {
	// The event of an earlier deadline comes as well, and finds nothing to do.
	if at := s.near.Deadline(); at < Never && at != s.replay {
		s.replay = at
		s.add(event{at: at, kind: replayDue})
	}
}

// happen handles an event.
func (s *run) happen(e *event) {
	switch e.kind {
	case frameFreed:
		s.far.Receiver.Free(e.channel, e.frame.Credits)
	case frameArrived:
		s.arrive(e.frame)
	case answerDone:
		s.answered(&e.set)
	case frameLeft:
		s.remove(e.channel)
	case linkReset:
		s.reset(&e.init)
	case channelTurn:
		s.takeTurn(e.channel)
	case channelCleared:
		s.clear(e.channel)
	case ccDue:
		// The link may be busy: trySend sends it when it is idle, after what is repeated.
		s.near.CCDue = true
		s.add(event{at: s.now + s.Timer, kind: ccDue})
	case replayDue:
		s.near.Expire(s.now)
	// The next frame begins in trySend, when all events of this time have happened.
	case forwardFree:
		s.sending = false
	case reverseFree:
		s.answering = false
	case reverseDue: // both ends look after each time
	}
}

// done completes the result. Counters of the two ends are taken over here, since they count by themselves.
func (s *run) done(until int64) Result {
	r := &s.result
	r.End = s.now
	// A run without any event left ends with its last one.
	if len(s.queue) > 0 {
		r.End = until
	}
	// A wait that lasts counts up to the end.
	if s.blocked {
		r.Waited += r.End - s.since
	}
	near, far := s.near.Counters(), s.far.Counters()
	r.Counters = far
	r.Corrupted, r.CCSent, r.ReplayCounters = near.Corrupted, near.CCSent, near.ReplayCounters
	for i := range r.Channels {
		// In use is what the sender knows of: credits that leaked are in use for ever, until a CC_Update repairs them.
		r.Channels[i].InUse = s.near.Sender.Ends[i].InUse()
		c, leaked := s.far.Channel(i)
		r.Channels[i].Leaked, r.Channels[i].Repaired = leaked, cbfc.Credits(c.Repaired)
	}
	return s.result
}

// frameOf returns the next frame of a channel. The caller counts the frame in Sent afterwards.
func (s *run) frameOf(i int) *frame {
	c := &s.Channels[i]
	// The lengths come again and again, in their order.
	size := c.Sizes[s.result.Channels[i].Sent%int64(len(c.Sizes))]
	return &frame{Channel: i, Size: size, Credits: s.Account.Packet(size)}
}

// Result is what happened in a run.
type Result struct {
	End      int64           // the time of the last event, or the time until which the run was to go
	Channels []ChannelResult // in the order of the link's
	Waited   int64           // for which the link was idle although a channel had a frame: no credits, no place to replay
	Overflow int64           // frames for which the receiver had no cell; 0 in every link with enough room
	Stored   cells.Count     // most cells of all channels at once
	Counters                 // of the end that does each of these things
}

// ChannelResult is what happened to one channel. Sent counts a frame once, also if it is repeated.
type ChannelResult struct {
	Sent      int64 // frames that the sender began, each once
	Delivered int64 // frames that left by the egress
	Bits      int64 // of the delivered frames on the link, with gap and preamble
	Lost      int64 // frames that never arrived: corrupted, given up, or without a cell
	Leaked    cbfc.Credits
	Repaired  cbfc.Credits // by CC_Updates
	InUse     cbfc.Credits // at the end, at the sender
	Stored    cells.Count  // most at once
}

// The sending end of a run: the turns of its channels, and its direction of the link.
