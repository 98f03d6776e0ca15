// Package credits is credit-based flow control (CBFC) and link-layer retry (LLR): both ends of a link, and one link
// alone.
//
// An [End] is the state machine of one end, in both directions. It has no clock and no queue of events: it says what is
// due at a time, and what becomes of what arrives. A [Direction] drives two of them for one link alone, and package
// fabric one for each port with a link layer, so that both count alike.
//
// A Link is simulated exactly, to the bit time. It shows that the sizes of package cbfc are right, and what happens
// with less, with errors on the link, and when channels begin in the wrong order:
//
//	l := credits.Direction{Way: 600_000, Hold: 0, Spacing: 51_200, Account: account,
//		Channels: []credits.Channel{channel}}
//	r, err := l.Run(100_000_000)
//
// An error is a bit of the link that is wrong: one random place in every Errors bits, by a seed. What it falls on is
// corrupted: a frame, a CF_Update, an acknowledgement.
//
//   - end.go: an end of a link, its credits and its errors, its replay buffer and its sequence
//   - link.go: a link alone, its parameters, and the credits of Fibre Channel, to compare
//   - run.go: the events of such a link
//   - disagree.go: links whose ends do not agree
//
// Not modelled: how the limits are exchanged (a channel has its limit when it begins), errors in bursts, the loss of
// the link itself, and errors that fall on the messages INIT and INIT_ECHO of LLR.
package credits

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// End is one end of a link: the credits that it takes for what it sends, those that it gives for what it receives, its
// link-layer retry in both directions, and the errors of what it sends. P is what the caller sends in frames of data.
//
// It has no clock and no queue of events. It says what is to be sent at a time, and what becomes of what arrives; the
// caller sends it, and schedules what is to come. A [Direction] drives two ends, and package fabric those of its ports.
type End[P any] struct {
	Sender   Sender
	Receiver Receiver
	CCDue    bool // a CC_Update is to be sent; the caller has the timer

	retries  bool // otherwise nothing is kept, and the replay buffer stays empty
	replay   Replay[P]
	sequence Sequence
	noise    Noise
	leaked   []cbfc.Credits
	channels []ChannelCounters
	counters Counters
}

// Counters count what an end did.
type Counters struct {
	Corrupted      int64 // frames that it sent with a wrong bit, CC_Updates and each repetition counted
	CFSent, CFLost int64 // CF_Updates that it sent; of these, corrupted or sent into a dead link
	CCSent         int64 // CC_Updates that it sent
	CCLost         int64 // CC_Updates that never arrived at it
	GivenUp        int64 // frames to it that the other end gave up after all repetitions
	ReplayCounters       // of what it sent
	Acks, Nacks    int64 // that it sent
	Duplicates     int64 // frames that it had already
}

// ChannelCounters count the credits of a virtual channel at one end.
type ChannelCounters struct {
	Consumed  int64        // by frames that the end sent
	Returned  int64        // by CF_Updates that the end received
	MostInUse cbfc.Credits // the largest difference of both
	Leaked    int64        // by frames to the end that never arrived
	Repaired  int64        // of these, by CC_Updates
}

// Frame is a frame on a link: data, or a CC_Update.
type Frame[P any] struct {
	Number   int64      // of link-layer retry
	Size     unit.Bytes // from destination address to FCS
	CC       bool       // a CC_Update
	Channel  int        // of data for which credits are counted; else -1
	Credits  cbfc.Credits
	Bad      bool       // corrupted on its last way
	Consumed []Consumed // of a CC_Update: the counters of the channels as it was first sent
	Load     P          // of data
}

// Set is an ordered set: what an end answers.
type Set struct {
	Kind  SetKind
	Freed Freed           // of a CF_Update
	Ack   Acknowledgement // of LLR_ACK and LLR_NACK
	Next  int64           // of an INIT_ECHO: the number of its INIT
}

// SetKind is the kind of an ordered set.
type SetKind uint8

// The kinds of ordered sets.
const (
	CFUpdate SetKind = iota
	Acknowledges
	InitEcho
)

