package mmu

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Config is what a packet-level [MMU] is built from. Everything is named by
// its index here, and all counts are cells. The limits hold in every slice:
// hardware replicates them, and each slice has counters of its own.
type Config struct {
	Cell     cells.Size // bytes per cell; needed
	Overhead unit.Bytes // bytes stored with each packet
	Slices   int        // parts that lend each other no cells; 0 is 1
	Rule     Rule       // how the chip compares

	Pools          []Pool        // ingress pools
	HeadroomPools  []cells.Count // shared headroom pools: the limit of each
	GlobalHeadroom cells.Count   // of the slice, for groups that may use it: the frame in flight
	PortPools      []PortPool    // what a port may have of an ingress pool
	Groups         []Group       // priority groups of all ports

	EgressPools     []Pool
	EgressPortPools []PortPool
	Queues          []Queue // egress queues; none: egress is not modelled
}

// Pool is the shared part of a pool in one slice.
type Pool struct {
	Shared cells.Count // reserved cells and headroom stand beside it
	Policy Policy      // who may take how much of it; nil: each by its own Limit
}

// PortPool is what the groups, or the queues, of one port together may have
// of one pool in a slice.
type PortPool struct {
	Reserved cells.Count // port's own cells, used before shared ones; 0 at the egress
	Max      cells.Count // shared cells at most; 0: no limit but the pool's
}

// Group is one priority group. A zero PortPool or HeadroomPool means none;
// n means number n-1 of the list.
type Group struct {
	Pool           int
	PortPool       int              // 1 and up; 0: the port has no limits of its own
	Reserved       cells.Count      // PG-min
	Limit          thresholds.Limit // on the shared cells; read by the pool's policy
	Lossless       bool             // sends XOFF; a lossy group drops
	Headroom       cells.Count      // after XOFF, lossless groups only
	HeadroomPool   int              // 1 and up: headroom cells count against this pool too; 0: they are the group's own
	GlobalHeadroom bool             // may use the slice's global headroom after its own
	Priority       int              // 0 to 7: among whom the pool's policy counts the group, if it counts
	Stage          Stage            // Headroom stands before the shared buffer; zero: behind it
	XON            thresholds.XON   // counted with the reserved cells
}

// Stage makes a group's headroom the first of two stages, as it is on
// NVIDIA's Spectrum: packets enter the port's headroom buffer, and leave it for
// the shared buffer as soon as the quotas there admit them. A model without a
// clock sees only those that wait. So a packet that the shared buffer takes does
// not touch the headroom; one that it refuses waits there, and its cells move on
// when others make room. What is different from headroom behind the shared
// buffer is thus no second machine, but three things of one account:
//
//   - XOFF and XON follow what the headroom holds, not the refusal of shared
//     cells, nor the group's XON rule, which is not read;
//   - waiting cells move on by themselves, in [MMU.Leave] and [MMU.SetGroup];
//   - packets that wait cannot be sent, so that a group gives back its shared
//     and reserved cells first, and headroom last.
//
// Cells move one by one, for the MMU keeps no packets; on the chip a packet
// moves whole, so that the model is less than a packet ahead. The group whose
// packet left comes first and the others in turn behind it: inferred.
//
// Only ingress quotas make a packet wait: an egress limit drops it as on any
// chip, though Spectrum would let a lossless one wait. Give lossless queues
// [thresholds.Unlimited] and an egress pool as large as the ingress pool, as its
// software does.
//
// Source: Linux mlxsw reg.h (PBMC: above buf_xoff_threshold cells PFC is sent for
// the buffer's priorities, below buf_xon_threshold it stops).
type Stage struct {
	XOFF cells.Count // XOFF is sent when the headroom holds more
	XON  cells.Count // XON is sent when it holds fewer, at most XOFF+1; 0: there is no stage
}

func (s Stage) on() bool { return s.XON > 0 }

// Queue is one egress queue. A zero PortPool means none.
type Queue struct {
	Pool     int
	PortPool int
	Reserved cells.Count
	Limit    thresholds.Limit
	Priority int // as a group's
}

// priorities is how many priorities a policy can tell apart.
const priorities = 8

// Rule is how a chip compares. The zero rule is the reference: a packet
// must fit whole under a limit that is read before the packet, and XOFF goes
// out with the first packet that the shared pool refuses. No vendor publishes
// these; [Behaviour] says what measurements suggest.
type Rule struct {
	// LastPacket admits a packet whole if its first cell is admitted, so that
	// an account runs over its limit by less than a packet. (The field exists on
	// Tomahawk 3 and later; what it does exactly is inferred.)
	LastPacket bool
	// LimitAfter reads a dynamic limit as it will be with the packet admitted:
	// q <= alpha*(S-q) for the new q, which stops one group at
	// floor(alpha*S/(1+alpha)).
	LimitAfter bool
	// PauseAtLimit sends XOFF with the packet that uses up the shared limit, so
	// that another of its size would be refused, and not only with that one.
	PauseAtLimit bool
}

