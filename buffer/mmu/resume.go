package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// resume resumes a group if its XON rule allows it. Use and limit include the
// group's reserved cells; the headroom is its own and the global one. For a
// group of two stages only its headroom counts.
func (m *MMU) resume(slice int, g *liveGroup, pool *livePool, port *livePort) bool {
	if !g.gate.Released(m.whilePaused(g, pool, port)) {
		return false
	}
	m.state[slice].paused--
	m.counts.XON++
	return true
}

// whilePaused returns a paused group's XON rule, and what it is applied to.
func (m *MMU) whilePaused(g *liveGroup, pool *livePool, port *livePort) (thresholds.XON, thresholds.Paused) {
	if g.Stage.on() {
		return thresholds.XON{}, thresholds.Paused{Used: g.held.Headroom, Limit: g.Stage.XON - 1}
	}
	return g.XON, thresholds.Paused{
		Used:     g.held.Reserved + g.held.Shared,
		Headroom: g.held.Headroom + g.held.Global,
		Limit:    plus(m.limit(g, pool, port, 1), g.Reserved),
	}
}

// Resume resumes the lowest paused group of a slice whose rule allows XON now;
// false if there is none. A packet that leaves makes room for the whole pool,
// and under a dynamic limit that can resume other groups than its own: call
// Resume until it returns false. It looks at the groups only if a pool has more
// free cells than when no group could be resumed.
func (m *MMU) Resume(slice int) (group int, ok bool) {
	if m.state[slice].paused == 0 {
		return 0, false
	}
	pools := m.pools[slice*m.sizes.pools : (slice+1)*m.sizes.pools]
	for i := range pools {
		if pools[i].limit-pools[i].used >= pools[i].resumeAtFree {
			return m.resumeOne(slice, pools)
		}
	}
	return 0, false
}

// resumeOne looks at each paused group of the slice. If none can be resumed, it
// notes how many free cells may change that.
func (m *MMU) resumeOne(slice int, pools []livePool) (group int, ok bool) {
	groups := m.groups[slice*m.sizes.groups : (slice+1)*m.sizes.groups]
	for i := range groups {
		g := &groups[i]
		if g.gate.Paused() && m.resume(slice, g, &pools[g.Pool], m.port(slice, g)) {
			return i, true
		}
	}
	for i := range pools {
		pools[i].resumeAtFree = neverFree
	}
	for i := range groups {
		m.noteResume(&groups[i], &pools[groups[i].Pool])
	}
	return 0, false
}

// More and fewer free cells than any pool can have. A pool can hold more than
// its limit after a change of limits, so its free cells can be negative.
const (
	neverFree  = mostCells << 2
	alwaysFree = -mostCells << 2
)

// noteResume notes with how many free cells of its pool a paused group may be
// resumed. The number can be too low, which costs a look at the groups. It must
// not be too high.
func (m *MMU) noteResume(g *liveGroup, pool *livePool) {
	if g.gate.Paused() {
		pool.resumeAtFree = min(pool.resumeAtFree, m.freeToResume(g))
	}
}

// freeToResume returns the free cells of the pool with which a paused group may
// be resumed: the XON rule, solved for the free cells. alwaysFree means that it
// cannot be computed, neverFree that only the group's own packets can change
// it.
func (m *MMU) freeToResume(g *liveGroup) cells.Count {
	k := &g.fast
	switch {
	case g.Stage.on() || !k.ok:
		return alwaysFree
	case g.held.Headroom+g.held.Global > 0:
		return neverFree
	}
	used := g.held.Reserved + g.held.Shared
	if g.XON.Latched {
		if used <= g.XON.Level(g.gate.AtXOFF()) {
			return alwaysFree
		}
		return neverFree
	}
	limit := used + g.XON.Offset - g.Reserved
	switch {
	case used <= g.XON.Floor || limit <= k.base:
		return alwaysFree
	case k.down == 63 || limit > mostCells>>k.down:
		return neverFree
	}
	free := (limit + 1<<k.up - 1) >> k.up << k.down
	if m.rule.LimitAfter {
		free++
	}
	return free
}
