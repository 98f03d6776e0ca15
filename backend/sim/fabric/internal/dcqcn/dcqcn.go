// Package dcqcn is congestion control with ECN (Zhu et al., SIGCOMM 2015): how a sender's rate follows the congestion
// notification packets (CNPs) of its receiver, and when a receiver sends them.
//
// Both ends are values without a clock: times are arguments, in picoseconds, and do not decrease.
package dcqcn

import (
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// Parameters are those of a reaction point, with the names that the paper gives them. All are required.
type Parameters struct {
	Gain        int          // 1/g: how slowly alpha follows the marks
	AlphaTimer  unit.Time    // K: alpha falls after so long without a CNP
	Timer       unit.Time    // T: time between increases
	ByteCounter unit.Bytes   // B: bytes between increases, with preamble and gap
	Recovery    int          // F: increases of each kind that only return to the target rate
	Increase    unit.BitRate // R_AI: additive increase of the target rate
	Hyper       unit.BitRate // R_HAI: increase of the target rate when timer and byte counter are both beyond F
	Least       unit.BitRate // lowest rate
}

// Rate is DCQCN's reaction point, at the sender. The zero Rate is off: see [Rate.On]. Its timers are not events.
// They are brought up to date when a frame leaves or a CNP arrives, because the
// rate matters only then: the time from one frame to the next is fixed when the
// first one leaves.
type Rate struct {
	on       bool
	notified bool   // a CNP has arrived; before the first one nothing changes
	current  int64  // R_C, bit/s
	target   int64  // R_T, bit/s
	alpha    uint64 // in units of 2^-32
	alphaAt  int64  // when alpha last changed
	timerAt  int64  // when the timer last expired, or was started
	bytes    int64  // sent since the byte counter last expired
	timers   int32  // expiries of the timer since the last CNP
	counts   int32  // expiries of the byte counter since the last CNP

	gain, alphaTimer, timer, counter int64
	recovery                         int32
	increase, hyper, least, top      int64
}

// alphaOne is an alpha of 1. Alpha is kept in units of 2^-32, so that results
// are the same on every machine.
const alphaOne = 1 << 32

// New returns a reaction point that sends at its highest rate, which is that of its line, or the limit of its flow.
func New(p Parameters, top unit.BitRate) Rate {
	line := int64(top)
	return Rate{on: true, current: line, target: line, top: line, alpha: alphaOne, gain: int64(p.Gain),
		alphaTimer: int64(p.AlphaTimer), timer: int64(p.Timer), counter: int64(p.ByteCounter), recovery: int32(p.Recovery),
		increase: int64(p.Increase), hyper: int64(p.Hyper), least: min(int64(p.Least), line)}
}

// On tells whether there is a reaction point: the zero Rate has none.
func (r *Rate) On() bool { return r.on }

// Cut handles a CNP: the rate becomes (1 - alpha/2) of what it was, and alpha
// rises.
func (r *Rate) Cut(now int64) {
	r.catchUp(now)
	if !r.notified {
		r.notified, r.alpha = true, alphaOne
	}
	r.target = r.current
	// 128 bits hold rate times alpha. The shift by 33 divides by alphaOne and
	// by 2.
	hi, lo := bits.Mul64(uint64(r.current), r.alpha)
	r.current = max(r.current-int64(hi<<31|lo>>33), r.least)
	r.alpha += (alphaOne - r.alpha) / uint64(r.gain)
	r.alphaAt, r.timerAt, r.bytes, r.timers, r.counts = now, now, 0, 0, 0
}

// catchUp applies the expiries of both timers up to now.
func (r *Rate) catchUp(now int64) {
	if !r.notified {
		return
	}
	for ; r.alphaAt+r.alphaTimer <= now && r.alpha > 0; r.alphaAt += r.alphaTimer {
		r.alpha -= (r.alpha + uint64(r.gain) - 1) / uint64(r.gain)
	}
	for ; r.timerAt+r.timer <= now && r.current < r.top; r.timerAt += r.timer {
		r.timers++
		r.raise()
	}
}

// Sent counts a frame on the byte counter.
func (r *Rate) Sent(now, bytes int64) {
	if !r.notified {
		return
	}
	r.catchUp(now)
	if r.bytes += bytes; r.bytes >= r.counter {
		r.bytes -= r.counter
		r.counts++
		r.raise()
	}
}

// raise increases the rate halfway to the target. The target itself rises when
// the timer or the byte counter has expired more than F times, and faster when
// both have.
func (r *Rate) raise() {
	switch {
	case min(r.timers, r.counts) > r.recovery:
		r.target += r.hyper
	case max(r.timers, r.counts) > r.recovery:
		r.target += r.increase
	}
	r.target = min(r.target, r.top)
	r.current = (r.current + r.target + 1) / 2
}

// LimitsBelow tells whether the rate is below that of a line, in bit/s.
func (r *Rate) LimitsBelow(line int64) bool { return r.current < line }

// At returns the rate at a time, and changes nothing.
func (r Rate) At(now int64) unit.BitRate {
	r.catchUp(now)
	return unit.BitRate(r.current)
}

// Gap is the time from the beginning of a frame to the next one, rounded up to
// a picosecond.
func (r *Rate) Gap(bytes int64) int64 {
	return (bytes*8*int64(unit.Second) + r.current - 1) / r.current
}

// Check returns an error if the rate or alpha is out of its bounds.
func (r *Rate) Check() error {
	if r.on && (r.current < r.least || r.current > r.target || r.target > r.top || r.alpha > alphaOne) {
		return fmt.Errorf("rate %d, target %d, alpha %d/2^32 (want %d to %d, alpha up to 1)", r.current,
			r.target, r.alpha, r.least, r.top)
	}
	return nil
}

// Notifier is DCQCN's notification point, at the receiver. It decides when marked frames are answered with a CNP: the
// first one at once, and those of the interval after a CNP together at its end. The caller sends the CNP and keeps the
// timer.
type Notifier struct {
	over     int64 // end of the interval that the last CNP began
	due      bool  // a marked frame has arrived within the interval
	interval int64
}

// NewNotifier returns a notification point that may send a CNP at once. The interval is the shortest time between two.
func NewNotifier(interval unit.Time) Notifier { return Notifier{interval: int64(interval)} }

// Marked notes a marked frame. It tells whether a CNP is to be sent now; if not, timer is the time at which one is to
// be sent, or 0 if that time is known already.
func (n *Notifier) Marked(now int64) (send bool, timer int64) {
	switch {
	case n.due:
		return false, 0
	case now >= n.over:
		return true, 0
	}
	n.due = true
	return false, n.over
}

// Send begins an interval: a CNP is sent now.
func (n *Notifier) Send(now int64) { n.due, n.over = false, now+n.interval }
