package calibrate

import (
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/unit"
)

// Range is what is known of a whole number: it is at least Lo and at most Hi. The zero Range is exactly 0.
type Range struct{ Lo, Hi int64 }

// NoBound as the Hi of a Range says that no upper bound is known.
const NoBound int64 = math.MaxInt64

// Exactly returns the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// AtLeast returns the range of a count that was capped: the switch counted n, and the number may be larger.
func AtLeast(n int64) Range { return Range{n, NoBound} }

// Has tells whether the number is in the range.
func (r Range) Has(n int64) bool { return r.Lo <= n && n <= r.Hi }

// IsPoint tells whether the range is one number.
func (r Range) IsPoint() bool { return r.Lo == r.Hi }

// Width returns the number of values in the range beyond one; NoBound if there is no upper bound.
func (r Range) Width() int64 {
	if r.Hi == NoBound {
		return NoBound
	}
	return r.Hi - r.Lo
}

// Widen returns the range with n more on each side, but not below 0.
func (r Range) Widen(n int64) Range {
	out := Range{max(r.Lo-n, 0), NoBound}
	if r.Hi < NoBound-n {
		out.Hi = r.Hi + n
	}
	return out
}

// intersect returns the values in both ranges, or false.
func (r Range) intersect(o Range) (Range, bool) {
	out := Range{max(r.Lo, o.Lo), min(r.Hi, o.Hi)}
	return out, out.Lo <= out.Hi
}

// join returns the smallest range with the values of both.
func (r Range) join(o Range) Range { return Range{min(r.Lo, o.Lo), max(r.Hi, o.Hi)} }

// String prints the range: "20,036", "20,034 to 20,038", "5,000 or more".
func (r Range) String() string {
	switch {
	case r.IsPoint():
		return unit.Thousands(r.Lo)
	case r.Hi == NoBound:
		return unit.Thousands(r.Lo) + " or more"
	}
	return fmt.Sprintf("%s to %s", unit.Thousands(r.Lo), unit.Thousands(r.Hi))
}

// Measurements are what was measured on one switch with one configuration of its pool. Their order has no meaning.
type Measurements struct {
	Fills  []Fill
	Points []Point
	Stored []Stored
	Uses   []Use
	Links  []PausedLink
}

// Fill is one probe of a switch: groups of one slice are filled with packets that cannot leave, as mmu.Probe describes
// it. A group has readings of what was looked for, and none of what was not.
type Fill struct {
	From    string     // file and line, for people
	Packet  unit.Bytes // length of every packet
	Groups  int        // number of groups that were filled; 0 means 1
	InTurn  bool       // each group up to its pause before the next one; otherwise one packet each in rotation
	ToDrop  bool       // with InTurn: each group up to its first drop before the next one
	Lossy   bool       // the groups send no XOFF; they drop
	Profile string     // name of the buffer profile of the groups; headroom and XON offset are those of a profile
	// Headroom is the xoff size that is configured for the groups, if it is known.
	Headroom unit.Optional[unit.Bytes]
	Readings []FillReading
}

// Quantity is what a reading of a fill counts.
type Quantity uint8

// The quantities of a fill.
const (
	XOFF         Quantity = iota // the packet that causes XOFF, counted per group from 1
	Drop                         // the first dropped packet
	XONBelow                     // packets of the group that must leave after XOFF until XON
	SharedMark                   // watermark of the group in the shared part of the pool
	HeadroomMark                 // watermark of the group in its headroom
	quantities
)

// quantityNames are the names in files and outputs.
var quantityNames = [quantities]string{"xoff", "drop", "xon_below", "shared_watermark", "headroom_watermark"}

// String returns the name of the quantity: "xon_below".
func (q Quantity) String() string { return named.Of(q, "quantity", quantityNames[:]...) }

// FillReading is one number of a fill.
type FillReading struct {
	Group int // from 0, in the order of the fill
	What  Quantity
	Is    Range // packets; of a watermark cells, or bytes
	Bytes bool  // a watermark is in bytes
}

// Point is one packet that a switch put into the shared part of the pool or refused, with what was in use before.
type Point struct {
	From    string
	Group   string     // name of the group, for people
	Packet  unit.Bytes // length of the packet
	Held    int64      // cells of the group before, reserved and shared together
	Used    int64      // shared cells of the pool in use before, by all groups
	Refused bool       // the shared part refused the packet
}

// Stored is a number of equal packets in an empty memory, and the watermark that they gave.
type Stored struct {
	From    string
	Packet  unit.Bytes
	Packets int64
	Mark    Range // cells, or bytes
	Bytes   bool
}

// Use is the watermarks of a group, or of a pool, under traffic that nobody controls. They are lower bounds.
type Use struct {
	From     string
	Group    string // port and group; "" is the pool
	Headroom unit.Optional[unit.Bytes]
	Shared   unit.Optional[unit.Bytes]
	Dropped  bool // the group dropped packets while the watermark was taken
}

