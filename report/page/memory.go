package page

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

// pictureWidth is the width of every picture, in pixels: what a phone can still show, and what a projector enlarges.
const pictureWidth = 720

// item is a part of a slice: what it is for, its account, which gives the colour, and its cells.
type item struct {
	name, account string
	cells         cells.Count
}

// items returns the parts of a slice in the order of the bill. They sum to the slice.
func (r *Report) items(s *buffer.SliceBill) []item {
	var out []item
	add := func(name, account string, n cells.Count) {
		if n > 0 {
			out = append(out, item{name, account, n})
		}
	}
	if s.Index < len(r.Intent.Chip.Slices) {
		for _, t := range r.Intent.Chip.Slices[s.Index].Takes {
			add("chip: "+t.Item, "chip", t.Cells)
		}
	}
	reserved, headroom := r.ofGroups(s.Index)
	rest := s.Reserved
	r.ofChannels(s.Index, &reserved)
	for name, n := range reserved.All() {
		add(name, "reserved", *n)
		rest -= *n
	}
	add("minima of ports and queues", "reserved", rest)
	if r.Plan.Shared != nil {
		add("shared headroom pool", "headroom", s.Headroom)
		headroom.Keys = nil
	}
	for name, n := range headroom.All() {
		add(name, "headroom", *n)
	}
	add("shared", "shared", s.Shared)
	add("unused", "unused", s.Unused)
	return out
}

// asked returns what the pools of a slice ask for, where the pools themselves do not fit: nothing is admitted then.
func (r *Report) asked(s *buffer.SliceBill) (items []item, is bool) {
	if len(r.Plan.Refusals) == 0 {
		return nil, false
	}
	x := r.Plan.Refusals[0]
	if x.Slice != s.Index || x.Reason != buffer.PoolTooLarge && x.Reason != buffer.HeadroomPool {
		return nil, false
	}
	for _, c := range x.Consumers {
		name := "asked: " + c.Item
		if c.Account == "chip" { // which asks for nothing: it has them
			name = "chip: " + c.Item
		}
		items = append(items, item{name, c.Account, c.Cells})
	}
	return items, true
}

// ofGroups sums what the groups have in a slice: the reserved cells of each class, and the headroom of each class on
// each kind of link, as the bill names them.
func (r *Report) ofGroups(slice int) (reserved, headroom grouped.By[string, cells.Count]) {
	ports := map[string]*buffer.Port{}
	for i := range r.Intent.Ports {
		ports[r.Intent.Ports[i].Name] = &r.Intent.Ports[i]
	}
	for i := range r.Plan.Groups {
		g := &r.Plan.Groups[i]
		if g.Slice != slice {
			continue
		}
		*reserved.Of("reserved " + g.Class) += g.Reserved
		if p := ports[g.Port]; p != nil {
			*headroom.Of(fmt.Sprintf("headroom %s %v %s", g.Class, p.Rate, p.Link(0).Path())) += g.Headroom
		}
	}
	return reserved, headroom
}

// memory draws a bar for each slice of the memory, with every item of the bill. Where ports are refused, what is
// missing is behind the end of the first one's slice.
func (r *Report) memory() (figure, bool) {
	const row, bar, left, right = 46.0, 26.0, 60.0, 12.0
	p, slicesOf := r.Plan, r.Plan.Slices
	if len(slicesOf) == 0 {
		return figure{}, false
	}
	short := make([]cells.Count, len(slicesOf))
	if len(p.Refusals) > 0 && p.Refusals[0].Slice < len(short) {
		short[p.Refusals[0].Slice] = p.Refusals[0].Short
	}
	most := cells.Count(1)
	for i := range slicesOf {
		most = max(most, slicesOf[i].Total+short[i])
	}
	drawing := picture.New(pictureWidth, row*float64(len(slicesOf))+8, r.memoryText())
	scale := picture.Scale{To: float64(most), Low: left, High: pictureWidth - right}
	for i := range slicesOf {
		s, y := &slicesOf[i], row*float64(i)+6
		drawing.Text(left-8, y+bar/2+4, picture.End, "", fmt.Sprintf("slice %d", s.Index))
		sum := cells.Count(0)
		items, asked := r.asked(s)
		if !asked {
			items = r.items(s)
		}
		free := left                        // where the number of the previous narrow part ends
		note, end := "", pictureWidth-right // below the bar, where it ends
		if n := short[i]; asked {
			note, end = fmt.Sprintf("end of the slice: %s cells, %s short", unit.Thousands(s.Total), unit.Thousands(n)),
				scale.At(float64(s.Total))
		} else if n > 0 {
			note = unit.Thousands(n) + " cells short"
		}
		limit := end // of the numbers below narrow parts
		if note != "" {
			limit -= picture.TextWidth(note) + 6
			drawing.Text(end, y+bar+13, picture.End, "small strong bad", note)
		}
		for _, x := range items {
			from, to := scale.At(float64(sum)), scale.At(float64(sum+x.cells))
			sum += x.cells
			drawing.Rect(from, y, to-from, bar, "part "+x.account,
				fmt.Sprintf("slice %d, %s: %s cells (%s)", s.Index, x.name, unit.Thousands(x.cells), share(x.cells, s.Total)))
			free = amount(drawing, x, from, to, y, bar, free, limit)
		}
		if asked {
			drawing.Line(end, y-4, end, y+bar+4, "line bad-line")
		} else if n := short[i]; n > 0 {
			from, to := scale.At(float64(s.Total)), scale.At(float64(s.Total+n))
			drawing.Rect(from, y, max(to-from, 2), bar, "part short", fmt.Sprintf("slice %d: %s cells short for %s", s.Index,
				unit.Thousands(n), p.Refusals[0].Subject()))
		}
	}
	return figure{ID: "memory", Title: "Where every cell of the memory is", Text: r.memoryNote(), drawing: drawing,
		Legend: r.accounts(), Tables: []Table{r.bill()}, Details: []Table{r.slices()}}, true
}

