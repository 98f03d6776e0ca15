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
	to := toShared
	switch {
	case g.held.Reserved < k.reserved || k.port != nil:
		if g.held.Reserved+n+n&m.spareRoom > k.reserved {
			return m.takeFromSeveral(p, g, n)
		}
		to = toReserved
	case !k.fits(g.held.Shared, n+n&m.spareRoom):
		if !m.takesWhilePaused(p.Slice, g, n) {
			return false
		}
		to = toHeadroom
	}
	if m.sizes.queues > 0 {
		// This is take, which is too long to be inlined.
		q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
		switch f := &q.fast; {
		case q.open:
			if f.pool.used+n > f.pool.limit {
				return false
			}
			f.add(&q.shared, &q.peak, n)
		case q.several || q.reserved < f.reserved:
			if !q.takeFromSeveral(n) {
				return false
			}
		case !f.fits(q.shared, n):
			return false
		default:
			f.add(&q.shared, &q.peak, n)
		}
	}
	m.counts.Admitted++
	switch to {
	case toShared:
		k.add(&g.held.Shared, &g.peakShared, n)
	case toReserved:
		g.held.Reserved += n
	default:
		m.addHeadroom(p.Slice, g, n)
	}
	return true
}

// The accounts of a group to which Take can charge a packet.
const (
	toShared = iota
	toReserved
	toHeadroom
)

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
	k := &g.fast
	free := k.pool.limit - k.pool.used
	if !g.gate.Paused() || free < n || g.held.Headroom+n > g.headroom {
		return false
	}
	if m.rule.LimitAfter {
		free -= n
	}
	if g.held.Shared+n <= k.limit(free) {
		return false
	}
	if g.HeadroomPool == 0 {
		return true
	}
	spare := m.headroomPool(slice, g)
	return spare.used+n <= spare.limit
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
