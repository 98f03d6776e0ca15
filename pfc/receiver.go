package pfc

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// LinkRule says how a receiver handles PAUSE frames of the whole link.
type LinkRule uint8

// The rules. A link that has PFC for any priority has PAUSE disabled (IEEE 802.3 annex 31D, 802.1Q clause 36).
const (
	// PAUSE frames have no effect: the rule of a link with PFC, and the default
	LinkIgnored   LinkRule = iota
	LinkObeyed             // PAUSE frames stop all priorities: a link with LLFC and without PFC
	LinkBesidePFC          // both kinds of frames are obeyed, against the standard
)

// Config says what a receiver obeys. The zero Config obeys nothing.
type Config struct {
	Rate    unit.BitRate // of the link, which converts quanta to time; required if anything is obeyed
	Enabled Priorities   // priorities with PFC; frames do not stop the others
	Link    LinkRule     // effect of PAUSE frames of the whole link
}

// Validate returns everything that is wrong with the configuration, or nil.
func (c Config) Validate() error {
	var all []error
	if obeys := c.Enabled != 0 || c.Link != LinkIgnored; c.Rate < 0 || c.Rate == 0 && obeys {
		all = append(all, fmt.Errorf("rate: %v is not the rate of a link (want more than 0)", c.Rate))
	}
	switch {
	case c.Link > LinkBesidePFC:
		all = append(all, fmt.Errorf("link: %d is not a rule (want 0 ignored, 1 obeyed, 2 obeyed beside PFC)",
			c.Link))
	case c.Link == LinkObeyed && c.Enabled != 0:
		all = append(all, fmt.Errorf("link: PAUSE is obeyed on a link with PFC for %v, against IEEE 802.3 annex "+
			"31D (want LinkIgnored, or LinkBesidePFC if it is meant)", c.Enabled))
	}
	return errors.Join(all...)
}

// Receiver has the timers of a port that obeys flow control: one for each priority, and one for the link. The zero
// Receiver obeys nothing. It is a value: a copy is a receiver of its own.
//
// The rules for each priority (IEEE 802.3 annex 31D and 802.1Qbb):
//
//   - The first pause stops the priority and starts its timer.
//   - A pause while the priority is stopped sets the timer anew, to a later or
//     an earlier time.
//   - A time of zero makes the timer expire now.
//   - When the timer expires, the priority resumes, at that picosecond.
//   - A priority without PFC, or whose bit is off, is not changed.
//
// [Receiver.Receive] and the other methods return what changes. Each change is reported once, relative to the previous
// report. A caller that stops and starts the priorities of each report is therefore always in the right state, even if
// a timer has expired between two calls. Time must not go backwards between calls.
type Receiver struct {
	config   Config
	until    [PerLink + 1]unit.Time // when each timer expires; the last is the link's
	running  uint16                 // timers that run, by bit
	reported Priorities             // priorities that were last reported as stopped
}

const linkTimer = PerLink

// NewReceiver returns a receiver without pauses, or everything that is wrong with the configuration.
func NewReceiver(c Config) (Receiver, error) {
	if err := c.Validate(); err != nil {
		return Receiver{}, err
	}
	return Receiver{config: c}, nil
}

// Receive handles a frame that has arrived. It returns the priorities that must stop now, and those that may start
// again: those that the frame resumes, and those whose timers have expired before.
func (r *Receiver) Receive(now unit.Time, f Frame) (stop, start Priorities) {
	r.expireTimers(now)
	for heard := f.Enabled & r.config.Enabled; heard != 0; heard &= heard - 1 {
		p := heard.Lowest()
		r.load(p, now, f.Quanta[p])
	}
	return r.changes()
}

// ReceiveLink handles a PAUSE frame of the whole link, and returns the same as [Receiver.Receive]. When the link
// resumes, only the priorities without a pause of their own resume.
func (r *Receiver) ReceiveLink(now unit.Time, p LinkPause) (stop, start Priorities) {
	r.expireTimers(now)
	if r.config.Link != LinkIgnored {
		r.load(linkTimer, now, p.Quanta)
	}
	return r.changes()
}

// Expire makes all timers expire that are due, and returns the priorities that may start again. There are none if a
// priority's timer and the link's timer overlap and only one of them is due.
func (r *Receiver) Expire(now unit.Time) (start Priorities) {
	r.expireTimers(now)
	_, start = r.changes()
	return start
}

// Reset stops all timers, as when the link goes down, and returns the priorities that were stopped.
func (r *Receiver) Reset() (start Priorities) {
	r.running = 0
	_, start = r.changes()
	return start
}

// Enable changes the priorities with PFC, as when a port negotiates them anew. The timers of priorities that keep PFC
// run on; those of the others stop. It returns the priorities that may start again, or the error of [Config.Validate]
// and changes nothing.
func (r *Receiver) Enable(now unit.Time, enabled Priorities) (start Priorities, err error) {
	c := r.config
	c.Enabled = enabled
	if err := c.Validate(); err != nil {
		return 0, err
	}
	r.expireTimers(now)
	r.config = c
	r.running &= uint16(enabled) | 1<<linkTimer
	_, start = r.changes()
	return start, nil
}

// NextExpiry returns when the next timer expires, which is when to call [Receiver.Expire]; false if no timer runs.
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

// Paused tells whether a priority is stopped at a time. Timers that have expired by then do not count, even if Expire
// has not been called. It is false for numbers other than 0 to 7.
func (r *Receiver) Paused(now unit.Time, priority int) bool {
	until, ok := r.Until(priority)
	return ok && now < until
}

// Until returns when a priority resumes if no further frame arrives: the later
// time of its own timer and the link's; false if no timer runs for it.
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

// runs tells whether a timer runs.
func (r *Receiver) runs(timer int) bool { return r.running>>timer&1 == 1 }

// load starts or stops a timer.
func (r *Receiver) load(timer int, now unit.Time, quanta uint16) {
	if quanta == 0 {
		r.running &^= 1 << timer
		return
	}
	r.running |= 1 << timer
	r.until[timer] = after(now, Duration(quanta, r.config.Rate))
}

// expireTimers stops the timers that are due.
func (r *Receiver) expireTimers(now unit.Time) {
	for left := r.running; left != 0; left &= left - 1 {
		if t := bits.TrailingZeros16(left); r.until[t] <= now {
			r.running &^= 1 << t
		}
	}
}

// changes returns the difference between the present state and the reported one.
func (r *Receiver) changes() (stop, start Priorities) {
	stopped := Priorities(r.running)
	if r.runs(linkTimer) {
		stopped = All
	}
	stop, start = stopped&^r.reported, r.reported&^stopped
	r.reported = stopped
	return stop, start
}
