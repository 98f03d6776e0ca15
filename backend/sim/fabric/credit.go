package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// CreditLink is a link with buffer-to-buffer credits, as in Fibre Channel, to
// compare with pause frames. The sender begins a frame only if it has a credit.
// The receiver returns a credit (R_RDY) when a frame has left its buffer. So no
// frame is ever lost, whatever the length of the cable; with too few credits
// the link is slower.
//
// The model has one sender that always has frames, one buffer, and one egress
// behind it. Not modelled: login, the recovery of credits after a lost R_RDY,
// and Fibre Channel's rates and encoding. The link runs at the rate that it is
// given.
type CreditLink struct {
	Rate    unit.BitRate // of the link; required
	Egress  unit.BitRate // rate of the egress behind the buffer; 0: the link's
	Delay   unit.Time    // one way
	Frame   unit.Bytes   // length of every frame; required. Fibre Channel's longest is 2148
	Gap     unit.Bytes   // sent with every frame, on the link and at the egress; 0: none
	Ready   unit.Bytes   // length of an R_RDY; 0: 4, one transmission word
	Credits int          // frames that the receiver has room for; required
}

// Validate returns everything that is wrong with the link, or nil.
func (l CreditLink) Validate() error {
	var bad []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	need(l.Rate > 0, "rate: %v (accepted: more than 0)", l.Rate)
	need(l.Egress >= 0, "egress: %v (accepted: more than 0, or 0 for the link's rate)", l.Egress)
	need(l.Delay >= 0 && l.Delay <= unit.Second, "delay: %v (accepted: 0 to 1s)", l.Delay)
	need(l.Frame > 0 && l.Frame <= 1<<16, "frame: %v (accepted: 1 to 65536)", l.Frame)
	need(l.Gap >= 0 && l.Gap <= 1<<16, "gap: %v (accepted: 0 to 65536)", l.Gap)
	need(l.Ready >= 0 && l.Ready <= 1<<16, "ready: %v (accepted: 0 to 65536)", l.Ready)
	need(l.Credits > 0 && l.Credits <= 1<<24, "credits: %d (accepted: 1 to %d)", l.Credits, 1<<24)
	return errors.Join(bad...)
}

// CreditResult is the result of a run.
type CreditResult struct {
	Sent      int64     // frames that the sender has begun
	Delivered int64     // frames that have left through the egress
	Held      int       // most frames in the receiver's buffer, with the one that it sends
	Waited    unit.Time // time for which the sender had no credit
}

// Full returns the smallest number of credits that keeps the slower of link and
// egress busy. A credit is in use for the time of its frame on the link, the
// delay, the frame's way through the egress, the R_RDY, and the delay back. The
// slower side must have a frame for all of this time.
func (l CreditLink) Full() int {
	frame, out, ready := l.times()
	round := frame + 2*int64(l.Delay) + out + ready
	slower := max(frame, out)
	return int((round + slower - 1) / slower)
}

// times returns the time of a frame on the link, of a frame at the egress, and
// of an R_RDY on the link.
func (l CreditLink) times() (frame, out, ready int64) {
	egress, r := l.Egress, l.Ready
	if egress == 0 {
		egress = l.Rate
	}
	if r == 0 {
		r = 4
	}
	bits := 8 * int64(l.Frame+l.Gap)
	return int64(l.Rate.TimeFor(bits)), int64(egress.TimeFor(bits)), int64(l.Rate.TimeFor(8 * int64(r)))
}

// The events of a link with credits.
const (
	creditSent    = iota // a frame's last bit has left the sender
	creditArrival        // it is in the buffer
	creditOut            // a frame has left by the egress
	creditReady          // an R_RDY is at the sender
	creditSources
)

// creditSim is the state of a run.
type creditSim struct {
	clock
	frame, out, ready, delay int64

	credits  int
	busy     bool        // the sender sends a frame
	since    int64       // when the sender last became idle
	held     int         // frames in the buffer
	arrivals ring[int64] // times at which frames arrive
	returns  ring[int64] // times at which credits return
	result   CreditResult
}

// Run simulates the link up to a time. The buffer is empty at the start, and
// the sender has all credits.
func (l CreditLink) Run(until unit.Time) (CreditResult, error) {
	if err := l.Validate(); err != nil {
		return CreditResult{}, err
	}
	s := creditSim{credits: l.Credits, delay: int64(l.Delay)}
	s.frame, s.out, s.ready = l.times()
	s.clock = *newClock(make([]event, creditSources), s.frame, 2*(s.frame+s.delay+s.ready))
	s.send()
	for end := min(int64(until), never-1); ; {
		source, ok := s.take(end)
		if !ok {
			return s.done(end), nil
		}
		s.happen(source)
	}
}

// done adds the wait that has not ended.
func (s *creditSim) done(end int64) CreditResult {
	if !s.busy && s.credits == 0 {
		s.result.Waited += unit.Time(end - s.since)
	}
	return s.result
}

// happen handles an event.
func (s *creditSim) happen(source int32) {
	switch source {
	case creditSent:
		s.busy, s.since = false, s.now
		s.send()
	case creditArrival:
		s.next(creditArrival, &s.arrivals)
		if s.held++; s.held == 1 {
			s.set(creditOut, s.now+s.out)
		}
		s.result.Held = max(s.result.Held, s.held)
	case creditOut:
		s.result.Delivered++
		if s.held--; s.held > 0 {
			s.set(creditOut, s.now+s.out)
		}
		s.later(creditReady, &s.returns, s.now+s.ready+s.delay)
	case creditReady:
		s.next(creditReady, &s.returns)
		if s.credits++; s.credits == 1 && !s.busy {
			s.result.Waited += unit.Time(s.now - s.since)
			s.send()
		}
	}
}

// send begins a frame if the sender has a credit.
func (s *creditSim) send() {
	if s.busy || s.credits == 0 {
		return
	}
	s.credits--
	s.busy = true
	s.result.Sent++
	s.set(creditSent, s.now+s.frame)
	s.later(creditArrival, &s.arrivals, s.now+s.frame+s.delay)
}

// later schedules a source at a time that is after all times that it already
// waits for.
func (s *creditSim) later(source int32, times *ring[int64], at int64) {
	if times.n == 0 {
		s.set(source, at)
	}
	times.push(at)
}

// next removes the time that has come and schedules the next one.
func (s *creditSim) next(source int32, times *ring[int64]) {
	times.pop()
	if times.n > 0 {
		s.set(source, *times.first())
	}
}
