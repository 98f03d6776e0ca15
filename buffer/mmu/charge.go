package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// charge charges an admitted packet to the ingress accounts.
func (m *MMU) charge(slice int, g *liveGroup, pool *livePool, port *livePort, v *Verdict) {
	g.held.Reserved += v.Reserved
	if m.rule.ReservedShared {
		pool.take(v.Reserved)
	}
	if port != nil {
		g.held.Port += v.Port
		port.reserved += v.Port
	}
	m.chargeShared(g, pool, v.Shared)
	if v.Headroom > 0 {
		g.held.Headroom += v.Headroom
		g.peakHeadroom = max(g.peakHeadroom, g.held.Headroom)
		if g.spare != nil {
			g.spare.take(v.Headroom)
		}
		if m.rule.HeadroomShared {
			pool.take(v.Headroom)
		}
		if g.Stage.on() {
			m.state[slice].waiting += v.Headroom
		}
	}
	if v.Global > 0 {
		g.held.Global += v.Global
		m.global[slice].take(v.Global)
	}
	g.settle()
}

// chargeShared charges n cells to the shared accounts of a group.
func (m *MMU) chargeShared(g *liveGroup, pool *livePool, n cells.Count) {
	if n == 0 {
		return
	}
	if g.shared == 0 && pool.policy != nil {
		pool.busy[g.Priority]++
	}
	g.add(n)
	if g.port != nil {
		g.port.shared += n
	}
}

// chargeQueue charges an admitted packet to the egress accounts.
func (m *MMU) chargeQueue(q *liveQueue, reserved, shared cells.Count) {
	q.reserved += reserved
	q.settle()
	if shared == 0 {
		return
	}
	if q.shared == 0 && q.pool.policy != nil {
		q.pool.busy[q.Priority]++
	}
	q.add(shared)
	if q.port != nil {
		q.port.shared += shared
	}
}

// dischargeShared takes n cells from the shared and then from the reserved cells of a group that Leave knows.
func (g *liveGroup) dischargeShared(n cells.Count) {
	if k := min(n, g.shared); k > 0 {
		g.remove(k)
		n -= k
	}
	if n > 0 {
		g.held.Reserved -= n
		g.takes = 0
		if g.own += n; g.own == 0 { // it held more than its reserved cells, which had been made fewer
			g.takes = longestShort
		}
	}
}

// discharge takes n cells from the ingress accounts, in the order that Leave documents.
func (m *MMU) discharge(slice int, g *liveGroup, pool *livePool, port *livePort, n cells.Count) {
	if k := min(n, g.held.Global); k > 0 {
		g.held.Global -= k
		m.global[slice].used -= k
		n -= k
	}
	if !g.Stage.on() {
		n -= m.takeHeadroom(slice, g, n)
	}
	if m.rule.ReservedLast {
		n -= m.takeReserved(g, pool, n)
	}
	k := min(n, g.shared)
	if g.remove(k); g.shared == 0 && k > 0 && pool.policy != nil {
		pool.busy[g.Priority]--
	}
	n -= k
	if port != nil {
		port.shared -= k
		k = min(n, g.held.Port)
		g.held.Port -= k
		port.reserved -= k
		n -= k
	}
	if n -= m.takeReserved(g, pool, n); n > 0 {
		m.takeHeadroom(slice, g, n)
	}
	g.settle()
}

// takeReserved takes up to n cells from the reserved ones, and returns how many.
func (m *MMU) takeReserved(g *liveGroup, pool *livePool, n cells.Count) cells.Count {
	k := min(n, g.held.Reserved)
	g.held.Reserved -= k
	if m.rule.ReservedShared {
		pool.used -= k
	}
	return k
}

// takeHeadroom takes up to n cells from the headroom, and returns how many.
func (m *MMU) takeHeadroom(slice int, g *liveGroup, n cells.Count) cells.Count {
	k := min(n, g.held.Headroom)
	if k == 0 {
		return 0
	}
	g.held.Headroom -= k
	if g.spare != nil {
		g.spare.used -= k
	}
	if m.rule.HeadroomShared {
		g.pool.used -= k
	}
	if g.Stage.on() {
		m.state[slice].waiting -= k
	}
	return k
}

// dischargeQueue takes n cells from the egress accounts.
func (m *MMU) dischargeQueue(slice, queue int, n cells.Count) {
	q := &m.queues[slice*m.sizes.queues+queue]
	k := n
	if n >= q.shared {
		k = m.emptyQueue(slice, queue, q, n)
	}
	q.remove(k)
	if q.port != nil {
		q.port.shared -= k
	}
}

// emptyQueue takes from the reserved cells what the queue's shared cells do not cover of n. It returns the number of
// shared cells, all of which the caller takes.
func (m *MMU) emptyQueue(slice, queue int, q *liveQueue, n cells.Count) cells.Count {
	if n > q.shared+q.reserved {
		panic(fmt.Sprintf("mmu: queue %d in slice %d gives back %d cells and holds %d", queue, slice, n,
			q.shared+q.reserved))
	}
	if q.shared > 0 && q.pool.policy != nil {
		q.pool.busy[q.Priority]--
	}
	q.reserved -= n - q.shared
	q.settle()
	return q.shared
}
