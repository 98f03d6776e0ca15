// Package rules has the rules by which switches may admit packets, as data: a [Rule] is one choice of each [Choice],
// and a [Point] is a rule with its [Numbers]. [All] enumerates the rules. [Point.Config] makes an MMU of package
// buffer/mmu of a point, and [Model] computes what the same switch does with many packets at once, without sending
// them one by one; a test compares both. [Bounds] computes what a box of numbers can do at least and at most.
//
// Nothing here is a chip. The chips of the catalogue are points, which a test makes of them: the words of their rules
// are the values of the choices.
//
// The files:
//
//   - rules.go: the choices, the numbers, and which combinations have a meaning
//   - state.go, shared.go: the model, and groups that are filled until they pause, as package calibrate has read them
//   - bounds.go: the model of a box
//   - solve.go: the solver of intervals, of any evidence
//   - config.go: the MMU of a point
package rules

import (
	"fmt"
	"strings"
)

// Choice is a thing about which chips differ.
type Choice uint8

// The choices. Each has the values that its comment lists; the first one is the zero value.
const (
	Limit   Choice = iota // a dynamic limit is read before or after the packet is counted
	Last                  // the last packet below a limit fits completely, or may straddle it
	XOFF                  // sent with the packet that fills the shared part, with the first refused one, or by the headroom's own threshold
	XON                   // the offset is below the present limit, the limit at XOFF, or it is a level
	Owner                 // headroom belongs to the group, to its port, to a pool of the slice, or is part of the shared pool
	Minimum               // a group's minimum is used first, first and counted in the pool, or last
	Form                  // the limit follows free cells, free cells and the group's own, also those of the port, or is static
	Slices                // the memory is one part, or ports take turns in 2 or 4 parts
	Second                // nothing beside cells ends, or the number of packets
	Egress                // the egress takes everything, or a queue has a static limit
	choices
)

// Values of the choices, where code names them.
const (
	LimitBefore, LimitAfter                            = 0, 1
	LastFits, LastStraddles                            = 0, 1
	XOFFFull, XOFFRefused, XOFFHeadroom                = 0, 1, 2
	XONCurrent, XONLatched, XONLevel                   = 0, 1, 2
	OwnerGroup, OwnerPort, OwnerPool, OwnerShared      = 0, 1, 2, 3
	MinimumFirst, MinimumCounted, MinimumLast          = 0, 1, 2
	FormFree, FormOthers, FormPort, FormStatic         = 0, 1, 2, 3
	SlicesOne, SlicesTwo, SlicesFour                   = 0, 1, 2
	SecondNone, SecondPackets, EgressNone, EgressQueue = 0, 1, 0, 1
)

// choiceNames are the names of the choices and of their values, in the order of the constants.
var choiceNames = [choices]struct {
	name   string
	values []string
}{
	{"limit", []string{"before", "after"}},
	{"last_packet", []string{"fits", "straddles"}},
	{"xoff", []string{"full", "refused", "headroom"}},
	{"xon", []string{"current", "latched", "level"}},
	{"headroom", []string{"group", "port", "pool", "shared"}},
	{"minimum", []string{"first", "counted", "last"}},
	{"form", []string{"free", "others", "port", "static"}},
	{"slices", []string{"1", "2", "4"}},
	{"second", []string{"none", "packets"}},
	{"egress", []string{"none", "queue"}},
}

// Choices lists the choices, and AllNumbers the numbers.
func Choices() []Choice    { return below(choices) }
func AllNumbers() []Number { return below(numbers) }

// below lists the values below one.
func below[T ~uint8](end T) (out []T) {
	for x := T(0); x < end; x++ {
		out = append(out, x)
	}
	return out
}

// String returns the name of the choice: "headroom".
func (c Choice) String() string { return choiceNames[c].name }

// Value returns the name of a value: "port".
func (c Choice) Value(v uint8) string { return choiceNames[c].values[v] }

// Values returns how many values a choice has.
func (c Choice) Values() uint8 { return uint8(len(choiceNames[c].values)) }

// Rule is one value of each choice.
type Rule [choices]uint8

// String names the values of all choices: "limit before, xoff full".
func (r Rule) String() string {
	var parts []string
	for c, v := range r {
		parts = append(parts, Choice(c).String()+" "+Choice(c).Value(v))
	}
	return strings.Join(parts, ", ")
}

// Slices returns the number of slices.
func (r *Rule) Slices() int { return 1 << r[Slices] }

// Meaning tells whether the combination has a meaning of its own. Where a value of one choice makes another choice
// void, only the other's first value has.
func (r *Rule) Meaning() bool {
	staged := r[XOFF] == XOFFHeadroom
	switch {
	case r[Limit] != LimitBefore && (r[Form] == FormOthers || r[Form] == FormStatic): // no limit that the packet changes
		return false
	case r[Form] == FormStatic && r[XON] != XONCurrent: // the limit is the same at all times
		return false
	case staged && (r[XON] != XONCurrent || r[Minimum] != MinimumFirst || r[Owner] == OwnerShared):
		return false
	}
	return true
}

