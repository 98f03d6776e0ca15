package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

// panel is a panel as the template shows it.
type panel struct {
	Title, Text string
	Figures     []figure // the first is shown, the others are in a part that opens
	More        string   // title of that part, or ""
	Peaks       Table    // of all series, in that part
}

// drawer draws the panels of one page.
type drawer struct {
	end     unit.Time
	colours map[string]int // by key
}

// Sizes of a picture, in pixels.
const (
	width     = 720
	height    = 240
	rowHeight = 34 // of a row with its name above it
)

// panel draws a panel.
func (d *drawer) panel(p *Panel) panel {
	all := seriesOf(p)
	out := panel{Title: p.Title, Text: p.Text}
	parts, left := pictures(all)
	if len(parts) == 0 {
		parts = [][]series{nil}
	}
	for _, part := range parts {
		for i := range part {
			if part[i].line != nil {
				part[i].points = part[i].line.points()
			}
		}
	}
	log := len(p.Rows) == 0 && flattened(slices.Concat(parts...), p.Limits)
	if log {
		out.Text += " The axis is logarithmic, because the highest value would flatten the others; 0 is at its foot."
	}
	for i, part := range parts {
		d.colour(part)
		if len(p.Rows) > 0 {
			out.Figures = append(out.Figures, d.rows(p, part))
			continue
		}
		limits := p.Limits
		if i > 0 {
			limits = nil
		}
		out.Figures = append(out.Figures, d.lines(p, part, limits, log))
	}
	if n := len(all); n > together {
		out.More = fmt.Sprintf("%d of %d are drawn above, those with the highest peaks. Here are %d more", together, n,
			n-together-left)
		if left > 0 {
			out.More += fmt.Sprintf(", and the peaks of all %d", n)
		} else {
			out.More += ", and the peaks of all"
		}
		out.Peaks = peaks(p, all)
	}
	return out
}

// peaks lists the peaks of all series.
func peaks(p *Panel, all []series) Table {
	t := Table{Columns: []string{"series", "peak", "at"}}
	if len(p.Rows) > 0 {
		t.Columns = []string{"series", "sum", "first or highest at"}
	}
	for _, s := range all {
		t.Rows = append(t.Rows, []string{s.name, s.amount(), s.at.String()})
	}
	return t
}

// amount prints how much a series is: its peak, the sum of its counts, or the time that it lasted.
func (s *series) amount() string {
	switch {
	case s.row == nil:
		return unit.Thousands(s.peak)
	case len(s.row.Spans) > 0:
		return unit.Time(s.peak).String()
	}
	return unit.Thousands(s.sum)
}

// flattened tells whether one value would flatten the rest on a linear axis: the highest is more than ten times the
// value that nine of ten points above 0 do not exceed, or more than thirty times the lowest peak of a line.
func flattened(drawn []series, limits []Line) bool {
	var values []int64
	highest, lowest := int64(0), int64(math.MaxInt64)
	see := func(peak int64) {
		if peak > 0 {
			highest, lowest = max(highest, peak), min(lowest, peak)
		}
	}
	for _, s := range drawn {
		see(s.peak)
		for _, x := range s.points {
			if x.Value > 0 {
				values = append(values, x.Value)
			}
		}
	}
	for i := range limits {
		peak := int64(0)
		for _, x := range limits[i].points() {
			peak = max(peak, x.Value)
		}
		see(peak)
	}
	if len(values) == 0 {
		return false
	}
	slices.Sort(values)
	return highest/10 > values[len(values)*9/10] || highest/30 > lowest
}

// timeAxis is the axis of time of every picture.
func (d *drawer) timeAxis() picture.Axis {
	return picture.Axis{To: float64(d.end), Title: "time", Ticks: 8, Label: func(v float64) string {
		if v == 0 {
			return "0"
		}
		return unit.Time(v).String()
	}}
}

