package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// CreditLink is a link with buffer-to-buffer credits, as Fibre Channel has them,
// to compare pauses with: the sender begins a frame only if it has a credit, the
// receiver returns one (R_RDY) when a frame has left its buffer. So nothing is
// ever lost, whatever the length; too few credits only make the link slower.
//
// It is one sender that always has frames, one buffer, and one egress behind it.
// Not modelled: login, credit recovery after an R_RDY that was lost, and Fibre
// Channel's rates and encoding: it runs at whatever rate it is given.
type CreditLink struct {
	Rate    unit.BitRate // of the link; needed
	Egress  unit.BitRate // behind the receiver's buffer; 0: the same
	Delay   unit.Time    // one way
	Frame   unit.Bytes   // every frame; needed. 2148 is the longest of Fibre Channel
	Gap     unit.Bytes   // beside every frame, on the link and at the egress; 0: none
	Ready   unit.Bytes   // an R_RDY on the link back; 0: 4, one transmission word
	Credits int          // frames that the receiver has room for; needed
}

// Validate returns all that is wrong with the link, or nil.
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

// CreditResult is what came of a run.
type CreditResult struct {
	Sent      int64     // frames begun
	Delivered int64     // frames that have left by the egress
	Held      int       // most frames that the receiver held, the one being sent among them
	Waited    unit.Time // for which the sender had no credit
}

// Full returns the fewest credits that keep the slower of link and egress busy:
// as many frames as it sends in the time of a frame on the link, the way there,
// the frame's way out of the buffer, its R_RDY, and the way back.
func (l CreditLink) Full() int {
	frame, out, ready := l.times()
	round := frame + 2*int64(l.Delay) + out + ready
	slower := max(frame, out)
	return int((round + slower - 1) / slower)
}

// times returns how long a frame takes on the link, at the egress, and an R_RDY
// on the link.
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

// creditSim is a link with credits at work.
type creditSim struct {
	clock
	frame, out, ready, delay int64

	credits  int
	busy     bool // the sender
	since    int64
	held     int
	arrivals ring[int64]
	returns  ring[int64]
	result   CreditResult
}

// Run lets the link run for so long, from an empty buffer and all credits.
func (l CreditLink) Run(until unit.Time) (CreditResult, error) {
	if err := l.Validate(); err != nil {
		return CreditResult{}, err
	}
	s := creditSim{credits: l.Credits, delay: int64(l.Delay)}
	s.frame, s.out, s.ready = l.times()
	s.clock = *newClock(creditSources, s.frame, 2*(s.frame+s.delay+s.ready))
	s.send()
	for end := min(int64(until), never-1); ; {
		source, ok := s.take(end)
		if !ok {
			return s.done(end), nil
		}
		s.happen(source)
	}
}

// done closes the books.
func (s *creditSim) done(end int64) CreditResult {
	if !s.busy && s.credits == 0 {
		s.result.Waited += unit.Time(end - s.since)
	}
	return s.result
}

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

// send begins a frame if there is a credit for it.
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

// later has a source go off at a time, after those that it has waiting.
func (s *creditSim) later(source int32, times *ring[int64], at int64) {
	if times.n == 0 {
		s.set(source, at)
	}
	times.push(at)
}

// next takes the time that has come, and sets the next.
func (s *creditSim) next(source int32, times *ring[int64]) {
	times.pop()
	if times.n > 0 {
		s.set(source, *times.first())
	}
}
