package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// The largest numbers of rows of the tables on the page.
const (
	completionRows = 40
	linkRows       = 10
)

// tables are the completion times and the use of the links, for the page.
func tables(res *Result) (out []page.Table) {
	if n := len(res.Completions); n > 0 {
		t := page.Table{Title: "Completion times", Columns: CompletionColumns, Text: "From the start of a flow to the " +
			"arrival of its last payload. A slowdown is this time divided by the time of the same flow alone on its path. " +
			"A percentile among flows that have not arrived is unknown." + more(n, completionRows)}
		for i := range res.Completions[:min(n, completionRows)] {
			t.Rows = append(t.Rows, res.Completions[i].Row())
		}
		out = append(out, t)
	}
	if n := len(res.Links); n > 0 {
		// The most used links are what a reader asks for; the JSON has all of them.
		t := page.Table{Title: "Links", Columns: []string{"port that sends", "rate", "use", "frames"},
			Text: fmt.Sprintf("How much of the %v with traffic a port has sent, the most used first. Preamble, gap and "+
				"pause frames count.", res.Span) + more(n, linkRows)}
		for i := range res.Links[:min(n, linkRows)] {
			l := &res.Links[i]
			t.Rows = append(t.Rows, []string{l.Name, l.Rate.String(), l.UseText(), unit.Thousands(l.Frames)})
		}
		out = append(out, t)
	}
	return out
}

// more says how many rows a table leaves out.
func more(n, rows int) string {
	if n <= rows {
		return ""
	}
	return fmt.Sprintf(" These are %d of %d.", rows, n)
}

// sending records for how much of each step a port sends. A frame counts in the
// steps in which it is on the wire. Its values are picoseconds of sending within a step, so that the length of a step
// is full use.
type sending struct {
	series
	ahead unit.Time // what frames that have begun still take after this step
}

// departs records a frame that a port begins to send.
func (r *recorder) departs(e *fabric.Event) {
	// A page of thousands of ports would be too large to read and to draw: the first ports that send are recorded.
	s := tracked(r.sending, e.Where)
	if s == nil {
		return
	}
	// A frame that crosses the end of a step counts in both: the rest is carried in ahead. Both times are picoseconds,
	// and the step that runs now ends at (count+1) steps.
	takes := r.frameTime(e.Where, e.Bytes)
	now := min(takes, max(unit.Time(r.count+1)*r.step-e.At, 0))
	s.add(int64(now))
	s.ahead += takes - now
}

// frameTime is how long a port sends a frame, preamble and gap included.
func (r *recorder) frameTime(at fabric.End, n unit.Bytes) unit.Time {
	return r.rates[at].TimeFor(int64(n+r.Network.Wire.Overhead()) * 8)
}

// end ends a step. What frames that have begun still take goes on into the next one.
func (s *sending) end(steps int, length unit.Time) {
	// A frame of 9 KiB at 10G takes 7 us, which can be many steps.
	next := min(s.ahead, length)
	s.ahead -= next
	s.series.end(steps, int64(next), 0)
}

// linkPanel shows how much of the time ports send data and answers.
func (r *recorder) linkPanel() page.Panel {
	p := page.Panel{Title: "Use of links", Unit: "percent", Text: fmt.Sprintf("The part of %v in which a port sends "+
		"frames, preamble and gap included. Pause frames are not counted.", rateSteps*r.step)}
	for _, at := range used(r.portsSending(), func(s *sending) int64 { return s.peak }) {
		s := r.sending[at.at]
		p.Lines = append(p.Lines, page.Line{Name: r.PortName(at.at), Key: r.colourKey(at.at),
			Points: r.windows(&s.series, func(sum int64, window unit.Time) int64 {
				return thousandths(sum, int64(window)) / 10 // percents, rounded down
			})})
	}
	return p
}

// portsSending is the recorded ports with the key of other panels.
func (r *recorder) portsSending() map[portNumber]*sending {
	out := map[portNumber]*sending{}
	for at, s := range r.sending {
		// A port sends by itself and not by a group or a queue, so the second number is 0.
		out[portNumber{at, 0}] = s
	}
	return out
}
