package page

import (
	"io"

	"github.com/cellwarden/cellwarden/unit"
)

// Run is the page of a simulation run: the verdict and the findings, then panels with lines or rows over a common axis
// of time. Of each panel the series with the highest peaks are drawn; further ones are in a part that opens, and a
// table has the peaks of all. What belongs to one port has the same colour in all panels.
type Run struct {
	Title    string
	Verdict  string // whether the run was as expected; empty: not known
	Tone     string // of the verdict: "good", "bad", or "" for neither
	Text     string // under the verdict
	Notes    []string
	Findings []string // of a diagnosis
	Facts    []Fact   // numbers of the whole run
	End      unit.Time
	Tables   []Table // under the facts
	Panels   []Panel
}

// Fact is a number of the whole run.
type Fact struct{ Name, Value string }

// Panel is one picture. It has lines or rows.
type Panel struct {
	Title  string
	Text   string // what the picture shows
	Unit   string // of the vertical axis, or of the counts of rows
	Lines  []Line
	Limits []Line // thresholds, which are drawn dashed over all lines
	Rows   []Row
}

// Line is a value over time. Its points are sorted by time. A run can have thousands of lines, and few are drawn:
// a line may have a Source in place of its points, which is called if the line is drawn, and says its peak.
type Line struct {
	Name   string
	Key    string // what the line belongs to, such as a port: equal keys have equal colours on the whole page
	Points []Point

	Peak   Point
	Source func() []Point
}

// points returns the points of a line.
func (l *Line) points() []Point {
	if l.Source != nil {
		return l.Source()
	}
	return l.Points
}

// Point is a value at a time.
type Point struct {
	At    unit.Time
	Value int64
}

// Row is something that happens at some times: it lasts, or it is counted.
type Row struct {
	Name   string
	Key    string
	Spans  []Span  // the times during which it lasted
	Counts []Point // how often it happened in a step of time
}

// Span is the time between two moments.
type Span struct{ From, To unit.Time }

// Write writes the page.
func (r *Run) Write(w io.Writer) error {
	d := drawer{end: max(r.End, 1), colours: coloursOf(r.Panels)}
	shown := struct {
		*Run
		Drawn []panel
	}{Run: r}
	for i := range r.Panels {
		shown.Drawn = append(shown.Drawn, d.panel(&r.Panels[i]))
	}
	return write(w, "run", r.Title, shown)
}
