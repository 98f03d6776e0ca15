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
	"math"
	"math/rand/v2"

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

	retries  bool
	replay   *Replay[P]
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
	if retry != nil {
		e.retries, e.replay, e.sequence.Spacing = true, NewReplay[P](*retry), retry.Spacing
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
	return !e.retries || !e.replay.Blocks() && e.replay.Place(size)
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
func (e *End[P]) NextRepeat() (f Frame[P], due bool) {
	if !e.retries {
		return f, false
	}
	return e.replay.Repeat()
}

// NextInit returns the INIT that is to be sent now, if one is due.
func (e *End[P]) NextInit() (i Init[P], due bool) {
	if !e.retries {
		return i, false
	}
	return e.replay.Init()
}

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
		if f.Number < e.sequence.Expected() {
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
func (e *End[P]) Expire(now int64) {
	if e.retries {
		e.replay.Expire(now)
	}
}

// Deadline returns when the replay timer expires; Never if it does not run.
func (e *End[P]) Deadline() int64 {
	if !e.retries {
		return Never
	}
	return e.replay.Deadline()
}

// NextAnswer returns the first time at which NextSet may return an ordered set: now or later; Never if none is to come.
func (e *End[P]) NextAnswer(now int64) int64 { return min(e.sequence.Next(now), e.Receiver.Next(now)) }

// Counters returns the counters so far.
func (e *End[P]) Counters() Counters {
	c := e.counters
	c.Acks, c.Nacks, c.Duplicates = e.sequence.Acks, e.sequence.Nacks, e.sequence.Duplicates
	if e.retries {
		c.ReplayCounters = e.replay.Counters
	}
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
	kept, given := e.replay.Kept()
	for _, list := range [2][]Frame[P]{given, kept} {
		for k := range list {
			if list[k].Number >= to.sequence.Expected() {
				visit(&list[k])
			}
		}
	}
	return true
}

// Never is later than every time of a simulation.
const Never = int64(math.MaxInt64)

// Sender is the sending end of the credits of one direction of a link. It has no clock: times are arguments.
type Sender struct {
	Ends []cbfc.Sender // of each channel; their limits are read without a Pool
	Pool *cbfc.Pool    // shares the credits among the channels; nil: each channel has its own limit
	// Silent channels are in no CC_Update.
	Silent []bool

	inUse []cbfc.Credits
}

// NewSender returns the sending end of channels without credits.
func NewSender(channels int, pool *cbfc.Pool) Sender {
	return Sender{Ends: make([]cbfc.Sender, channels), Pool: pool, Silent: make([]bool, channels),
		inUse: make([]cbfc.Credits, channels)}
}

// May tells whether a channel has the credits for a packet of n.
func (t *Sender) May(channel int, n cbfc.Credits) bool {
	if t.Pool == nil {
		return t.Ends[channel].May(n)
	}
	// A pool decides by what all channels have in use.
	for k := range t.Ends {
		t.inUse[k] = t.Ends[k].InUse()
	}
	return t.Pool.May(channel, n, t.inUse)
}

// Consumed is the counter of a channel in a CC_Update.
type Consumed struct {
	Channel int
	Counter cbfc.Counter
}

// Receiver is the receiving end of the credits of one direction of a link: it counts what arrives and what leaves the
// buffer, and decides when which CF_Update is sent. Times are of any unit, the same for all.
type Receiver struct {
	Ends    []cbfc.Receiver // of each channel
	Off     []bool          // no CF_Updates of the channel are sent
	Spacing int64           // from the begin of a CF_Update to that of the next, at least
	Most    int64           // after this time a CF_Update is sent in any case; 0: never

	news []bool // the channel has freed something that no CF_Update has told
	turn int    // the channel that is asked first
	last int64  // begin of the last CF_Update
	sent bool   // there was one
}

// NewReceiver returns the receiving end of channels.
func NewReceiver(channels int, spacing, most int64) Receiver {
	return Receiver{Ends: make([]cbfc.Receiver, channels), Off: make([]bool, channels), Spacing: spacing, Most: most,
		news: make([]bool, channels)}
}

// Free counts n credits of a channel as freed: a packet has left the buffer.
func (r *Receiver) Free(channel int, n cbfc.Credits) {
	r.Ends[channel].Free(n)
	r.news[channel] = true
}

// Reconcile repairs what leaked before a CC_Update was sent, and returns how many credits.
func (r *Receiver) Reconcile(c Consumed) cbfc.Credits {
	n := r.Ends[c.Channel].Reconcile(c.Counter)
	r.news[c.Channel] = r.news[c.Channel] || n > 0
	return n
}

// Clear clears the counters of a channel.
func (r *Receiver) Clear(channel int) {
	r.Ends[channel], r.news[channel], r.Off[channel] = cbfc.Receiver{}, false, false
}

// Freed is a CF_Update: the counter of one channel.
type Freed struct {
	Channel int
	Counter cbfc.Counter
}

// Update returns the CF_Update that begins now, if one is due. Channels with news take turns; without news for the
// time Most it is the next channel's turn too.
func (r *Receiver) Update(now int64) (f Freed, ok bool) {
	// The first CF_Update waits for nothing.
	if r.sent && now < r.last+r.Spacing {
		return f, false
	}
	// Each CF_Update has the whole counter, so one that comes anyway makes up for those that were lost.
	anyway := r.Most > 0 && now >= r.last+r.Most
	for k := range r.Ends {
		i := (r.turn + k) % len(r.Ends)
		if r.Off[i] || !r.news[i] && !anyway {
			continue
		}
		r.turn, r.news[i], r.last, r.sent = i+1, false, now, true
		return Freed{i, r.Ends[i].Freed}, true
	}
	return f, false
}

// Next returns the first time at which Update may return one: now or later; Never if none is to come.
func (r *Receiver) Next(now int64) int64 {
	at := Never
	for i := range r.Ends {
		switch {
		case r.Off[i]:
		case r.news[i] && r.sent:
			return max(now, r.last+r.Spacing)
		case r.news[i]:
			return now
		case r.Most > 0:
			at = max(now, r.last+max(r.Most, r.Spacing))
		}
	}
	return at
}

// Noise is where the wrong bits of a direction of a link are: one in each window of time, at a random place.
type Noise struct {
	window int64 // 0: no wrong bits
	next   int64 // time of the next wrong bit
	begin  int64 // of its window
	random *rand.Rand
}

// NewNoise returns the noise of a direction. A window has this number of bits, and one of them is wrong; 0: none is.
func NewNoise(window int64, seed, direction uint64) Noise {
	// The two directions have random numbers of their own.
	n := Noise{window: window, random: rand.New(rand.NewPCG(seed, direction))}
	if window > 0 {
		n.next = n.random.Int64N(window)
	}
	return n
}

// Hits tells whether a bit from one time to another is wrong. Questions are in the order of time.
func (n *Noise) Hits(from, to int64) bool {
	if n.window == 0 {
		return false
	}
	if skip := (from-n.begin)/n.window - 1; skip > 0 {
		n.begin += skip * n.window // a link that was idle for long
		n.advance()
	}
	// Wrong bits before this time fell on an idle link.
	for n.next < from {
		n.advance()
	}
	return n.next < to
}

// advance goes to the next window.
func (n *Noise) advance() {
	n.begin += n.window
	n.next = n.begin + n.random.Int64N(n.window)
}

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

// NewReplay returns an empty replay buffer.
func NewReplay[P any](r Retry) *Replay[P] { return &Replay[P]{Retry: r, timer: Never} }

// Place tells whether there is room to keep a frame.
func (b *Replay[P]) Place(size unit.Bytes) bool {
	return !b.flushing && int64(len(b.kept)) < b.Frames && b.bytes+size <= b.Bytes
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

// Blocks tells whether nothing new may be sent: the buffer repeats, or waits for the answer to a flush.
func (b *Replay[P]) Blocks() bool { return b.flushing || b.cursor < len(b.kept) }

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

// Kept returns the frames that are not acknowledged, and those that a flush gave up and that the receiver does not know
// of yet.
func (b *Replay[P]) Kept() (kept, given []Frame[P]) { return b.kept, b.given }

// restart starts the replay timer.
func (b *Replay[P]) restart(now int64) {
	b.timer = Never
	if b.Timer > 0 && (len(b.kept) > 0 || b.flushing) {
		b.timer = now + b.Timer
	}
}

// Deadline returns when the replay timer expires; Never if it does not run.
func (b *Replay[P]) Deadline() int64 { return b.timer }

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

// Expected returns the number of the next frame in order.
func (q *Sequence) Expected() int64 { return q.expected }

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
