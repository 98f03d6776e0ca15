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

// The lists of a booking.
const (
	reservedList = iota
	headroomList
	queueList // minima of queues, which are charged in every slice, whatever the port's pipe feeds
	lists
)

// accounts are those of the lists of a booking.
var accounts = [lists]string{"reserved", "headroom", "reserved"}

// mostConsumers is how many holders a refusal names.
const mostConsumers = 5

// consumers returns the largest holders of a slice, by the purpose of their cells: the chip's own, reserved minima and
// headroom by class and kind of port. Where the pools themselves do not fit, it returns the sizes that were asked for.
func (a *Admission) consumers(slice int) []Consumer {
	type holder struct {
		Consumer
		of *charge // of ports; nil: of none
	}
	all := []holder{}
	add := func(item, account string, n cells.Count, of *charge) {
		all = append(all, holder{Consumer{Item: item, Account: account, Cells: n}, of})
	}
	for _, t := range a.in.Chip.Slices[slice].Takes {
		add(t.Item, "chip", t.Cells, nil)
	}
	if a.part[slice] > 0 {
		add("shared headroom pool", "headroom", a.part[slice], nil)
	}
	if size := a.in.Chip.Cell.Within(a.in.Pool.Size) / cells.Count(len(a.pools)); !a.blocked.Fits() && size > 0 {
		add("pool", "shared", size, nil)
	}
	b := a.book(a.kinds(true))
	for _, list := range b.lists {
		for _, c := range list {
			if n := c.in[slice]; n > 0 {
				add(c.item, accounts[c.list], c.each*cells.Count(n), &c)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y holder) int { return cmp.Compare(y.Cells, x.Cells) })
	out := make([]Consumer, min(len(all), mostConsumers))
	for i := range out {
		if out[i] = all[i].Consumer; all[i].of != nil {
			out[i].Ports = a.portsWith(b, all[i].of.charged, slice)
		}
	}
	return out
}

// portsWith folds the names of the admitted ports that are booked with a charge in a slice.
func (a *Admission) portsWith(b *booking, of charged, slice int) string {
	var with []*demand
	for i := range b.kinds {
		a.charges(b.kinds[i].demand, func(x charged) {
			if x == of {
				with = append(with, b.kinds[i].demand)
			}
		})
	}
	var names []string
	for i := range a.ports {
		e := &a.ports[i]
		if e.short.Fits() && slices.Contains(with, e.demand) &&
			(of.list == queueList || slices.Contains(a.slices[e.pipe], slice)) {
			names = append(names, a.in.Ports[i].Name)
		}
	}
	return FoldPorts(names)
}

// charged is one kind of grant: cells for one purpose.
type charged struct {
	list int
	item string
	each cells.Count
}

// charge is a number of groups that hold the same number of cells for the same purpose.
type charge struct {
	charged
	in []int // number of such grants in each slice
}

// booking is the grants of all admitted ports.
type booking struct {
	slices int
	lists  [lists][]charge // in the order in which the kinds of charges appear
	places map[charged]int // of the charges in their lists
	kinds  []kindOfPorts
	room   []int // for the numbers of more charges
}

// book books the grants of the admitted ports, whose kinds are given.
func (a *Admission) book(granted []kindOfPorts) *booking {
	b := &booking{slices: len(a.pools), places: make(map[charged]int, 16), kinds: granted}
	for _, k := range granted {
		a.charges(k.demand, func(x charged) {
			in := b.of(x).in
			for pipe, n := range k.in {
				if x.list == queueList {
					for s := range in {
						in[s] += n
					}
					continue
				}
				for _, s := range a.slices[pipe] {
					in[s] += n
				}
			}
		})
	}
	return b
}

// charges calls book for what a port of one kind is charged with, in the order of its groups and queues.
func (a *Admission) charges(d *demand, book func(charged)) {
	charge := func(list int, item string, each cells.Count) {
		if each > 0 {
			book(charged{list, item, each})
		}
	}
	reserved := d.reservedItems()
	for j := range d.groups {
		g := &d.groups[j]
		charge(reservedList, reserved[j], g.Reserved)
		if a.shared == 0 { // else the pool is charged, not the group
			charge(headroomList, g.headroomItem(d.kind), g.Headroom)
		}
	}
	for j := range d.channels {
		charge(reservedList, d.channels[j].reservedItem(), d.channels[j].reserved)
	}
	charge(reservedList, sharedCreditsItem, d.shared)
	charge(reservedList, "reserved port", d.port)
	for _, q := range d.queues {
		charge(queueList, q.item, q.reserved)
	}
}

// of returns the charge of one kind, a new one if it is not there.
func (b *booking) of(x charged) *charge {
	list := &b.lists[x.list]
	if i, known := b.places[x]; known {
		return &(*list)[i]
	}
	b.places[x] = len(*list)
	if len(b.room) < b.slices {
		b.room = make([]int, 16*b.slices)
	}
	if *list == nil {
		*list = make([]charge, 0, 8)
	}
	*list = append(*list, charge{x, b.room[:b.slices:b.slices]})
	b.room = b.room[b.slices:]
	return &(*list)[len(*list)-1]
}
