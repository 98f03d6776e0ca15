package golden

import (
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// MMU is the slow packet-level model: a list of cells, each with its account. There are no counters. Every number is
// counted from the list when it is needed; only watermarks and signals are stored.
type MMU struct {
	sizes  map[poolOf]cells.Count // of pools that were changed
	c      mmu.Config
	cells  []cell
	queued []cell // the same packets at the egress
	paused map[[2]int]cells.Count
	peaks  map[peak]int64
	drops  map[mmu.Cause]int64
}

// cell is one cell of a packet: its owner and its account.
type cell struct {
	slice, owner int // group, or queue
	lies         pile
}

// pile is an account. A group gives back the cells of the highest pile first.
type pile int

const (
	onReserved pile = iota
	onPort
	onShared
	onHeadroom
	onGlobal
)

// member is a group or a queue, for policies.
type member struct {
	egress       bool
	slice, index int
}

// peak names a watermark.
type peak struct {
	account      mmu.Account
	slice, index int
}

// NewMMU returns an empty model. The config must be valid.
func NewMMU(c mmu.Config) *MMU {
	c.Slices = max(c.Slices, 1)
	c.Groups = slices.Clone(c.Groups)
	return &MMU{c: c, sizes: map[poolOf]cells.Count{}, paused: map[[2]int]cells.Count{}, peaks: map[peak]int64{},
		drops: map[mmu.Cause]int64{}}
}

// ClearWatermarks sets the watermarks to what is held now.
func (m *MMU) ClearWatermarks() {
	m.peaks = map[peak]int64{}
	m.remember()
}

// PoolKind is one of the lists of pools whose sizes can change.
type PoolKind int

// The lists of pools.
const (
	IngressPools PoolKind = iota
	HeadroomPools
)

// poolOf names a pool of a slice.
type poolOf struct {
	kind        PoolKind
	slice, pool int
}

// SetPool changes the size of a pool in one slice.
func (m *MMU) SetPool(kind PoolKind, slice, pool int, n cells.Count) {
	m.sizes[poolOf{kind, slice, pool}] = n
	m.settle(slice, 0)
}

// ingressPool returns a pool with its present size.
func (m *MMU) ingressPool(slice, pool int) mmu.Pool {
	p := m.c.Pools[pool]
	p.Shared = m.size(poolOf{IngressPools, slice, pool}, p.Shared)
	return p
}

// headroomPool returns the present size of a headroom pool.
func (m *MMU) headroomPool(slice, pool int) cells.Count {
	return m.size(poolOf{HeadroomPools, slice, pool}, m.c.HeadroomPools[pool])
}

// size returns the present size of a pool.
func (m *MMU) size(p poolOf, configured cells.Count) cells.Count {
	if n, ok := m.sizes[p]; ok {
		return n
	}
	return configured
}

// SetGroup changes the limits of a group.
func (m *MMU) SetGroup(group int, to mmu.Group) {
	m.c.Groups[group] = to
	for s := range m.c.Slices {
		m.settle(s, group)
	}
}

// count counts cells.
func (m *MMU) count(list []cell, is func(cell) bool) (n cells.Count) {
	for _, c := range list {
		if is(c) {
			n++
		}
	}
	return n
}

// on counts a group's cells in one account.
func (m *MMU) on(slice, group int, p pile) cells.Count {
	return m.count(m.cells, func(c cell) bool { return c == cell{slice, group, p} })
}

// among counts the cells in one account of all groups for which is holds.
func (m *MMU) among(slice int, p pile, is func(mmu.Group) bool) cells.Count {
	return m.count(m.cells, func(c cell) bool { return c.slice == slice && c.lies == p && is(m.c.Groups[c.owner]) })
}

// queuedAmong counts the shared cells of egress queues.
func (m *MMU) queuedAmong(slice int, is func(mmu.Queue) bool) cells.Count {
	return m.count(m.queued, func(c cell) bool {
		return c.slice == slice && c.lies == onShared &&
			is(m.c.Queues[c.owner])
	})
}

// poolUsed counts the shared cells of a pool.
func (m *MMU) poolUsed(slice, pool int) cells.Count {
	return m.among(slice, onShared, func(g mmu.Group) bool { return g.Pool == pool })
}

// portShared counts the shared cells of a port.
func (m *MMU) portShared(slice, port int) cells.Count {
	return m.among(slice, onShared, func(g mmu.Group) bool { return g.PortPool == port })
}

// fitting is how many of n cells must fit below a limit.
func (m *MMU) fitting(n cells.Count) cells.Count {
	if m.c.Rule.LastPacket && n > 1 {
		return 1
	}
	return n
}

// allowed asks the pool's policy.
func (m *MMU) allowed(who member, p mmu.Pool, used, own, port cells.Count, l thresholds.Limit, members, busy int,
	n cells.Count) cells.Count {
	free := p.Shared - used
	if m.c.Rule.LimitAfter {
		free -= m.fitting(n)
	}
	if p.Policy == nil {
		return max(l.At(max(free, 0)), 0)
	}
	return max(p.Policy.Limit(mmu.Share{Pool: p.Shared, Free: max(free, 0), Used: own, PortUsed: port, Limit: l,
		Members: members, Busy: busy}), 0)
}

// groupLimit is a group's limit on shared cells for a packet of n cells.
func (m *MMU) groupLimit(slice, group int, n cells.Count) cells.Count {
	g := m.c.Groups[group]
	members, busy := 0, 0
	for i, o := range m.c.Groups {
		if o.Pool == g.Pool {
			members++
			if o.Priority == g.Priority && (i == group || m.on(slice, i, onShared) > 0) {
				busy++
			}
		}
	}
	var port cells.Count
	if g.PortPool > 0 {
		port = m.portShared(slice, g.PortPool)
	}
	return m.allowed(member{false, slice, group}, m.ingressPool(slice, g.Pool), m.poolUsed(slice, g.Pool),
		m.on(slice, group, onShared), port, g.Limit, members, busy, n)
}

// withReserved adds the reserved cells to a limit.
func withReserved(limit, reserved cells.Count) cells.Count {
	if limit > thresholds.NoLimit-reserved {
		return thresholds.NoLimit
	}
	return limit + reserved
}

// owned divides n cells among the reserved accounts and returns the rest.
func (m *MMU) owned(slice, group int, n cells.Count) (reserved, port, rest cells.Count) {
	g := m.c.Groups[group]
	reserved = min(n, max(0, g.Reserved-m.on(slice, group, onReserved)))
	if g.PortPool > 0 {
		held := m.among(slice, onPort, func(o mmu.Group) bool { return o.PortPool == g.PortPool })
		port = min(n-reserved, max(0, m.c.PortPools[g.PortPool-1].Reserved-held))
	}
	return reserved, port, n - reserved - port
}

// shared is why the shared cells do not take n more cells of a group.
func (m *MMU) shared(slice, group int, n cells.Count) mmu.Cause {
	g := m.c.Groups[group]
	k := m.fitting(n)
	if m.on(slice, group, onShared)+k > m.groupLimit(slice, group, n) {
		return mmu.CauseGroupLimit
	}
	if g.PortPool > 0 {
		if most := m.c.PortPools[g.PortPool-1].Max; most > 0 && m.portShared(slice, g.PortPool)+k > most {
			return mmu.CausePortLimit
		}
	}
	if m.poolUsed(slice, g.Pool)+k > m.ingressPool(slice, g.Pool).Shared {
		return mmu.CausePool
	}
	return mmu.CauseNone
}

// headroom is why the headroom does not take n more cells of a group.
func (m *MMU) headroom(slice, group int, n cells.Count) mmu.Cause {
	g := m.c.Groups[group]
	k := m.fitting(n)
	if m.on(slice, group, onHeadroom)+k > g.Headroom {
		return mmu.CauseHeadroom
	}
	if g.HeadroomPool > 0 {
		used := m.among(slice, onHeadroom, func(o mmu.Group) bool { return o.HeadroomPool == g.HeadroomPool })
		if used+k > m.headroomPool(slice, g.HeadroomPool-1) {
			return mmu.CauseHeadroomPool
		}
	}
	return mmu.CauseNone
}

// queue is why an egress queue does not take n cells.
func (m *MMU) queue(slice, queue int, n cells.Count) (reserved cells.Count, why mmu.Cause) {
	q := m.c.Queues[queue]
	held := m.count(m.queued, func(c cell) bool { return c == cell{slice, queue, onReserved} })
	reserved = min(n, max(0, q.Reserved-held))
	n -= reserved
	if n == 0 {
		return reserved, mmu.CauseNone
	}
	k := m.fitting(n)
	own := m.count(m.queued, func(c cell) bool { return c == cell{slice, queue, onShared} })
	used := m.queuedAmong(slice, func(o mmu.Queue) bool { return o.Pool == q.Pool })
	members, busy := 0, 0
	for i, o := range m.c.Queues {
		if o.Pool == q.Pool {
			members++
			if o.Priority == q.Priority &&
				(i == queue || m.count(m.queued, func(c cell) bool { return c == cell{slice, i, onShared} }) > 0) {
				busy++
			}
		}
	}
	var port cells.Count
	if q.PortPool > 0 {
		port = m.queuedAmong(slice, func(o mmu.Queue) bool { return o.PortPool == q.PortPool })
	}
	switch pool := m.c.EgressPools[q.Pool]; {
	case own+k > m.allowed(member{true, slice, queue}, pool, used, own, port, q.Limit, members, busy, n):
		return reserved, mmu.CauseQueueLimit
	case q.PortPool > 0 && m.c.EgressPortPools[q.PortPool-1].Max > 0 && port+k > m.c.EgressPortPools[q.PortPool-1].Max:
		return reserved, mmu.CauseEgressPortLimit
	case used+k > pool.Shared:
		return reserved, mmu.CauseEgressPool
	}
	return reserved, mmu.CauseNone
}

// Arrive admits a packet or drops it.
func (m *MMU) Arrive(p mmu.Packet) mmu.Verdict {
	n := m.c.Cell.Packet(p.Bytes, m.c.Overhead)
	g := m.c.Groups[p.Group]
	var v mmu.Verdict
	reserved, port, rest := m.owned(p.Slice, p.Group, n)
	where := onShared
	if rest > 0 {
		v.Refused = m.shared(p.Slice, p.Group, rest)
		v.Drop = v.Refused
		if v.Drop != mmu.CauseNone && g.Lossless && g.Headroom > 0 {
			where, v.Drop = onHeadroom, m.headroom(p.Slice, p.Group, rest)
		}
		if v.Drop != mmu.CauseNone && g.GlobalHeadroom {
			where, v.Drop = onGlobal, mmu.CauseNone
			if m.among(p.Slice, onGlobal, func(mmu.Group) bool { return true })+m.fitting(rest) > m.c.GlobalHeadroom {
				v.Drop = mmu.CauseGlobalHeadroom
			}
		}
	}
	var atEgress cells.Count
	if len(m.c.Queues) > 0 {
		var why mmu.Cause
		if atEgress, why = m.queue(p.Slice, p.Queue, n); v.Drop == mmu.CauseNone {
			v.Drop = why
		}
	}
	staged := g.Stage.XON > 0
	if v.Refused != mmu.CauseNone && g.Lossless && !staged {
		v.XOFF = m.pause(p.Slice, p.Group, n)
	}
	if v.Drop != mmu.CauseNone {
		m.drops[v.Drop]++
		m.trim(p, &v)
		return v
	}
	v.Reserved, v.Port = reserved, port
	*map[pile]*cells.Count{onShared: &v.Shared, onHeadroom: &v.Headroom, onGlobal: &v.Global}[where] = rest
	m.cells = lay(m.cells, p.Slice, p.Group, onReserved, reserved)
	m.cells = lay(m.cells, p.Slice, p.Group, onPort, port)
	m.cells = lay(m.cells, p.Slice, p.Group, where, rest)
	if len(m.c.Queues) > 0 {
		v.QueueReserved, v.QueueShared = atEgress, n-atEgress
		m.queued = lay(m.queued, p.Slice, p.Queue, onReserved, atEgress)
		m.queued = lay(m.queued, p.Slice, p.Queue, onShared, n-atEgress)
	}
	if staged && m.on(p.Slice, p.Group, onHeadroom) > g.Stage.XOFF {
		v.XOFF = m.pause(p.Slice, p.Group, n)
	}
	if m.c.Rule.PauseAtLimit && g.Lossless && !staged {
		if _, _, next := m.owned(p.Slice, p.Group, n); next > 0 && m.shared(p.Slice, p.Group, next) != mmu.CauseNone {
			v.XOFF = m.pause(p.Slice, p.Group, n) || v.XOFF
		}
	}
	m.remember()
	return v
}

// trim lets the beginning of a refused packet arrive at another queue; it is no drop if there is no room for it.
func (m *MMU) trim(p mmu.Packet, v *mmu.Verdict) {
	if len(m.c.Queues) == 0 || m.c.Queues[p.Queue].Trim == 0 || m.c.Groups[p.Group].Lossless {
		return
	}
	queue := m.c.Queues[p.Queue].Trim
	p.Queue, p.Bytes = queue-1, min(p.Bytes, m.c.Trim)
	drops := maps.Clone(m.drops)
	if rest := m.Arrive(p); rest.Drop == mmu.CauseNone {
		v.Held, v.QueueReserved, v.QueueShared, v.Trim = rest.Held, rest.QueueReserved, rest.QueueShared, queue
	}
	m.drops = drops
}

// pause notes the limit at XOFF; false if the group is already paused.
func (m *MMU) pause(slice, group int, n cells.Count) bool {
	if _, already := m.paused[[2]int{slice, group}]; already {
		return false
	}
	m.paused[[2]int{slice, group}] = withReserved(m.groupLimit(slice, group, n), m.c.Groups[group].Reserved)
	return true
}

// lay adds cells to the list.
func lay(list []cell, slice, owner int, where pile, n cells.Count) []cell {
	for range n {
		list = append(list, cell{slice, owner, where})
	}
	return list
}

// The order in which cells are given back.
var (
	highestFirst = []pile{onGlobal, onHeadroom, onShared, onPort, onReserved}
	waitingLast  = []pile{onShared, onPort, onReserved, onHeadroom}
)
