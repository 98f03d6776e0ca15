package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Packet is an arriving packet: its accounts and its length.
type Packet struct {
	Slice int
	Group int        // index into Config.Groups
	Queue int        // index into Config.Queues; unused if that is empty
	Bytes unit.Bytes // from destination address to FCS; the chip's overhead is added
}

// Cause is why an account does not take a packet. The zero Cause means that no limit refuses it.
type Cause uint8

// The causes, in the order in which they are looked at.
const (
	CauseNone            Cause = iota
	CauseGroupLimit            // the group's limit on shared cells
	CausePortLimit             // the port's limit in the ingress pool
	CausePool                  // the ingress pool is full, or the slice stores no more packets
	CauseHeadroom              // the group's headroom is full
	CauseHeadroomPool          // the shared headroom pool is full
	CauseGlobalHeadroom        // the global headroom is full
	CauseQueueLimit            // the egress queue's limit
	CauseEgressPortLimit       // the port's limit in the egress pool
	CauseEgressPool            // the egress pool is full
	causes
)

// causeNames are the names in outputs.
var causeNames = [causes]string{"none", "group limit", "port limit", "pool full", "headroom full", "headroom pool full",
	"global headroom full", "queue limit", "egress port limit", "egress pool full"}

// String returns the name of the cause: "headroom pool full".
func (c Cause) String() string { return named.Of(c, "cause", causeNames[:]...) }

// Egress tells whether the cause is at the egress.
func (c Cause) Egress() bool { return c >= CauseQueueLimit && c < causes }

// Causes lists all causes of a drop.
func Causes() []Cause {
	out := make([]Cause, 0, causes-1)
	for c := CauseGroupLimit; c < causes; c++ {
		out = append(out, c)
	}
	return out
}

// Held is cells by account, of a packet or of a group.
type Held struct {
	Reserved cells.Count // PG-min
	Port     cells.Count // reserved cells of the port
	Shared   cells.Count
	Headroom cells.Count
	Global   cells.Count // global headroom
}

// Total returns the cells of all accounts.
func (h Held) Total() cells.Count { return h.Reserved + h.Port + h.Shared + h.Headroom + h.Global }

// Verdict is what happens to a packet. The zero Verdict is that of an admitted packet without cells.
type Verdict struct {
	Held          // the ingress accounts that took it; zero if it is dropped
	QueueReserved cells.Count
	QueueShared   cells.Count
	Drop          Cause // why the packet is dropped; CauseNone: it is admitted
	// Refused is why the shared pool refused the packet; headroom may have
	// taken it. CauseNone: the pool took it, or was not needed.
	Refused Cause
	XOFF    bool // the group must send XOFF now
	// Trim is above 0 for a packet that is dropped and whose first [Config.Trim] bytes are kept: they are in the queue
	// with this number, from 1, and leave from it as a packet of their own. The accounts are those of the rest.
	Trim int
}

// MMU is the packet-level admission of a switch: counters of cells, without packets and without a clock. Arrive and
// Leave allocate nothing. A copy of an MMU shares its counters: use [MMU.Clone]. An MMU is not safe for concurrent use.
type MMU struct {
	// What every packet reads comes first.
	groups  []liveGroup // of slice 0, then of slice 1, and so on; so are the other lists
	inverse uint64      // of the cell size: see inverse
	roundUp uint64      // the overhead plus the cell size minus 1, which is what rounding up adds, times the inverse
	// for how many packets of its length Take needs room: 2 under Rule.PauseAtLimit, otherwise 1
	needs         cells.Count
	sizes         sizes
	queues        []liveQueue
	counts        Counters
	cell          cells.Size
	overhead      unit.Bytes
	rule          Rule
	slices        int
	pools         []livePool // ingress pools, slice after slice
	egressPools   []livePool
	ports         []livePort
	egressPorts   []livePort
	headroomPools []livePool // shared headroom pools
	global        []livePool // global headroom of each slice
	state         []liveSlice
	packets       int64 // most packets of a slice; 0: no limit
	ordered       bool  // the order in which packets leave matters: see Calm
	drops         [causes]int64
	trim          unit.Bytes // of the queues that trim: Config.Trim
}

// liveSlice is the state of a whole slice.
type liveSlice struct {
	paused  int         // number of paused groups
	waiting cells.Count // cells that wait in a first stage: see Stage
	packets int64       // packets that are stored; counted only where they are limited
}

// sizes are the lengths of the lists in one slice.
type sizes struct{ groups, queues, pools, egressPools, headroomPools, ports, egressPorts int }

