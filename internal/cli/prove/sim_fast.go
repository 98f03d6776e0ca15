package prove

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
)

// simFast says what a fast run left out.
type simFast struct {
	Skipped int64  `json:"skipped_ps"`
	Share   int64  `json:"skipped_thousandths"` // of the time of the run
	Leaps   int    `json:"leaps"`
	Bound   int64  `json:"error_found_below_thousandths"`        // of completion times, times of pauses and marks
	Pauses  int64  `json:"pauses_error_found_below_thousandths"` // of numbers of pauses
	Refused string `json:"not_used_because,omitempty"`
}

// fastBound is the bound, in thousandths, that the tests hold for the difference between fast and whole runs of their
// networks, of completion times, times of pauses and numbers of marks: see TestRunFastAgainstExact in package fabric.
// pausesBound is that of numbers of pauses.
const fastBound, pausesBound = 10, 30

// fastJSON converts what a fast run left out; nil if all was to be simulated.
func fastJSON(r *scenario.Result) *simFast {
	f := r.FastForward
	if f == nil {
		return nil
	}
	out := &simFast{Skipped: int64(f.Skipped), Leaps: f.Leaps, Refused: f.Refused}
	if r.End > 0 {
		out.Share = int64(f.Skipped / max(r.End/1000, 1))
	}
	if f.Leaps > 0 {
		out.Bound, out.Pauses = fastBound, pausesBound
	}
	return out
}

// text is the first line about it.
func (f *simFast) text(r *scenario.Result) string {
	switch {
	case f.Refused != "":
		return "not used: " + f.Refused
	case f.Leaps == 0:
		return "no steady state was found; every event was simulated"
	}
	return fmt.Sprintf("%v of the %v were not simulated (%d.%d %%, %d leaps). Completion times, times of pauses and "+
		"marks are estimates: they differed by less than %d %% from whole runs where this was compared, numbers of "+
		"pauses by less than %d %%. Maxima and events are those of what was simulated.",
		r.FastForward.Skipped, r.End, f.Share/10, f.Share%10, f.Leaps, fastBound/10, pausesBound/10)
}