// All enumerates the rules that have a meaning.
func All() (out []Rule) {
	var r Rule
	for {
		if r.Meaning() {
			out = append(out, r)
		}
		c := Choice(0)
		for ; c < choices; c++ {
			if r[c]++; r[c] < c.Values() {
				break
			}
			r[c] = 0
		}
		if c == choices {
			return out
		}
	}
}

// Draw returns a random rule, of a switch whose cells end first. below returns a random number below another.
func Draw(below func(int) int) (r Rule) {
	for ok := false; !ok; ok = r.Meaning() {
		for c := range r {
			r[c] = uint8(below(int(Choice(c).Values())))
		}
	}
	r[Second], r[Egress] = SecondNone, EgressNone
	return r
}

// Number is a number of a switch.
type Number uint8

// The numbers. Counts are cells of one slice.
const (
	Shared      Number = iota // the pool
	Reserved                  // minimum of a group
	Headroom                  // of a group, or of a port that owns it
	Pool                      // headroom pool of a slice
	Offset                    // XON offset, or the level of XON
	Stage                     // XOFF threshold of the headroom
	MostPackets               // packets that a slice stores
	Queue                     // limit of a queue
	Static                    // static limit
	Leak                      // packets that leave after a port was stopped
	Cell                      // bytes
	Overhead                  // bytes
	numbers
)

// numberNames are the names of the numbers.
var numberNames = [numbers]string{"shared_cells", "reserved_cells", "headroom_cells", "headroom_pool_cells", "xon_cells",
	"headroom_xoff_cells", "most_packets", "queue_limit_cells", "static_limit_cells", "leak_out_packets", "cell_bytes",
	"overhead_bytes"}

// String returns the name of the number: "shared_cells".
func (n Number) String() string { return numberNames[n] }

// Numbers is a value of each number. Those that the rule does not use are 0.
type Numbers [numbers]int64

// Uses tells whether a rule depends on a number.
func (r *Rule) Uses(n Number) bool {
	switch n {
	case Pool:
		return r[Owner] == OwnerPool
	case Stage:
		return r[XOFF] == XOFFHeadroom
	case MostPackets:
		return r[Second] == SecondPackets
	case Queue:
		return r[Egress] == EgressQueue
	case Static:
		return r[Form] == FormStatic
	}
	return true
}

// Point is a switch: a rule, the dynamic threshold (alpha is 2^Alpha) and the numbers. A static limit has no alpha:
// it is 0.
type Point struct {
	Rule  Rule
	Alpha int8
	Numbers
}

// Valid refuses a point that is no switch: a number below 0, a cell that does not hold a packet of 64 bytes,
// thresholds beyond the headroom.
func (p *Point) Valid() error {
	for n, v := range p.Numbers {
		if v < 0 || v > 1<<40 {
			return fmt.Errorf("%v: %d (want 0 to 2^40)", Number(n), v)
		}
	}
	switch {
	case !p.Rule.Meaning():
		return fmt.Errorf("rule: %v has no meaning", p.Rule)
	case p.Alpha < -20 || p.Alpha > 20:
		return fmt.Errorf("dynamic_th: %d (want -20 to 20)", p.Alpha)
	case p.Numbers[Cell] < 1 || p.Numbers[Cell] > 1<<20 || p.Numbers[Overhead] > 1<<16:
		return fmt.Errorf("cell_bytes %d, overhead_bytes %d (want 1 to 2^20, at most 2^16)", p.Numbers[Cell],
			p.Numbers[Overhead])
	case p.Numbers[Cell] < Shortest+p.Numbers[Overhead]:
		return fmt.Errorf("cell_bytes %d (want a packet of %d bytes and the overhead of %d in one cell)", p.Numbers[Cell],
			Shortest, p.Numbers[Overhead])
	case p.Rule.Uses(Stage) && (p.Numbers[Stage] >= p.Numbers[Headroom] || p.Numbers[Offset] < 1 ||
		p.Numbers[Offset] > p.Numbers[Stage]+1):
		return fmt.Errorf("headroom_xoff_cells %d, xon_cells %d (want less than headroom_cells, and 1 to one more)",
			p.Numbers[Stage], p.Numbers[Offset])
	}
	return nil
}

// Shortest is the length of the shortest packet in bytes. It takes one cell in every switch of the space.
const Shortest = 64

// Cells returns the cells of a packet.
func (x *Numbers) Cells(length int64) int64 {
	if length <= Shortest {
		return 1
	}
	return (length + x[Overhead] + x[Cell] - 1) / x[Cell]
}
