package buffer

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// Consumer is a large holder of a slice's cells.
type Consumer struct {
	Item  string
	Ports string // folded: Ethernet1/1-32
	Cells cells.Count
}

// mostConsumers is how many holders a refusal names.
const mostConsumers = 5

// consumers returns the largest holders of a slice, by the purpose of their cells: the
// chip's own, reserved minima and headroom by class and kind of port. Where the pools
// themselves do not fit, it returns the sizes that were asked for.
func (a *Admission) consumers(slice int) []Consumer {
	out := []Consumer{}
	for _, t := range a.in.Chip.Slices[slice].Takes {
		out = append(out, Consumer{t.Item, "", t.Cells})
	}
	if a.part[slice] > 0 {
		out = append(out, Consumer{"shared headroom pool", "", a.part[slice]})
	}
	if size := a.in.Chip.Cell.Within(a.in.Pool.Size) / cells.Count(len(a.pools)); !a.blocked.Fits() && size > 0 {
		out = append(out, Consumer{"pool", "", size})
	}
	for _, c := range a.charges() {
		if n := c.in[slice]; n > 0 {
			out = append(out, Consumer{c.item, FoldPorts(c.portsIn[slice]), c.each * cells.Count(n)})
		}
	}
	slices.SortStableFunc(out, func(x, y Consumer) int { return cmp.Compare(y.Cells, x.Cells) })
	return out[:min(len(out), mostConsumers)]
}

// charge is one kind of grant: a number of groups that hold the same number of cells
// for the same purpose.
type charge struct {
	item    string
	each    cells.Count
	in      []int      // number of such grants in each slice
	portsIn [][]string // ports that have them, in each slice
}

// charges lists the grants of all admitted ports, reserved first, then headroom
// and the minima of queues, in the order in which their kinds appear.
func (a *Admission) charges() []charge {
	var reserved, headroom, queues []charge
	all := make([]int, len(a.pools))
	for s := range all {
		all[s] = s
	}
	type kind struct {
		list *[]charge
		item string
		each cells.Count
	}
	known := map[kind]int{}
	book := func(to *[]charge, in []int, port, item string, each cells.Count) {
		if each == 0 {
			return
		}
		k, booked := known[kind{to, item, each}]
		if !booked {
			n := len(a.pools)
			k = len(*to)
			known[kind{to, item, each}] = k
			*to = append(*to, charge{item, each, make([]int, n), make([][]string, n)})
		}
		list := *to
		for _, s := range in {
			list[k].in[s]++
			list[k].portsIn[s] = appendOnce(list[k].portsIn[s], port)
		}
	}
	for i := range a.ports {
		e, port := &a.ports[i], &a.in.Ports[i]
		if !e.short.Fits() {
			continue
		}
		for j := range e.demand.groups {
			g := &e.demand.groups[j]
			book(&reserved, a.slices[e.pipe], port.Name, g.reservedItem, g.Reserved)
			if a.shared == 0 { // else the pool is charged, not the group
				book(&headroom, a.slices[e.pipe], port.Name, g.headroomItem, g.Headroom)
			}
		}
		book(&reserved, a.slices[e.pipe], port.Name, "reserved port", e.demand.port)
		for _, q := range e.demand.queues {
			book(&queues, all, port.Name, q.item, q.reserved)
		}
	}
	return slices.Concat(reserved, headroom, queues)
}

// appendOnce adds a name unless it is the last already. The grants of one port come
// one after another, so that each port is listed once.
func appendOnce(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}
