package mmu

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Most packets of most chips find room and nothing happens but that they are
// counted. This file takes these, and no others: what it does not take goes the
// long way, which alone knows all rules. Package internal/golden checks that
// nobody can tell.
//
// There are two of them: [MMU.Arrive] itself takes a packet that is all shared
// cells, arrive one that has reserved cells or a port with limits. A packet is
// taken if it would fit with its own cells off the pool: limits only fall while
// a pool fills, so that this implies what every rule asks, that it fits under the
// limit before it and after it. Under PauseAtLimit one more of its length has to
// fit, so that XOFF does not go out early. A packet that goes to the headroom of a
// group which is paused already has a short way of its own.

// fastPath is what the short way has to know of a group or a queue. Its limit,
// dynamic, static or none, is free<<up>>down + base.
type fastPath struct {
	reserved        cells.Count
	base            cells.Count
	pool            *livePool
	slice           *liveSlice // of a group
	port            *livePort  // nil: none
	sharedOnlyBelow uint64     // packets below this length may go the shortest way: there is no port with limits
	up, down        uint8
	ok              bool // the short way may be tried
}

const (
	maxFastBytes = 1 << 30 // longer packets go the long way
	maxFastAlpha = 20      // so do larger alphas: 2^40 cells times 2^20 does not overflow
	noMax        = mostCells << 2
)

// newFastPath tells how a member with this limit goes the short way, if at all.
func newFastPath(l thresholds.Limit, reserved cells.Count, pool *livePool) (k fastPath) {
	k.reserved, k.pool = reserved, pool
	if pool.policy != nil {
		ruled, ok := pool.policy.(FixedRule)
		if !ok {
			return k
		}
		l = ruled.Rule(l, pool.limit, pool.members)
	}
	switch l.Mode() {
	case thresholds.DynamicLimit:
		a := int(l.Alpha())
		k.ok = a <= maxFastAlpha
		k.up, k.down = uint8(min(max(a, 0), 63)), uint8(min(max(-a, 0), 63))
	case thresholds.StaticLimit:
		k.ok, k.down, k.base = true, 63, min(l.Cells(), noMax)
	case thresholds.UnlimitedLimit:
		k.ok, k.down, k.base = true, 63, noMax
	}
	return k
}

// prepare looks at every group and queue anew.
func (m *MMU) prepare() {
	for i := range m.pools {
		m.pools[i].resumeAtFree = alwaysFree
	}
	for i := range m.groups {
		g, slice := &m.groups[i], i/m.sizes.groups
		g.fast = newFastPath(g.Limit, g.Reserved, &m.pools[slice*m.sizes.pools+g.Pool])
		g.fast.slice = &m.state[slice]
		g.fast.port = m.port(slice, g)
		g.fast.ok = g.fast.ok && m.inverse != 0 && (g.fast.port == nil || g.fast.port.Reserved == 0)
		if g.fast.ok && g.fast.port == nil {
			g.fast.sharedOnlyBelow = maxFastBytes
		}
	}
	for i := range m.queues {
		q, slice := &m.queues[i], i/m.sizes.queues
		q.fast = newFastPath(q.Limit, q.Reserved, &m.egressPools[slice*m.sizes.egressPools+q.Pool])
		if q.PortPool > 0 {
			q.fast.port = &m.egressPorts[slice*m.sizes.egressPorts+q.PortPool-1]
		}
	}
}

// fastCells returns a packet's cells if its group may go the short way, else
// 0. A packet that has no cells goes the long way too.
func (m *MMU) fastCells(k *fastPath, b unit.Bytes) cells.Count {
	if !k.ok || uint64(b) >= maxFastBytes {
		return 0
	}
	n, _ := bits.Mul64(uint64(b)+m.roundUp, m.inverse)
	return cells.Count(n)
}

// fromReserved returns how many of n cells the reserved ones take.
func (k *fastPath) fromReserved(reserved, n cells.Count) cells.Count {
	return min(n, max(k.reserved-reserved, 0))
}

// fits tells whether n cells would find room among the shared ones.
func (k *fastPath) fits(shared, n cells.Count) bool {
	free := k.pool.limit - k.pool.used - n
	return free >= 0 && shared+n <= k.limit(free)
}

// limit is the member's limit with so many cells free, 0 or more.
func (k *fastPath) limit(free cells.Count) cells.Count {
	return free<<(k.up&63)>>(k.down&63) + k.base
}

// within tells whether n cells are within the port's limit.
func (k *fastPath) within(n cells.Count) bool {
	return k.port == nil || k.port.Max == 0 || k.port.shared+n <= k.port.Max
}
