package buffer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Kind is what a register of a device holds. Everything that the project knows of a kind by itself is in one table,
// [kindTable]: its name, its unit, which values it takes, and what a change of it does.
type Kind int

// The registers of a device, in the order in which a layout lists them.
const (
	PoolShared      Kind = iota // cells that groups of the slice share
	PoolHeadroom                // cells of the slice's shared headroom pool
	PortMinimum                 // cells: minimum of a port in the ingress pool; Index 0
	GroupReserved               // cells: PG-min
	GroupAlpha                  // n of 2^n; Unset: the group uses no shared cells by choice of cellwarden
	GroupStatic                 // cells: limit on the shared cells in place of an alpha; 0: none
	GroupLossless               // 1: the group sends XOFF (PFC is enabled for it)
	GroupHeadroom               // cells: headroom limit after XOFF
	GroupXONOffset              // cells below the limit at which it resumes
	QueueReserved               // cells: minimum of an egress queue, in every slice
	QueueECNMin                 // cells: marking begins
	QueueECNMax                 // cells: everything is marked
	QueueECNPMax                // hundredths of a percent: probability at QueueECNMax
	QueueWeight                 // share among the queues with weights, 1 to 100, or Strict; 0: as the device has it
	QueueClass                  // traffic class of an egress queue, 0 to 7 (ets.Group); Unset: the port has no groups
	QueueShare                  // share among the queues of its traffic class, 1 to 100, or Strict; 0: none
	ClassBandwidth              // percent of the link of a traffic class, 1 to 100, or Strict; 0: none
	ClassIdleSlope              // kilobits per second of a traffic class with the credit-based shaper; 0: it has none
	PortCredits                 // credits that the virtual channels of a port share (CBFC); Index 0
	ChannelTraffic              // cbfc.TrafficClasses that are in a virtual channel; 0: there is no such channel
	ChannelReserved             // credits of a virtual channel, each a cell
	ChannelAlpha                // n of 2^n: limit on the shared credits; Unset: none
	ChannelStatic               // credits: limit on the shared credits in place of an alpha; 0: none
	PriorityDSCP                // pg.CodePoints of packets that come in with this priority; 0: as the device has it
	kinds
)

// Unset is the value of a register that was never written. Only GroupAlpha,
// QueueClass and ChannelAlpha tell it from 0; everywhere else a register that is not there holds 0.
const Unset = math.MinInt64

// Strict is the QueueWeight of a queue that sends before all that have weights; of two such queues the higher goes
// first (IEEE 802.1Q, clause 8.6.8.1: strict priority; SAI_SCHEDULING_TYPE_STRICT).
const Strict = -1

// MaxWeight is the largest weight of a queue (SAI, SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT: 1 to 100).
const MaxWeight = 100

// Scope is the part of a switch that has registers of a kind: one register for each part of this sort.
type Scope int

// The scopes. A Register says which slice, group, queue or priority by its Index.
const (
	SliceScope    Scope = iota // a slice of the packet memory; its registers have no port
	PortScope                  // a port as a whole
	GroupScope                 // a priority group of a port
	QueueScope                 // an egress queue of a port
	PriorityScope              // a priority of the packets that come in through a port
	ClassScope                 // a traffic class of a port: a group of egress queues
	ChannelScope               // a virtual channel of a port (CBFC)
)

// String names the scope: "group".
func (s Scope) String() string {
	return named.Of(s, "scope", "slice", "port", "group", "queue", "priority", "traffic class", "virtual channel")
}

// counted is what the value of a register counts.
type counted int

// The units of registers.
const (
	cellUnit     counted = iota // cells
	exponentUnit                // n of 2^n
	switchUnit                  // 0 is off, 1 is on
	percentUnit                 // hundredths of a percent
	weightUnit                  // a weight, or Strict
	dscpUnit                    // a set of DSCPs, as pg.CodePoints
	numberUnit                  // a number that names something
	shareUnit                   // percent of a link, or Strict
	kilobitUnit                 // kilobits per second
	creditUnit                  // credits (CBFC), a cell each
	trafficUnit                 // a set of traffic classes, as cbfc.TrafficClasses
)

// kindRow is what is known of one kind of register.
type kindRow struct {
	scope Scope
	name  string // within its scope: "reserved" of a group
	// lossless says that a lossless group depends on the register, and what
	// operators call it then: "PG-min". Empty: none does.
	lossless string

	unit        counted
	least, most int64 // accepted values; the empty value is accepted besides
	empty       int64 // value of a register that was never written

	allocates  bool       // it takes cells; the others are thresholds and switches
	disruption Disruption // how far a change may reach into traffic, by the worst that vendors write of it
}

