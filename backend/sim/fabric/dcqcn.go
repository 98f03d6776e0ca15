package fabric

import (
	"errors"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// DCQCN is congestion control with ECN (Zhu et al., SIGCOMM 2015). The receiver
// answers marked frames with CNPs. The sender cuts its rate with each CNP and
// raises it again when there are none. It starts at line rate. A zero field has
// the default that is given beside it.
type DCQCN struct {
	Gain        int          // 1/g: how slowly alpha follows the marks; 256
	AlphaTimer  unit.Time    // K: alpha falls after so long without a CNP; 55 us
	Timer       unit.Time    // T: time between increases; 55 us
	ByteCounter unit.Bytes   // B: bytes between increases, with preamble and gap; 10 MB
	Recovery    int          // F: increases of each kind that only return to the target rate; 5
	Increase    unit.BitRate // R_AI: additive increase of the target rate; 40 Mb/s
	// Hyper is R_HAI: the increase of the target rate when timer and byte
	// counter are both beyond F; 200 Mb/s, as in the authors' ns-3
	// configuration.
	Hyper unit.BitRate
	Least unit.BitRate // lowest rate; 100 Mb/s, as in the HPCC simulator
	// CNPInterval is N, the shortest time between two CNPs of a flow. A frame
	// that is marked within it causes one at its end; 50 us.
	CNPInterval unit.Time
	// CNP is the class of the CNPs. It should be one that is not dropped and is
	// served first. Hosts send CNPs before data.
	CNP      Class
	CNPFrame unit.Bytes // length of a CNP; that of RoCEv2's, 78, or 82 with a tag
}

// Validate refuses values out of range, with all complaints at once.
func (d DCQCN) Validate() error {
	var bad complaints
	bad.between("gain", int64(d.Gain), 0, 1<<20)
	for _, t := range []struct {
		name string
		time unit.Time
	}{{"alpha_timer", d.AlphaTimer}, {"timer", d.Timer}, {"cnp_interval", d.CNPInterval}} {
		if t.time != 0 {
			bad.between(t.name+" in ps", int64(t.time), int64(unit.Microsecond), int64(unit.Second))
		}
	}
	bad.between("byte_counter", int64(d.ByteCounter), 0, 1<<40)
	bad.between("recovery", int64(d.Recovery), 0, 100)
	for _, r := range []struct {
		name string
		rate unit.BitRate
	}{{"increase", d.Increase}, {"hyper", d.Hyper}, {"least", d.Least}} {
		if r.rate != 0 {
			bad.between(r.name+" in bit/s", int64(r.rate), int64(unit.Mbps), int64(unit.Tbps))
		}
	}
	bad.add("cnp", d.CNP.Validate())
	bad.between("cnp_frame in bytes", int64(d.CNPFrame), 0, maxFrame)
	return errors.Join(bad...)
}

// filled replaces zeros with the defaults.
func (d DCQCN) filled() DCQCN {
	put(&d.Gain, 256)
	put(&d.AlphaTimer, 55*unit.Microsecond)
	put(&d.Timer, 55*unit.Microsecond)
	put(&d.ByteCounter, 10_000_000)
	put(&d.Recovery, 5)
	put(&d.Increase, 40*unit.Mbps)
	put(&d.Hyper, 200*unit.Mbps)
	put(&d.Least, 100*unit.Mbps)
	put(&d.CNPInterval, 50*unit.Microsecond)
	put(&d.CNPFrame, d.CNP.answer(cnpBytes))
	return d
}

// put stores a default where there is no value.
func put[T comparable](to *T, v T) {
	var zero T
	if *to == zero {
		*to = v
	}
}

// reaction is DCQCN's reaction point, at the sender. Its timers are not events.
// They are brought up to date when a frame leaves or a CNP arrives, because the
// rate matters only then: the time from one frame to the next is fixed when the
// first one leaves.
type reaction struct {
	on      bool
	cutOnce bool   // a CNP has arrived; before the first one nothing changes
	current int64  // R_C, bit/s
	target  int64  // R_T, bit/s
	alpha   uint64 // in units of 2^-32
	alphaAt int64  // when alpha last changed
	timerAt int64  // when the timer last expired, or was started
	bytes   int64  // sent since the byte counter last expired
	timers  int32  // expiries of the timer since the last CNP
	counts  int32  // expiries of the byte counter since the last CNP

	gain, alphaTimer, timer, counter int64
	recovery                         int32
	increase, hyper, least, top      int64
}

// alphaOne is an alpha of 1. Alpha is kept in units of 2^-32, so that results
// are the same on every machine.
const alphaOne = 1 << 32

// newReaction returns a reaction point that may send at the line's rate, or at
// the flow's limit if that is lower.
func newReaction(c *DCQCN, line, limit int64) reaction {
	d := c.filled()
	if limit > 0 {
		line = min(line, limit)
	}
	return reaction{on: true, current: line, target: line, top: line, alpha: alphaOne, gain: int64(d.Gain),
		alphaTimer: int64(d.AlphaTimer), timer: int64(d.Timer),
		counter: int64(d.ByteCounter), recovery: int32(d.Recovery), increase: int64(d.Increase),
		hyper: int64(d.Hyper), least: min(int64(d.Least), line)}
}

// cut handles a CNP: the rate becomes (1 - alpha/2) of what it was, and alpha
// rises.
func (r *reaction) cut(now int64) {
	r.catchUp(now)
	if !r.cutOnce {
		r.cutOnce, r.alpha = true, alphaOne
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
func (r *reaction) catchUp(now int64) {
	if !r.cutOnce {
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

// sent counts a frame on the byte counter.
func (r *reaction) sent(now, bytes int64) {
	if !r.cutOnce {
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
func (r *reaction) raise() {
	switch {
	case min(r.timers, r.counts) > r.recovery:
		r.target += r.hyper
	case max(r.timers, r.counts) > r.recovery:
		r.target += r.increase
	}
	r.target = min(r.target, r.top)
	r.current = (r.current + r.target + 1) / 2
}

// limits tells whether the rate is below the line's.
func (r *reaction) limits(line int64) bool { return r.current < line }

// gap is the time from the beginning of a frame to the next one, rounded up to
// a picosecond.
func (r *reaction) gap(bytes int64) int64 {
	return (bytes*8*int64(unit.Second) + r.current - 1) / r.current
}

// notifier is DCQCN's notification point, at the receiver.
type notifier struct {
	over     int64 // end of the interval that the last CNP began
	due      bool  // a marked frame has arrived within the interval
	interval int64
	cnpClass Class
	cnpBytes int32
}

// newNotifier returns a notification point that may send a CNP at once.
func newNotifier(c *DCQCN) notifier {
	d := c.filled()
	return notifier{interval: int64(d.CNPInterval), cnpClass: d.CNP, cnpBytes: int32(d.CNPFrame)}
}

// notify answers a marked frame with a CNP: at once if the last interval is
// over, or one for all marked frames at the end of the interval.
func (s *part) notify(n int32, x *sender) {
	switch {
	case !x.reaction.on || x.due:
	case s.Now >= x.over:
		s.sendCNP(x)
	default:
		x.due = true
		s.Set(s.senderSource(n, onWindow), x.over)
	}
}

// notifyAgain sends the CNP that is due at the end of an interval.
func (s *part) notifyAgain(n int32) {
	s.senders[n].due = false
	s.sendCNP(&s.senders[n])
}

// sendCNP sends a CNP and begins an interval.
func (s *part) sendCNP(x *sender) {
	x.over = s.Now + x.interval
	s.queueFeedback(x.flow, cnp, &x.cnpClass, x.cnpBytes, 0)
}

// FlowRate returns the rate at which a flow may send now: the rate of DCQCN,
// the flow's limit, or the rate of the host's link.
func (s *Sim) FlowRate(i int) unit.BitRate {
	fl := &s.flows[i]
	if fl.sender >= 0 && s.senders[fl.sender].reaction.on {
		r := s.senders[fl.sender].reaction // a copy: looking changes nothing
		r.catchUp(s.now)
		return unit.BitRate(r.current)
	}
	if fl.paced {
		return unit.BitRate(fl.rate)
	}
	return s.ports[fl.from].rate
}