// NewEnd returns an end with its channels. pool shares the credits that it takes; nil: each channel has its own
// limit. spacing and most are those of its CF_Updates, as in a [Receiver]; retry is nil without link-layer retry.
func NewEnd[P any](channels int, pool *cbfc.Pool, spacing, most int64, retry *Retry, noise Noise) End[P] {
	e := End[P]{Sender: NewSender(channels, pool), Receiver: NewReceiver(channels, spacing, most), noise: noise,
		leaked: make([]cbfc.Credits, channels), channels: make([]ChannelCounters, channels)}
	e.replay.timer = Never
	if retry != nil {
		e.retries, e.replay.Retry, e.sequence.Spacing = true, *retry, retry.Spacing
	}
	return e
}

// SetNoise replaces the errors of what the end sends.
func (e *End[P]) SetNoise(n Noise) { e.noise = n }

// NextSet returns the ordered set that begins now, if one is due: those of link-layer retry first, then a CF_Update. It
// ends at end. It is lost if an error falls on it or the link is dead; an error never falls on an INIT_ECHO (inferred:
// nothing is published about it).
func (e *End[P]) NextSet(now, length int64, dead bool) (s Set, lost, due bool) {
	if next, ok := e.sequence.Echo(); ok {
		s = Set{Kind: InitEcho, Next: next}
	} else if ack, ok := e.sequence.Answer(now); ok {
		s = Set{Kind: Acknowledges, Ack: ack}
	} else if freed, ok := e.Receiver.Update(now); ok {
		s = Set{Kind: CFUpdate, Freed: freed}
		e.counters.CFSent++
	} else {
		return s, false, false
	}
	lost = e.noise.Hits(now, now+length) && s.Kind != InitEcho || dead
	if lost && s.Kind == CFUpdate {
		e.counters.CFLost++
	}
	return s, lost, true
}

// Apply takes over what an ordered set of the other end says.
func (e *End[P]) Apply(now int64, s *Set) {
	switch s.Kind {
	case CFUpdate:
		e.channels[s.Freed.Channel].Returned += int64(e.Sender.Ends[s.Freed.Channel].Update(s.Freed.Counter))
	case Acknowledges:
		e.replay.Answer(now, s.Ack)
	case InitEcho:
		e.replay.Echo(s.Next)
	}
}

// HasPlace tells whether the replay buffer takes a new frame; without link-layer retry it does.
func (e *End[P]) HasPlace(size unit.Bytes) bool {
	return !e.retries || e.replay.Place(size)
}

// Send counts the credits of a frame of data that begins now, and keeps it for link-layer retry. There must be credits
// and a place.
func (e *End[P]) Send(now int64, f *Frame[P]) {
	if f.Channel >= 0 {
		t, c := &e.Sender.Ends[f.Channel], &e.channels[f.Channel]
		t.Send(f.Credits)
		c.Consumed += int64(f.Credits)
		c.MostInUse = max(c.MostInUse, t.InUse())
	}
	e.keep(now, f)
}

// keep keeps a new frame for link-layer retry.
func (e *End[P]) keep(now int64, f *Frame[P]) {
	if e.retries {
		e.replay.Keep(now, f)
	}
}

// NextCC returns the CC_Update that begins now, if one is due and there is a place for it.
func (e *End[P]) NextCC(now int64) (f Frame[P], due bool) {
	if !e.CCDue || !e.HasPlace(cbfc.CCUpdateBytes) {
		return f, false
	}
	e.CCDue = false
	e.counters.CCSent++
	f = Frame[P]{Size: cbfc.CCUpdateBytes, CC: true, Channel: -1}
	for i := range e.Sender.Ends {
		if !e.Sender.Silent[i] {
			f.Consumed = append(f.Consumed, Consumed{i, e.Sender.Ends[i].Consumed})
		}
	}
	e.keep(now, &f)
	return f, true
}

// NextRepeat returns the next frame to repeat, if there is one.
func (e *End[P]) NextRepeat() (f Frame[P], due bool) { return e.replay.Repeat() }

// NextInit returns the INIT that is to be sent now, if one is due.
func (e *End[P]) NextInit() (i Init[P], due bool) { return e.replay.Init() }

