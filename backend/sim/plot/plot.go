package plot

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"github.com/cellwarden/cellwarden/unit"
)

// Page is what is drawn.
type Page struct {
	Title  string
	Text   string    // under the title
	Notes  []string  // warnings, such as that the run was cut
	Facts  []Fact    // numbers of the whole run
	End    unit.Time // end of the axis of time
	Panels []Panel
}

// Fact is a number of the whole run.
type Fact struct{ Name, Value string }

// Panel is one picture. It has lines or bars.
type Panel struct {
	Title string
	Text  string // what the picture shows
	Unit  string // of the vertical axis
	Lines []Line
	Bars  []Bar
}

// Line is a value over time. Its points are sorted by time.
type Line struct {
	Name   string
	Points []Point
	Dashed bool // a threshold
	Ticks  bool // counts, drawn as strokes from zero
}

// Point is a value at a time.
type Point struct {
	At    unit.Time
	Value int64
}

// Bar is a row with the times during which something lasted.
type Bar struct {
	Name  string
	Spans []Span
}

// Span is the time between two moments.
type Span struct{ From, To unit.Time }

// Sizes of a picture, in pixels.
const (
	pageWidth    = 1180
	leftMargin   = 84  // for the numbers of the axis
	rightMargin  = 250 // for the legend
	plotWidth    = pageWidth - leftMargin - rightMargin
	plotHeight   = 190
	topMargin    = 12
	bottomMargin = 34 // for the axis of time
	rowHeight    = 18
)

// colours can be distinguished with impaired colour vision (Okabe and Ito
// 2008). Yellow is left out, because it is hard to see on white.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f"}

// thresholds are the colours of dashed lines.
var thresholds = []string{"#b00020", "#6a3d9a", "#8c6d31", "#444444"}

// styleSheet is part of the page: the page loads nothing.
const styleSheet = `body{font:14px/1.45 system-ui,sans-serif;color:#222;background:#fff;` +
	`max-width:1180px;margin:24px auto;padding:0 16px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:26px 0 0}p{margin:4px 0 8px;max-width:860px}
.note{border-left:4px solid #d55e00;padding-left:10px}
dl{display:flex;flex-wrap:wrap;gap:6px 26px;margin:14px 0}dt{color:#666;font-size:12px}dd{margin:0;font-weight:600}
svg{display:block;width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#333}
.grid{stroke:#e4e4e4}.axis{stroke:#888}` +
	`.line{fill:none;stroke-opacity:.85;stroke-width:1.6;stroke-linejoin:round}` +
	`.dashed{stroke-dasharray:6 4;stroke-width:1.2}`

// Write writes the page.
func Write(w io.Writer, p *Page) error {
	b := bufio.NewWriter(w)
	title := html.EscapeString(p.Title)
	fmt.Fprintf(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "+
		"charset=\"utf-8\"><title>%s</title>\n<style>%s</style></head><body>\n<h1>%s</h1>\n", title, styleSheet, title)
	if p.Text != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", html.EscapeString(p.Text))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", html.EscapeString(n))
	}
	b.WriteString("<dl>\n")
	for _, f := range p.Facts {
		fmt.Fprintf(b, "<div><dt>%s</dt><dd>%s</dd></div>\n", html.EscapeString(f.Name), html.EscapeString(f.Value))
	}
	b.WriteString("</dl>\n")
	for i := range p.Panels {
		panel := &p.Panels[i]
		fmt.Fprintf(b, "<h2>%s</h2>\n<p>%s</p>\n", html.EscapeString(panel.Title), html.EscapeString(panel.Text))
		(&picture{w: b, panel: panel, end: max(p.End, 1)}).draw()
	}
	b.WriteString("</body></html>\n")
	return b.Flush()
}

// picture draws one panel.
type picture struct {
	w        *bufio.Writer
	panel    *Panel
	end      unit.Time
	maxValue int64 // value at the top of the vertical axis
	height   int   // of the drawing, without axis and margins
}

// draw draws the panel, its axes and its legend.
func (p *picture) draw() {
	p.height = plotHeight
	if len(p.panel.Bars) > 0 {
		p.height = rowHeight * len(p.panel.Bars)
	}
	height := max(topMargin+p.height+bottomMargin, 16*len(p.panel.Lines)+topMargin+6)
	fmt.Fprintf(p.w, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", pageWidth, height,
		html.EscapeString(p.panel.Title))
	p.timeAxis()
	if len(p.panel.Bars) > 0 {
		p.bars()
	} else {
		p.valueAxis()
		p.lines()
	}
	p.w.WriteString("</svg>\n")
}

// x returns the position of a time, in tenths of a pixel. Integers print alike
// on every machine.
func (p *picture) x(at unit.Time) int64 {
	return leftMargin*10 + int64(float64(min(max(at, 0), p.end))/float64(p.end)*plotWidth*10)
}

// y returns the position of a value, in tenths of a pixel.
func (p *picture) y(v int64) int64 {
	return int64(topMargin+p.height)*10 - int64(float64(v)/float64(p.maxValue)*float64(p.height)*10)
}

// pixels prints tenths of a pixel.
func pixels(n int64) string { return fmt.Sprintf("%d.%d", n/10, n%10) }

