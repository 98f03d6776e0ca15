package buffer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Kind is what a register of a device holds, and in which unit.
type Kind int

// The registers of a device, in the order in which a layout lists them.
const (
	PoolShared     Kind = iota // cells that groups of the slice share
	PoolHeadroom               // cells of the slice's shared headroom pool
	PortMinimum                // cells: minimum of a port in the ingress pool; Index 0
	GroupReserved              // cells: PG-min
	GroupAlpha                 // n of 2^n; Unset: the group uses no shared cells by choice of cellwarden
	GroupStatic                // cells: limit on the shared cells in place of an alpha; 0: none
	GroupLossless              // 1: the group sends XOFF (PFC is enabled for it)
	GroupHeadroom              // cells: headroom limit after XOFF
	GroupXONOffset             // cells below the limit at which it resumes
	QueueReserved              // cells: minimum of an egress queue, in every slice
	QueueECNMin                // cells: marking begins
	QueueECNMax                // cells: everything is marked
	QueueECNPMax               // hundredths of a percent: probability at QueueECNMax
	QueueWeight                // share of an egress queue among those with weights, 1 to 100, or Strict; 0: as the device has it
	PriorityDSCP               // pg.CodePoints as a bit each: the DSCPs of packets that come in with this priority; 0: as the device has it
	kinds
)

var kindNames = [kinds]string{"shared pool", "headroom pool", "reserved", "reserved", "alpha", "static limit", "lossless", "headroom", "xon offset",
	"reserved", "ecn kmin", "ecn kmax", "ecn pmax", "weight", "dscp"}

// String names the register.
func (k Kind) String() string { return kindNames[k] }

// Kinds lists all kinds of registers.
func Kinds() []Kind {
	out := make([]Kind, kinds)
	for i := range out {
		out[i] = Kind(i)
	}
	return out
}

// Unset is the value of a register that nobody has written. Only GroupAlpha
// tells it from 0; everywhere else a register that is not there holds 0.
const Unset = math.MinInt64

// Strict is the QueueWeight of a queue that sends before all that have weights;
// of two such queues the higher goes first (IEEE 802.1Q, clause 8.6.8.1: strict
// priority; SAI_SCHEDULING_TYPE_STRICT).
const Strict = -1

// MaxWeight is the largest weight of a queue (SAI,
// SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT: 1 to 100).
const MaxWeight = 100

// Register names one register of a device.
type Register struct {
	Kind  Kind
	Port  string // empty for a slice's pools
	Index int    // the slice of a pool, the group, queue or priority of a port; 0 for what is the port's own
}

// Compare orders registers: pools, then ports by name, group and kind.
func (r Register) Compare(o Register) int {
	return cmp.Or(ComparePorts(r.Port, o.Port), cmp.Compare(r.Index, o.Index), cmp.Compare(r.Kind, o.Kind))
}

// String prints "Ethernet1/8 group 3 headroom".
func (r Register) String() string {
	switch {
	case r.Kind <= PoolHeadroom:
		return fmt.Sprintf("slice %d %v", r.Index, r.Kind)
	case r.Kind == PortMinimum:
		return fmt.Sprintf("%s %v", r.Port, r.Kind)
	case r.Kind == PriorityDSCP:
		return fmt.Sprintf("%s priority %d %v", r.Port, r.Index, r.Kind)
	case r.Kind >= QueueReserved:
		return fmt.Sprintf("%s queue %d %v", r.Port, r.Index, r.Kind)
	default:
		return fmt.Sprintf("%s group %d %v", r.Port, r.Index, r.Kind)
	}
}

// empty returns what a register of this kind holds when nobody wrote it.
func (k Kind) empty() int64 {
	if k == GroupAlpha {
		return Unset
	}
	return 0
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
	switch r.Kind {
	case PoolHeadroom:
		return true
	case GroupLossless, GroupHeadroom, GroupReserved, GroupAlpha, GroupStatic, PriorityDSCP:
		return l.Value(Register{GroupLossless, r.Port, r.Index}) == 1
	}
	return false
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
	if g.static > 0 {
		set(GroupStatic, int64(g.static))
	} else {
		set(GroupAlpha, int64(g.Alpha))
	}
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
