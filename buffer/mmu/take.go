package mmu

import (
	"math/bits"

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
	g := &m.groups[p.Slice*m.sizes.groups+p.Group]
	if uint64(p.Bytes-1) >= g.below {
		return false
	}
	hi, _ := bits.Mul64(uint64(p.Bytes)+m.roundUp, m.inverse)
	n := cells.Count(hi)
	k := &g.fast
	// What is rare is left to functions that do the rest, so that nothing has to be kept while they are called.
	if g.held.Reserved < k.reserved || k.port != nil {
		if g.held.Reserved+n+n&m.spareRoom > k.reserved {
			return m.takeFromSeveral(p, g, n)
		}
		return m.takeOwn(p, g, n)
	}
	if !k.fits(g.held.Shared, n+n&m.spareRoom) {
		return m.takeWhilePaused(p, g, n)
	}
	if m.sizes.queues > 0 {
		// This is take, which is too long to be inlined.
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		f := &q.fast
		switch {
		case q.open:
			if f.pool.used+n > f.pool.limit {
				return false
			}
		case q.several || q.reserved < f.reserved:
			return q.takeFromSeveral(n) && m.takeShared(g, n)
		case !f.fits(q.shared, n):
			return false
		}
		f.add(&q.shared, &q.peak, n)
	}
	m.counts.Admitted++
	k.add(&g.held.Shared, &g.peakShared, n)
	return true
}

// takeShared is the end of Take for a packet whose queue has taken it.
func (m *MMU) takeShared(g *liveGroup, n cells.Count) bool {
	m.counts.Admitted++
	g.fast.add(&g.held.Shared, &g.peakShared, n)
	return true
}

// takeOwn is the end of Take for a packet for which the group has reserved cells.
func (m *MMU) takeOwn(p Packet, g *liveGroup, n cells.Count) bool {
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.openFor(n) {
			q.fast.add(&q.shared, &q.peak, n)
		} else if !q.take(n) {
			return false
		}
	}
	m.counts.Admitted++
	g.held.Reserved += n
	return true
}

// takeWhilePaused is the end of Take for a group without room in its pool.
func (m *MMU) takeWhilePaused(p Packet, g *liveGroup, n cells.Count) bool {
	if !g.gate.Paused() || g.held.Headroom+n > g.headroom || !m.onlyHeadroom(g, n) {
		return false
	}
	if g.HeadroomPool > 0 {
		return m.takeSpare(p, g, n)
	}
	if m.sizes.queues > 0 {
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		if q.openFor(n) {
			q.fast.add(&q.shared, &q.peak, n)
		} else if !q.take(n) {
			return false
		}
	}
	m.counts.Admitted++
	g.held.Headroom += n
	g.peakHeadroom = max(g.peakHeadroom, g.held.Headroom)
	return true
}

// takeSpare is the end of takeWhilePaused for a group whose headroom is in a pool.
func (m *MMU) takeSpare(p Packet, g *liveGroup, n cells.Count) bool {
	spare := m.headroomPool(p.Slice, g)
	if spare.used+n > spare.limit || m.sizes.queues > 0 && !m.queues[p.Slice*m.sizes.queues+p.Queue].take(n) {
		return false
	}
	m.counts.Admitted++
	m.addHeadroom(p.Slice, g, n)
	return true
}

// takeFromSeveral is Take for a group that has reserved cells left, or a limit for its port.
func (m *MMU) takeFromSeveral(p Packet, g *liveGroup, n cells.Count) bool {
	k := &g.fast
	own := k.fromReserved(g.held.Reserved, n)
	rest, more, headroom := n-own, n&m.spareRoom, false
	if g.held.Reserved+n+more > k.reserved && !(k.fits(g.held.Shared, rest+more) && k.within(rest+more)) {
		if own != 0 || !m.takesWhilePaused(p.Slice, g, n) {
			return false
		}
		headroom = true
	}
	if m.sizes.queues > 0 && !m.queues[p.Slice*m.sizes.queues+p.Queue].take(n) {
		return false
	}
	m.counts.Admitted++
	if headroom {
		m.addHeadroom(p.Slice, g, n)
		return true
	}
	g.held.Reserved += own
	if rest == 0 {
		return true
	}
	k.add(&g.held.Shared, &g.peakShared, rest)
	if k.port != nil {
		k.port.shared += rest
	}
	return true
}

// takesWhilePaused tells whether the headroom of a group that is already paused takes n cells, and no other account does.
func (m *MMU) takesWhilePaused(slice int, g *liveGroup, n cells.Count) bool {
	if !g.gate.Paused() || g.held.Headroom+n > g.headroom || !m.onlyHeadroom(g, n) {
		return false
	}
	if g.HeadroomPool == 0 {
		return true
	}
	spare := m.headroomPool(slice, g)
	return spare.used+n <= spare.limit
}

// onlyHeadroom tells whether the limit of a group refuses it n shared cells, for which its pool has room.
func (m *MMU) onlyHeadroom(g *liveGroup, n cells.Count) bool {
	free := g.fast.pool.limit - g.fast.pool.used
	if free < n {
		return false
	}
	if m.rule.LimitAfter {
		free -= n
	}
	return g.held.Shared+n > g.fast.limit(free)
}

// addHeadroom charges n cells to the headroom of a group, and to its pool.
func (m *MMU) addHeadroom(slice int, g *liveGroup, n cells.Count) {
	if g.held.Headroom += n; g.held.Headroom > g.peakHeadroom {
		g.peakHeadroom = g.held.Headroom
	}
	if g.HeadroomPool > 0 {
		m.headroomPool(slice, g).take(n)
	}
}

// openFor tells whether nothing but its pool limits the queue, and the pool has room for n cells.
func (q *liveQueue) openFor(n cells.Count) bool {
	return q.open && q.fast.pool.used+n <= q.fast.pool.limit
}

// take charges n cells to a queue. It returns false, and changes nothing, if it is not certain that they fit.
func (q *liveQueue) take(n cells.Count) bool {
	k := &q.fast
	if q.several || q.reserved < k.reserved {
		return q.takeFromSeveral(n)
	}
	if !k.fits(q.shared, n) {
		return false
	}
	k.add(&q.shared, &q.peak, n)
	return true
}

// takeFromSeveral is take for a queue that has reserved cells left, a limit for its port, or no fast path.
func (q *liveQueue) takeFromSeveral(n cells.Count) bool {
	k := &q.fast
	own := k.fromReserved(q.reserved, n)
	rest := n - own
	if !k.ok || !(k.fits(q.shared, rest) && k.within(rest) || rest == 0) {
		return false
	}
	q.reserved += own
	if rest == 0 {
		return true
	}
	k.add(&q.shared, &q.peak, rest)
	if k.port != nil {
		k.port.shared += rest
	}
	return true
}
