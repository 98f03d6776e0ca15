package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Cells returns the number of cells that a packet of this length takes.
func (m *MMU) Cells(p Packet) cells.Count {
	if m.inverse == 0 || uint64(p.Bytes) > longestShort {
		return m.cell.Packet(p.Bytes, m.overhead)
	}
	return m.shortCells(p.Bytes)
}

// inverse returns the inverse of a cell size in units of 2^-inverseUnits, rounded up. A product with it, shifted, is
// the exact quotient for what rounding up makes of a short packet: at most three times 2^16, so that the error stays
// below 1/cell and nothing overflows. A multiplication is several times faster than a division. The result is 0 for a
// size that no chip has.
func inverse(cell cells.Size) uint64 {
	if cell > 1<<16 {
		return 0
	}
	return 1<<inverseUnits/uint64(cell) + 1
}

// inverseUnits are the bits of an inverse behind the point.
const inverseUnits = 40

// Arrive admits a packet or drops it, and says which signal must be sent. Ingress and egress decide independently; the
// packet is dropped unless both admit it.
//
// At the ingress, the packet's cells first use the group's reserved cells, then the port's. All the rest goes to one
// account, the first that has room: shared cells (the limits of the group, the port and the pool must all allow it),
// headroom of a lossless group (its own limit and that of the headroom pool), global headroom. So a packet can use
// reserved and shared cells together, but not shared cells and headroom. The position of the port's reserved cells in
// this order is inferred.
//
// At the egress, the cells first use the queue's reserved cells; the rest goes to shared cells.
//
// XOFF depends on the ingress only. A lossless group sends it with the first packet that finds no shared cells or, with
// [Rule].PauseAtLimit, one packet earlier. If both sides refuse the packet, Drop is the ingress's cause. If only the
// egress refuses it, Drop is the egress's cause: a lossless packet that is dropped there shows that the egress is too
// small for the ingress.
//
// A refused packet of a queue with [Queue.Trim] is cut to [Config.Trim] bytes, which are admitted to the other queue if
// both sides have room for them: then Verdict.Trim says where they are.
//
// An index out of range and a negative length panic.
func (m *MMU) Arrive(p Packet) (v Verdict) {
	m.arrive(p, &v)
	return v
}

// arrive fills in a verdict, which is empty. Arrive itself is inlined, so that no caller copies the verdict. The plain
// way is that of Take, without a call.
func (m *MMU) arrive(p Packet, v *Verdict) {
	g, n := &m.groups[p.Slice*m.sizes.groups+p.Group], m.shortCells(p.Bytes)
	if !g.takes.lets(p.Bytes) || !g.admits(n*m.needs) {
		m.arriveOdd(p, g, v)
		return
	}
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.own != 0 || !q.admits(n) {
			m.arriveOdd(p, g, v)
			return
		}
		q.add(n)
		v.QueueShared = n
	}
	m.counts.Admitted++
	g.add(n)
	v.Shared = n
}

// arriveOdd is Arrive for a packet that does not go the plain way.
func (m *MMU) arriveOdd(p Packet, g *liveGroup, v *Verdict) {
	if !g.short {
		m.arriveByRules(p, g, v)
		return
	}
	q := &noQueue
	if m.sizes.queues > 0 {
		q = &m.queues[p.Slice*m.sizes.queues+p.Queue]
	}
	reserved, shared, headroom := g.held.Reserved, g.shared, g.held.Headroom
	inQueue, inPool := q.reserved, q.shared
	if !m.Take(p) {
		m.arriveByRules(p, g, v)
		return
	}
	// Take changes only these accounts.
	v.Reserved, v.Shared = g.held.Reserved-reserved, g.shared-shared
	v.Headroom = g.held.Headroom - headroom
	if v.Headroom > 0 {
		v.Refused = CauseGroupLimit
	}
	v.QueueReserved, v.QueueShared = q.reserved-inQueue, q.shared-inPool
}

// noQueue is in place of the queue of a packet that has none. It is never changed.
var noQueue liveQueue

