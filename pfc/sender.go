package pfc

import (
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// Sender says which frames a port sends whose buffer fills: one at once for
// every change, and one again for as long as anything stays stopped, each
// [RefreshAfter] the one before. The zero Sender is of no use: see [NewSender].
//
// Every frame repeats the pause of all priorities that are stopped, beside those
// that change, so one deadline serves them all. That is this project's choice,
// as devices differ (inferred). As long as no frame is lost, a neighbour stops and
// resumes at the same moments as by frames that name only what changes. On a link
// without PFC send [Frame.LinkPause] of each frame instead: the link then stops
// with the first priority and resumes with the last.
type Sender struct {
	config  SenderConfig
	stopped Priorities
	due     unit.Time
}

// SenderConfig is what a sender puts into its frames.
type SenderConfig struct {
	Source Address      // of the port
	Rate   unit.BitRate // of the link, more than 0
	Quanta uint16       // the pause that each frame asks for; 0 takes MaxQuanta
}

// NewSender returns a sender that has stopped nothing. It refuses a rate that is
// not positive.
func NewSender(c SenderConfig) (Sender, error) {
	if c.Rate <= 0 {
		return Sender{}, fmt.Errorf("rate: %v is not the rate of a link (accepted: more than 0)", c.Rate)
	}
	if c.Quanta == 0 {
		c.Quanta = MaxQuanta
	}
	return Sender{config: c}, nil
}

// Set says which priorities are to be stopped from now on, and returns the frame
// that has to be sent: XOFF for those that are, XON for those that no longer
// are; false if nothing changes.
func (s *Sender) Set(now unit.Time, stopped Priorities) (f Frame, send bool) {
	released := s.stopped &^ stopped
	changed := stopped != s.stopped
	s.stopped = stopped
	if !changed {
		return Frame{}, false
	}
	return s.frame(now, released), true
}

// Refresh returns the frame that repeats the pause if it is due by now, else
// false.
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

// Stopped returns the priorities that are to be stopped.
func (s *Sender) Stopped() Priorities { return s.stopped }

func (s *Sender) frame(now unit.Time, released Priorities) Frame {
	s.due = after(now, max(RefreshAfter(s.config.Quanta, s.config.Rate), unit.Picosecond))
	f := Stop(s.config.Source, s.stopped, s.config.Quanta)
	f.Enabled |= released
	return f
}
