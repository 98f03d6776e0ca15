package mmu

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Calm tells whether packets that leave only give back cells: no group is paused, so that none can resume, and no cells
// wait in a first stage. Then it does not matter in which order packets leave, only which of them have left before the
// next one arrives. An MMU of several slices or with a [Smoother] is never calm.
func (m *MMU) Calm() bool {
	s := &m.state[0]
	return s.paused == 0 && s.waiting == 0 && !m.ordered
}

// smooth tells whether the policy of a pool is a Smoother: each packet that leaves is a step of it.
func smooth(pools []livePool) bool {
	for i := range pools {
		if pools[i].smoother != nil {
			return true
		}
	}
	return false
}

// Unnoticed tells whether Take takes a packet, and no account rises above its peak. What has left since then does not
// matter to such a packet of a calm MMU: with more room it is taken as well, and to the same accounts.
func (m *MMU) Unnoticed(p Packet) bool {
	g := &m.groups[p.Slice*m.sizes.groups+p.Group]
	if uint64(p.Bytes-1) >= g.below {
		return false
	}
	hi, _ := bits.Mul64(uint64(p.Bytes)+m.roundUp, m.inverse)
	n := cells.Count(hi)
	if !g.fast.unnoticed(g.held.Reserved, g.held.Shared, g.peakShared, n, n&m.spareRoom) {
		return false
	}
	if m.sizes.queues == 0 {
		return true
	}
	q := &m.queues[p.Slice*m.sizes.queues+p.Queue]
	return q.fast.ok && q.fast.unnoticed(q.reserved, q.shared, q.peak, n, 0)
}

// unnoticed tells whether n more cells fit, with some to spare, and reach no new peak.
func (k *fastPath) unnoticed(reserved, shared, peak, n, spare cells.Count) bool {
	rest := n - k.fromReserved(reserved, n)
	return rest+spare == 0 || k.port == nil && shared+rest <= peak && k.pool.used+rest <= k.pool.peak &&
		k.fits(shared, rest+spare)
}
