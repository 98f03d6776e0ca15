package buffer

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// MMUConfig is what a packet-level [MMU] is built from. Everything is named by
// its index here, and all counts are cells. The limits hold in every slice:
// hardware replicates them, and each slice has counters of its own.
type MMUConfig struct {
	Cell     cells.Size // bytes per cell; needed
	Overhead unit.Bytes // bytes stored with each packet
	Slices   int        // parts that lend each other no cells; 0 is 1
	Rule     MMURule    // how the chip compares

	Pools          []MMUPool     // ingress pools
	HeadroomPools  []cells.Count // shared headroom pools: the limit of each
	GlobalHeadroom cells.Count   // of the slice, for groups that may use it: the frame in flight
	PortPools      []MMUPortPool // what a port may have of an ingress pool
	Groups         []MMUGroup    // priority groups of all ports

	EgressPools     []MMUPool
	EgressPortPools []MMUPortPool
	Queues          []MMUQueue // egress queues; none: egress is not modelled
}

// MMUPool is the shared part of a pool in one slice.
type MMUPool struct {
	Shared cells.Count // reserved cells and headroom stand beside it
	Policy Policy      // who may take how much of it; nil: each by its own Limit
}

// MMUPortPool is what the groups, or the queues, of one port together may have
// of one pool in a slice.
type MMUPortPool struct {
	Reserved cells.Count // port's own cells, used before shared ones; 0 at the egress
	Max      cells.Count // shared cells at most; 0: no limit but the pool's
}

// MMUGroup is one priority group. A zero PortPool or HeadroomPool means none;
// n means number n-1 of the list.
type MMUGroup struct {
	Pool           int
	PortPool       int              // 1 and up; 0: the port has no limits of its own
	Reserved       cells.Count      // PG-min
	Limit          thresholds.Limit // on the shared cells; read by the pool's policy
	Lossless       bool             // sends XOFF; a lossy group drops
	Headroom       cells.Count      // after XOFF, lossless groups only
	HeadroomPool   int              // 1 and up: headroom cells count against this pool too; 0: they are the group's own
	GlobalHeadroom bool             // may use the slice's global headroom after its own
	Priority       int              // 0 to 7: among whom the pool's policy counts the group, if it counts
	Stage          MMUStage         // Headroom stands before the shared buffer; zero: behind it
	XON            thresholds.XON   // counted with the reserved cells
}

// MMUStage makes a group's headroom the first of two stages, as it is on
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
type MMUStage struct {
	XOFF cells.Count // XOFF is sent when the headroom holds more
	XON  cells.Count // XON is sent when it holds fewer, at most XOFF+1; 0: there is no stage
}

func (s MMUStage) on() bool { return s.XON > 0 }

// MMUQueue is one egress queue. A zero PortPool means none.
type MMUQueue struct {
	Pool     int
	PortPool int
	Reserved cells.Count
	Limit    thresholds.Limit
	Priority int // as a group's
}

// mmuPriorities is how many priorities a policy can tell apart.
const mmuPriorities = 8