// Launch finds out whether a frame arrives whole whose bits after the gap are on the link from one time to another.
func (e *End[P]) Launch(f *Frame[P], from, to int64) {
	if f.Bad = e.noise.Hits(from, to); f.Bad {
		e.counters.Corrupted++
	}
}

// Corrupts tells whether an error falls on something else that the end sends from one time to another.
func (e *End[P]) Corrupts(from, to int64) bool { return e.noise.Hits(from, to) }

// Fate is what becomes of a frame that arrives.
type Fate uint8

// The fates of a frame.
const (
	Ignored  Fate = iota // link-layer retry repeats it, or had it already
	Lost                 // data or a CC_Update that never arrives whole
	Updated              // a CC_Update that was taken over
	Accepted             // data that has arrived whole, and in order with link-layer retry
)

// Arrive handles a frame whose last bit is there.
func (e *End[P]) Arrive(f *Frame[P]) Fate {
	switch {
	case e.retries && !e.sequence.Accept(f.Number, !f.Bad):
		return Ignored
	case f.Bad:
		e.Lose(f)
		return Lost
	case f.CC:
		for _, c := range f.Consumed {
			n := e.Receiver.Reconcile(c)
			e.channels[c.Channel].Repaired += int64(n)
			e.leaked[c.Channel] -= n
		}
		return Updated
	}
	if f.Channel >= 0 {
		e.Receiver.Ends[f.Channel].Arrive(f.Credits)
	}
	return Accepted
}

// Lose counts a frame to this end that never arrives: its credits leak.
func (e *End[P]) Lose(f *Frame[P]) {
	switch {
	case f.CC:
		e.counters.CCLost++
	case f.Channel >= 0:
		e.leaked[f.Channel] += f.Credits
		e.channels[f.Channel].Leaked += int64(f.Credits)
	}
}

// LoseOnDeadLink counts a frame to this end that was sent into a dead link, and tells whether it is lost: link-layer
// retry repeats it.
func (e *End[P]) LoseOnDeadLink(f *Frame[P]) (lost bool) {
	if e.retries {
		return false
	}
	e.Lose(f)
	return true
}

// Reset handles an INIT: of the frames that were given up, it calls lost with those that have not arrived.
func (e *End[P]) Reset(i *Init[P], lost func(*Frame[P])) {
	for n := range i.Given {
		f := &i.Given[n]
		if f.Number < e.sequence.expected {
			continue
		}
		e.Lose(f)
		if !f.CC {
			e.counters.GivenUp++
		}
		lost(f)
	}
	e.sequence.Reset(i.Next)
}

// Expire acts by the replay timer.
func (e *End[P]) Expire(now int64) { e.replay.Expire(now) }

// Deadline returns when the replay timer expires; Never if it does not run.
func (e *End[P]) Deadline() int64 { return e.replay.timer }

// NextAnswer returns the first time at which NextSet may return an ordered set: now or later; Never if none is to come.
func (e *End[P]) NextAnswer(now int64) int64 { return min(e.sequence.Next(now), e.Receiver.Next(now)) }

// Counters returns the counters so far.
func (e *End[P]) Counters() Counters {
	c := e.counters
	c.Acks, c.Nacks, c.Duplicates = e.sequence.Acks, e.sequence.Nacks, e.sequence.Duplicates
	c.ReplayCounters = e.replay.Counters
	return c
}

// Channel returns the counters of a channel so far, and the credits of what it gives that have leaked and were not
// repaired.
func (e *End[P]) Channel(i int) (c ChannelCounters, leaked cbfc.Credits) {
	return e.channels[i], e.leaked[i]
}

// EachUnacknowledged visits the frames that this end keeps and another end has not accepted, and tells whether there is
// link-layer retry.
func (e *End[P]) EachUnacknowledged(to *End[P], visit func(*Frame[P])) bool {
	if !e.retries {
		return false
	}
	for _, list := range [2][]Frame[P]{e.replay.given, e.replay.kept} {
		for k := range list {
			if list[k].Number >= to.sequence.expected {
				visit(&list[k])
			}
		}
	}
	return true
}
