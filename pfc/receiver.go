package pfc

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// LinkRule says what a receiver does with PAUSE frames of the whole link.
type LinkRule uint8

// The rules. A link that has PFC for any priority has PAUSE disabled (IEEE 802.3
// annex 31D, 802.1Q clause 36).
const (
	LinkIgnored   LinkRule = iota // PAUSE frames do nothing: the rule of a link with PFC, and the default
	LinkObeyed                    // PAUSE frames stop all priorities: a link with LLFC and without PFC
	LinkBesidePFC                 // both kinds of frames are obeyed, against the standard
)

// Config says what a receiver obeys. The zero Config obeys nothing.
type Config struct {
	Rate    unit.BitRate // of the link, which makes quanta into time; needed as soon as anything is obeyed
	Enabled Priorities   // the priorities that have PFC; frames do not stop the others
	Link    LinkRule     // what PAUSE frames of the whole link do
}

// Validate returns all that is wrong with the configuration, or nil.
func (c Config) Validate() error {
	var all []error
	if obeys := c.Enabled != 0 || c.Link != LinkIgnored; c.Rate < 0 || c.Rate == 0 && obeys {
		all = append(all, fmt.Errorf("rate: %v is not the rate of a link (accepted: more than 0)", c.Rate))
	}
	switch {
	case c.Link > LinkBesidePFC:
		all = append(all, fmt.Errorf("link: %d is not a rule (accepted: 0 ignored, 1 obeyed, 2 obeyed beside PFC)",
			c.Link))
	case c.Link == LinkObeyed && c.Enabled != 0:
		all = append(all, fmt.Errorf("link: PAUSE is obeyed on a link with PFC for %v, against IEEE 802.3 annex "+
			"31D (accepted: LinkIgnored, or LinkBesidePFC if it is meant)", c.Enabled))
	}
	return errors.Join(all...)
}

// Receiver is the timers of a port that receives flow control and therefore has
// to stop sending: one for each priority, and one for the link. The zero
// Receiver obeys nothing. It is a value: a copy is a receiver of its own.
//
// The rules, for each priority (IEEE 802.3 annex 31D and 802.1Qbb):
//
//   - the first pause stops the priority and starts its timer;
//   - a pause while stopped loads the timer anew, for longer or for shorter;
//   - a time of zero lets the timer run out now;
//   - when the timer runs out, the priority resumes: at that picosecond it sends;
//   - a priority without PFC, or whose bit is off, is not touched.
//
// [Receiver.Receive] and the like return what changes. Changes are told once and
// with respect to what was told before, so a caller who stops and starts as told
// is always right, even if it lets a timer run out unnoticed. Time must not go
// backwards between calls.
type Receiver struct {
	config  Config
	until   [PerLink + 1]unit.Time // when the timers run out; the last is the link's
	running uint16                 // the timers that run, by bit
	told    Priorities             // the priorities that the caller believes to be stopped
}

const linkTimer = PerLink

// NewReceiver returns a receiver that has received nothing yet, or all that is
// wrong with the configuration.
func NewReceiver(c Config) (Receiver, error) {
	if err := c.Validate(); err != nil {
		return Receiver{}, err
	}
	return Receiver{config: c}, nil
}

// Receive is told of a frame that has arrived and returns the priorities that
// have to stop now, and those that may start again: those that the frame lets
// go, and those whose timers ran out before it.
func (r *Receiver) Receive(now unit.Time, f Frame) (stop, start Priorities) {
	r.runOut(now)
	for heard := f.Enabled & r.config.Enabled; heard != 0; heard &= heard - 1 {
		p := heard.Lowest()
		r.load(p, now, f.Quanta[p])
	}
	return r.tell()
}

// ReceiveLink is told of a PAUSE frame of the whole link, and returns what
// [Receiver.Receive] does. A link that is told to resume resumes those
// priorities that no frame of their own still stops.
func (r *Receiver) ReceiveLink(now unit.Time, p LinkPause) (stop, start Priorities) {
	r.runOut(now)
	if r.config.Link != LinkIgnored {
		r.load(linkTimer, now, p.Quanta)
	}
	return r.tell()
}

// Expire lets all timers run out that are due, and returns the priorities that
// may start again: none, if the link's timer and a priority's own overlap and
// only one of them is due.
func (r *Receiver) Expire(now unit.Time) (start Priorities) {
	r.runOut(now)
	_, start = r.tell()
	return start
}

// Reset stops all timers, as when the link goes down, and returns the priorities
// that were stopped.
func (r *Receiver) Reset() (start Priorities) {
	r.running = 0
	_, start = r.tell()
	return start
}

// NextExpiry returns when the next timer runs out, which is when to call
// [Receiver.Expire]; false if none runs.
func (r *Receiver) NextExpiry() (at unit.Time, ok bool) {
	if r.running == 0 {
		return 0, false
	}
	at = forever
	for left := r.running; left != 0; left &= left - 1 {
		at = min(at, r.until[bits.TrailingZeros16(left)])
	}
	return at, true
}

// Paused tells whether a priority is stopped at the given time, as far as is
// known: timers that have run out by then no longer count, whether Expire was
// called or not. Numbers other than 0 to 7 are never stopped.
func (r *Receiver) Paused(now unit.Time, priority int) bool {
	until, ok := r.Until(priority)
	return ok && now < until
}

// Until returns when a priority resumes if no further frame comes, the later of
// its own timer and the link's; false if no timer runs for it.
func (r *Receiver) Until(priority int) (at unit.Time, ok bool) {
	if priority < 0 || priority >= PerLink {
		return 0, false
	}
	own, link := r.runs(priority), r.runs(linkTimer)
	switch {
	case own && link:
		return max(r.until[priority], r.until[linkTimer]), true
	case own:
		return r.until[priority], true
	case link:
		return r.until[linkTimer], true
	}
	return 0, false
}

func (r *Receiver) runs(timer int) bool { return r.running>>timer&1 == 1 }

func (r *Receiver) load(timer int, now unit.Time, quanta uint16) {
	if quanta == 0 {
		r.running &^= 1 << timer
		return
	}
	r.running |= 1 << timer
	r.until[timer] = after(now, Duration(quanta, r.config.Rate))
}

func (r *Receiver) runOut(now unit.Time) {
	for left := r.running; left != 0; left &= left - 1 {
		if t := bits.TrailingZeros16(left); r.until[t] <= now {
			r.running &^= 1 << t
		}
	}
}

// tell returns the difference between what is and what was told.
func (r *Receiver) tell() (stop, start Priorities) {
	stopped := Priorities(r.running)
	if r.runs(linkTimer) {
		stopped = All
	}
	stop, start = stopped&^r.told, r.told&^stopped
	r.told = stopped
	return stop, start
}
