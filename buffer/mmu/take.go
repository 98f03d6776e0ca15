package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
)

// Take admits a packet as [MMU.Arrive] does, if nothing but counting follows from it: no drop, no XOFF, and one of
// the usual accounts. It returns false if that is not certain, and changes nothing then. A caller that must not lose
// time on a [Verdict] tries Take first.
//
// A packet is taken if it would fit even with its own cells taken from the pool first. Limits only fall while a pool
// fills, so the packet then fits below the limit before it and after it, as every [Rule] asks. With
// [Rule].PauseAtLimit a second packet of its length must fit too, so that XOFF is not late. Headroom takes the packet
// of a group that is paused already.
func (m *MMU) Take(p Packet) bool {
	g, n := &m.groups[p.Slice*m.sizes.groups+p.Group], m.shortCells(p.Bytes)
	switch {
	case !g.takes.lets(p.Bytes):
		return m.takeOwn(p, g, n)
	case !g.admits(n * m.needs):
		return m.takeWhilePaused(p, g, n)
	}
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.own != 0 || !q.admits(n) {
			return q.takeFromSeveral(n) && m.intoShared(g, n)
		}
		q.add(n)
	}
	m.counts.Admitted++
	g.add(n)
	return true
}

// intoShared is the end of Take for a packet whose queue has taken it.
func (m *MMU) intoShared(g *liveGroup, n cells.Count) bool {
	m.counts.Admitted++
	g.add(n)
	return true
}

// takeOwn is Take for a group that has reserved cells left, or does not let packets go the plain way.
func (m *MMU) takeOwn(p Packet, g *liveGroup, n cells.Count) bool {
	if n*m.needs > g.own || !isShort(p.Bytes) {
		return m.takeFromSeveral(p, g, n)
	}
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.own != 0 || !q.admits(n) {
			return q.takeFromSeveral(n) && m.intoReserved(g, n)
		}
		q.add(n)
	}
	return m.intoReserved(g, n)
}

// intoReserved is the end of takeOwn.
func (m *MMU) intoReserved(g *liveGroup, n cells.Count) bool {
	m.counts.Admitted++
	g.held.Reserved += n
	if g.own -= n; g.own == 0 {
		if g.takes = longestShort; g.port != nil {
			g.settle()
		}
	}
	return true
}

// takeFromSeveral is Take for a group that has reserved cells left, but not for the whole packet, or a limit for its
// port.
func (m *MMU) takeFromSeveral(p Packet, g *liveGroup, n cells.Count) bool {
	own, more := min(n, max(g.own, 0)), n*m.needs-n
	rest := n - own
	if !g.short || !isShort(p.Bytes) || n+more > g.own && !(g.admits(rest+more) && g.port.within(rest+more)) ||
		m.sizes.queues > 0 && !m.queues[p.Slice*m.sizes.queues+p.Queue].take(n) {
		return false
	}
	m.counts.Admitted++
	if own > 0 {
		g.held.Reserved += own
		g.settle()
	}
	g.add(rest)
	if g.port != nil {
		g.port.shared += rest
	}
	return true
}

// takeWhilePaused is Take for a group without room in its pool. If it is paused already, its headroom takes the cells
// that its limit refuses, and for which its pool has room.
func (m *MMU) takeWhilePaused(p Packet, g *liveGroup, n cells.Count) bool {
	free := g.pool.limit - g.pool.used
	if !g.gate.Paused() || g.tight || g.held.Headroom+n > g.Headroom || free < n ||
		g.spare != nil && g.spare.used+n > g.spare.limit {
		return false
	}
	if m.rule.LimitAfter {
		free -= n
	}
	if g.shared+n <= max(g.sure, free*g.factor>>alphaBits) {
		return false
	}
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.own != 0 || !q.admits(n) {
			return q.takeFromSeveral(n) && m.intoHeadroom(g, n)
		}
		q.add(n)
	}
	return m.intoHeadroom(g, n)
}

// intoHeadroom is the end of takeWhilePaused.
func (m *MMU) intoHeadroom(g *liveGroup, n cells.Count) bool {
	m.counts.Admitted++
	g.held.Headroom += n
	g.peakHeadroom = max(g.peakHeadroom, g.held.Headroom)
	if g.spare != nil {
		g.spare.take(n)
	}
	return true
}

// take charges n cells to a queue. It returns false, and changes nothing, if it is not certain that they fit.
func (q *liveQueue) take(n cells.Count) bool {
	if q.own != 0 || !q.admits(n) {
		return q.takeFromSeveral(n)
	}
	q.add(n)
	return true
}

// takeFromSeveral is take for a queue that has reserved cells left, or a limit for its port, or no room.
func (q *liveQueue) takeFromSeveral(n cells.Count) bool {
	own := min(n, max(q.Reserved-q.reserved, 0))
	rest := n - own
	if !q.short || rest > 0 && !(q.admits(rest) && q.port.within(rest)) {
		return false
	}
	if own > 0 {
		q.reserved += own
		q.settle()
	}
	if rest == 0 {
		return true
	}
	q.add(rest)
	if q.port != nil {
		q.port.shared += rest
	}
	return true
}
