package buffer

import "github.com/cellwarden/cellwarden/cells"

// SliceBill is where the cells of one slice are; the parts sum to the total.
type SliceBill struct {
	Index    int
	Total    cells.Count
	Chip     cells.Count // kept by the chip itself
	Reserved cells.Count
	Headroom cells.Count
	Shared   cells.Count
	Unused   cells.Count // beyond the configured pool
}

// Memory sums the accounts of all slices.
func (p *Plan) Memory() (sum SliceBill) {
	for _, s := range p.Slices {
		sum.Total += s.Total
		sum.Chip += s.Chip
		sum.Reserved += s.Reserved
		sum.Headroom += s.Headroom
		sum.Shared += s.Shared
		sum.Unused += s.Unused
	}
	return sum
}

// BillRow is one item of the bill of cells: Count times Each is Cells.
type BillRow struct {
	Item  string
	Count int
	Each  cells.Count
	Cells cells.Count
}

// SliceBills lists where the cells of each slice are.
func (a *Admission) SliceBills() []SliceBill {
	out := make([]SliceBill, len(a.pools))
	for i := range a.pools {
		p := &a.pools[i]
		out[i] = SliceBill{i, p.Total, p.Chip, p.Reserved(), p.Headroom(), p.Shared(), p.Unused()}
	}
	return out
}

// bill accounts for every cell of the chip, of which ports of these kinds have some. A group that is charged in two
// slices counts twice.
func (a *Admission) bill(granted []kindOfPorts) []BillRow {
	booked, most := a.book(granted), 3*len(a.pools)
	for i := range a.in.Chip.Slices {
		most += len(a.in.Chip.Slices[i].Takes)
	}
	b := bill{rows: make([]BillRow, 0, most+len(booked.places)), at: make(map[billKey]int, most)}
	for i := range a.in.Chip.Slices {
		for _, t := range a.in.Chip.Slices[i].Takes {
			b.add("chip: "+t.Item, t.Cells)
		}
	}
	for _, list := range booked.lists {
		for _, c := range list { // no two are alike
			n := 0
			for _, in := range c.in {
				n += in
			}
			b.rows = append(b.rows, BillRow{c.item, n, c.each, c.each * cells.Count(n)})
		}
	}
	// Slices with the same number of cells share a row, so each item has a loop of its own.
	for i := range a.pools {
		if a.shared > 0 {
			b.add("shared headroom pool", a.pools[i].Headroom())
		}
	}
	for i := range a.pools {
		b.add("shared", a.pools[i].Shared())
	}
	for i := range a.pools {
		b.add("unused", a.pools[i].Unused())
	}
	return b.rows
}

// bill is a bill of cells in the making.
type bill struct {
	rows []BillRow
	at   map[billKey]int // the row of an item and a size: each of many slices may have its own
}

// billKey is what a row is of.
type billKey struct {
	item string
	each cells.Count
}

// add books an item of each cells, on the row of the same item and size if there is one. An item without cells gets no
// row.
func (b *bill) add(item string, each cells.Count) {
	if each == 0 {
		return
	}
	k, there := b.at[billKey{item, each}]
	if !there {
		k = len(b.rows)
		b.at[billKey{item, each}] = k
		b.rows = append(b.rows, BillRow{Item: item, Each: each})
	}
	b.rows[k].Count++
	b.rows[k].Cells += each
}
