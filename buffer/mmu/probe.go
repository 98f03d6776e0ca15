package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Probe is a tester's question to a switch: groups of one slice are filled with packets that cannot leave; at which
// packet does each group pause, drop and resume? The tests of sonic-mgmt (tests/qos) ask real switches this way.
type Probe struct {
	Cell     cells.Size
	Overhead unit.Bytes
	Slices   int // parts into which pool and shared headroom are divided evenly; 0 means 1

	Pool unit.Bytes // of the whole chip
	// size of the headroom pool of the whole chip; 0: each group has its own headroom
	SharedHeadroom       unit.Bytes
	SizeIncludesHeadroom bool // Pool includes the shared headroom pool
	// ReservedElsewhere is what others have reserved in each slice's part of
	// the pool. A group's own reserved cells are not part of the pool.
	ReservedElsewhere cells.Count

	Reserved unit.Bytes // of each group, as are the next four fields
	Limit    thresholds.Limit
	// Lossy groups send no XOFF. They drop when their shared part is full, and have neither Headroom nor XONOffset.
	Lossy    bool
	Headroom unit.Bytes // for what arrives after XOFF
	// HeadroomOfPort says that Headroom is that of a port, of which each of its groups can take all. The groups of a
	// probe are of different ports, so it tells only a tester that fills several groups of one.
	HeadroomOfPort bool
	XONOffset      unit.Bytes

	Egress ProbeEgress // the blocked queue; zero: the egress admits everything

	Packet unit.Bytes // length of every packet
	// Charged is the bytes that each packet is charged on a chip that counts bytes and not cells (DNX); 0: cells.
	Charged unit.Bytes
	Groups  int // number of groups to fill; 0 means 1
	// InTurn fills each group up to its pause before the next one. Otherwise the groups get one packet each in rotation.
	InTurn bool
	// LeakOut is the number of packets, the first of all, that leave although
	// their egress port has been stopped. They are sent and fill nothing.
	LeakOut int64

	Rule    Rule // how the chip compares counters with limits; see SiliconRule
	Latched bool // XON is measured from the limit at XOFF, not from the present limit
}

// ProbeEgress is the blocked egress queue, in which the packets of all groups wait. It drops packets for which it has
// no room, whatever the ingress decides. This ends the filling of a lossy queue; a lossless queue must never reach it.
type ProbeEgress struct {
	Pool              unit.Bytes  // egress pool of the whole chip; 0: no egress
	ReservedElsewhere cells.Count // of each slice's part of that pool
	Reserved          unit.Bytes  // of the queue, not part of the pool
	Limit             thresholds.Limit
}

// SiliconRule is the rule for a Broadcom XGS chip whose own rule is not known. With the XON limit latched it gives
// sonic-mgmt's values for these chips within two packets. The rule of each chip is in the catalogue (package asic,
// behaviour.RuleOf). It is measured where a test has values of a switch, because no vendor documents it. The measured
// chips have in common:
//
//   - PauseAtLimit: XOFF is sent with the packet that fills the shared part.
//   - Latched: a group alone resumes xon_offset below the point of XOFF. With
//     the present limit it would be half of that at alpha 1, because every cell
//     that the group gives back raises its limit by one.
//
// They differ in LimitAfter: Tomahawk 5 stops a group at floor(alpha*S/(1+alpha)),
// Tomahawk and Tomahawk 2 one cell later where that is not a whole number.
func SiliconRule() Rule { return Rule{LimitAfter: true, PauseAtLimit: true} }

// ProbeAnswer is the result of a probe.
type ProbeAnswer struct {
	Groups       []ProbedGroup
	HeadroomPool cells.Count // of the slice; 0: none
	Shared       cells.Count // cells of the slice that the groups share
	EgressShared cells.Count // of the slice's egress pool; 0: no egress
}

// ProbedGroup is the result for one group, in packets that were sent to it,
// counted from 1. Those that leaked out are among them.
type ProbedGroup struct {
	// the packet that causes XOFF; 0: a lossy group, or one that the egress dropped before it paused
	XOFF     int64
	Drop     int64 // the first dropped packet
	XONBelow int64 // packets of this group that must leave after XOFF until XON
	Headroom int64 // packets that went to headroom
	Cause    Cause // why Drop was dropped
}

// counted returns the unit in which the probe counts memory: bytes or cells.
func (p *Probe) counted() cells.Size {
	if p.Charged > 0 {
		return 1
	}
	return p.Cell
}

// sizes returns what the groups of a slice share, and the size of its headroom pool, in the probe's unit.
func (p *Probe) sizes() (shared, headroom cells.Count) {
	n := cells.Count(max(p.Slices, 1))
	headroom = p.counted().Within(p.SharedHeadroom) / n
	shared = p.counted().Within(p.Pool)
	if p.SizeIncludesHeadroom {
		shared -= p.counted().Within(p.SharedHeadroom)
	}
	return shared/n - p.inUnit(p.ReservedElsewhere), headroom
}

