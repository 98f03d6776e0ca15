package prove

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// simLinks is the largest number of links in a result. A link is one direction of a cable: the port that sends on it
// has the row.
const simLinks = 10

// simCompletions is the table of the completion times. A row is an entry of the file, whose flows may be thousands.
func simCompletions(r *scenario.Result) cli.Section {
	s := capped{Section: cli.Section{Name: "completion",
		Title: "Completion times and slowdowns (time divided by that of " +
			"the flow alone)", Columns: scenario.CompletionColumns}}
	for i := range r.Completions {
		row := make([]any, 0, len(s.Columns))
		// Row has its values in the order of CompletionColumns.
		for _, x := range r.Completions[i].Row() {
			row = append(row, x)
		}
		s.Row(row...)
	}
	return s.section()
}

// simLinkUse is the table of the links that were used most. Use is the part of the time with traffic in which the port
// sent, in percent.
func simLinkUse(r *scenario.Result) cli.Section {
	s := cli.Table("links", fmt.Sprintf("Links in the %v of traffic", r.Span), "port that sends", "rate", "use", "frames")
	// The result has the links by their use, so the first ones are the bottlenecks.
	for _, l := range r.Links[:min(len(r.Links), simLinks)] {
		s.Row(l.Name, l.Rate.String(), l.UseText(), cli.Count(l.Frames))
	}
	if n := len(r.Links) - simLinks; n > 0 {
		s.Title += fmt.Sprintf(" (the %d most used; %d more)", simLinks, n)
	}
	return s
}
