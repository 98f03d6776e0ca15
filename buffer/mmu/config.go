package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Config describes an [MMU]. Its parts refer to each other by index, and all counts are cells. The limits hold in every
// slice, because hardware has them once per slice; each slice has its own counters.
type Config struct {
	Cell     cells.Size // bytes per cell; required
	Overhead unit.Bytes // bytes that the chip stores with each packet
	Slices   int        // parts of the memory that do not share cells; 0 means 1
	Rule     Rule       // how the chip compares counters with limits

	Pools         []Pool        // ingress pools
	HeadroomPools []cells.Count // size of each shared headroom pool
	// GlobalHeadroom is cells of the slice for the groups that may use it, for the frame in flight.
	GlobalHeadroom cells.Count
	PortPools      []PortPool // limits of a port in an ingress pool
	Groups         []Group    // priority groups of all ports

	EgressPools     []Pool
	EgressPortPools []PortPool // limits of a port in an egress pool
	Queues          []Queue    // egress queues; none: the egress admits every packet

	// Packets is the most packets that a slice stores, however short they are: the descriptors of a chip, which can end
	// before its cells do. A packet beyond them is dropped with CausePool and does not pause its group: inferred. 0: no
	// limit.
	Packets int64

	// Trim is the length to which packets of queues with [Queue.Trim] are cut, from destination address to FCS
	// (SAI_SWITCH_ATTR_PACKET_TRIM_SIZE). 0: no queue trims.
	Trim unit.Bytes
}

// Pool is the shared part of a pool in one slice.
type Pool struct {
	Shared cells.Count // without reserved cells and headroom
	Policy Policy      // divides the pool among its members; nil: each has its own Limit
}

// PortPool limits what the groups or queues of one port together use of one pool in a slice.
type PortPool struct {
	Reserved cells.Count // cells of the port, used before shared ones; 0 at the egress
	Max      cells.Count // most shared cells; 0: no limit other than the pool's
}

// Group is a priority group. PortPool and HeadroomPool count from 1; 0 means none.
type Group struct {
	Pool           int
	PortPool       int              // 1 and up; 0: the port has no limits
	Reserved       cells.Count      // PG-min
	Limit          thresholds.Limit // on the group's shared cells; the pool's policy reads it
	Lossless       bool             // it sends XOFF; a lossy group drops
	GlobalHeadroom bool             // it may use the slice's global headroom after its own
	Headroom       cells.Count      // for what arrives after XOFF; lossless groups only
	HeadroomPool   int              // 1 and up: headroom also counts against this pool; 0: headroom is the group's own
	Priority       int              // 0 to 7, for policies that count the members of a priority
	Stage          Stage            // headroom is used before the shared buffer; zero: after it
	XON            thresholds.XON   // its counts include the reserved cells
}

// Stage makes a group's headroom the first of two stages, as on NVIDIA's Spectrum. There packets enter the headroom
// buffer of the port, and move on to the shared buffer as soon as its quotas admit them. A model without a clock sees
// only the packets that wait. So a packet that the shared buffer admits does not touch the headroom. A packet that it
// refuses waits in the headroom, and its cells move on when there is room. Compared with headroom behind the shared
// buffer, three things differ:
//
//   - XOFF and XON follow the cells in the headroom. The refusal of shared
//     cells does not matter, and the group's XON rule is not used.
//   - Waiting cells move on in [MMU.Leave] and [MMU.SetGroup].
//   - A waiting packet cannot be sent. So a group gives back its shared and
//     reserved cells first, and headroom last.
//
// Cells move one by one, because the MMU keeps no packets. On the chip a whole packet moves, so the model is less than
// one packet ahead. The group whose packet left comes first, then the others in turn: inferred.
//
// Only ingress quotas make a packet wait. A limit at the egress drops it, as on other chips, although Spectrum would
// let a lossless packet wait. Give lossless queues [thresholds.Unlimited], and an egress pool as large as the ingress
// pool, as its software does.
//
// Source: Linux mlxsw reg.h (PBMC: above buf_xoff_threshold cells PFC is sent
// for the buffer's priorities, below buf_xon_threshold it stops).
type Stage struct {
	XOFF cells.Count // XOFF is sent when the headroom holds more
	XON  cells.Count // XON is sent when it holds fewer, at most XOFF+1; 0: no stage
}