// anyCount is the most of a kind that has no limit of its own: the chip's cells limit it.
const anyCount = math.MaxInt64

// kindTable has a row for each kind.
var kindTable = [kinds]kindRow{
	PoolShared: {scope: SliceScope, name: "shared pool",
		most: anyCount, allocates: true, disruption: DisruptsSwitch},
	PoolHeadroom: {scope: SliceScope, name: "headroom pool", lossless: "shared headroom pools",
		most: anyCount, allocates: true, disruption: DisruptsSwitch},
	PortMinimum: {scope: PortScope, name: "reserved",
		most: anyCount, allocates: true},
	GroupReserved: {scope: GroupScope, name: "reserved", lossless: "PG-min",
		most: anyCount, allocates: true},
	GroupAlpha: {scope: GroupScope, name: "alpha", lossless: "alpha",
		unit: exponentUnit, least: math.MinInt32, most: math.MaxInt32, empty: Unset},
	GroupStatic: {scope: GroupScope, name: "static limit", lossless: "static limit",
		most: anyCount},
	GroupLossless: {scope: GroupScope, name: "lossless", lossless: "PFC",
		unit: switchUnit, most: 1, disruption: DisruptsPort},
	GroupHeadroom: {scope: GroupScope, name: "headroom", lossless: "headroom",
		most: anyCount, allocates: true},
	GroupXONOffset: {scope: GroupScope, name: "xon offset",
		most: anyCount},
	QueueReserved: {scope: QueueScope, name: "reserved",
		most: anyCount, allocates: true},
	QueueECNMin: {scope: QueueScope, name: "ecn kmin",
		most: anyCount},
	QueueECNMax: {scope: QueueScope, name: "ecn kmax",
		most: anyCount},
	QueueECNPMax: {scope: QueueScope, name: "ecn pmax",
		unit: percentUnit, most: int64(unit.Whole)},
	QueueWeight: {scope: QueueScope, name: "weight",
		unit: weightUnit, least: Strict, most: MaxWeight},
	QueueClass: {scope: QueueScope, name: "traffic class",
		unit: numberUnit, most: pg.PerPort - 1, empty: Unset},
	QueueShare: {scope: QueueScope, name: "share",
		unit: weightUnit, least: Strict, most: MaxWeight},
	ClassBandwidth: {scope: ClassScope, name: "bandwidth",
		unit: shareUnit, least: Strict, most: 100},
	ClassIdleSlope: {scope: ClassScope, name: "idle slope",
		unit: kilobitUnit, most: anyCount},
	PortCredits: {scope: PortScope, name: "shared credits", lossless: "shared credits",
		unit: creditUnit, most: int64(cbfc.MaxLimit), allocates: true},
	ChannelTraffic: {scope: ChannelScope, name: "traffic classes", lossless: "map of virtual channels",
		unit: trafficUnit, least: math.MinInt64, most: math.MaxInt64, disruption: DisruptsPort},
	ChannelReserved: {scope: ChannelScope, name: "reserved", lossless: "credits",
		unit: creditUnit, most: int64(cbfc.MaxLimit), allocates: true},
	ChannelAlpha: {scope: ChannelScope, name: "alpha", lossless: "alpha of shared credits",
		unit: exponentUnit, least: cbfc.LeastN, most: cbfc.MostN, empty: Unset},
	ChannelStatic: {scope: ChannelScope, name: "static limit", lossless: "static limit of shared credits",
		unit: creditUnit, most: int64(cbfc.MaxLimit)},
	PriorityDSCP: {scope: PriorityScope, name: "dscp", lossless: "dscp",
		unit: dscpUnit, least: math.MinInt64, most: math.MaxInt64}, // bit 63 is DSCP 63
}

// row returns what is known of a kind; of a number that is no kind, only that.
func (k Kind) row() *kindRow {
	if k < 0 || k >= kinds {
		return &kindRow{name: fmt.Sprintf("kind %d", int(k))}
	}
	return &kindTable[k]
}

// Kinds lists all kinds of registers.
func Kinds() []Kind {
	out := make([]Kind, kinds)
	for i := range out {
		out[i] = Kind(i)
	}
	return out
}

// OfCredits tells whether registers of the kind are for credit-based flow control (CBFC): virtual channels, and what
// they share.
func (k Kind) OfCredits() bool { return k.Scope() == ChannelScope || k == PortCredits }

// String is the full name: "shared pool", "port reserved", "group reserved". No
// two kinds have the same, so it may be the key of a file.
func (k Kind) String() string {
	row := k.row()
	if row.scope == SliceScope {
		return row.name
	}
	return row.scope.String() + " " + row.name
}

// ParseKind reads what String prints.
func ParseKind(name string) (Kind, error) {
	if i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.String() == name }); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("%q is no kind of register (want %v)", name, Kinds())
}