// PausedLink is what happened on a link whose sender went on at full rate until it obeyed a pause: the headroom of the
// group, and whether packets were dropped.
type PausedLink struct {
	From     string
	Rate     unit.BitRate
	Cable    unit.Length
	Headroom unit.Bytes // xoff size of the group
	Drops    int64      // packets that were dropped; 0: none
	// Frames is the bytes of the frames that both ends had begun when the pause was sent: they arrive beside what the
	// delays let through. Absent: the delays include them.
	Frames unit.Optional[unit.Bytes]
	// Mark is the watermark of the group's headroom, if it was read.
	Mark unit.Optional[unit.Bytes]
}

// The bounds of measurements. They keep the work of Calibrate below a second or so.
const (
	MaxFills    = 1 << 10
	MaxGroups   = 1 << 10 // groups of a fill
	maxReadings = 1 << 14 // of all fills together
	maxPoints   = 1 << 12
	maxUses     = 1 << 17
	mostCells   = 1 << 26 // cells of a slice
	mostPackets = 1 << 40
)

// Validate refuses measurements that no switch gives, and more than the bounds, with all complaints at once.
func (m *Measurements) Validate() error {
	var bad fielderr.List
	bad.Within("fills", int64(len(m.Fills)), 0, MaxFills)
	bad.Within("points", int64(len(m.Points)), 0, maxPoints)
	bad.Within("stored", int64(len(m.Stored)), 0, MaxFills)
	bad.Within("uses", int64(len(m.Uses)), 0, maxUses)
	bad.Within("links", int64(len(m.Links)), 0, MaxFills)
	if bad.Err() != nil {
		return bad.Err()
	}
	readings := 0
	for i := range m.Fills {
		readings += len(m.Fills[i].Readings)
		m.Fills[i].validate(fmt.Sprintf("fills[%d]", i), &bad)
	}
	bad.Within("readings", int64(readings), 0, maxReadings)
	for i := range m.Points {
		p, path := &m.Points[i], fmt.Sprintf("points[%d].", i)
		bad.Within(path+"packet", int64(p.Packet), 1, 1<<16)
		bad.Within(path+"held", p.Held, 0, mostCells)
		bad.Within(path+"used", p.Used, 0, mostCells)
	}
	for i := range m.Stored {
		s, path := &m.Stored[i], fmt.Sprintf("stored[%d].", i)
		bad.Within(path+"packet", int64(s.Packet), 1, 1<<16)
		bad.Within(path+"packets", s.Packets, 1, mostCells)
		checkRange(path+"watermark", s.Mark, &bad)
	}
	for i := range m.Links {
		m.Links[i].validate(fmt.Sprintf("links[%d].", i), &bad)
	}
	return bad.Err()
}

// validate refuses a fill without packets, and readings of groups that it does not have.
func (f *Fill) validate(path string, bad *fielderr.List) {
	bad.Within(path+".packet", int64(f.Packet), 1, 1<<16)
	bad.Within(path+".groups", int64(f.Groups), 0, MaxGroups)
	bad.Within(path+".headroom", int64(f.Headroom.Or(0)), 0, mostPackets)
	bad.Check(!f.ToDrop || f.InTurn, path+".order", "to the drop", "in turn")
	type key struct {
		group int
		what  Quantity
	}
	seen := map[key]bool{}
	for i, r := range f.Readings {
		at := fmt.Sprintf("%s.readings[%d]", path, i)
		bad.Within(at+".group", int64(r.Group), 0, int64(max(f.Groups, 1))-1)
		bad.Check(r.What < quantities, at+".what", r.What, "xoff, drop, xon_below or a watermark")
		bad.Check(!f.Lossy || r.What == Drop || r.What == SharedMark, at+".what", r.What,
			"drop or shared_watermark: a lossy group sends no XOFF and has no headroom")
		bad.Check(!f.ToDrop || r.What != XONBelow, at+".what", r.What, "none of it where groups are filled to the drop")
		checkRange(at, r.Is, bad)
		k := key{r.Group, r.What}
		bad.Check(!seen[k], at, r.What, "one %v for group %d", r.What, r.Group)
		seen[k] = true
		if r.What == XOFF || r.What == Drop {
			bad.Check(r.Is.Hi >= 1, at, r.Is, "packets are counted from 1")
		}
	}
}

// validate refuses a link without a rate, and values out of range.
func (l *PausedLink) validate(path string, bad *fielderr.List) {
	bad.Check(l.Rate >= 100*unit.Mbps && l.Rate <= 10000*unit.Gbps, path+"speed", l.Rate, "100M to 10T")
	bad.Check(l.Cable >= 0 && l.Cable <= 1000*unit.Kilometre, path+"cable", l.Cable, "0m to 1000km")
	bad.Within(path+"headroom", int64(l.Headroom), 0, 1<<33)
	bad.Within(path+"frames", int64(l.Frames.Or(0)), 0, 1<<20)
	bad.Within(path+"headroom_watermark", int64(l.Mark.Or(0)), 0, 1<<33)
	bad.Within(path+"drops", l.Drops, 0, mostPackets)
}

// checkRange refuses a range without values, and numbers that no counter has.
func checkRange(path string, r Range, bad *fielderr.List) {
	bad.Check(r.Lo >= 0 && r.Lo <= r.Hi && r.Lo <= mostPackets && (r.Hi <= mostPackets || r.Hi == NoBound), path, r,
		"0 to %d, the smaller number first", int64(mostPackets))
}