// on tells whether the group has two stages.
func (s Stage) on() bool { return s.XON > 0 }

// Queue is an egress queue. PortPool counts from 1; 0 means none.
type Queue struct {
	Pool     int
	PortPool int
	Reserved cells.Count
	Limit    thresholds.Limit
	Priority int // as a group's
	// Trim is where the queue sends what is left of a packet that is refused: 1 is the first queue of the list, and so
	// on. That queue does not trim again. 0: refused packets are dropped. Packets of lossless groups are never trimmed.
	Trim int
}

// priorities is the number of priorities that a policy distinguishes.
const priorities = 8

// Rule is how a chip compares counters with limits. The zero rule is the reference: a packet must fit completely below
// a limit that is read before the packet, and the first packet that the shared pool refuses causes XOFF. No vendor
// publishes these rules. Package asic/behaviour has those that measurements suggest.
type Rule struct {
	// LastPacket admits a packet completely if its first cell is admitted. An account can then exceed its limit by less
	// than a packet. (Tomahawk 3 and later have this field; its exact effect is inferred.)
	LastPacket bool
	// LimitAfter computes a dynamic limit as if the packet were admitted: q <= alpha*(S-q) for the new q. One group alone
	// then stops at floor(alpha*S/(1+alpha)).
	LimitAfter bool
	// PauseAtLimit sends XOFF with the packet that uses up the shared limit, when another packet of its size would be
	// refused. Otherwise the refused packet causes XOFF.
	PauseAtLimit bool
	// HeadroomShared also counts headroom in use against the group's pool: the pool contains the headroom, and a group in
	// headroom lowers the limits of all.
	HeadroomShared bool
	// ReservedShared also counts reserved cells in use against the group's pool: the pool contains the minima. They are
	// given to a group even if the pool is full.
	ReservedShared bool
	// ReservedLast takes a packet's cells from the shared pool first, and from the group's reserved cells only if the pool
	// refuses it and they have room for the whole packet. They are then given back first.
	ReservedLast bool
}

// plain tells whether the rule has none of the accounts that Take does not know.
func (r *Rule) plain() bool { return !r.HeadroomShared && !r.ReservedShared && !r.ReservedLast }

// Validate refuses what New refuses, with all complaints at once.
func (c *Config) Validate() error {
	var bad fielderr.List
	bad.Check(c.Cell > 0 && c.Cell <= 1<<20, "cell", fmt.Sprintf("%d bytes", c.Cell), "1 to %d", 1<<20)
	bad.Check(c.Overhead >= 0 && c.Overhead <= 1<<16, "overhead", c.Overhead, "0B to %d", 1<<16)
	bad.Within("slices", int64(c.Slices), 0, 1<<10)
	bad.Within("trim", int64(c.Trim), 0, 1<<16)
	validateCount(&bad, c.GlobalHeadroom, "global headroom")
	validateCount(&bad, cells.Count(c.Packets), "packets")
	for i, n := range c.HeadroomPools {
		validateCount(&bad, n, "headroom pools[%d]", i)
	}
	for i, p := range c.Pools {
		validateCount(&bad, p.Shared, "pools[%d].shared", i)
	}
	for i, p := range c.EgressPools {
		validateCount(&bad, p.Shared, "egress pools[%d].shared", i)
	}
	for i, p := range c.PortPools {
		validateCount(&bad, min(p.Reserved, p.Max), "port pools[%d]", i)
		validateCount(&bad, max(p.Reserved, p.Max), "port pools[%d]", i)
	}
	for i, p := range c.EgressPortPools {
		if p.Reserved != 0 {
			bad.Add(fmt.Sprintf("egress port pools[%d].reserved", i), fmt.Sprintf("%d cells", p.Reserved),
				"0: a port's minimum at the egress is not modelled")
		}
		validateCount(&bad, p.Max, "egress port pools[%d].max", i)
	}
	for i := range c.Groups {
		if err := c.validateGroup(&c.Groups[i]); err != nil {
			bad.Under(fmt.Sprintf("groups[%d]", i), err)
		}
	}
	for i := range c.Queues {
		if err := c.validateQueue(&c.Queues[i]); err != nil {
			bad.Under(fmt.Sprintf("queues[%d]", i), err)
		}
	}
	return bad.Err()
}

