// Package drawn draws fabrics.
//
// The picture has a row for each tier, the highest at the top, with the hosts at the bottom. Cables have the colour of
// their kind, length and speed, and pauses are red. Colours are classes of the page's style and never written into the
// picture, so that it is right on a light and on a dark screen.
package drawn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/report"
)

// The picture, in pixels, and its parts. Boxes, rows and texts keep their sizes whatever the fabric is, so that
// pictures of a page look alike.
const (
	wide     = 1180.0
	margin   = 70.0 // at the left, for the names of tiers
	boxHigh  = 22.0
	tierHigh = 190.0
	lineHigh = 18.0 // of the legend
)

// The most switches of a tier, and the most cables, that are drawn. Beyond either the picture would be a grey area, and
// is not made.
const (
	MostSwitches = 96
	MostCables   = 6000
)

// Pauses are what the picture shows of pauses: a circle that can lock, or how far the pause of one host reaches; the
// zero Pauses show nothing. Levels are the hops by how many steps they are from the host: those of the first step, of
// the second, and so on.
type Pauses struct {
	Circle bool
	Host   string
	Levels [][]report.FabricHop
}

// Fabric draws a fabric: its switches, cables and their hosts, and pauses. It is nil for a fabric that would be a grey
// area. Nodes that a file leaves without a rank are drawn by role. Lines come before boxes, which
// cover their ends.
func Fabric(switches []*fabric.Switch, cables []fabric.Cable, p Pauses) *picture.Picture {
	d := &drawing{cables: cables, pauses: p, at: map[string]place{}, depth: map[string]int{}}
	tiers := tiersOf(switches)
	var words []string // what a screen reader says in place of the picture
	for i, t := range tiers {
		if len(t) > MostSwitches || len(cables) > MostCables {
			return nil
		}
		d.places(t, 20+float64(i)*(boxHigh+tierHigh))
		words = append(words, fmt.Sprintf("%d %s", len(t), cmp.Or(t[0].Role, "switches")))
	}
	d.hostPlaces()
	// 20 above the first tier, 40 below the last for a legend of one line, and 70 for hosts.
	high := 20 + float64(len(tiers))*(boxHigh+tierHigh) - tierHigh + 40
	if len(d.hosts) > 0 {
		high += 70
	}
	legend, lines := d.legend()
	first := high - 12 // where the first line of the legend stands
	high += lineHigh * float64(max(lines-1, 0))
	d.Picture = picture.New(wide, high, "The fabric: "+strings.Join(words, ", "))
	d.drawCables()
	d.drawPauses()
	d.drawNodes(tiers)
	for _, m := range legend {
		y := first + lineHigh*float64(m.line)
		if m.class != "" {
			d.Line(m.x, y-4, m.x+26, y-4, m.class)
		}
		d.Text(m.x+32, y, picture.Start, "small", m.text)
	}
	return d.Picture
}

// tiersOf are the rows of the picture: the switches by rank, the highest first. Without ranks it is by role, in the
// order of the file. The order of switches in a tier is that of the file, and its name the role of the first; empty:
// the picture says "switch".
func tiersOf(switches []*fabric.Switch) [][]*fabric.Switch {
	out := grouped.Lists(switches, func(s *fabric.Switch) string {
		// A rank below 0 is one that the fabric does not know.
		if s.Rank < 0 {
			return "role " + s.Role
		}
		return fmt.Sprint(s.Rank)
	})
	slices.SortStableFunc(out, func(x, y []*fabric.Switch) int { return cmp.Compare(y[0].Rank, x[0].Rank) })
	return out
}

// place is where a node is drawn. x is the middle of the node, top and bottom its edges, all in pixels from the top
// left corner.
type place struct{ x, top, bottom, width float64 }

// drawing is a picture under way. kinds count cables, in the order in which cables of them were met, and the place of a
// kind is its colour.
type drawing struct {
	*picture.Picture
	pauses Pauses
	cables []fabric.Cable
	hosts  []string // that have a place
	at     map[string]place
	depth  map[string]int // of a switch: how many steps it is from the host that pauses
	kinds  grouped.By[string, int]
}

// places puts the switches of a tier in a row. A box is as wide as its share of the row, and at most 72 pixels.
func (d *drawing) places(t []*fabric.Switch, y float64) {
	// 10 pixels stay free at the right, and 4 between two boxes.
	slot := (wide - margin - 10) / float64(len(t))
	width := min(72, slot-4)
	for i, s := range t {
		d.at[s.Name] = place{x: margin + slot*(float64(i)+.5), top: y, bottom: y + boxHigh, width: width}
	}
}

// hostPlaces puts hosts below their first switch. A host with several cables is drawn once.
func (d *drawing) hostPlaces() {
	var below grouped.By[string, []string]
	seen := map[string]bool{}
	for _, c := range d.cables {
		host, sw := c.A, c.B
		if c.B.Host {
			host, sw = c.B, c.A
		}
		if _, placed := d.at[sw.Node]; host.Host && placed && !seen[host.Node] {
			seen[host.Node], d.hosts = true, append(d.hosts, host.Node)
			names := below.Of(sw.Node)
			*names = append(*names, host.Node)
		}
	}
	for sw, names := range below.All() {
		p := d.at[sw]
		for i, name := range *names {
			// Hosts share the width of their switch's box, 14 pixels each at most, and stand in the middle below it.
			step := min(14, p.width/float64(len(*names)))
			x := p.x + step*(float64(i)-float64(len(*names)-1)/2)
			// 54 pixels are for the cables, and 8 for the box of the host.
			d.at[name] = place{x: x, top: p.bottom + 54, bottom: p.bottom + 62, width: max(2, step-2)}
		}
	}
}

