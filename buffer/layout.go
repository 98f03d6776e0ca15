package buffer

import (
	"cmp"
	"fmt"
	"slices"
)

// Compare orders registers: pools, then ports by name, group and kind.
func (r Register) Compare(o Register) int {
	return cmp.Or(ComparePorts(r.Port, o.Port), cmp.Compare(r.Index, o.Index), cmp.Compare(r.Kind, o.Kind))
}

// Setting is a register and its value.
type Setting struct {
	Register
	Value int64
}

// String prints "Ethernet1/8 group 3 headroom 1292 cells".
func (s Setting) String() string { return s.Register.String() + " " + s.Kind.Text(s.Value) }

// Layout is the content of a device's registers, sorted, without those that
// hold their empty value. A Layout is not changed once it is made.
type Layout []Setting

// NewLayout sorts settings and drops those that say nothing. A register named
// twice panics: it would have two values.
func NewLayout(settings []Setting) Layout {
	out := make(Layout, 0, len(settings))
	for _, s := range settings {
		out = appendSetting(out, s.Register, s.Value)
	}
	byRegister := func(a, b Setting) int { return a.Compare(b.Register) }
	if !slices.IsSortedFunc(out, byRegister) {
		slices.SortFunc(out, byRegister)
	}
	for i := 1; i < len(out); i++ {
		if out[i].Register == out[i-1].Register {
			panic(fmt.Sprintf("buffer: %v has two values", out[i].Register))
		}
	}
	return out
}

// Value returns what a register holds.
func (l Layout) Value(r Register) int64 {
	if i, ok := slices.BinarySearchFunc(l, r, func(s Setting, r Register) int { return s.Compare(r) }); ok {
		return l[i].Value
	}
	return r.Kind.empty()
}

// Critical tells whether a lossless group depends on a register: on its
// headroom, from a pool or its own, on PFC, its minimum and its shared limit, and
// on the DSCPs of its priority, because packets that come into another group are
// not protected. How its queue is served is not among them: one that waits
// longer is paused for longer, and loses nothing.
func (l Layout) Critical(r Register) bool {
	switch row := &kindTable[r.Kind]; {
	case row.lossless == "":
		return false
	case row.scope == SliceScope:
		return true
	default:
		return l.Value(Register{GroupLossless, r.Port, r.Index}) == 1
	}
}

// Only returns the settings of the registers for which keep holds.
func (l Layout) Only(keep func(Register) bool) Layout {
	var out Layout
	for _, s := range l {
		if keep(s.Register) {
			out = append(out, s)
		}
	}
	return out
}

// With returns the layout after the steps. It does not look at From.
func (l Layout) With(steps []Step) Layout {
	changed := make(map[Register]int64, len(steps))
	for _, s := range steps {
		changed[s.Register] = s.To
	}
	var out []Setting
	for _, s := range l {
		if _, ok := changed[s.Register]; !ok {
			out = append(out, s)
		}
	}
	for r, v := range changed {
		out = append(out, Setting{r, v})
	}
	return NewLayout(out)
}

// layout lists the registers of what the admission granted. A group's
// registers are replicated by the device in every slice of its port.
func (a *Admission) layout() Layout {
	var out []Setting
	for i := range a.pools {
		out = append(out, Setting{Register{PoolShared, "", i}, int64(a.pools[i].Shared())},
			Setting{Register{PoolHeadroom, "", i}, a.poolHeadroom(i)})
	}
	for _, i := range a.admitted() {
		start := len(out)
		out = appendSetting(out, Register{PortMinimum, a.in.Ports[i].Name, 0}, int64(a.ports[i].demand.port))
		for j := range a.ports[i].demand.groups {
			out = a.groupSettings(out, a.in.Ports[i].Name, &a.ports[i].demand.groups[j])
		}
		out = a.queueSettings(out, &a.in.Ports[i])
		slices.SortFunc(out[start:], func(a, b Setting) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return NewLayout(out)
}

// poolHeadroom returns the cells of a slice's shared headroom pool.
func (a *Admission) poolHeadroom(slice int) int64 {
	if a.shared == 0 {
		return 0
	}
	return int64(a.pools[slice].Headroom())
}

// appendSetting leaves out what says nothing.
func appendSetting(out []Setting, r Register, v int64) []Setting {
	if v == r.Kind.empty() {
		return out
	}
	return append(out, Setting{r, v})
}

func (a *Admission) groupSettings(out []Setting, port string, g *groupDemand) []Setting {
	set := func(k Kind, v int64) { out = appendSetting(out, Register{k, port, g.group}, v) }
	set(GroupReserved, int64(g.Reserved))
	set(limitRegister(g.Limit))
	if g.Lossless {
		set(GroupLossless, 1)
		set(GroupHeadroom, int64(g.Headroom))
		set(GroupXONOffset, int64(g.XONOffset))
	}
	return out
}

// queueSettings lists the registers of queues and priorities: each priority has
// the egress queue of its number. Marking thresholds are capacities, so they
// round down.
func (a *Admission) queueSettings(out []Setting, p *Port) []Setting {
	for i, c := range a.in.Classes {
		if !a.in.carries(p, i) {
			continue
		}
		for _, queue := range c.Priorities {
			set := func(k Kind, v int64) { out = appendSetting(out, Register{k, p.Name, queue}, v) }
			set(QueueReserved, int64(a.in.Chip.Cell.Holding(c.QueueReserved)))
			set(QueueECNMin, int64(a.in.Chip.marking(c.ECN.KMin)))
			set(QueueECNMax, int64(a.in.Chip.marking(c.ECN.KMax)))
			set(QueueECNPMax, int64(c.ECN.PMax))
			set(QueueWeight, c.weight())
			set(PriorityDSCP, int64(a.in.DSCP[queue]))
		}
	}
	return out
}