// Validate refuses what New refuses.
func (c *Config) Validate() error {
	var bad []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	count := func(n cells.Count, format string, args ...any) {
		need(n >= 0 && n <= mostCells, "%s: %d cells (accepted: 0 to %d)", fmt.Sprintf(format, args...), n, mostCells)
	}
	need(c.Cell > 0 && c.Cell <= 1<<20, "cell: %d bytes (accepted: 1 to %d)", c.Cell, 1<<20)
	need(c.Overhead >= 0 && c.Overhead <= 1<<16, "overhead: %v (accepted: 0B to %d)", c.Overhead, 1<<16)
	need(c.Slices >= 0 && c.Slices <= 1<<10, "slices: %d (accepted: 0 to %d)", c.Slices, 1<<10)
	count(c.GlobalHeadroom, "global headroom")
	for i, n := range c.HeadroomPools {
		count(n, "headroom pools[%d]", i)
	}
	for i, p := range c.Pools {
		count(p.Shared, "pools[%d].shared", i)
	}
	for i, p := range c.EgressPools {
		count(p.Shared, "egress pools[%d].shared", i)
	}
	for i, p := range c.PortPools {
		count(min(p.Reserved, p.Max), "port pools[%d]", i)
		count(max(p.Reserved, p.Max), "port pools[%d]", i)
	}
	for i, p := range c.EgressPortPools {
		need(p.Reserved == 0, "egress port pools[%d].reserved: %d cells (accepted: 0: a port's minimum at the egress is not modelled)", i, p.Reserved)
		count(p.Max, "egress port pools[%d].max", i)
	}
	for i, g := range c.Groups {
		need(g.Pool >= 0 && g.Pool < len(c.Pools), "groups[%d].pool: %d (accepted: one of %d pools)", i, g.Pool, len(c.Pools))
		need(g.PortPool >= 0 && g.PortPool <= len(c.PortPools), "groups[%d].port pool: %d (accepted: 0 to %d)", i, g.PortPool, len(c.PortPools))
		need(g.HeadroomPool >= 0 && g.HeadroomPool <= len(c.HeadroomPools), "groups[%d].headroom pool: %d (accepted: 0 to %d)", i, g.HeadroomPool, len(c.HeadroomPools))
		if err := g.Validate(); err != nil {
			bad = append(bad, fmt.Errorf("groups[%d].%w", i, err))
		}
	}
	for i, q := range c.Queues {
		need(q.Pool >= 0 && q.Pool < len(c.EgressPools), "queues[%d].pool: %d (accepted: one of %d egress pools)", i, q.Pool, len(c.EgressPools))
		need(q.PortPool >= 0 && q.PortPool <= len(c.EgressPortPools), "queues[%d].port pool: %d (accepted: 0 to %d)", i, q.PortPool, len(c.EgressPortPools))
		count(q.Reserved, "queues[%d].reserved", i)
		need(q.Priority >= 0 && q.Priority < priorities, "queues[%d].priority: %d (accepted: 0 to %d)", i, q.Priority, priorities-1)
	}
	return errors.Join(bad...)
}

// mostCells is the largest count of cells that an account may have.
const mostCells cells.Count = 1 << 40

// Validate refuses a group's own numbers.
func (g *Group) Validate() error {
	switch {
	case g.Reserved < 0 || g.Reserved > mostCells:
		return fmt.Errorf("reserved: %d cells (accepted: 0 to %d)", g.Reserved, mostCells)
	case g.Headroom < 0 || g.Headroom > mostCells:
		return fmt.Errorf("headroom: %d cells (accepted: 0 to %d)", g.Headroom, mostCells)
	case g.Priority < 0 || g.Priority >= priorities:
		return fmt.Errorf("priority: %d (accepted: 0 to %d)", g.Priority, priorities-1)
	case g.Headroom > 0 && !g.Lossless:
		return fmt.Errorf("headroom: %d cells of a lossy group (accepted: 0)", g.Headroom)
	}
	if err := g.XON.Validate(); err != nil {
		return fmt.Errorf("xon: %w", err)
	}
	return g.Stage.validate(g)
}

// validate refuses thresholds that never pause, or that pause and resume at once.
func (s Stage) validate(g *Group) error {
	switch {
	case s == Stage{}:
		return nil
	case s.XOFF < 0 || s.XOFF >= g.Headroom:
		return fmt.Errorf("stage.xoff: %d cells (accepted: 0 to less than the headroom of %d)", s.XOFF, g.Headroom)
	case s.XON < 1 || s.XON > s.XOFF+1:
		return fmt.Errorf("stage.xon: %d cells (accepted: 1 to %d)", s.XON, s.XOFF+1)
	case g.GlobalHeadroom:
		return errors.New("stage: with global headroom (accepted: one of both)")
	}
	return nil
}
