package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Packet is one arriving packet: where it is charged, and its length.
type Packet struct {
	Slice int
	Group int        // index into Config.Groups
	Queue int        // index into Config.Queues; not read if there are none
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
	// why the shared pool did not take it, though headroom may have; CauseNone: it did
	// or was not asked
	Refused Cause
	XOFF    bool // the group must send XOFF now
}

// MMU is the packet-level admission of a switch: counters of cells, no
// packets, no clock. Arrive and Leave allocate nothing. Copying an MMU shares
// its counters: use [MMU.Clone]. An MMU is not safe for concurrent use.
type MMU struct {
	cell          cells.Size
	inverse       uint64 // of cell
	roundUp       uint64 // overhead, and a cell less a byte
	spareRoom     uint8  // 1: the short way needs room for a second packet; else 0
	overhead      unit.Bytes
	rule          Rule
	slices        int
	sizes         sizes
	groups        []liveGroup // slice after slice
	queues        []liveQueue
	pools         []livePool // ingress pools, slice after slice
	egressPools   []livePool
	ports         []livePort
	egressPorts   []livePort
	headroomPools []livePool // shared headroom pools
	global        []livePool // global headroom of each slice
	state         []liveSlice
	drops         [causes]int64
	counts        Counters
}

// liveSlice is what is known of a slice as a whole.
type liveSlice struct {
	paused  int         // groups that are paused
	waiting cells.Count // cells that wait in a first stage
}

// sizes are the lengths of the lists in one slice.
type sizes struct{ groups, queues, pools, egressPools, headroomPools, ports, egressPorts int }

// Counters counts packets since the MMU was made or reset.
type Counters struct {
	Admitted, Dropped, Left int64 // packets
	XOFF, XON               int64 // to be sent
}

// liveGroup begins with what every packet reads.
type liveGroup struct {
	held         Held
	fast         fastPath
	peakShared   cells.Count
	gate         pg.Gate
	peakHeadroom cells.Count
	member
	Group
}

// member is what a policy may want to know of a group or a queue.
type member struct {
	idle   int64 // DrainFull less its drain
	smooth int64
}

type liveQueue struct {
	reserved, shared, peak cells.Count
	fast                   fastPath
	member
	Queue
}

// livePool is a limit, what is used of it, and the most that ever was. members
// counts the groups or queues that are bound to it, busy those of each priority
// that hold some of its cells.
type livePool struct {
	limit, used, peak cells.Count
	policy            Policy
	smoother          Smoother // policy, if it is one
	members           int
	busy              [priorities]int
	usedAtChange      cells.Count // what was used when the limit was last set: more than the limit may stay
	resumeAtFree      cells.Count // with fewer cells free, no paused group of the pool goes on: see resume.go
}

func newLivePool(p Pool, members int) livePool {
	smoother, _ := p.Policy.(Smoother)
	return livePool{limit: p.Shared, policy: p.Policy, smoother: smoother, members: members}
}

func (p *livePool) take(n cells.Count) {
	if p.used += n; p.used > p.peak {
		p.peak = p.used
	}
}

type livePort struct {
	PortPool
	reserved, shared cells.Count
}

// New returns an empty MMU. It refuses counts below 0, indices that are not
// there and a cell size of 0, with all complaints at once. It keeps no reference
// to the lists of c.
func New(c Config) (*MMU, error) {
	c.Slices = max(c.Slices, 1)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &MMU{spareRoom: spareRoom(c.Rule), cell: c.Cell, inverse: inverse(c.Cell), overhead: c.Overhead,
		roundUp: uint64(c.Overhead) + uint64(c.Cell) - 1, rule: c.Rule, slices: c.Slices,
		state: make([]liveSlice, c.Slices)}
	for range c.Slices {
		for _, g := range c.Groups {
			m.groups = append(m.groups, liveGroup{Group: g})
		}
		for _, q := range c.Queues {
			m.queues = append(m.queues, liveQueue{Queue: q})
		}
		for i, p := range c.Pools {
			m.pools = append(m.pools, newLivePool(p, groupMembers(c.Groups, i)))
		}
		for i, p := range c.EgressPools {
			m.egressPools = append(m.egressPools, newLivePool(p, queueMembers(c.Queues, i)))
		}
		for _, n := range c.HeadroomPools {
			m.headroomPools = append(m.headroomPools, livePool{limit: n})
		}
		for _, p := range c.PortPools {
			m.ports = append(m.ports, livePort{PortPool: p})
		}
		for _, p := range c.EgressPortPools {
			m.egressPorts = append(m.egressPorts, livePort{PortPool: p})
		}
		m.global = append(m.global, livePool{limit: c.GlobalHeadroom})
	}
	m.sizes = sizes{len(c.Groups), len(c.Queues), len(c.Pools), len(c.EgressPools), len(c.HeadroomPools),
		len(c.PortPools), len(c.EgressPortPools)}
	m.prepare()
	return m, nil
}

func groupMembers(groups []Group, pool int) (n int) {
	for _, g := range groups {
		if g.Pool == pool {
			n++
		}
	}
	return n
}

func queueMembers(queues []Queue, pool int) (n int) {
	for _, q := range queues {
		if q.Pool == pool {
			n++
		}
	}
	return n
}

func spareRoom(r Rule) uint8 {
	if r.PauseAtLimit {
		return 1
	}
	return 0
}
