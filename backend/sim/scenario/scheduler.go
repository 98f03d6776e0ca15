package scenario

import (
	"strconv"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// scheduler reads how the queues of a port share it. A class's queue has the
// number of its priority.
func (r *reader) scheduler(v *document.Value, s fabric.Scheduler) fabric.Scheduler {
	f := v.Fields("quantum", "overhead", "queues", "groups")
	if x := f["quantum"]; x != nil {
		s.Quantum = document.Quantity(x, unit.ParseBytes)
	}
	if x := f["overhead"]; x != nil {
		s.Overhead = document.Quantity(x, unit.ParseBytes)
	}
	if x := f["queues"]; x != nil {
		g := x.Fields(r.classNames()...)
		for _, c := range r.s.Classes {
			if g[c.Name] == nil {
				continue
			}
			h := g[c.Name].Fields("algorithm", "weight", "idle_slope", "group")
			s.Queues[c.Priority] = selection(h)
			s.Group[c.Priority] = int(h["group"].Integer(0, fabric.Priorities-1))
		}
	}
	if x := f["groups"]; x != nil {
		var numbers []string
		for n := range fabric.Priorities {
			numbers = append(numbers, strconv.Itoa(n))
		}
		g := x.Fields(numbers...)
		for n, name := range numbers {
			if g[name] != nil {
				s.Groups[n] = selection(g[name].Fields("algorithm", "weight", "idle_slope"))
			}
		}
	}
	return s
}

// selection reads how a queue, or a group of them, competes with others.
func selection(f map[string]*document.Value) fabric.Selection {
	t := fabric.Selection{Weight: int(f["weight"].Integer(1, 1<<16)),
		IdleSlope: document.Quantity(f["idle_slope"], unit.ParseBitRate)}
	if x := f["algorithm"]; x != nil {
		switch x.Text() {
		case fabric.WRR.String():
		case fabric.DWRR.String():
			t.Algorithm = fabric.DWRR
		case fabric.Strict.String():
			t.Algorithm = fabric.Strict
		case fabric.Shaped.String():
			t.Algorithm = fabric.Shaped
		default:
			x.Refuse("wrr, dwrr, strict, shaped")
		}
	}
	return t
}

// marking reads how the queue of each class marks its packets.
func (r *reader) marking(v *document.Value, m [fabric.Priorities]fabric.Marking) [fabric.Priorities]fabric.Marking {
	f := v.Fields(r.classNames()...)
	for _, c := range r.s.Classes {
		x := f[c.Name]
		if x == nil {
			continue
		}
		g := x.Fields("kmin", "kmax", "pmax", "dequeue", "drop_others")
		x.Need(g, "kmin", "kmax", "pmax")
		m[c.Priority] = fabric.Marking{Thresholds: ecn.Thresholds{
			KMin: document.Quantity(g["kmin"], unit.ParseBytes), KMax: document.Quantity(g["kmax"], unit.ParseBytes),
			PMax: document.Quantity(g["pmax"], unit.ParsePercent)},
			Dequeue: g["dequeue"].Boolean(), DropOthers: g["drop_others"].Boolean()}
	}
	return m
}
