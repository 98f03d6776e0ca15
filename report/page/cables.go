package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// linkKind is what decides a headroom apart from the length of the cable, which is 0.
type linkKind struct {
	class string
	thresholds.Link
}

// String names the kind: the class, the speed, and what the path has beside its cable.
func (k linkKind) String() string {
	text := fmt.Sprintf("%s at %v", k.class, k.Rate)
	if k.Medium != thresholds.Fibre {
		text += fmt.Sprintf(" over %v", k.Medium)
	}
	if k.Extra > 0 {
		text += fmt.Sprintf(" + %v", k.Extra)
	}
	if k.MACsec {
		text += " + MACsec"
	}
	if k.Lanes > 0 {
		text += fmt.Sprintf(" with %d lanes", k.Lanes)
	}
	if t, given := k.Response.Get(); given {
		text += fmt.Sprintf(", peer %v", t)
	}
	return text
}

// curve is the headroom of a kind of link over the length of its cable.
type curve struct {
	linkKind
	points, worst []picture.Point // in metres and cells
	planned       []buffer.Sized  // the kinds of ports that the plan has on it
}

// over returns the link of a kind with a cable.
func (k linkKind) over(cable unit.Length) thresholds.Link {
	k.Cable = cable
	return k.Link
}

// curves gathers the kinds of links in the order of the plan. Ports with a measured delay have no cable, and no curve.
func (r *Report) curves() (out []curve, longest unit.Length, delayed []buffer.Sized) {
	var planned grouped.By[linkKind, []buffer.Sized]
	for _, k := range r.Plan.Sizing.Kinds {
		if k.Delay.IsGiven() {
			delayed = append(delayed, k)
			continue
		}
		kind := linkKind{k.Class, k.Link}
		kind.Cable = 0
		*planned.Of(kind) = append(*planned.Of(kind), k)
		longest = max(longest, k.Cable)
	}
	for kind, alike := range planned.All() {
		out = append(out, curve{linkKind: kind, planned: *alike})
	}
	return out, longest, delayed
}

// lengths are the cables at which a curve has points: those that a table knows, or 24 for every power of ten, rounded
// to whole decimetres.
func (r *Report) lengths(longest unit.Length) []unit.Length {
	if d, discrete := r.Intent.Sizing.(thresholds.Discrete); discrete {
		return d.Cables()
	}
	const perDecade = 24
	last := min(max(4*longest, unit.Kilometre), thresholds.MaxCable)
	var out []unit.Length
	for i := 0; ; i++ {
		l := unit.Length(math.Round(10*math.Pow(10, float64(i)/perDecade))) * unit.Metre / 10
		if l >= last {
			return append(out, last)
		}
		if len(out) == 0 || l > out[len(out)-1] {
			out = append(out, l)
		}
	}
}

// cables draws the headroom of a group over the length of the cable, for each speed and class, with the plan's own
// cables as points.
func (r *Report) cables() (figure, bool) {
	curves, most, delayed := r.curves()
	longest := r.longest()
	for _, a := range longest {
		if a.State == capacity.Found && a.Amount <= int64(100*unit.Kilometre) {
			most = max(most, unit.Length(a.Amount)/3) // the axis ends at four times the most
		}
	}
	lengths := r.lengths(most)
	if len(curves) == 0 || len(lengths) == 0 {
		return figure{}, false
	}
	slices.Sort(lengths)
	low, high := math.Inf(1), 1.0
	for i := range curves {
		r.fill(&curves[i], lengths)
		for _, list := range [][]picture.Point{curves[i].points, curves[i].worst} {
			for _, p := range list {
				low, high = min(low, p.Y), max(high, p.Y)
			}
		}
		for _, k := range curves[i].planned {
			low, high = min(low, max(float64(k.Cells), 1)), max(high, float64(k.Cells))
		}
	}
	from := max(min(metres(lengths[0]), metres(most)), 1)
	chart := picture.NewChart(pictureWidth, 400, r.cablesText(),
		picture.Axis{From: from, To: max(metres(lengths[len(lengths)-1]), metres(most), 2*from), Log: true,
			Title: "length of the cable", Ticks: 12, Label: length},
		picture.Axis{From: max(math.Floor(low*0.8), 1), To: high * 1.25, Log: true, Title: "cells of one group", Ticks: 14})
	f := figure{ID: "cables", Title: "Headroom over the length of the cable",
		Text: r.cablesNote(delayed, len(longest) > 0), Tables: []Table{r.kinds()}}
	if len(longest) > 0 {
		f.Tables = append(f.Tables, longestTable(longest))
	}
	_, discrete := r.Intent.Sizing.(thresholds.Discrete)
	for i := range curves {
		class, c := seriesClass(i), &curves[i]
		chart.Curve(c.worst, "thin dash weak "+class, c.String()+": worst case of verify")
		if discrete {
			class += " dots"
			for _, p := range c.points {
				chart.Circle(chart.X.At(p.X), chart.Y.At(p.Y), 3, fmt.Sprintf("f%d", i%picture.Series),
					fmt.Sprintf("%s over %s: %s cells", c, length(p.X), unit.Thousands(int64(p.Y))))
			}
		}
		chart.Curve(c.points, class, c.String())
		f.Legend = append(f.Legend, entry{fmt.Sprintf("b%d", i%picture.Series), c.String()})
	}
	f.Legend = shortened(f.Legend)
	for i := range curves {
		for _, k := range curves[i].planned {
			name := fmt.Sprintf("%s over %s: %s cells, %s", curves[i], k.Path(), unit.Thousands(k.Cells),
				unit.Thousands(k.XOFF)+" bytes")
			text := k.Cable.String() + ": " + unit.Thousands(k.Cells)
			if len(r.Plan.Sizing.Kinds) > maxLabels {
				text = "" // the labels would hide each other; the table has the numbers
			}
			chart.Mark(picture.Point{X: metres(k.Cable), Y: float64(k.Cells)}, fmt.Sprintf("f%d", i%picture.Series), text, name)
		}
	}
	r.markLongest(chart, curves, longest)
	f.drawing = chart.Picture
	return f, true
}

