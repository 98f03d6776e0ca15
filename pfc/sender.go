package pfc

import (
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// Sender decides which frames a port sends when its buffer fills: one at once for every change, and repetitions, each
// [RefreshAfter] the last frame, as long as any priority is stopped. The zero Sender cannot be used: see [NewSender].
//
// Every frame repeats the pause of all stopped priorities, in addition to those that change, so one deadline serves
// them all. This is the project's choice, because devices differ (inferred). As long as no frame is lost, a neighbour
// stops and resumes at the same moments as with frames that name only the changes. On a link without PFC, send the
// [Frame.LinkPause] of each frame: the link then stops with the first priority and resumes with the last.
type Sender struct {
	config  SenderConfig
	stopped Priorities
	due     unit.Time
}

// SenderConfig is what a sender puts into its frames.
type SenderConfig struct {
	Source Address      // of the port
	Rate   unit.BitRate // of the link, more than 0
	Quanta uint16       // pause of each frame; 0: MaxQuanta
}

// NewSender returns a sender that has stopped nothing. It refuses a rate that is not positive.
func NewSender(c SenderConfig) (Sender, error) {
	if c.Rate <= 0 {
		return Sender{}, fmt.Errorf("rate: %v is not the rate of a link (want more than 0)", c.Rate)
	}
	if c.Quanta == 0 {
		c.Quanta = MaxQuanta
	}
	return Sender{config: c}, nil
}

// Set changes the priorities that must be stopped, and returns the frame to send: XOFF for the stopped ones, XON for
// those that are no longer stopped; false if nothing changes.
func (s *Sender) Set(now unit.Time, stopped Priorities) (f Frame, send bool) {
	released := s.stopped &^ stopped
	changed := stopped != s.stopped
	s.stopped = stopped
	if !changed {
		return Frame{}, false
	}
	return s.frame(now, released), true
}

// Refresh returns the frame that repeats the pause, if it is due; otherwise false.
func (s *Sender) Refresh(now unit.Time) (f Frame, send bool) {
	if at, ok := s.NextRefresh(); !ok || now < at {
		return Frame{}, false
	}
	return s.frame(now, 0), true
}

// NextRefresh returns when to call [Sender.Refresh]; false if nothing is stopped.
func (s *Sender) NextRefresh() (at unit.Time, ok bool) {
	if s.stopped == 0 {
		return 0, false
	}
	return s.due, true
}

// Stopped returns the priorities that must be stopped.
func (s *Sender) Stopped() Priorities { return s.stopped }

// frame returns the next frame, and sets the deadline of its repetition.
func (s *Sender) frame(now unit.Time, released Priorities) Frame {
	s.due = after(now, max(RefreshAfter(s.config.Quanta, s.config.Rate), unit.Picosecond))
	f := Stop(s.config.Source, s.stopped, s.config.Quanta)
	f.Enabled |= released
	return f
}
