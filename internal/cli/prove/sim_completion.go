package prove

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// simCompletion is the completion of an entry's flows. A number that is not known is null.
type simCompletion struct {
	Entry     string    `json:"entry"`
	Flows     int       `json:"flows"`
	Arrived   int       `json:"flows_arrived"`
	First     *int64    `json:"first_start_ps"` // null: none has started
	Last      int64     `json:"last_arrival_ps"`
	Times     simSpread `json:"completion_ps"`
	Slowdowns simSpread `json:"slowdown_thousandths"`
}

// simSpread is a distribution.
type simSpread struct {
	Mean *int64 `json:"mean"`
	P50  *int64 `json:"p50"`
	P99  *int64 `json:"p99"`
	P999 *int64 `json:"p99_9"`
	Most *int64 `json:"most"`
}

// simLink is the use of a link in one direction.
type simLink struct {
	Port   string `json:"port"` // that sends
	Rate   int64  `json:"rate_bps"`
	Use    int64  `json:"use_thousandths"`
	Sent   int64  `json:"sending_ps"`
	Frames int64  `json:"frames"`
	Bytes  int64  `json:"frame_bytes"`
}

// simLinks is the largest number of links in a result.
const simLinks = 10

// orNull returns a number, or nil if it is not known.
func orNull(m scenario.Measure) *int64 {
	if m == scenario.Unknown {
		return nil
	}
	return new(int64(m))
}

// spreadJSON converts a distribution.
func spreadJSON(s scenario.Spread) simSpread {
	return simSpread{orNull(s.Mean), orNull(s.P50), orNull(s.P99), orNull(s.P999), orNull(s.Most)}
}

// completionsJSON converts the completions of a run.
func completionsJSON(r *scenario.Result) []simCompletion {
	out := []simCompletion{}
	for i := range r.Completions {
		c := &r.Completions[i]
		out = append(out, simCompletion{Entry: c.Entry, Flows: c.Flows, Arrived: c.Arrived,
			First: orNull(scenario.Measure(c.First)), Last: int64(c.Last), Times: spreadJSON(c.Times),
			Slowdowns: spreadJSON(c.Slowdowns)})
	}
	return out
}

// linksJSON converts the links that were used most.
func linksJSON(r *scenario.Result) []simLink {
	out := []simLink{}
	for _, l := range r.Links[:min(len(r.Links), simLinks)] {
		out = append(out, simLink{Port: l.Name, Rate: int64(l.Rate), Use: l.Use, Sent: int64(l.Sent), Frames: l.Frames,
			Bytes: int64(l.Bytes)})
	}
	return out
}

// simCompletions is the table of the completion times.
func simCompletions(r *scenario.Result) cli.Section {
	s := cli.Section{Name: "completion", Title: "Completion times and slowdowns (time divided by that of the flow alone)",
		Columns: scenario.CompletionColumns}
	for i := range r.Completions[:min(len(r.Completions), simRows)] {
		row := make([]any, 0, len(s.Columns))
		for _, x := range r.Completions[i].Row() {
			row = append(row, x)
		}
		s.Row(row...)
	}
	if n := len(r.Completions) - simRows; n > 0 {
		s.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
	}
	return s
}

// simLinkUse is the table of the links that were used most.
func simLinkUse(r *scenario.Result) cli.Section {
	s := cli.Section{Name: "links", Title: fmt.Sprintf("Links in the %v of traffic", r.Span),
		Columns: []string{"port that sends", "rate", "use", "frames"}}
	for _, l := range r.Links[:min(len(r.Links), simLinks)] {
		s.Row(l.Name, l.Rate.String(), l.UseText(), cli.Count(l.Frames))
	}
	if n := len(r.Links) - simLinks; n > 0 {
		s.Title += fmt.Sprintf(" (the %d most used; %d more)", simLinks, n)
	}
	return s
}
