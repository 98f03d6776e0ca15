package credits

import (
	"math"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/cbfc"
)

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
