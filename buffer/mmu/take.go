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
	k := &g.fast
	if uint64(p.Bytes) >= g.below {
		return false
	}
	hi, _ := bits.Mul64(uint64(p.Bytes)+m.roundUp, m.inverse)
	n := cells.Count(hi)
	own := k.fromReserved(g.held.Reserved, n)
	rest := n - own
	more := n<<m.spareRoom - n
	pool := k.pool
	if !(k.fits(g.held.Shared, rest+more) && k.within(rest+more) || g.held.Reserved+n+more <= k.reserved) {
		return own == 0 && m.takeWhilePaused(p, g, n)
	}
	if n == 0 || m.sizes.queues > 0 && !m.queues[p.Slice*m.sizes.queues+p.Queue].take(n) {
		return false
	}
	m.counts.Admitted++
	g.held.Reserved += own
	if rest == 0 {
		return true
	}
	shared := g.held.Shared
	if shared == 0 {
		pool.busy[k.priority&(priorities-1)]++
	}
	shared += rest
	g.held.Shared = shared
	if shared > g.peakShared {
		g.peakShared = shared
	}
	pool.take(rest)
	if k.port != nil {
		k.port.shared += rest
	}
	return true
}

// takeWhilePaused puts a packet into the headroom of a group that is already paused, if it belongs there.
func (m *MMU) takeWhilePaused(p Packet, g *liveGroup, n cells.Count) bool {
	k := &g.fast
	free := k.pool.limit - k.pool.used
	if !g.gate.Paused() || k.port != nil || g.Stage.on() || m.rule.LastPacket || free < n ||
		g.held.Headroom+n > g.Headroom {
		return false
	}
	if m.rule.LimitAfter {
		free -= n
	}
	if g.held.Shared+n <= k.limit(free) {
		return false
	}
	var spare *livePool
	if g.HeadroomPool > 0 {
		if spare = m.headroomPool(p.Slice, g); spare.used+n > spare.limit {
			return false
		}
	}
	if m.sizes.queues > 0 && !m.queues[p.Slice*m.sizes.queues+p.Queue].take(n) {
		return false
	}
	m.counts.Admitted++
	g.held.Headroom += n
	g.peakHeadroom = max(g.peakHeadroom, g.held.Headroom)
	if spare != nil {
		spare.take(n)
	}
	return true
}

// take charges n cells to a queue. It returns false, and changes nothing, if it is not certain that they fit.
func (q *liveQueue) take(n cells.Count) bool {
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
	shared := q.shared
	if shared == 0 {
		k.pool.busy[k.priority&(priorities-1)]++
	}
	shared += rest
	q.shared = shared
	if shared > q.peak {
		q.peak = shared
	}
	k.pool.take(rest)
	if k.port != nil {
		k.port.shared += rest
	}
	return true
}
