package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

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