// lines draws lines and limits on common axes.
func (d *drawer) lines(p *Panel, part []series, limits []Line, log bool) figure {
	top := int64(1)
	for _, s := range part {
		top = max(top, s.peak)
	}
	for i := range limits {
		for _, x := range limits[i].points() {
			top = max(top, x.Value)
		}
	}
	y := picture.Axis{To: float64(top) * 1.04, Title: p.Unit, Ticks: 5}
	if log {
		y.From, y.Log, y.Ticks = 0.5, true, 7
	}
	chart := picture.NewChart(width, height, alternative(p, part), d.timeAxis(), y)
	f := figure{Lines: true}
	for i := range limits {
		l := &limits[i]
		class := "thin ink-line" + dashes[1+i%(len(dashes)-1)]
		chart.Curve(d.points(l.points()), class, l.Name)
		f.Legend = append(f.Legend, entry{class, l.Name})
	}
	for _, s := range part {
		chart.Curve(d.points(s.points), s.class, fmt.Sprintf("%s: at most %s", s.name, unit.Thousands(s.peak)))
		f.Legend = append(f.Legend, entry{s.class, s.name})
	}
	f.drawing = chart.Picture
	return f
}

// points returns the points of a line that change it: one with the same value as those before and after it is left out,
// which makes the file smaller.
func (d *drawer) points(list []Point) (out []picture.Point) {
	for i, x := range list {
		if i > 0 && i < len(list)-1 && x.Value == list[i-1].Value && x.Value == list[i+1].Value {
			continue
		}
		out = append(out, picture.Point{X: float64(min(max(x.At, 0), d.end)), Y: float64(x.Value)})
	}
	return out
}

// rows draws a row for each series, with its name and its sum above it. So no series hides another one, and no name is
// cut.
func (d *drawer) rows(p *Panel, part []series) figure {
	const left, foot = 12.0, 40.0
	drawing := picture.New(width, rowHeight*float64(len(part))+foot+8, alternative(p, part))
	x := picture.Scale{To: float64(d.end), Low: left, High: width - 14}
	bottom := rowHeight*float64(len(part)) + 6
	axis := d.timeAxis()
	for _, at := range x.Ticks(axis.Ticks) {
		drawing.Line(x.At(at), 2, x.At(at), bottom, "grid")
		drawing.Text(x.At(at), bottom+16, picture.Middle, "pale small", axis.Label(at))
	}
	drawing.Text((x.Low+x.High)/2, bottom+34, picture.Middle, "pale", axis.Title)
	most := int64(1)
	for _, s := range part {
		for _, c := range s.row.Counts {
			most = max(most, c.Value)
		}
	}
	for i, s := range part {
		foot := rowHeight*float64(i+1) + 2
		drawing.Text(left, foot-19, picture.Start, "small halo", s.name+": "+s.amount()+" "+p.Unit)
		drawing.Line(left, foot, width-14, foot, "grid")
		if path := spansPath(x, s.row.Spans, foot); path != "" {
			drawing.Path(path, strings.Replace(strings.Fields(s.class)[0], "l", "f", 1), s.name)
		}
		if path := countsPath(x, s.row.Counts, foot, most); path != "" {
			drawing.Path(path, "line "+strings.Fields(s.class)[0], s.name+": "+s.amount())
		}
	}
	return figure{drawing: drawing}
}

// spansPath draws spans as blocks. Spans that would touch are one block.
func spansPath(x picture.Scale, spans []Span, foot float64) string {
	var b strings.Builder
	from, to := -1.0, -1.0
	flush := func() {
		if from >= 0 {
			fmt.Fprintf(&b, "M%s %sH%sV%sH%sZ", picture.Pixels(from), picture.Pixels(foot-14),
				picture.Pixels(max(to, from+0.6)), picture.Pixels(foot-1), picture.Pixels(from))
		}
	}
	for _, s := range spans {
		first, last := x.At(float64(s.From)), x.At(float64(s.To))
		if from >= 0 && first <= max(to, from+0.6) {
			to = max(to, last)
			continue
		}
		flush()
		from, to = first, last
	}
	flush()
	return b.String()
}

