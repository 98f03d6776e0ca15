package page

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

// Charts is what is drawn.
type Charts struct {
	Title    string
	Verdict  string // whether the run was as expected; empty: not known
	Tone     string // of the verdict: "good", "bad", or "" for neither
	Text     string // under the verdict
	Notes    []string
	Findings []string // of a diagnosis
	Facts    []Fact   // numbers of the whole run
	End      unit.Time
	Tables   []ChartTable // under the facts
	Panels   []Panel
}

// ChartTable is numbers that have no picture.
type ChartTable struct {
	Title, Text string
	Columns     []string
	Rows        [][]string
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

// Line is a value over time. Its points are sorted by time. A run can have thousands of lines of which few are drawn:
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

//go:embed charts.html
var chartsText string

//go:embed charts.css
var chartsStyle string

var page = template.Must(template.New("").Parse(chartsText))

// WriteCharts writes the page.
func WriteCharts(w io.Writer, p *Charts) error {
	type shown struct {
		*Charts
		Style  template.CSS
		Panels []panel
	}
	out := shown{Charts: p, Style: template.CSS(picture.Style() + chartsStyle)}
	d := drawer{end: max(p.End, 1), colours: coloursOf(p.Panels)}
	for i := range p.Panels {
		out.Panels = append(out.Panels, d.panel(&p.Panels[i]))
	}
	return page.Execute(w, out)
}