// arriveByRules applies all rules, and fills in an empty verdict. Take must give the same result.
func (m *MMU) arriveByRules(p Packet, g *liveGroup, v *Verdict) {
	n, pool, port := m.Cells(p), g.pool, g.port
	full := m.packets > 0 && m.state[p.Slice].packets >= m.packets
	if full {
		v.Drop = CausePool
	} else {
		m.ingress(p.Slice, g, pool, port, n, v)
	}
	var q *liveQueue
	var egress Cause
	if m.sizes.queues > 0 {
		q = &m.queues[p.Slice*m.sizes.queues+p.Queue]
		egress = m.egress(q, n, v)
	}
	if v.Drop == CauseNone {
		v.Drop = egress
	}
	staged := g.Stage.on()
	if v.Refused != CauseNone && g.Lossless && !staged {
		v.XOFF = m.pause(p.Slice, g, m.limit(g, pool, port, n))
	}
	if v.Drop != CauseNone {
		m.drops[v.Drop]++
		m.counts.Dropped++
		v.Held, v.QueueReserved, v.QueueShared = Held{}, 0, 0
		if q != nil && q.Trim > 0 && !g.Lossless {
			m.trimTo(p, q.Trim, g, v)
		}
		return
	}
	m.counts.Admitted++
	if m.packets > 0 {
		m.state[p.Slice].packets++
	}
	m.charge(p.Slice, g, pool, port, v)
	if q != nil {
		m.chargeQueue(q, v.QueueReserved, v.QueueShared)
	}
	if staged && g.held.Headroom > g.Stage.XOFF ||
		!staged && m.rule.PauseAtLimit && g.Lossless && !g.gate.Paused() && m.full(g, pool, port, n) {
		v.XOFF = m.pause(p.Slice, g, m.limit(g, pool, port, n))
	}
}

// trimTo cuts a refused packet, and admits what is left of it to another queue, with the same group: SAI says that the
// packet is resent over another queue, and not that it enters the ingress again. A packet that is not longer than the
// rest goes there whole (SONiC's design of packet trimming, 2.6.1.1).
func (m *MMU) trimTo(p Packet, queue int, g *liveGroup, v *Verdict) {
	p.Bytes, p.Queue = min(p.Bytes, m.trim), queue-1
	m.counts.Trimmed++
	n := m.Cells(p)
	pool, port := g.pool, g.port
	q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
	var rest Verdict
	m.ingress(p.Slice, g, pool, port, n, &rest)
	egress := m.egress(q, n, &rest)
	state := &m.state[p.Slice]
	if rest.Drop != CauseNone || egress != CauseNone || m.packets > 0 && state.packets >= m.packets {
		m.counts.TrimDropped++
		return
	}
	m.counts.Admitted++
	if m.packets > 0 {
		state.packets++
	}
	m.charge(p.Slice, g, pool, port, &rest)
	m.chargeQueue(q, rest.QueueReserved, rest.QueueShared)
	v.Held, v.QueueReserved, v.QueueShared, v.Trim = rest.Held, rest.QueueReserved, rest.QueueShared, queue
}

// ownCells divides n cells: those that the group's and the port's reserved cells take, and the rest.
func ownCells(g *liveGroup, port *livePort, n cells.Count) (reserved, ports, rest cells.Count) {
	reserved = min(n, max(g.Reserved-g.held.Reserved, 0))
	rest = n - reserved
	if port != nil {
		ports = min(rest, max(port.Reserved-port.reserved, 0))
	}
	return reserved, ports, rest - ports
}

// sharedFirst tells whether a group of Rule.ReservedLast finds shared cells for
// a packet, or reserved ones for all of it.
func (m *MMU) sharedFirst(g *liveGroup, pool *livePool, port *livePort, n cells.Count) (reserved bool, refused Cause) {
	if refused = m.sharedCause(g, pool, port, n); refused == CauseNone {
		return false, CauseNone
	}
	if g.held.Reserved+n <= g.Reserved {
		return true, CauseNone
	}
	return false, refused
}

// ingress decides which ingress accounts take n cells.
func (m *MMU) ingress(slice int, g *liveGroup, pool *livePool, port *livePort, n cells.Count, v *Verdict) {
	rest := n
	if m.rule.ReservedLast {
		reserved, refused := m.sharedFirst(g, pool, port, n)
		switch {
		case reserved:
			v.Reserved = n
			return
		case refused == CauseNone:
			v.Shared = n
			return
		}
		m.refused(slice, g, refused, n, v)
		return
	}
	v.Reserved, v.Port, rest = ownCells(g, port, n)
	if rest == 0 {
		return
	}
	if v.Refused = m.sharedCause(g, pool, port, rest); v.Refused == CauseNone {
		v.Shared = rest
		return
	}
	m.refused(slice, g, v.Refused, rest, v)
}