// timeAxis draws the axis of time, with at most ten round times.
func (p *picture) timeAxis() {
	step := axisStep(int64(p.end), 10)
	for at := int64(0); at <= int64(p.end); at += step {
		x := pixels(p.x(unit.Time(at)))
		fmt.Fprintf(p.w, "<line class=\"grid\" x1=\"%s\" x2=\"%s\" y1=\"%d\" y2=\"%d\"/><text x=\"%s\" y=\"%d\" "+
			"text-anchor=\"middle\">%v</text>\n",
			x, x, topMargin, topMargin+p.height, x, topMargin+p.height+17, timeLabel(at))
	}
	fmt.Fprintf(p.w,
		"<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text x=\"%d\" y=\"%d\">time</text>\n",
		leftMargin, leftMargin+plotWidth, topMargin+p.height, topMargin+p.height, leftMargin+plotWidth+42,
		topMargin+p.height+17)
}

// timeLabel prints a time on the axis.
func timeLabel(at int64) string {
	if at == 0 {
		return "0"
	}
	return unit.Time(at).String()
}

// valueAxis draws the vertical axis. It ends at a round value.
func (p *picture) valueAxis() {
	p.maxValue = 1
	for _, l := range p.panel.Lines {
		for _, pt := range l.Points {
			p.maxValue = max(p.maxValue, pt.Value)
		}
	}
	step := axisStep(p.maxValue, 4)
	p.maxValue = (p.maxValue + step - 1) / step * step
	for v := int64(0); v <= p.maxValue; v += step {
		y := pixels(p.y(v))
		fmt.Fprintf(p.w, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%s\" y2=\"%s\"/><text x=\"%d\" y=\"%s\" "+
			"text-anchor=\"end\">%s</text>\n",
			leftMargin, leftMargin+plotWidth, y, y, leftMargin-6, pixels(p.y(v)+40), separated(v))
	}
	fmt.Fprintf(p.w, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text "+
		"transform=\"rotate(-90)\" x=\"%d\" y=\"14\" text-anchor=\"middle\">%s</text>\n",
		leftMargin, leftMargin, topMargin, topMargin+p.height, -(topMargin + p.height/2),
		html.EscapeString(p.panel.Unit))
}

// axisStep returns a step of 1, 2 or 5 times a power of ten. At most n steps
// make up the whole.
func axisStep(whole int64, n int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, d := range []int64{1, 2, 5} {
			if d*power*n >= whole || power > 1e17 {
				return d * power
			}
		}
	}
}

// separated prints a number with a comma between thousands.
func separated(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", separated(n/1000), n%1000)
}

// lines draws the lines and their legend.
func (p *picture) lines() {
	drawn, dashed := 0, 0
	for i := range p.panel.Lines {
		l := &p.panel.Lines[i]
		colour, dash := thresholds[dashed%len(thresholds)], " stroke-dasharray=\"6 4\""
		if l.Dashed {
			dashed++
		} else {
			colour, dash = colours[drawn%len(colours)], ""
			drawn++
		}
		y := topMargin + 8 + 16*i
		fmt.Fprintf(p.w, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" "+
			"stroke-width=\"2.5\"%s/><text x=\"%d\" y=\"%d\">%s</text>\n",
			leftMargin+plotWidth+14, leftMargin+plotWidth+36, y, y, colour, dash, leftMargin+plotWidth+42, y+4,
			html.EscapeString(l.Name))
		p.line(l, colour)
	}
}

// line draws a line, or its strokes. A point with the same value as the points
// before and after it is left out, which makes the file smaller.
func (p *picture) line(l *Line, colour string) {
	class := "line"
	if l.Dashed {
		class = "line dashed"
	}
	fmt.Fprintf(p.w, "<path class=\"%s\" stroke=\"%s\" d=\"", class, colour)
	for i, pt := range l.Points {
		switch {
		case l.Ticks && pt.Value == 0:
		case l.Ticks:
			fmt.Fprintf(p.w, "M%s %dV%s", pixels(p.x(pt.At)), topMargin+p.height, pixels(p.y(pt.Value)))
		case i == 0:
			fmt.Fprintf(p.w, "M%s %s", pixels(p.x(pt.At)), pixels(p.y(pt.Value)))
		case i < len(l.Points)-1 && pt.Value == l.Points[i-1].Value && pt.Value == l.Points[i+1].Value:
		default:
			fmt.Fprintf(p.w, "L%s %s", pixels(p.x(pt.At)), pixels(p.y(pt.Value)))
		}
	}
	fmt.Fprintf(p.w, "\"><title>%s</title></path>\n", html.EscapeString(l.Name))
}

// bars draws a row for each bar, with its name on the right. Spans that would
// touch are drawn as one.
func (p *picture) bars() {
	for i := range p.panel.Bars {
		bar := &p.panel.Bars[i]
		y := topMargin + rowHeight*i
		c := colours[i%len(colours)]
		fmt.Fprintf(p.w, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text x=\"%d\" "+
			"y=\"%d\">%s</text>\n<path fill=\"%s\" d=\"",
			leftMargin, leftMargin+plotWidth, y+rowHeight, y+rowHeight, leftMargin+plotWidth+12, y+13,
			html.EscapeString(bar.Name), c)
		from, to := int64(-1), int64(-1)
		flush := func() {
			if from >= 0 {
				fmt.Fprintf(p.w, "M%s %dH%sV%dH%sZ", pixels(from), y+4, pixels(max(to, from+5)), y+rowHeight-3,
					pixels(from))
			}
		}
		for _, s := range bar.Spans {
			if a, b := p.x(s.From), p.x(s.To); from >= 0 && a <= max(to, from+5) {
				to = max(to, b)
			} else {
				flush()
				from, to = a, b
			}
		}
		flush()
		fmt.Fprintf(p.w, "\"><title>%s</title></path>\n", html.EscapeString(bar.Name))
	}
}