// validateGroup refuses a group of a pool that does not exist, and what [Group.Validate] refuses. A network can have
// many groups, so the caller formats the path only of those that are refused.
func (c *Config) validateGroup(g *Group) error {
	var bad fielderr.List
	bad.Check(g.Pool >= 0 && g.Pool < len(c.Pools), "pool", g.Pool, "one of %d pools", len(c.Pools))
	bad.Within("port pool", int64(g.PortPool), 0, int64(len(c.PortPools)))
	bad.Within("headroom pool", int64(g.HeadroomPool), 0, int64(len(c.HeadroomPools)))
	bad.Join(g.Validate())
	return bad.Err()
}

// validateQueue refuses a queue of a pool that does not exist, and values out of range.
func (c *Config) validateQueue(q *Queue) error {
	var bad fielderr.List
	bad.Check(q.Pool >= 0 && q.Pool < len(c.EgressPools), "pool", q.Pool, "one of %d egress pools", len(c.EgressPools))
	bad.Within("port pool", int64(q.PortPool), 0, int64(len(c.EgressPortPools)))
	validateCount(&bad, q.Reserved, "reserved")
	bad.Within("priority", int64(q.Priority), 0, priorities-1)
	bad.Within("trim", int64(q.Trim), 0, int64(len(c.Queues)))
	if q.Trim < 1 || q.Trim > len(c.Queues) {
		return bad.Err()
	}
	bad.Check(c.Trim > 0, "trim", "a queue for the rest", "a length (trim) of 1B or more beside it")
	bad.Check(c.Queues[q.Trim-1].Trim == 0, "trim", q.Trim, "a queue that does not trim")
	return bad.Err()
}

// mostCells is the largest count of cells that an account may have.
const mostCells cells.Count = 1 << 40

// validateCount refuses a count that no account has. The path is formatted with args.
func validateCount(bad *fielderr.List, n cells.Count, path string, args ...any) {
	if n < 0 || n > mostCells {
		bad.Add(fmt.Sprintf(path, args...), fmt.Sprintf("%d cells", n), fmt.Sprintf("0 to %d", mostCells))
	}
}

// Validate refuses a group's own numbers. It returns the first complaint.
func (g *Group) Validate() error {
	var bad fielderr.List
	validateCount(&bad, g.Reserved, "reserved")
	validateCount(&bad, g.Headroom, "headroom")
	bad.Within("priority", int64(g.Priority), 0, priorities-1)
	if g.Headroom > 0 && !g.Lossless {
		bad.Add("headroom", fmt.Sprintf("%d cells of a lossy group", g.Headroom), "0")
	}
	bad.Under("xon", g.XON.Validate())
	bad.Join(g.Stage.validate(g))
	if len(bad) == 0 {
		return nil
	}
	return bad[0]
}

// validate refuses thresholds that never pause, or that pause and resume at once.
func (s Stage) validate(g *Group) error {
	switch {
	case s == Stage{}:
		return nil
	case s.XOFF < 0 || s.XOFF >= g.Headroom:
		return fielderr.Complaint{Path: "stage.xoff", Value: fmt.Sprintf("%d cells", s.XOFF),
			Accepted: fmt.Sprintf("0 to less than the headroom of %d", g.Headroom)}
	case s.XON < 1 || s.XON > s.XOFF+1:
		return fielderr.Complaint{Path: "stage.xon", Value: fmt.Sprintf("%d cells", s.XON),
			Accepted: fmt.Sprintf("1 to %d", s.XOFF+1)}
	case g.GlobalHeadroom:
		return fielderr.Complaint{Path: "stage", Value: "with global headroom", Accepted: "one of both"}
	}
	return nil
}
