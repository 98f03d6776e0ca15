package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// maxThresholds is the largest number of groups whose thresholds are drawn. Further kinds of groups are counted.
const maxThresholds = 6

// likeGroups is a set of groups with the same thresholds in the same slice.
type likeGroups struct {
	buffer.Group
	ports     []string
	congested int // lossless groups in the slice, all of which may be congested
	pool      cells.Count
}

// losslessGroups gathers the lossless groups by their thresholds: of each kind those in the slice where the pool is
// smallest for the number of groups in it.
func (r *Report) losslessGroups() []likeGroups {
	inSlice := map[int]int{}
	for _, g := range r.Plan.Groups {
		if g.Lossless {
			inSlice[g.Slice]++
		}
	}
	var alike grouped.By[buffer.GroupGrant, likeGroups]
	for _, g := range r.Plan.Groups {
		if !g.Lossless {
			continue
		}
		o, pool, n := alike.Of(*g.GroupGrant), r.Plan.Slices[g.Slice].Shared, inSlice[g.Slice]
		if o.congested == 0 || int64(pool)*int64(o.congested) < int64(o.pool)*int64(n) {
			o.Group, o.congested, o.pool = g, n, pool
		}
		if len(o.ports) == 0 || o.ports[len(o.ports)-1] != g.Port {
			o.ports = append(o.ports, g.Port)
		}
	}
	return alike.Values()
}

// at returns the cells with which such a group pauses while n groups are congested: its reserved cells, and what
// its limit leaves it of the shared pool.
func (g *likeGroups) at(n int) float64 {
	switch g.Limit.Mode() {
	case thresholds.DynamicLimit:
		return ecn.SharingOf(g.Limit, g.pool, g.Reserved).Together(n).Float()
	case thresholds.StaticLimit:
		return float64(g.Reserved + min(g.Limit.Cells(), g.pool/cells.Count(n)))
	}
	return float64(g.Reserved + g.pool/cells.Count(n))
}

// resume returns the cells at which a group resumes that pauses at these cells. It is not below 0.
func (g *likeGroups) resume(pause float64) float64 { return max(pause-float64(g.XONOffset), 0) }

// thresholds draws the thresholds of each kind of lossless group to scale.
func (r *Report) thresholds() (out []figure) {
	all := r.losslessGroups()
	for i := range all[:min(len(all), maxThresholds)] {
		f := r.thresholdsOf(&all[i], i)
		if i == maxThresholds-1 && len(all) > maxThresholds {
			f.Text += fmt.Sprintf(" %d more kinds of groups are in the plan and not drawn.", len(all)-maxThresholds)
		}
		out = append(out, f)
	}
	return out
}

// numbers returns the numbers of congested groups at which a curve has points: all up to 32, then some.
func numbers(most int) (out []int) {
	for n := 1; n < most; n = max(n+1, n*21/20) {
		out = append(out, n)
	}
	return append(out, most)
}