// MMURule is how a chip compares. The zero rule is the reference: a packet
// must fit whole under a limit that is read before the packet, and XOFF goes
// out with the first packet that the shared pool refuses. No vendor publishes
// these; [Behaviour] says what measurements suggest.
type MMURule struct {
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

// Packet is one arriving packet: where it is charged, and its length.
type Packet struct {
	Slice int
	Group int        // index into MMUConfig.Groups
	Queue int        // index into MMUConfig.Queues; not read if there are none
	Bytes unit.Bytes // on the wire without preamble and gap; the chip's overhead is added
}

// Cause is what stands in a packet's way. The zero Cause is nothing.
type Cause uint8

// The causes, in the order in which they are looked at.
const (
	CauseNone            Cause = iota
	CauseGroupLimit            // the group's limit on shared cells
	CausePortLimit             // the port's limit in the ingress pool
	CausePool                  // the ingress pool is full
	CauseHeadroom              // the group's headroom is full
	CauseHeadroomPool          // the shared headroom pool is full
	CauseGlobalHeadroom        // the global headroom is full
	CauseQueueLimit            // the egress queue's limit
	CauseEgressPortLimit       // the port's limit in the egress pool
	CauseEgressPool            // the egress pool is full
	causes
)

var causeNames = [causes]string{"none", "group limit", "port limit", "pool full", "headroom full", "headroom pool full",
	"global headroom full", "queue limit", "egress port limit", "egress pool full"}

// String prints the cause: "headroom pool full".
func (c Cause) String() string {
	if c >= causes {
		return fmt.Sprintf("Cause(%d)", uint8(c))
	}
	return causeNames[c]
}

// Egress tells whether the cause lies at the egress.
func (c Cause) Egress() bool { return c >= CauseQueueLimit && c < causes }

// Causes lists the causes of a drop.
func Causes() []Cause {
	out := make([]Cause, 0, causes-1)
	for c := CauseGroupLimit; c < causes; c++ {
		out = append(out, c)
	}
	return out
}

// Held is cells by the account in which they stand: of a packet, or of a group.
type Held struct {
	Reserved cells.Count // PG-min
	Port     cells.Count // port's reserved cells
	Shared   cells.Count
	Headroom cells.Count
	Global   cells.Count // global headroom
}

// Total returns the cells of all accounts.
func (h Held) Total() cells.Count { return h.Reserved + h.Port + h.Shared + h.Headroom + h.Global }

// Verdict is what becomes of a packet. The zero Verdict is a packet of no
// cells that was admitted.
type Verdict struct {
	Held          // the ingress accounts that took it; zero if it is dropped
	QueueReserved cells.Count
	QueueShared   cells.Count
	Drop          Cause // why it is dropped; CauseNone: it is admitted
	Refused       Cause // why the shared pool did not take it, though headroom may have; CauseNone: it did or was not asked
	XOFF          bool  // the group must send XOFF now
}

// MMU is the packet-level admission of a switch: counters of cells, no
// packets, no clock. Arrive and Leave allocate nothing. Copying an MMU shares
// its counters: use [MMU.Clone]. An MMU is not safe for concurrent use.
type MMU struct {
	cell      cells.Size
	inverse   uint64 // of cell
	roundUp   uint64 // overhead, and a cell less a byte
	spareRoom uint8  // 1: the short way needs room for a second packet; else 0
	overhead  unit.Bytes
	rule      MMURule
	slices    int
	sizes     mmuSizes
	groups    []mmuGroup // slice after slice
	queues    []mmuQueue
	pools     []mmuPool // ingress pools, slice after slice
	epools    []mmuPool
	ports     []mmuPort
	eports    []mmuPort
	spare     []mmuPool // shared headroom pools
	global    []mmuPool // global headroom of each slice
	state     []mmuSlice
	drops     [causes]int64
	counts    MMUCounters
}

// mmuSlice is what is known of a slice as a whole.
type mmuSlice struct {
	closed  int         // groups that are paused
	waiting cells.Count // cells that wait in a first stage
}

// mmuSizes are the lengths of the lists in one slice.
type mmuSizes struct{ groups, queues, pools, epools, spare, ports, eports int }

// MMUCounters counts packets since the MMU was made or reset.
type MMUCounters struct {
	Admitted, Dropped, Left int64 // packets
	XOFF, XON               int64 // to be sent
}

// mmuGroup begins with what every packet reads.
type mmuGroup struct {
	held       Held
	quick      mmuQuick
	peakShared cells.Count
	gate       pg.Gate
	peakSpare  cells.Count
	mmuMember
	MMUGroup
}

// mmuMember is what a policy may want to know of a group or a queue.
type mmuMember struct {
	idle   int64 // DrainFull less its drain
	smooth int64
}

type mmuQueue struct {
	reserved, shared, peak cells.Count
	quick                  mmuQuick
	mmuMember
	MMUQueue
}

// mmuPool is a limit, what is used of it, and the most that ever was. members
// counts the groups or queues that are bound to it, busy those of each priority
// that hold some of its cells.
type mmuPool struct {
	limit, used, peak cells.Count
	policy            Policy
	smoother          Smoother // policy, if it is one
	members           int
	busy              [mmuPriorities]int
	was               cells.Count // what was used when the limit was last set: more than the limit may stay
	wake              cells.Count // with fewer cells free, no paused group of the pool goes on: see mmu_resume.go
}

func newMMUPool(p MMUPool, members int) mmuPool {
	smoother, _ := p.Policy.(Smoother)
	return mmuPool{limit: p.Shared, policy: p.Policy, smoother: smoother, members: members}
}

func (p *mmuPool) take(n cells.Count) {
	if p.used += n; p.used > p.peak {
		p.peak = p.used
	}
}

type mmuPort struct {
	MMUPortPool
	reserved, shared cells.Count
}

// NewMMU returns an empty MMU. It refuses counts below 0, indices that are not
// there and a cell size of 0, with all complaints at once. It keeps no reference
// to the lists of c.
func NewMMU(c MMUConfig) (*MMU, error) {
	c.Slices = max(c.Slices, 1)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &MMU{spareRoom: mmuSpareRoom(c.Rule), cell: c.Cell, inverse: mmuInverse(c.Cell), overhead: c.Overhead, roundUp: uint64(c.Overhead) + uint64(c.Cell) - 1, rule: c.Rule, slices: c.Slices,
		state: make([]mmuSlice, c.Slices)}
	for range c.Slices {
		for _, g := range c.Groups {
			m.groups = append(m.groups, mmuGroup{MMUGroup: g})
		}
		for _, q := range c.Queues {
			m.queues = append(m.queues, mmuQueue{MMUQueue: q})
		}
		for i, p := range c.Pools {
			m.pools = append(m.pools, newMMUPool(p, mmuMembers(c.Groups, i)))
		}
		for i, p := range c.EgressPools {
			m.epools = append(m.epools, newMMUPool(p, mmuQueueMembers(c.Queues, i)))
		}
		for _, n := range c.HeadroomPools {
			m.spare = append(m.spare, mmuPool{limit: n})
		}
		for _, p := range c.PortPools {
			m.ports = append(m.ports, mmuPort{MMUPortPool: p})
		}
		for _, p := range c.EgressPortPools {
			m.eports = append(m.eports, mmuPort{MMUPortPool: p})
		}
		m.global = append(m.global, mmuPool{limit: c.GlobalHeadroom})
	}
	m.sizes = mmuSizes{len(c.Groups), len(c.Queues), len(c.Pools), len(c.EgressPools), len(c.HeadroomPools), len(c.PortPools), len(c.EgressPortPools)}
	m.prepare()
	return m, nil
}

func mmuMembers(groups []MMUGroup, pool int) (n int) {
	for _, g := range groups {
		if g.Pool == pool {
			n++
		}
	}
	return n
}

func mmuQueueMembers(queues []MMUQueue, pool int) (n int) {
	for _, q := range queues {
		if q.Pool == pool {
			n++
		}
	}
	return n
}

func mmuSpareRoom(r MMURule) uint8 {
	if r.PauseAtLimit {
		return 1
	}
	return 0
}

// Validate refuses what NewMMU refuses.
func (c *MMUConfig) Validate() error {
	var bad []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	count := func(n cells.Count, format string, args ...any) {
		need(n >= 0 && n <= mmuMost, "%s: %d cells (accepted: 0 to %d)", fmt.Sprintf(format, args...), n, mmuMost)
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
		if err := g.validate(); err != nil {
			bad = append(bad, fmt.Errorf("groups[%d].%w", i, err))
		}
	}
	for i, q := range c.Queues {
		need(q.Pool >= 0 && q.Pool < len(c.EgressPools), "queues[%d].pool: %d (accepted: one of %d egress pools)", i, q.Pool, len(c.EgressPools))
		need(q.PortPool >= 0 && q.PortPool <= len(c.EgressPortPools), "queues[%d].port pool: %d (accepted: 0 to %d)", i, q.PortPool, len(c.EgressPortPools))
		count(q.Reserved, "queues[%d].reserved", i)
		need(q.Priority >= 0 && q.Priority < mmuPriorities, "queues[%d].priority: %d (accepted: 0 to %d)", i, q.Priority, mmuPriorities-1)
	}
	return errors.Join(bad...)
}

// mmuMost is the largest count of cells that an account may have.
const mmuMost cells.Count = 1 << 40

// validate refuses a group's own numbers.
func (g *MMUGroup) validate() error {
	switch {
	case g.Reserved < 0 || g.Reserved > mmuMost:
		return fmt.Errorf("reserved: %d cells (accepted: 0 to %d)", g.Reserved, mmuMost)
	case g.Headroom < 0 || g.Headroom > mmuMost:
		return fmt.Errorf("headroom: %d cells (accepted: 0 to %d)", g.Headroom, mmuMost)
	case g.Priority < 0 || g.Priority >= mmuPriorities:
		return fmt.Errorf("priority: %d (accepted: 0 to %d)", g.Priority, mmuPriorities-1)
	case g.Headroom > 0 && !g.Lossless:
		return fmt.Errorf("headroom: %d cells of a lossy group (accepted: 0)", g.Headroom)
	}
	if err := g.XON.Validate(); err != nil {
		return fmt.Errorf("xon: %w", err)
	}
	return g.Stage.validate(g)
}

// validate refuses thresholds that never pause, or that pause and resume at once.
func (s MMUStage) validate(g *MMUGroup) error {
	switch {
	case s == MMUStage{}:
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
