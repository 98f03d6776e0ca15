package fabric

import (
	"errors"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// DCQCN is congestion control by marks (Zhu et al., SIGCOMM 2015): the receiver
// answers marked frames with CNPs, and the sender cuts its rate with each and
// raises it again without them. It starts at line rate. Zero of any field: the
// default that stands beside it.
type DCQCN struct {
	Gain        int          // 1/g, how slowly alpha follows; 256
	AlphaTimer  unit.Time    // without a CNP, after which alpha falls: K; 55 us
	Timer       unit.Time    // between increases: T; 55 us
	ByteCounter unit.Bytes   // sent between increases, preamble and gap counted: B; 10 MB
	Recovery    int          // increases of a kind that only go back to the target: F; 5
	Increase    unit.BitRate // of the target after them: R_AI; 40 Mb/s
	// of the target when timer and bytes are both beyond F: R_HAI; 200 Mb/s, as in the
	// authors' ns-3 configuration
	Hyper       unit.BitRate
	Least       unit.BitRate // never slower; 100 Mb/s, as in the HPCC simulator
	CNPInterval unit.Time    // after a CNP, at whose end there is another if a marked frame has come in it: N; 50 us
	CNP         Class        // of the CNPs: a class that is not dropped and goes first; at the host they go before data
	CNPFrame    unit.Bytes   // length of a CNP; 64
}

// Validate refuses what is out of range, with all complaints at once.
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

// filled puts the defaults in the place of zeros.
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
	put(&d.CNPFrame, feedbackFrame)
	return d
}

func put[T comparable](to *T, v T) {
	var zero T
	if *to == zero {
		*to = v
	}
}

// reaction is DCQCN at the sender (the reaction point). Its timers are not
// events: they are caught up with when a frame leaves or a CNP comes, which is
// when the rate matters. A frame's distance to the next one is fixed when it
// leaves.
type reaction struct {
	on      bool
	cutOnce bool  // there has been a CNP
	current int64 // RC, bit/s
	target  int64 // RT
	alpha   uint64
	alphaAt int64 // when alpha changed last
	timerAt int64 // when the timer went off last, or began
	bytes   int64 // sent since the byte counter went off last
	timers  int32 // times that the timer has gone off since the last CNP
	counts  int32 // the same of the byte counter

	gain, alphaTimer, timer, counter int64
	recovery                         int32
	increase, hyper, least, top      int64
}

// alphaOne is alpha 1: it is kept in 2^-32.
const alphaOne = 1 << 32

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

// cut is what a CNP does.
func (r *reaction) cut(now int64) {
	r.catchUp(now)
	if !r.cutOnce {
		r.cutOnce, r.alpha = true, alphaOne
	}
	r.target = r.current
	hi, lo := bits.Mul64(uint64(r.current), r.alpha)
	r.current = max(r.current-int64(hi<<31|lo>>33), r.least)
	r.alpha += (alphaOne - r.alpha) / uint64(r.gain)
	r.alphaAt, r.timerAt, r.bytes, r.timers, r.counts = now, now, 0, 0, 0
}

// catchUp does what the timers have done by now.
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

// sent counts a frame.
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

// raise is an increase: half the way to the target, which rises when the timer
// or the byte counter has gone off more than F times, and faster when both
// have.
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

// gap is the time from a frame to the next, to the picosecond.
func (r *reaction) gap(bytes int64) int64 {
	return (bytes*8*int64(unit.Second) + r.current - 1) / r.current
}

// notifier is DCQCN at the receiver (the notification point).
type notifier struct {
	over     int64 // when the window that the last CNP began is over
	due      bool  // a marked frame has come in it
	interval int64
	cnpClass Class
	cnpBytes int32
}

func newNotifier(c *DCQCN) notifier {
	d := c.filled()
	return notifier{interval: int64(d.CNPInterval), cnpClass: d.CNP, cnpBytes: int32(d.CNPFrame)}
}

// notify answers a marked frame with a CNP at once if none has been sent in the
// last interval, and else at the end of the interval, one for all.
func (s *Sim) notify(n int32, x *sender) {
	switch {
	case !x.reaction.on || x.due:
	case s.now >= x.over:
		s.sendCNP(x)
	default:
		x.due = true
		s.set(s.senderSource(n, onWindow), x.over)
	}
}

// notifyAgain sends the CNP of an interval that is over.
func (s *Sim) notifyAgain(n int32) {
	s.senders[n].due = false
	s.sendCNP(&s.senders[n])
}

func (s *Sim) sendCNP(x *sender) {
	x.over = s.now + x.interval
	s.queueFeedback(x.flow, cnp, &x.cnpClass, x.cnpBytes, 0)
}

// FlowRate returns the rate at which a flow may send now: DCQCN's, or the
// limit of its sender, or its link's.
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