// thresholdsOf draws the thresholds of one kind of group over the number of congested groups.
func (r *Report) thresholdsOf(g *likeGroups, number int) figure {
	most := max(g.congested, 1)
	top := g.at(1) + float64(g.Headroom)
	kmin, kmax := r.marking(g.Class)
	if kmin > 0 && float64(kmin) < 1.5*top {
		top = max(top, float64(kmin))
	}
	title := fmt.Sprintf("Thresholds of a group of class %s on %s", g.Class, buffer.FoldPorts(g.ports))
	x := picture.Axis{From: 1, To: float64(max(most, 2)), Log: true, Ticks: 14,
		Title: fmt.Sprintf("congested groups in slice %d", g.Slice)}
	chart := picture.NewChart(pictureWidth, 380, title+". "+g.text(most), x,
		picture.Axis{To: top * 1.06, Title: "cells that the group holds", Ticks: 8})
	var zero, reserved, pause, resume, full []picture.Point
	for _, n := range numbers(max(most, 2)) {
		at, v := float64(n), g.at(n)
		zero = append(zero, picture.Point{X: at})
		reserved = append(reserved, picture.Point{X: at, Y: float64(g.Reserved)})
		pause = append(pause, picture.Point{X: at, Y: v})
		resume = append(resume, picture.Point{X: at, Y: g.resume(v)})
		full = append(full, picture.Point{X: at, Y: v + float64(g.Headroom)})
	}
	chart.Between(pause, full, "headroom weak", fmt.Sprintf("headroom: %s cells after XOFF", unit.Thousands(g.Headroom)))
	chart.Between(reserved, pause, "shared weak", "shared cells that the limit allows")
	chart.Between(zero, reserved, "reserved", fmt.Sprintf("reserved (PG-min): %s cells", unit.Thousands(g.Reserved)))
	chart.Curve(pause, "bad-line", "XOFF: the group pauses its sender")
	chart.Curve(resume, "good-line thin dash", "XON: the sender resumes")
	text := "The more groups are congested, the less of the shared pool each of them may take. "
	if g.Limit.Mode() == thresholds.StaticLimit {
		text = "The group has a static limit; with many congested groups the pool ends before it. "
	}
	text += "After XOFF, the frames in flight take headroom."
	for _, k := range []struct {
		name  string
		value cells.Count
	}{{"kmin", kmin}, {"kmax", kmax}} {
		switch {
		case k.value == 0:
		case float64(k.value) <= top*1.06:
			chart.Level(float64(k.value), "ink-line", fmt.Sprintf("ECN %s %s", k.name, unit.Thousands(k.value)))
		default:
			text += fmt.Sprintf(" ECN %s, %s cells, is above the picture.", k.name, unit.Thousands(k.value))
		}
	}
	if kmin > 0 {
		text += " ECN marks in the egress queue: where its line is above the red one, a queue that one group feeds pauses " +
			"before it marks."
	}
	legend := []entry{{"b-short", "XOFF"}, {"b-headroom", "headroom"}, {"b-shared", "shared"}, {"b-good", "XON (dashed)"}}
	if g.Reserved > 0 {
		legend = append(legend, entry{"b-reserved", "reserved (PG-min)"})
	}
	return figure{ID: fmt.Sprintf("thresholds-%d", number+1), Title: title, Text: text, drawing: chart.Picture,
		Legend: legend, Folded: true, Tables: []Table{g.table(most, r.Plan, r.rateOf(g.ports))}}
}

// marking returns where the queues of a class begin to mark and mark all, in cells; 0: they do not mark.
func (r *Report) marking(class string) (kmin, kmax cells.Count) {
	for _, m := range r.Plan.Marking {
		if m.Class == class {
			return r.Plan.Chip.Cell.Within(m.KMinGranted), r.Plan.Chip.Cell.Within(m.KMaxGranted)
		}
	}
	return 0, 0
}

// text says the ends of the curve in words.
func (g *likeGroups) text(most int) string {
	return fmt.Sprintf(
		"Reserved %s cells; alone it pauses at %s cells, with %s congested groups at %s; headroom %s cells.",
		unit.Thousands(g.Reserved), whole(g.at(1)), unit.Thousands(most), whole(g.at(most)), unit.Thousands(g.Headroom))
}

// table lists the thresholds for some numbers of congested groups.
func (g *likeGroups) table(most int, p *buffer.Plan, rate unit.BitRate) Table {
	t := Table{Title: fmt.Sprintf("In cells of %d bytes, %v, reserved %s, headroom %s, XON offset %s", p.Chip.Cell,
		g.Limit, unit.Thousands(g.Reserved), unit.Thousands(g.Headroom), unit.Thousands(g.XONOffset)),
		Columns: []string{"congested groups", "XOFF at", "XOFF at bytes", "XON at", "full at"}}
	t.Cells.Columns, t.Cells.Size, t.Cells.Rates = []int{1, 3, 4}, p.Chip.Cell, []unit.BitRate{rate}
	for n := 1; ; n *= 2 {
		n = min(n, most)
		v := g.at(n)
		t.Rows = append(t.Rows, []string{unit.Thousands(n), whole(v),
			unit.Thousands(int64(math.Floor(v * float64(p.Chip.Cell)))), whole(g.resume(v)), whole(v + float64(g.Headroom))})
		if n == most {
			return t
		}
	}
}

// rateOf returns the speed of ports; 0: they have several.
func (r *Report) rateOf(names []string) (rate unit.BitRate) {
	for i := range r.Intent.Ports {
		p := &r.Intent.Ports[i]
		switch {
		case !slices.Contains(names, p.Name):
		case rate != 0 && rate != p.Rate:
			return 0
		default:
			rate = p.Rate
		}
	}
	return rate
}

// whole prints a number of cells without its fraction.
func whole(v float64) string { return unit.Thousands(int64(math.Floor(v))) }