// kindOf is the kind of a cable: its length and speed. A length or a speed that the file does not say is a kind of its
// own.
func kindOf(c *fabric.Cable) string {
	return strings.TrimSuffix(strings.TrimPrefix(cmp.Or(c.Length, "length not said")+", "+c.Speed, ", "), ", ")
}

// line draws a line between two nodes, from the lower edge of the upper one to the upper edge of the lower one.
func (d *drawing) line(a, b string, class string) {
	p, q := d.at[a], d.at[b]
	if p.top > q.top {
		p, q = q, p
	}
	if p.top == q.top { // of one tier: an arc below it
		// The control point of the curve is half a row below its ends, so the arc stays above the next tier.
		mid := (p.x + q.x) / 2
		d.Path(fmt.Sprintf("M%s %sQ%s %s %s %s", picture.Pixels(p.x), picture.Pixels(p.bottom), picture.Pixels(mid),
			picture.Pixels(p.bottom+tierHigh/2), picture.Pixels(q.x), picture.Pixels(q.bottom)), class, "")
		return
	}
	d.Line(p.x, p.bottom, q.x, q.top, class)
}

// drawCables draws all cables, each kind in its colour. The many between switches are faint.
func (d *drawing) drawCables() {
	for i := range d.cables {
		c := &d.cables[i]
		// There are picture.Series colours, and kinds beyond them share one: the legend has both.
		class := fmt.Sprintf("line thin l%d", slices.Index(d.kinds.Keys, kindOf(c))%picture.Series)
		switch {
		// A cable that is down is dotted, so that a picture of a failure shows where it is.
		case c.Down:
			class = "axis dots"
		case !c.A.Host && !c.B.Host:
			class += " faint"
		}
		d.line(c.A.Node, c.B.Node, class)
	}
}

// drawPauses draws the circle, or the first steps of a pause. The switches of later steps have numbers. A switch that
// is reached on several ways keeps the fewest steps. Only the first two steps are drawn as lines.
func (d *drawing) drawPauses() {
	for n, level := range d.pauses.Levels {
		for _, h := range level {
			if _, seen := d.depth[h.From]; !seen {
				// The levels begin at the host, so the first one that has a switch is its fewest steps.
				d.depth[h.From] = n + 1
			}
			if n < 2 {
				d.line(h.From, h.To, "line bad-line")
			}
		}
	}
}

// drawNodes draws switches and hosts above the lines. A name that is wider than its box loses the prefix that it shares
// with its tier, and is left out if that is not enough: the box has it as its title.
func (d *drawing) drawNodes(tiers [][]*fabric.Switch) {
	for _, t := range tiers {
		role := t[0].Role
		d.Text(6, d.at[t[0].Name].top+15, picture.Start, "strong", cmp.Or(role, "switch"))
		for _, s := range t {
			at, class := d.at[s.Name], "part reserved"
			// In a circle every switch is marked. Of a reach the first two steps are, as the lines are.
			if _, paused := d.depth[s.Name]; paused && (d.pauses.Circle || d.depth[s.Name] <= 2) {
				class = "part short"
			}
			name := s.Name
			if !d.pauses.Circle && d.depth[s.Name] > 0 {
				name += fmt.Sprintf(": paused after %d steps", d.depth[s.Name])
			}
			d.Rect(at.x-at.width/2, at.top, at.width, boxHigh, class, name)
			label := s.Name
			if at.width < picture.TextWidth(label) {
				label = cmp.Or(strings.TrimPrefix(label, role), label)
			}
			// A text that is a little too wide is still readable between two boxes.
			if at.width >= picture.TextWidth(label)*.75 {
				d.Text(at.x, at.top+15, picture.Middle, "small on-strong", label)
			}
		}
	}
	for _, name := range d.hosts {
		at, class := d.at[name], "part shared"
		if d.pauses.Host == name {
			class = "part short"
		}
		d.Rect(at.x-at.width/2, at.top, at.width, 8, class, name)
	}
	if len(d.hosts) > 0 {
		d.Text(6, d.at[d.hosts[0]].top+9, picture.Start, "strong", "hosts")
	}
}

// mark is an entry of the legend: a line of a class, what it is, and its place. Without a class there is no line.
type mark struct {
	class, text string
	x           float64
	line        int
}

// mostKinds is the largest number of kinds of cables that the legend names. There are fewer colours, and further kinds
// are counted.
const mostKinds = 40

// legend says what the colours are, in lines that are as wide as the picture. Its entries are in the order in which
// kinds of cables were met.
func (d *drawing) legend() (all []mark, lines int) {
	x := wide // of the next entry, in pixels: the first one begins a line
	add := func(class, text string) {
		width := 32 + picture.TextWidth(text) + 24 // with the room to the next entry, which may be cut in a line
		if x+width-24 > wide {
			x, lines = margin, lines+1
		}
		all = append(all, mark{class, text, x, lines - 1})
		x += width
	}
	// Cables are counted by kind, so the legend says how much of a fabric each colour is.
	for i := range d.cables {
		*d.kinds.Of(kindOf(&d.cables[i]))++
	}
	more := 0
	for k, text := range d.kinds.Keys {
		n := *d.kinds.Of(text)
		if k >= mostKinds {
			more += n
			continue
		}
		add(fmt.Sprintf("line l%d", k%picture.Series), text+": "+cli.Plural(n, "cable", "cables"))
	}
	if n := len(d.kinds.Keys) - mostKinds; n > 0 {
		add("", cli.Plural(n, "kind", "kinds")+" more: "+cli.Plural(more, "cable", "cables"))
	}
	switch {
	case d.pauses.Circle:
		add("line bad-line", "can wait for each other in a circle")
	case d.pauses.Host != "":
		add("line bad-line", d.pauses.Host+" pauses: the first two steps")
	}
	return all, lines
}
