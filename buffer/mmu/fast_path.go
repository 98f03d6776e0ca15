package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Most packets find room, and nothing happens except that they are counted.
// [MMU.Take] and the first part of [MMU.Leave] handle these packets, with what
// this file prepares for each group and queue. All others are handled by
// arriveByRules and leaveByRules, which know all rules. Package internal/golden
// checks that the results are the same.

// fastPath is what the fast paths need to know of a group or a queue. The limit
// of a member, dynamic, static or none, is free<<up>>down + base.
type fastPath struct {
	pool     *livePool
	base     cells.Count
	reserved cells.Count
	port     *livePort // nil: no port limits
	up, down uint8
	priority uint8
	ok       bool  // a fast path may be tried
	rank     int32 // of a lossless group: its place in the wake index of its pool
}

const (
	maxFastBytes = 1 << 30        // longer packets do not take it
	maxFastAlpha = 20             // larger alphas do not take it: 2^40 cells times 2^20 do not overflow
	noMax        = mostCells << 2 // more than any account has, and small enough to add to
)

// newFastPath returns the fast path of a member with a limit. A policy must be
// asked for every packet, so the members of its pool have none.
func newFastPath(l thresholds.Limit, reserved cells.Count, pool *livePool) (k fastPath) {
	k.reserved, k.pool = reserved, pool
	if pool.policy != nil {
		return k
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

// prepare computes all fast paths. It is called after every change of limits,
// because limits are compiled into them.
func (m *MMU) prepare() {
	for i := range m.groups {
		g, slice := &m.groups[i], i/m.sizes.groups
		g.fast = newFastPath(g.Limit, g.Reserved, &m.pools[slice*m.sizes.pools+g.Pool])
		g.fast.pool.slice = &m.state[slice]
		g.fast.port = m.port(slice, g)
		g.fast.priority = uint8(g.Priority)
		g.fast.ok = g.fast.ok && m.rule.plain() && m.packets == 0 && m.inverse != 0 && (g.fast.port == nil || g.fast.port.Reserved == 0)
		if g.below = 0; g.fast.ok {
			g.below = maxFastBytes
		}
		if g.headroom = g.Headroom; g.fast.port != nil || g.Stage.on() || m.rule.LastPacket {
			g.headroom = 0
		}
	}
	for i := range m.queues {
		q, slice := &m.queues[i], i/m.sizes.queues
		q.fast = newFastPath(q.Limit, q.Reserved, &m.egressPools[slice*m.sizes.egressPools+q.Pool])
		q.fast.priority = uint8(q.Priority)
		if q.PortPool > 0 {
			q.fast.port = &m.egressPorts[slice*m.sizes.egressPorts+q.PortPool-1]
		}
		q.several = !q.fast.ok || q.fast.port != nil
		q.open = !q.several && q.Reserved == 0 && q.Limit.Mode() == thresholds.UnlimitedLimit
	}
	m.indexGroups()
	m.ordered = m.slices > 1
}

// indexGroups makes the wake indices of all pools, of the groups that can be paused. Their lists are new, because a
// clone must not share them.
func (m *MMU) indexGroups() {
	members := make([][]int32, m.sizes.pools)
	for s := range m.slices {
		for i := range members {
			members[i] = nil
		}
		for i := range m.sizes.groups {
			g := m.group(s, i)
			if !g.Lossless {
				continue
			}
			g.fast.rank = int32(len(members[g.Pool]))
			members[g.Pool] = append(members[g.Pool], int32(i))
		}
		for i, list := range members {
			m.pools[s*m.sizes.pools+i].wake = newWakeIndex(list)
		}
	}
}

// fromReserved returns how many of n cells the reserved cells take.
func (k *fastPath) fromReserved(reserved, n cells.Count) cells.Count {
	return min(n, max(k.reserved-reserved, 0))
}

// fits tells whether n more shared cells fit below the limit that would hold
// then.
func (k *fastPath) fits(shared, n cells.Count) bool {
	free := k.pool.limit - k.pool.used - n
	return free >= 0 && shared+n <= k.limit(free)
}

// add charges n shared cells to a member, whose shared cells and their peak are given, and to its pool.
func (k *fastPath) add(shared, peak *cells.Count, n cells.Count) {
	if *shared == 0 {
		k.pool.busy[k.priority&(priorities-1)]++
	}
	if *shared += n; *shared > *peak {
		*peak = *shared
	}
	k.pool.take(n)
}

// remove gives back n shared cells of a member, which has at least n.
func (k *fastPath) remove(shared *cells.Count, n cells.Count) {
	if *shared -= n; *shared == 0 {
		k.pool.busy[k.priority&(priorities-1)]--
	}
	k.pool.used -= n
}

// limit is the member's limit with free cells left, which must not be
// negative.
func (k *fastPath) limit(free cells.Count) cells.Count {
	return free<<(k.up&63)>>(k.down&63) + k.base
}

// within tells whether n more cells fit below the port's limit.
func (k *fastPath) within(n cells.Count) bool {
	return k.port == nil || k.port.Max == 0 || k.port.shared+n <= k.port.Max
}
