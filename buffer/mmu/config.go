package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
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

// Validate refuses what New refuses, with all complaints at once.
func (c *Config) Validate() error {
	var bad complain.List
	bad.Check(c.Cell > 0 && c.Cell <= 1<<20, "cell", fmt.Sprintf("%d bytes", c.Cell), "1 to %d", 1<<20)
	bad.Check(c.Overhead >= 0 && c.Overhead <= 1<<16, "overhead", c.Overhead, "0B to %d", 1<<16)
	bad.Within("slices", int64(c.Slices), 0, 1<<10)
	validateCount(&bad, c.GlobalHeadroom, "global headroom")
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

// validateGroup refuses a group of a pool that is not there, and what [Group.Validate] refuses. A network has many
// groups: the caller formats the path of those alone that are refused.
func (c *Config) validateGroup(g *Group) error {
	var bad complain.List
	bad.Check(g.Pool >= 0 && g.Pool < len(c.Pools), "pool", g.Pool, "one of %d pools", len(c.Pools))
	bad.Within("port pool", int64(g.PortPool), 0, int64(len(c.PortPools)))
	bad.Within("headroom pool", int64(g.HeadroomPool), 0, int64(len(c.HeadroomPools)))
	bad.Join(g.Validate())
	return bad.Err()
}

// validateQueue refuses a queue of a pool that is not there, and what no queue has.
func (c *Config) validateQueue(q *Queue) error {
	var bad complain.List
	bad.Check(q.Pool >= 0 && q.Pool < len(c.EgressPools), "pool", q.Pool, "one of %d egress pools", len(c.EgressPools))
	bad.Within("port pool", int64(q.PortPool), 0, int64(len(c.EgressPortPools)))
	validateCount(&bad, q.Reserved, "reserved")
	bad.Within("priority", int64(q.Priority), 0, priorities-1)
	return bad.Err()
}

// mostCells is the largest count of cells that an account may have.
const mostCells cells.Count = 1 << 40

// validateCount refuses a count that no account has. The path is formatted with args.
func validateCount(bad *complain.List, n cells.Count, path string, args ...any) {
	if n < 0 || n > mostCells {
		bad.Add(fmt.Sprintf(path, args...), fmt.Sprintf("%d cells", n), fmt.Sprintf("0 to %d", mostCells))
	}
}

// Validate refuses a group's own numbers. It returns the first complaint.
func (g *Group) Validate() error {
	var bad complain.List
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
		return complain.Complaint{Path: "stage.xoff", Value: fmt.Sprintf("%d cells", s.XOFF),
			Accepted: fmt.Sprintf("0 to less than the headroom of %d", g.Headroom)}
	case s.XON < 1 || s.XON > s.XOFF+1:
		return complain.Complaint{Path: "stage.xon", Value: fmt.Sprintf("%d cells", s.XON),
			Accepted: fmt.Sprintf("1 to %d", s.XOFF+1)}
	case g.GlobalHeadroom:
		return complain.Complaint{Path: "stage", Value: "with global headroom", Accepted: "one of both"}
	}
	return nil
}