// amount writes the cells of a part into it, or below it and before the limit if it is narrow. It returns where the
// text below ends.
func amount(drawing *picture.Picture, x item, from, to, y, bar, free, limit float64) float64 {
	text := unit.Thousands(x.cells)
	if to-from > picture.TextWidth(text)+6 {
		drawing.Text((from+to)/2, y+bar/2+4.5, picture.Middle, "on-"+x.account, text)
		return free
	}
	if free-from > 12 || max(from, free)+picture.TextWidth(text) > limit {
		return free // too far from its part, which a reader can point at; the table has the number
	}
	from = max(from, free)
	drawing.Text(from, y+bar+13, picture.Start, "small pale", text)
	return from + picture.TextWidth(text)*11/13 + 6
}

// memoryText says in words what the picture of the memory shows.
func (r *Report) memoryText() string {
	parts := grouped.Each(r.Plan.Bill, func(b buffer.BillRow) string {
		return fmt.Sprintf("%s %s", b.Item, unit.Thousands(b.Cells))
	})
	return fmt.Sprintf("The %s cells of %s: %s", unit.Thousands(r.Plan.Chip.TotalCells), r.Plan.Chip.Name,
		strings.Join(parts, ", "))
}

// memoryNote says how to read the picture.
func (r *Report) memoryNote() string {
	text := "One bar for each slice: a slice cannot use the cells of another one."
	if len(r.Plan.Refusals) > 0 {
		text += " The bars show the admitted cells. The cells that the first refused port lacks are drawn behind the end " +
			"of a bar."
		if _, asked := r.asked(&r.Plan.Slices[r.Plan.Refusals[0].Slice]); asked {
			text = fmt.Sprintf("Slice %d has what the pools ask for, and where the slice ends: nothing is admitted.",
				r.Plan.Refusals[0].Slice)
		}
	}
	if s := r.Plan.Shared; s != nil {
		text += fmt.Sprintf(" In the slice with the greatest oversubscription, slice %d, %s groups of %s cells can be "+
			"full at the same time.", s.WorstSlice, unit.Thousands(s.AtOnce), unit.Thousands(s.Largest))
	}
	return text
}

// accounts is the legend of the memory: the accounts that have cells, of the whole chip.
func (r *Report) accounts() []entry {
	sum := r.Plan.Memory()
	if len(r.Plan.Refusals) > 0 {
		if _, asked := r.asked(&r.Plan.Slices[r.Plan.Refusals[0].Slice]); asked {
			legend := []entry{{"b-shared", "asked by the pool"}, {"b-headroom", "asked by the headroom pool"}}
			if sum.Chip > 0 {
				legend = append([]entry{{"b-chip", "kept by the chip"}}, legend...)
			}
			return legend
		}
	}
	out := []entry{}
	for _, x := range []item{{"kept by the chip", "chip", sum.Chip}, {"reserved", "reserved", sum.Reserved},
		{"headroom", "headroom", sum.Headroom}, {"shared", "shared", sum.Shared}, {"unused", "unused", sum.Unused}} {
		if x.cells > 0 {
			out = append(out, entry{"b-" + x.account, x.name + " " + share(x.cells, sum.Total)})
		}
	}
	if len(r.Plan.Refusals) > 0 && r.Plan.Refusals[0].Short > 0 {
		out = append(out, entry{"b-short", "missing"})
	}
	return out
}

// bill is the bill of cells as a table.
func (r *Report) bill() Table {
	t := Table{Title: "Bill of cells", Columns: []string{"item", "count", "each", "cells", "share"}}
	r.ofAllPorts(&t, 2, 3)
	sum := cells.Count(0)
	for _, b := range r.Plan.Bill {
		sum += b.Cells
		t.Rows = append(t.Rows, []string{b.Item, unit.Thousands(b.Count), unit.Thousands(b.Each), unit.Thousands(b.Cells),
			share(b.Cells, r.Plan.Chip.TotalCells)})
	}
	t.Total = []string{"total", "", "", unit.Thousands(sum), share(sum, r.Plan.Chip.TotalCells)}
	return t
}

// ofAllPorts says which columns of a table are cells, which all ports together fill at their speed.
func (r *Report) ofAllPorts(t *Table, columns ...int) {
	all := unit.BitRate(0)
	for i := range r.Intent.Ports {
		all += r.Intent.Ports[i].Rate
	}
	t.Cells.Columns, t.Cells.Size, t.Cells.Rates = columns, r.Plan.Chip.Cell, []unit.BitRate{all}
}

// slices lists the items of every slice. Slices that are alike share their rows.
func (r *Report) slices() Table {
	t := Table{Title: "Items of each slice", Columns: []string{"slices", "item", "cells"}}
	r.ofAllPorts(&t, 2)
	itemsOf := func(s buffer.SliceBill) string { return fmt.Sprint(r.items(&s)) }
	for _, alike := range grouped.Lists(r.Plan.Slices, itemsOf) {
		numbers := grouped.Each(alike, func(s buffer.SliceBill) string { return fmt.Sprint(s.Index) })
		for _, x := range r.items(&alike[0]) {
			t.Rows = append(t.Rows, []string{strings.Join(numbers, ", "), x.name, unit.Thousands(x.cells)})
		}
	}
	return t
}

// share prints a part of a whole as a percentage with one decimal, in integers.
func share[T ~int | ~int64](part, whole T) string {
	if whole == 0 {
		return "-"
	}
	tenths := (int64(part)*1000 + int64(whole)/2) / int64(whole)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}
