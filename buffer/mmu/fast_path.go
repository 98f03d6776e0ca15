package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Most packets find room among the shared cells of their group and of their queue, and nothing happens except that they
// are counted: the plain way, at the beginning of [MMU.Arrive], [MMU.Take] and [MMU.Leave]. It asks only what the first
// line of a group or queue says. takeOwn, takeWhilePaused and leaveOdd handle what is less plain, and arriveByRules and
// leaveByRules know all rules. Package internal/golden checks that the results are the same.

// member is a group or a queue as a member of its pool.
type member struct {
	shared, peak cells.Count // cells of the pool that it holds, and the most that it held
	pool         *livePool
	sure         cells.Count // it may hold so many, whatever the others hold
	factor       cells.Count // and it may hold its alpha times the free cells of the pool: alpha in units of 2^-alphaBits
	own          cells.Count // its reserved cells that are free; any number but 0: no packet goes the plain way now
}

// lengths is how many bytes the packets have, at most, that go the plain way; 0: none do.
type lengths uint64

// lets tells whether a packet goes the plain way. An empty one does not.
func (n lengths) lets(b unit.Bytes) bool { return uint64(b-1) < uint64(n) }

const (
	alphaBits    = -int(thresholds.MinAlpha) // of a factor, behind the point: all factors are whole numbers
	longestShort = 1 << 16                   // longer packets do not go the plain way, nor that of Quiet
	noMax        = mostCells << 2            // more than any account has, and small enough to add to
)

// setLimit gives the member its limit, whose alpha must be valid.
func (s *member) setLimit(l thresholds.Limit) {
	switch s.sure, s.factor = 0, 0; l.Mode() {
	case thresholds.DynamicLimit:
		s.factor = 1 << (uint(alphaBits+int(l.Alpha())) & 63)
	case thresholds.StaticLimit:
		s.sure = min(l.Cells(), noMax)
	default:
		// The largest alpha is asked first. Where it allows too little, sure does not.
		s.sure, s.factor = noMax, 1<<(2*alphaBits)
	}
}

// admits tells whether n more shared cells, at least 1, fit below the limit that would hold then, and into the pool: of
// a pool with less than no free cells an alpha gives less than one.
func (s *member) admits(n cells.Count) bool {
	free, use := s.pool.limit-s.pool.used-n, s.shared+n
	return use <= free*s.factor>>alphaBits || use <= s.sure && free >= 0
}

// add charges n shared cells to the member and to its pool.
func (s *member) add(n cells.Count) {
	if s.shared += n; s.shared > s.peak {
		s.peak = s.shared
	}
	s.pool.take(n)
}

// remove gives back n shared cells of the member, which has at least n.
func (s *member) remove(n cells.Count) {
	s.shared -= n
	s.pool.used -= n
}

// settle opens or closes the plain way for a group, after a change of what it looks at.
func (g *liveGroup) settle() {
	g.own, g.takes, g.leaves, g.simple = -1, 0, 0, false
	if !g.short {
		return
	}
	g.simple = !g.staged && g.held.Global == 0
	if g.own = g.Reserved - g.held.Reserved; g.own == 0 && g.port != nil {
		g.own = -1
	}
	if g.own == 0 {
		g.takes = longestShort
	}
	if g.simple && g.port == nil && !g.gate.Paused() && g.held.Headroom == 0 {
		g.leaves = longestShort
	}
}

// settle opens or closes the plain way for a queue, after a change of its reserved cells.
func (q *liveQueue) settle() {
	if q.own = q.Reserved - q.reserved; !q.short || q.port != nil {
		q.own = -1
	}
}

// shortly tells whether a pool has no policy, which must be asked for every packet, and setLimit knows a limit.
func shortly(pool *livePool, l thresholds.Limit) bool { return pool.policy == nil && l.Alpha().Valid() }

// prepare computes what the plain way needs. It is called after every change of limits.
func (m *MMU) prepare() {
	known, staged := m.rule.plain() && m.packets == 0 && m.inverse != 0, false
	for i := range m.groups {
		staged = staged || m.groups[i].Stage.on()
	}
	for i := range m.groups {
		g, slice := &m.groups[i], i/m.sizes.groups
		g.pool, g.port, g.spare = &m.pools[slice*m.sizes.pools+g.Pool], nil, nil
		if g.PortPool > 0 {
			g.port = &m.ports[slice*m.sizes.ports+g.PortPool-1]
		}
		if g.HeadroomPool > 0 {
			g.spare = &m.headroomPools[slice*m.sizes.headroomPools+g.HeadroomPool-1]
		}
		g.pool.slice = &m.state[slice]
		g.short = known && shortly(g.pool, g.Limit) && (g.port == nil || g.port.Reserved == 0)
		g.staged = staged
		g.tight = g.port != nil || g.Stage.on() || m.rule.LastPacket
		g.setLimit(g.Limit)
		g.settle()
	}
	for i := range m.queues {
		q, slice := &m.queues[i], i/m.sizes.queues
		q.pool = &m.egressPools[slice*m.sizes.egressPools+q.Pool]
		if q.PortPool > 0 {
			q.port = &m.egressPorts[slice*m.sizes.egressPorts+q.PortPool-1]
		}
		q.short = shortly(q.pool, q.Limit)
		q.setLimit(q.Limit)
		q.settle()
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
			g.rank = int32(len(members[g.Pool]))
			members[g.Pool] = append(members[g.Pool], int32(i))
		}
		for i, list := range members {
			m.pools[s*m.sizes.pools+i].wake = newWakeIndex(list)
		}
	}
}

// within tells whether n more cells fit below the limit of a port, if there is one.
func (p *livePort) within(n cells.Count) bool { return p == nil || p.Max == 0 || p.shared+n <= p.Max }

// isShort tells whether a packet is short enough for the plain way, and not empty.
func isShort(b unit.Bytes) bool { return lengths(longestShort).lets(b) }

// shortCells is the number of cells of a packet that is short, in an MMU with an inverse.
func (m *MMU) shortCells(b unit.Bytes) cells.Count {
	return cells.Count((uint64(b)*m.inverse + m.roundUp) >> inverseUnits)
}