// refused decides what takes the cells that the shared pool has refused.
func (m *MMU) refused(slice int, g *liveGroup, cause Cause, rest cells.Count, v *Verdict) {
	v.Refused, v.Drop = cause, cause
	if g.Lossless && g.Headroom > 0 {
		if v.Drop = m.headroomCause(g, rest); v.Drop == CauseNone {
			v.Headroom = rest
			return
		}
	}
	if g.GlobalHeadroom {
		global := &m.global[slice]
		if global.used+m.mustFit(rest) <= global.limit {
			v.Drop, v.Global = CauseNone, rest
			return
		}
		v.Drop = CauseGlobalHeadroom
	}
}

// mustFit returns how many of n cells must fit below a limit.
func (m *MMU) mustFit(n cells.Count) cells.Count {
	if m.rule.LastPacket {
		return min(n, 1)
	}
	return n
}

// limit returns the group's limit on shared cells for a packet that needs n.
func (m *MMU) limit(g *liveGroup, pool *livePool, port *livePort, n cells.Count) cells.Count {
	var used cells.Count
	if port != nil {
		used = port.shared
	}
	return m.policyLimit(pool, g.Limit, g.Priority, g.shared, used, n)
}

// policyLimit returns what the pool's policy allows a member.
func (m *MMU) policyLimit(pool *livePool, l thresholds.Limit, priority int, used, portUsed,
	n cells.Count) cells.Count {
	free := pool.limit - pool.used
	if m.rule.LimitAfter {
		free -= m.mustFit(n)
	}
	if pool.policy == nil {
		return l.At(free)
	}
	busy := pool.busy[priority]
	if used == 0 {
		busy++
	}
	return max(pool.policy.Limit(Share{pool.limit, max(free, 0), used, portUsed, l, pool.members, busy}), 0)
}

// sharedCause returns why the shared pool does not take n more cells of the group.
func (m *MMU) sharedCause(g *liveGroup, pool *livePool, port *livePort, n cells.Count) Cause {
	k := m.mustFit(n)
	switch {
	case g.shared+k > m.limit(g, pool, port, n):
		return CauseGroupLimit
	case port != nil && port.Max > 0 && port.shared+k > port.Max:
		return CausePortLimit
	case pool.used+k > pool.limit:
		return CausePool
	}
	return CauseNone
}

// headroomCause returns why the headroom does not take n more cells of the group.
func (m *MMU) headroomCause(g *liveGroup, n cells.Count) Cause {
	k := m.mustFit(n)
	if g.held.Headroom+k > g.Headroom {
		return CauseHeadroom
	}
	if g.spare != nil && g.spare.used+k > g.spare.limit {
		return CauseHeadroomPool
	}
	if m.rule.HeadroomShared && g.pool.used+k > g.pool.limit {
		return CausePool
	}
	return CauseNone
}

// full tells whether the next packet of n cells would find neither reserved nor shared cells.
func (m *MMU) full(g *liveGroup, pool *livePool, port *livePort, n cells.Count) bool {
	if m.rule.ReservedLast {
		_, refused := m.sharedFirst(g, pool, port, n)
		return refused != CauseNone
	}
	_, _, rest := ownCells(g, port, n)
	return rest > 0 && m.sharedCause(g, pool, port, rest) != CauseNone
}

// pause notes that a group is paused. It returns true if XOFF must be sent: the group was not paused before.
func (m *MMU) pause(slice int, g *liveGroup, limit cells.Count) bool {
	if !g.gate.Refused(plus(limit, g.Reserved)) {
		return false
	}
	g.settle()
	m.noteResume(g)
	m.state[slice].paused++
	m.counts.XOFF++
	return true
}

// plus adds to a limit, which can be thresholds.NoLimit.
func plus(limit, n cells.Count) cells.Count {
	if limit > thresholds.NoLimit-n {
		return thresholds.NoLimit
	}
	return limit + n
}

// egress decides which egress accounts take n cells. It returns why they do not.
func (m *MMU) egress(q *liveQueue, n cells.Count, v *Verdict) Cause {
	pool, port := q.pool, q.port
	v.QueueReserved = min(n, max(q.Reserved-q.reserved, 0))
	rest := n - v.QueueReserved
	if rest == 0 {
		return CauseNone
	}
	v.QueueShared = rest
	k := m.mustFit(rest)
	var portUsed cells.Count
	if port != nil {
		portUsed = port.shared
	}
	switch {
	case q.shared+k > m.policyLimit(pool, q.Limit, q.Priority, q.shared, portUsed, rest):
		return CauseQueueLimit
	case port != nil && port.Max > 0 && port.shared+k > port.Max:
		return CauseEgressPortLimit
	case pool.used+k > pool.limit:
		return CauseEgressPool
	}
	return CauseNone
}