// egressShared returns the slice's part of the egress pool, in the probe's unit.
func (p *Probe) egressShared() cells.Count {
	e := &p.Egress
	return p.counted().Within(e.Pool)/cells.Count(max(p.Slices, 1)) - p.inUnit(e.ReservedElsewhere)
}

// inUnit converts cells to the probe's unit.
func (p *Probe) inUnit(n cells.Count) cells.Count {
	if p.Charged > 0 {
		return cells.Count(p.Cell.Bytes(n))
	}
	return n
}

// inCells converts a count in the probe's unit to cells.
func (p *Probe) inCells(n cells.Count) cells.Count {
	if p.Charged > 0 {
		return p.Cell.Within(unit.Bytes(n))
	}
	return n
}

// Validate refuses values out of range, a pool smaller than its parts, headroom of a lossy group, and an egress without
// a pool, with all complaints at once. The paths are those of a probe file. A deep buffer takes no longer than a small
// one: Run counts the packets that are only stored, and does not send them one by one.
func (p *Probe) Validate() error {
	const most = 1 << 40
	var bad fielderr.List
	bad.Within("chip.cell", int64(p.Cell), 1, 1<<20)
	bad.Within("chip.packet_overhead", int64(p.Overhead), 0, 1<<16)
	bad.Within("chip.slices", int64(p.Slices), 0, 1<<10)
	bad.Within("pool.size", int64(p.Pool), 0, most)
	bad.Within("pool.shared_headroom", int64(p.SharedHeadroom), 0, most)
	bad.Within("pool.reserved_elsewhere_cells", int64(p.ReservedElsewhere), 0, most)
	bad.Within("group.reserved", int64(p.Reserved), 0, most)
	after := int64(most)
	if p.Lossy {
		after = 0
	}
	bad.Within("group.headroom", int64(p.Headroom), 0, after)
	bad.Within("group.xon_offset", int64(p.XONOffset), 0, after)
	if p.Egress != (ProbeEgress{}) {
		bad.Within("egress.size", int64(p.Egress.Pool), 1, most)
		bad.Within("egress.reserved_elsewhere_cells", int64(p.Egress.ReservedElsewhere), 0, most)
		bad.Within("egress.reserved", int64(p.Egress.Reserved), 0, most)
	}
	bad.Within("fill.packet", int64(p.Packet), 1, 1<<16)
	bad.Within("fill.packet_bytes_charged", int64(p.Charged), 0, 1<<16)
	bad.Within("fill.groups", int64(p.Groups), 0, thresholds.MaxGroups)
	bad.Within("fill.leak_out", p.LeakOut, 0, most)
	if len(bad) > 0 {
		return bad.Err()
	}
	return p.validateSizes()
}

// validateSizes refuses numbers that are in range but contradict each other. It returns the first complaint.
func (p *Probe) validateSizes() error {
	shared, _ := p.sizes()
	if shared < 0 {
		return fielderr.Complaint{Path: "pool.size",
			Value:    fmt.Sprintf("%v leaves %d shared cells in a slice", p.Pool, shared),
			Accepted: "at least what it includes and what is reserved elsewhere"}
	}
	if left := p.egressShared(); p.Egress.Pool > 0 && left < 0 {
		return fielderr.Complaint{Path: "egress.size",
			Value:    fmt.Sprintf("%v leaves %d shared cells in a slice", p.Egress.Pool, p.inCells(left)),
			Accepted: "at least what is reserved elsewhere"}
	}
	return nil
}

// Config returns the MMU of one slice that Run fills. The probe must be valid.
func (p *Probe) Config() Config {
	shared, spare := p.sizes()
	unit := p.counted()
	c := Config{Cell: unit, Overhead: p.Overhead, Rule: p.Rule, Pools: []Pool{{Shared: shared}}}
	if p.Charged > 0 {
		c.Overhead = 0
	}
	g := Group{Reserved: unit.Holding(p.Reserved), Limit: p.Limit, Lossless: !p.Lossy,
		Headroom: unit.Holding(p.Headroom),
		XON:      thresholds.XON{Offset: unit.Within(p.XONOffset), Latched: p.Latched}}
	if p.SharedHeadroom > 0 {
		c.HeadroomPools, g.HeadroomPool = []cells.Count{spare}, 1
	}
	for range max(p.Groups, 1) {
		c.Groups = append(c.Groups, g)
	}
	if p.Egress.Pool > 0 {
		c.EgressPools = []Pool{{Shared: p.egressShared()}}
		c.Queues = []Queue{{Reserved: unit.Holding(p.Egress.Reserved), Limit: p.Egress.Limit}}
	}
	return c
}
