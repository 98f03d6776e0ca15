package picture

import (
	"math"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// Chart is a picture with two axes.
type Chart struct {
	*Picture
	X, Y Scale
}

// Axis says what an axis shows.
type Axis struct {
	From, To float64
	Log      bool
	Title    string
	Ticks    int                  // the most round values on the axis
	Label    func(float64) string // of a value; nil: with a comma between thousands
}

// Margins of a chart, in pixels: for the numbers and the title of the vertical axis, and for those of the other one.
const (
	chartLeft   = 78
	chartRight  = 18
	chartTop    = 12
	chartBottom = 46
)

// NewChart returns a chart with its axes.
func NewChart(width, height float64, alternative string, x, y Axis) *Chart {
	c := &Chart{Picture: New(width, height, alternative)}
	c.X = Scale{x.From, x.To, chartLeft, width - chartRight, x.Log}
	c.Y = Scale{y.From, y.To, height - chartBottom, chartTop, y.Log}
	c.vertical(y)
	c.horizontal(x)
	return c
}

// label returns the text of a value.
func (a Axis) label(v float64) string {
	if a.Label != nil {
		return a.Label(v)
	}
	return unit.Thousands(int64(v))
}

// vertical draws the vertical axis with a line of the grid at each of its values.
func (c *Chart) vertical(a Axis) {
	for _, v := range c.Y.Ticks(max(a.Ticks, 2)) {
		y := c.Y.At(v)
		c.Line(c.X.Low, y, c.X.High, y, "grid")
		c.Text(c.X.Low-6, y+4, End, "pale small", a.label(v))
	}
	c.Upward(14, (c.Y.Low+c.Y.High)/2, Middle, "pale", a.Title)
}

// horizontal draws the other axis. A label that would touch the previous one is left out.
func (c *Chart) horizontal(a Axis) {
	free := 0.0
	for _, v := range c.X.Ticks(max(a.Ticks, 2)) {
		x, text := c.X.At(v), a.label(v)
		c.Line(x, c.Y.Low, x, c.Y.High, "grid")
		if half := TextWidth(text) / 2; x-half >= free {
			c.Text(x, c.Y.Low+17, Middle, "pale small", text)
			free = x + half + 6
		}
	}
	c.Line(c.X.Low, c.Y.Low, c.X.High, c.Y.Low, "axis")
	c.Text((c.X.Low+c.X.High)/2, c.Y.Low+37, Middle, "pale", a.Title)
}

// Point is a value of both axes.
type Point struct{ X, Y float64 }

// Curve draws a line through points.
func (c *Chart) Curve(points []Point, class, name string) {
	if len(points) > 0 {
		c.Path(c.trace(points), "line "+class, name)
	}
}

// Between fills what is between two lines with points at the same X.
func (c *Chart) Between(low, high []Point, class, name string) {
	if len(low) == 0 || len(high) == 0 {
		return
	}
	back := make([]Point, len(low))
	for i, p := range low {
		back[len(low)-1-i] = p
	}
	c.Path(c.trace(high)+strings.Replace(c.trace(back), "M", "L", 1)+"Z", class, name)
}

// trace returns the points as a path.
func (c *Chart) trace(points []Point) string {
	var b strings.Builder
	for i, p := range points {
		if b.WriteString("L"); i == 0 {
			b.Reset()
			b.WriteString("M")
		}
		b.WriteString(Pixels(c.X.At(p.X)) + " " + Pixels(c.Y.At(p.Y)))
	}
	return b.String()
}

// Level draws a horizontal line at a value, with its name above the right end.
func (c *Chart) Level(value float64, class, text string) {
	y := c.Y.At(value)
	c.Line(c.X.Low, y, c.X.High, y, "line thin dash "+class)
	c.Text(c.X.High-4, y-5, End, "small halo", text)
}

// Mark draws a dot at a point, with a text above it that stays inside the chart.
func (c *Chart) Mark(p Point, class, text, name string) {
	x, y := c.X.At(p.X), c.Y.At(p.Y)
	c.Circle(x, y, 5, "part "+class, name)
	c.beside(x, y-9, text)
}

// Ring draws a ring around a point, with a text below it that stays inside the chart.
func (c *Chart) Ring(p Point, class, text, name string) {
	x, y := c.X.At(p.X), c.Y.At(p.Y)
	c.Circle(x, y, 7, "line "+class, name)
	c.beside(x, y+19, text)
}

// beside writes a text to the right of a place, or to its left near the right end.
func (c *Chart) beside(x, y float64, text string) {
	switch {
	case text == "":
	case x+8+TextWidth(text)*11/13 > c.X.High:
		c.Text(x-8, y, End, "small strong halo", text)
	default:
		c.Text(x+8, y, Start, "small strong halo", text)
	}
}

// Scale maps values to places: From is at Low, and To is at High. A logarithmic scale maps values above 0 alone, and
// shows smaller ones where From is.
type Scale struct {
	From, To  float64
	Low, High float64
	Log       bool
}

// At returns the place of a value. A value outside of the scale is at its end.
func (s Scale) At(v float64) float64 {
	from, to := s.From, s.To
	if s.Log {
		from, to, v = math.Log10(s.From), math.Log10(s.To), math.Log10(max(v, s.From))
	}
	if to <= from {
		return s.Low
	}
	share := min(max((v-from)/(to-from), 0), 1)
	return s.Low + share*(s.High-s.Low)
}

// Has tells whether a value is on the scale.
func (s Scale) Has(v float64) bool { return v >= s.From && v <= s.To }

// Ticks returns round values on the scale, at most n: multiples of 1, 2 or 5 times a power of ten. A logarithmic scale
// has the same digits in every power of ten.
func (s Scale) Ticks(n int) []float64 {
	if s.Log {
		return s.logTicks(n)
	}
	step := RoundStep(s.To-s.From, n)
	var out []float64
	for i := math.Ceil(s.From / step); i*step <= s.To*(1+1e-12) && len(out) <= n; i++ {
		out = append(out, i*step)
	}
	return out
}

// logTicks returns all digits of every power of ten on the scale if there are at most n of them, else some of the
// digits, else 1 alone. A scale of less than one power of ten has multiples of one step.
func (s Scale) logTicks(n int) []float64 {
	if !(s.From > 0) {
		return nil
	}
	if s.To <= 10*s.From {
		return Scale{From: s.From, To: s.To}.Ticks(n)
	}
	first, last := int(math.Floor(math.Log10(s.From))), int(math.Ceil(math.Log10(s.To)))
	for _, digits := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}} {
		var out []float64
		for power := first; power <= last; power++ {
			for _, d := range digits {
				if v := d * math.Pow10(power); s.Has(v) {
					out = append(out, v)
				}
			}
		}
		if len(out) <= n {
			return out
		}
	}
	return []float64{s.From, s.To}
}

// RoundStep returns a step of 1, 2 or 5 times a power of ten, at least 1, so that at most n steps make up the whole.
func RoundStep(whole float64, n int) float64 {
	for power := 1.0; power < 1e300; power *= 10 {
		for _, d := range []float64{1, 2, 5} {
			if d*power*float64(n) >= whole {
				return d * power
			}
		}
	}
	return math.Inf(1)
}