// markLongest marks the longest cables that fit, as rings on the curves of their ports.
func (r *Report) markLongest(chart *picture.Chart, curves []curve, answers []capacity.Answer) {
	memory := r.Intent.Memory()
	entries := r.entries()
	for _, a := range answers {
		k := slices.IndexFunc(entries, func(e capacity.Entry) bool { return e.Text == a.Ports })
		if a.Question != capacity.Cable || a.State != capacity.Found || k < 0 || !chart.X.Has(metres(unit.Length(a.Amount))) {
			continue
		}
		like := r.Intent.Ports[entries[k].First].Link(0)
		like.Cable = 0
		for i := range curves {
			like.LosslessMTU = curves[i].LosslessMTU
			h, err := r.Intent.Sizing.Size(curves[i].over(unit.Length(a.Amount)), memory)
			if curves[i].Link != like || err != nil {
				continue
			}
			chart.Ring(picture.Point{X: metres(unit.Length(a.Amount)), Y: max(float64(h.Cells), 1)},
				fmt.Sprintf("l%d", i%picture.Series), "longest "+a.Value(),
				fmt.Sprintf("%s: at most %s; then %s", a.Ports, a.Value(), a.Binding))
		}
	}
}

// maxLabels is the largest number of points that have a label each.
const maxLabels = 12

// fill computes a curve and the worst case of its links. A length that the method does not have is left out.
func (r *Report) fill(c *curve, lengths []unit.Length) {
	memory := r.Intent.Memory()
	for _, l := range lengths {
		link := c.over(l)
		if h, err := r.Intent.Sizing.Size(link, memory); err == nil {
			c.points = append(c.points, picture.Point{X: metres(l), Y: max(float64(h.Cells), 1)})
		}
		if w := thresholds.WorstCaseOf(r.Intent.Sizing, link, memory); w.Known {
			c.worst = append(c.worst, picture.Point{X: metres(l), Y: max(float64(w.Cells), 1)})
		}
	}
}

// seriesClass is the class of the i-th series of lines.
func seriesClass(i int) string {
	class := fmt.Sprintf("l%d", i%picture.Series)
	if i >= picture.Series {
		class += " dash"
	}
	return class
}

func metres(l unit.Length) float64 { return float64(l) / float64(unit.Metre) }

// length prints a number of metres on an axis.
func length(m float64) string { return unit.Length(math.Round(m * float64(unit.Metre))).String() }

// cablesText says in words what the picture shows.
func (r *Report) cablesText() string {
	var text strings.Builder
	text.WriteString("The headroom of a group grows with the length of the cable.")
	for _, k := range r.Plan.Sizing.Kinds {
		fmt.Fprintf(&text, " Class %s at %v over %s: %s cells.", k.Class, k.Rate, k.Path(), unit.Thousands(k.Cells))
	}
	return text.String()
}

// cablesNote says how to read the picture.
func (r *Report) cablesNote(delayed []buffer.Sized, rings bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "The cells that method %s gives one lossless group. Large points: the cables of the plan. "+
		"Dashed: the worst case that verify simulates, where the delays of the speed are known.", r.Plan.Sizing.Method)
	if rings {
		text.WriteString(" Rings: the longest cables that fit, all else as it is.")
	}
	if _, discrete := r.Intent.Sizing.(thresholds.Discrete); discrete {
		text.WriteString(" The table has values at the small points alone.")
	}
	for _, k := range delayed {
		fmt.Fprintf(&text, " Class %s at %v over %s: %s cells; not in the picture, because it has no length.", k.Class,
			k.Rate, k.Path(), unit.Thousands(k.Cells))
	}
	return text.String()
}

// kinds lists the headroom of a group of each kind of port.
func (r *Report) kinds() Table {
	t := Table{Title: "Headroom of a group", Columns: []string{"class", "speed", "cable", "frames", "cells", "bytes",
		"worst case", "enough"}}
	t.Cells.Columns, t.Cells.Size = []int{4, 6}, r.Plan.Chip.Cell
	for _, k := range r.Plan.Sizing.Kinds {
		frames, worst := k.Mix.String(), "unknown"
		if frames == "" {
			frames = "not stated"
		}
		if k.Worst.Known {
			worst = unit.Thousands(k.Worst.Cells)
		}
		t.Rows = append(t.Rows, []string{k.Class, k.Rate.String(), k.Path(), frames, unit.Thousands(k.Cells),
			unit.Thousands(k.XOFF), worst, string(k.Enough)})
		t.Cells.Rates = append(t.Cells.Rates, k.Rate)
	}
	return t
}