// Counters counts packets since the MMU was made or reset.
type Counters struct {
	Admitted, Dropped, Left int64 // packets
	XOFF, XON               int64 // signals that were to be sent
	// Trimmed is packets, among Dropped, that were trimmed (SAI_QUEUE_STAT_TRIM_PACKETS), and TrimDropped those, among
	// Trimmed, whose rest found no room either (DROPPED_TRIM_PACKETS). The other rests leave as packets and are among
	// Admitted.
	Trimmed, TrimDropped int64
}

// liveGroup is the state of a group. What every packet reads is its first line of the cache.
type liveGroup struct {
	member
	takes, leaves lengths // of Take, and of Leave
	held          apart
	gate          pg.Gate
	peakHeadroom  cells.Count
	spare         *livePool // the headroom pool; nil: it has none
	port          *livePort // nil: no port limits it
	rank          int32     // of a lossless group: its place in the wake index of its pool
	short         bool      // Take and Leave know all its rules, for packets of up to longestShort
	staged        bool      // cells can wait in a first stage of its slice
	simple        bool      // Leave knows how it gives back headroom
	tight         bool      // Take may not use its headroom
	Group
}

// apart is the cells that a group holds apart from those of its pool.
type apart struct{ Reserved, Headroom, Port, Global cells.Count }

// accounts are all cells of a group.
func (g *liveGroup) accounts() Held {
	return Held{g.held.Reserved, g.held.Port, g.shared, g.held.Headroom, g.held.Global}
}

// total returns the number of cells that the group holds.
func (g *liveGroup) total() cells.Count {
	return g.shared + g.held.Reserved + g.held.Headroom + g.held.Port + g.held.Global
}

// liveQueue is the state of an egress queue. What every packet reads is its first line of the cache.
type liveQueue struct {
	member
	reserved cells.Count
	port     *livePort // nil: no port limits it
	Queue
	short bool    // Take and Leave know all its rules
	_     [7]byte // to a whole line of the cache
}

// livePool is the state of a pool: its limit, the cells in use, and the most that were in use.
type livePool struct {
	limit, used, peak cells.Count
	slice             *liveSlice // of an ingress pool: to which it belongs
	wake              wakeIndex  // of an ingress pool: which paused groups may be resumed
	policy            Policy
	members           int             // groups or queues that use the pool
	busy              [priorities]int // for the policy: members of each priority that hold cells of the pool
	// cells in use when the limit was last changed: they may exceed the limit until they leave
	usedAtChange cells.Count
}

// take charges cells to the pool.
func (p *livePool) take(n cells.Count) {
	if p.used += n; p.used > p.peak {
		p.peak = p.used
	}
}

// livePort is the state of a port in a pool.
type livePort struct {
	PortPool
	reserved, shared cells.Count
}

// New returns an empty MMU. It refuses what Config.Validate refuses. It keeps no reference to the lists of c.
func New(c Config) (*MMU, error) {
	c.Slices = max(c.Slices, 1)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &MMU{needs: 1, cell: c.Cell, inverse: inverse(c.Cell), overhead: c.Overhead,
		roundUp: (uint64(c.Overhead) + uint64(c.Cell) - 1) * inverse(c.Cell), rule: c.Rule,
		slices: c.Slices, packets: c.Packets, trim: c.Trim,
		state: make([]liveSlice, c.Slices), groups: make([]liveGroup, 0, c.Slices*len(c.Groups)),
		queues: make([]liveQueue, 0, c.Slices*len(c.Queues))}
	if c.Rule.PauseAtLimit {
		m.needs = 2
	}
	for range c.Slices {
		for _, g := range c.Groups {
			m.groups = append(m.groups, liveGroup{Group: g})
		}
		for _, q := range c.Queues {
			m.queues = append(m.queues, liveQueue{Queue: q})
		}
		for _, p := range c.Pools {
			m.pools = append(m.pools, livePool{limit: p.Shared, policy: p.Policy})
		}
		for _, p := range c.EgressPools {
			m.egressPools = append(m.egressPools, livePool{limit: p.Shared, policy: p.Policy})
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
	for i := range m.groups {
		m.pools[i/len(c.Groups)*len(c.Pools)+m.groups[i].Pool].members++
	}
	for i := range m.queues {
		m.egressPools[i/len(c.Queues)*len(c.EgressPools)+m.queues[i].Pool].members++
	}
	m.prepare()
	return m, nil
}
