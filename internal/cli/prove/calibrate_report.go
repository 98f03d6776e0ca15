package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
)

// calibrateHeadline is the first line: whether everything agrees, and how much is known. Exact, intervals, assumed and
// unknown are numbers of parameters, which add up to all of them.
func calibrateHeadline(d *report.CalibrateDocument) string {
	// AGREES says that some numbers agree with everything, not that they are the only ones.
	verdict := "AGREES"
	if !d.Agrees {
		verdict = "CONTRADICTION"
	}
	return fmt.Sprintf("%s: of %d parameters the measurements give %d exactly, %d as intervals; assumed: %d, "+
		"unknown: %d", verdict, len(d.Parameters), d.Exact, d.Intervals, d.Assumed, d.Unknown)
}

// calibrateScreen returns the tables. The contradictions are in the first lines, each with what the rest gives without
// it: that is what a reader checks next.
func calibrateScreen(d *report.CalibrateDocument) *cli.Screen {
	// The verdict is the word before the colon: it is the first column of the other tables of CSV.
	r := &cli.Screen{Head: []string{calibrateHeadline(d)},
		Verdict: strings.ToLower(calibrateHeadline(d)[:strings.Index(calibrateHeadline(d), ":")])}
	for _, c := range d.Contradictions {
		switch {
		// Two or more have to be dropped at once. Naming any set of them would be a guess.
		case c.What == "":
			r.Head = append(r.Head, "no single assumption or measurement explains the contradiction")
		case c.Shows != "":
			r.Head = append(r.Head, fmt.Sprintf("contradicted: %s; without it the measurements give %s", c.What, c.Shows))
		default:
			r.Head = append(r.Head, fmt.Sprintf("contradicted: %s; the rest agrees without it", c.What))
		}
	}
	// rests on are the measurements, assumes what was taken as known; both have to be right for the value to be.
	s := cli.Table("parameters", "Parameters", "parameter", "of", "value", "state", "rests on", "assumes")
	// The word is explained once below the table, if it is in it.
	outer := false
	for _, p := range d.Parameters {
		state := p.State
		// The truth is within the bound, but the bound may be wider than the measurements allow: the search has a
		// limit of work.
		if p.Outer {
			state += ", outer bound"
			outer = true
		}
		s.Row(p.Name, p.Of, p.Value, state, shortList(p.RestsOn, 3), strings.Join(p.Assumes, "; "))
	}
	r.Sections = append(r.Sections, s)
	// Without --leave-one-out there is no such list, and with it the list may be empty.
	if d.LeftOut != nil {
		r.Sections = append(r.Sections, leftOutSection(d))
	}
	if outer {
		r.Foot = append(r.Foot, "An outer bound holds the truth; the search for its end was ended early.")
	}
	// There is no next measurement where everything is exact, or where none of those known would narrow anything.
	if d.Next != nil {
		r.Foot = append(r.Foot, nextText(d))
	}
	return r
}

// nextText says which measurement would tell the most. The measurement is one that a tester can make, in the words of a
// probe file.
func nextText(d *report.CalibrateDocument) string {
	n := d.Next
	what := strings.TrimSpace(n.Parameter + " " + n.Of)
	// nil: how much the measurement narrows depends on what it shows.
	if n.Width == nil {
		return fmt.Sprintf("Next, for %s: %s.", what, n.Probe)
	}
	return fmt.Sprintf("Next, for %s: %s. Its interval is then at most %s wide.", what, n.Probe, cli.Count(*n.Width))
}

// leftOutSection is the table of the predictions. A row is a measurement beside what the others predict for it, in its
// own unit.
func leftOutSection(d *report.CalibrateDocument) cli.Section {
	s := cli.Table("left-out", "Left out, and predicted from the rest", "measurement", "group", "what", "measured",
		"predicted", "state")
	for _, p := range d.LeftOut {
		s.Row(p.From, p.Group, p.What, p.Measured, p.Predicted, p.State)
	}
	return s
}

// shortList joins names; of many only the first ones, which show which they are. The JSON has all.
func shortList(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