// ShortName is what operators call the register where a lossless group needs
// it: "PFC", "PG-min". It is the full name where they have no such word.
func (k Kind) ShortName() string {
	return cmp.Or(k.row().lossless, k.String())
}

// Scope tells whose registers of this kind are.
func (k Kind) Scope() Scope { return k.row().scope }

// Allocates tells whether registers of this kind take cells. The others are thresholds and switches.
func (k Kind) Allocates() bool { return k.row().allocates }

// Disruption returns what a change of such a register may do to traffic.
func (k Kind) Disruption() Disruption { return k.row().disruption }

// Empty returns what a register of this kind holds before the first write.
func (k Kind) Empty() int64 { return k.row().empty }

// Check refuses a value that no register of this kind can hold. A chip or a target may accept less.
func (k Kind) Check(v int64) error {
	row := k.row()
	switch {
	case k < 0 || k >= kinds:
		return fmt.Errorf("%v is no kind of register", k)
	case v == row.empty || v >= row.least && v <= row.most:
		return nil
	case row.unit == weightUnit:
		return fmt.Errorf("%d: want 1 to %d, %d for strict, 0 for none", v, MaxWeight, Strict)
	case row.unit == shareUnit:
		return fmt.Errorf("%d: want 1 to 100 percent, %d for strict, 0 for none", v, Strict)
	case row.unit == numberUnit, k == ChannelAlpha:
		return fmt.Errorf("%d: want %d to %d", v, row.least, row.most)
	case row.unit == exponentUnit:
		return fmt.Errorf("%d: want an exponent of 32 bits", v)
	case v < 0:
		return fmt.Errorf("%d is negative", v)
	case row.unit == creditUnit:
		return fmt.Errorf("%d: want 0 to %d credits, which 20 bits count", v, cbfc.MaxLimit)
	case row.unit == percentUnit:
		return errors.New("above 100%")
	default:
		return fmt.Errorf("%d: want %d or %d", v, row.least, row.most)
	}
}

// Text prints a register's value in its unit.
func (k Kind) Text(v int64) string {
	if v == Unset && k.Empty() == Unset { // for a DSCPUnit these bits are the set of DSCP 63
		return "unset"
	}
	switch in := k.row().unit; {
	case in == exponentUnit:
		return fmt.Sprintf("2^%d", v)
	case in == percentUnit:
		return fmt.Sprintf("%d.%02d%%", v/100, v%100)
	case in == dscpUnit:
		return pg.CodePoints(v).String()
	case in == trafficUnit:
		return cbfc.TrafficClasses(v).String()
	case in == cellUnit:
		return fmt.Sprintf("%d cells", v)
	case in == creditUnit:
		return fmt.Sprintf("%d credits", v)
	case in == kilobitUnit:
		return fmt.Sprintf("%d kbit/s", v)
	case v == Strict && (in == weightUnit || in == shareUnit):
		return "strict"
	case v == 0 && in == shareUnit:
		return "none"
	case in == shareUnit:
		return fmt.Sprintf("%d%%", v)
	case in == switchUnit && (v == 0 || v == 1): // a device may answer others
		return [...]string{"no", "yes"}[v]
	default:
		return fmt.Sprint(v)
	}
}

// Register names one register of a device.
type Register struct {
	Kind  Kind
	Port  string // empty for a slice's pools
	Index int    // the slice of a pool, the group, queue, priority or channel of a port; 0 for what is the port's own
}

// String prints "Ethernet1/8 group 3 headroom", "slice 0 shared pool", "Ethernet1/8 reserved".
func (r Register) String() string {
	row := r.Kind.row()
	switch row.scope {
	case SliceScope:
		return fmt.Sprintf("slice %d %s", r.Index, row.name)
	case PortScope:
		return fmt.Sprintf("%s %s", r.Port, row.name)
	default:
		return fmt.Sprintf("%s %v %d %s", r.Port, row.scope, r.Index, row.name)
	}
}

// Valid tells whether a switch can have the register: a pool has no port, every other register has one; a port has
// eight groups, queues and priorities, 32 virtual channels, and one register of a kind that is its own. How many slices
// and groups a chip has is not known here.
func (r Register) Valid() bool {
	switch scope := r.Kind.Scope(); {
	case r.Index < 0 || r.Kind < 0 || r.Kind >= kinds:
		return false
	case scope == SliceScope:
		return r.Port == ""
	case scope == PortScope:
		return r.Port != "" && r.Index == 0
	case scope == ChannelScope:
		return r.Port != "" && r.Index < cbfc.MaxChannels
	default:
		return r.Port != "" && r.Index < pg.PerPort
	}
}