// countsPath draws counts as strokes. The highest of the picture has the height of a row; none is too low to be seen.
func countsPath(x picture.Scale, counts []Point, foot float64, most int64) string {
	var b strings.Builder
	for _, c := range counts {
		if c.Value > 0 {
			fmt.Fprintf(&b, "M%s %sv-%s", picture.Pixels(x.At(float64(c.At))), picture.Pixels(foot),
				picture.Pixels(3+11*float64(c.Value)/float64(most)))
		}
	}
	return b.String()
}

// alternative says in words what a picture shows.
func alternative(p *Panel, part []series) string {
	var b strings.Builder
	b.WriteString(p.Title)
	for _, s := range part {
		fmt.Fprintf(&b, "; %s: %s %s", s.name, s.amount(), p.Unit)
	}
	return b.String()
}

// How much of a panel is drawn: the series at once, and the further pictures in a part that opens. A table
// has the rest.
const (
	together     = 8
	morePictures = 3
)

// series is a line or a row, with its highest value.
type series struct {
	name, key string
	line      *Line
	row       *Row
	peak      int64     // highest value, or count of a step, or sum of the times in ps
	at        unit.Time // of the peak, or of the first time
	sum       int64     // of counts
	class     string    // of its colour and dashes
	points    []Point   // of a line that is drawn
}

// seriesOf lists the series of a panel that have a value, by their names as people order them.
func seriesOf(p *Panel) (out []series) {
	for i := range p.Lines {
		l := &p.Lines[i]
		s := series{name: l.Name, key: l.Key, line: l, peak: l.Peak.Value, at: l.Peak.At}
		if l.Source == nil {
			s.highest(l.Points)
		}
		out = append(out, s)
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		s := series{name: r.Name, key: r.Key, row: r}
		s.highest(r.Counts)
		for k, x := range r.Spans {
			if s.peak += int64(x.To - x.From); k == 0 {
				s.at = x.From
			}
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b series) int { return buffer.ComparePorts(a.name, b.name) })
	return out
}

// highest finds the highest value of points, and their sum.
func (s *series) highest(points []Point) {
	for _, p := range points {
		s.sum += p.Value
		if p.Value > s.peak {
			s.peak, s.at = p.Value, p.At
		}
	}
}

// pictures splits series into pictures: those with the highest peaks first, each picture in the order of names.
func pictures(all []series) (out [][]series, left int) {
	byPeak := slices.Clone(all)
	slices.SortStableFunc(byPeak, func(a, b series) int { return cmp.Compare(b.peak, a.peak) })
	for len(byPeak) > 0 && len(out) <= morePictures {
		n := min(together, len(byPeak))
		part := slices.Clone(byPeak[:n])
		slices.SortStableFunc(part, func(a, b series) int { return buffer.ComparePorts(a.name, b.name) })
		out, byPeak = append(out, part), byPeak[n:]
	}
	return out, len(byPeak)
}

// dashes tell apart what has the same colour.
var dashes = []string{"", " dash", " dots", " dash-dot"}

// coloursOf gives every key of a page its colour: first the keys of what is drawn at once, panel by panel.
func coloursOf(panels []Panel) map[string]int {
	out := map[string]int{}
	for pass := range morePictures + 1 {
		for i := range panels {
			parts, _ := pictures(seriesOf(&panels[i]))
			if pass >= len(parts) {
				continue
			}
			for _, s := range parts[pass] {
				if _, known := out[s.key]; !known {
					out[s.key] = len(out)
				}
			}
		}
	}
	return out
}

// colour gives the series of one picture their classes. Of several with one key, such as two classes of a port, the
// later ones have other dashes.
func (d *drawer) colour(part []series) {
	used := map[string]int{}
	for i := range part {
		s := &part[i]
		n := d.colours[s.key]
		variant := (n/picture.Series + used[s.key]) % len(dashes)
		used[s.key]++
		s.class = fmt.Sprintf("l%d", n%picture.Series) + dashes[variant]
	}
}
