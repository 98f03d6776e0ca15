package buffer

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// Consumer is a large holder of a slice's cells.
type Consumer struct {
	Item    string
	Account string // "chip", "reserved", "headroom" or "shared": where a bill has the cells
	Ports   string // folded: Ethernet1/1-32
	Cells   cells.Count
}

// accounts are those of the lists of a booking.
var accounts = [...]string{"reserved", "headroom", "reserved"}

// mostConsumers is how many holders a refusal names.
const mostConsumers = 5

// consumers returns the largest holders of a slice, by the purpose of their cells: the
// chip's own, reserved minima and headroom by class and kind of port. Where the pools
// themselves do not fit, it returns the sizes that were asked for.
func (a *Admission) consumers(slice int) []Consumer {
	out := []Consumer{}
	for _, t := range a.in.Chip.Slices[slice].Takes {
		out = append(out, Consumer{t.Item, "chip", "", t.Cells})
	}
	if a.part[slice] > 0 {
		out = append(out, Consumer{"shared headroom pool", "headroom", "", a.part[slice]})
	}
	if size := a.in.Chip.Cell.Within(a.in.Pool.Size) / cells.Count(len(a.pools)); !a.blocked.Fits() && size > 0 {
		out = append(out, Consumer{"pool", "shared", "", size})
	}
	for _, c := range a.charges(true) {
		if n := c.in[slice]; n > 0 {
			out = append(out, Consumer{c.item, accounts[c.list], FoldPorts(c.portsIn[slice]), c.each * cells.Count(n)})
		}
	}
	slices.SortStableFunc(out, func(x, y Consumer) int { return cmp.Compare(y.Cells, x.Cells) })
	return out[:min(len(out), mostConsumers)]
}

// charge is one kind of grant: a number of groups that hold the same number of cells
// for the same purpose.
type charge struct {
	item    string
	list    int // of the booking
	each    cells.Count
	in      []int      // number of such grants in each slice
	portsIn [][]string // ports that have them, in each slice; nil: not asked for
}

// charges lists the grants of all admitted ports, reserved first, then headroom
// and the minima of queues, in the order in which their kinds appear. A bill has no
// use for the names of the ports, which are many.
func (a *Admission) charges(ports bool) []charge {
	b := booking{slices: len(a.pools), ports: ports, places: make(map[charged]int, 16)}
	all := make([]int, len(a.pools))
	for s := range all {
		all[s] = s
	}
	entries := map[*demand][]entryOf{}
	for i := range a.ports {
		e, name := &a.ports[i], a.in.Ports[i].Name
		if !e.short.Fits() {
			continue
		}
		items, known := entries[e.demand]
		if !known {
			items = a.itemsOf(e.demand, &b)
			entries[e.demand] = items
		}
		for _, x := range items {
			charged := a.slices[e.pipe]
			if x.everywhere {
				charged = all
			}
			b.add(x, charged, name)
		}
	}
	return slices.Concat(b.lists[0], b.lists[1], b.lists[2])
}

// entryOf is where a port of one kind is booked: the list, and the place in it.
type entryOf struct {
	list, at   int
	everywhere bool // in every slice, not in those of the port's pipe alone
}

// booking is the lists of charges while they are made: reserved, headroom, queues.
type booking struct {
	slices int
	ports  bool
	lists  [3][]charge
	places map[charged]int // of the charges in their lists
	room   []int           // for the numbers of more charges
}

// charged is what the charges of one place have in common.
type charged struct {
	list int
	item string
	each cells.Count
}

// itemsOf returns where a port of one kind is booked, in the order of its groups and queues.
func (a *Admission) itemsOf(d *demand, b *booking) (out []entryOf) {
	out = make([]entryOf, 0, 2*len(d.groups)+len(d.channels)+len(d.queues)+2)
	book := func(list int, item string, each cells.Count, everywhere bool) {
		if each > 0 {
			out = append(out, entryOf{list, b.at(list, item, each), everywhere})
		}
	}
	reserved := d.reservedItems()
	for j := range d.groups {
		g := &d.groups[j]
		book(0, reserved[j], g.Reserved, false)
		if a.shared == 0 { // else the pool is charged, not the group
			book(1, g.headroomItem(d.kind), g.Headroom, false)
		}
	}
	for j := range d.channels {
		book(0, d.channels[j].reservedItem(), d.channels[j].reserved, false)
	}
	book(0, sharedCreditsItem, d.shared, false)
	book(0, "reserved port", d.port, false)
	for _, q := range d.queues {
		book(2, q.item, q.reserved, true)
	}
	return out
}

// at returns the place of an item in a list, a new one if it is not there.
func (b *booking) at(list int, item string, each cells.Count) int {
	of := charged{list, item, each}
	if i, known := b.places[of]; known {
		return i
	}
	b.places[of] = len(b.lists[list])
	if len(b.room) < b.slices {
		b.room = make([]int, 16*b.slices)
	}
	c := charge{item: item, list: list, each: each, in: b.room[:b.slices:b.slices]}
	b.room = b.room[b.slices:]
	if b.lists[list] == nil {
		b.lists[list] = make([]charge, 0, 8)
	}
	if b.ports {
		c.portsIn = make([][]string, b.slices)
	}
	b.lists[list] = append(b.lists[list], c)
	return b.places[of]
}

// add books a grant of a port in some slices.
func (b *booking) add(x entryOf, in []int, port string) {
	c := &b.lists[x.list][x.at]
	for _, s := range in {
		c.in[s]++
		if b.ports {
			c.portsIn[s] = appendOnce(c.portsIn[s], port)
		}
	}
}

// appendOnce adds a name unless it is the last already. The grants of one port come
// one after another, so that each port is listed once.
func appendOnce(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}
