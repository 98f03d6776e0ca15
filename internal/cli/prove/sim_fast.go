package prove

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/report"
)

// fastText is the first line about it.
func fastText(d *report.SimDocument, r *scenario.Result) string {
	f := d.FastForward
	switch {
	case f.Refused != "":
		return "not used: " + f.Refused
	case f.Leaps == 0:
		return "no steady state was found; every event was simulated"
	}
	return fmt.Sprintf("%v of the %v were not simulated (%d.%d %%, %d leaps). Completion times, times of pauses and "+
		"marks are estimates: they differed by less than %d %% from whole runs where this was compared, numbers of "+
		"pauses by less than %d %%. Maxima and events are those of what was simulated.",
		r.FastForward.Skipped, r.End, f.Share/10, f.Share%10, f.Leaps, f.Bound/10, f.Pauses/10)
}
