package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// resume resumes a group if its XON rule allows it. Use and limit include the group's reserved cells; the headroom is
// its own and the global one. For a group of two stages only its headroom counts.
func (m *MMU) resume(slice int, g *liveGroup) bool {
	if !g.gate.Released(m.whilePaused(g, g.pool, g.port)) {
		return false
	}
	g.settle()
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
		Used:     g.held.Reserved + g.shared,
		Headroom: g.held.Headroom + g.held.Global,
		Limit:    plus(m.limit(g, pool, port, 1), g.Reserved),
	}
}

// Resume resumes the lowest paused group of a slice whose rule allows XON now; false if no group may. A packet that
// leaves makes room for the whole pool, and under a dynamic limit that can resume other groups than its own: call
// Resume until it returns false. It looks only at groups for which their pool may have enough free cells: see
// wakeIndex.
func (m *MMU) Resume(slice int) (group int, ok bool) {
	if !m.anyRoom(slice) {
		return 0, false
	}
	return m.resumeOne(slice, m.pools[slice*m.sizes.pools:(slice+1)*m.sizes.pools])
}

// anyRoom tells whether a pool of a slice may have enough free cells for one of its paused groups.
func (m *MMU) anyRoom(slice int) bool {
	if m.state[slice].paused == 0 {
		return false
	}
	pools := m.pools[slice*m.sizes.pools : (slice+1)*m.sizes.pools]
	for i := range pools {
		if pools[i].limit-pools[i].used >= pools[i].wake.low {
			return true
		}
	}
	return false
}

// roomBeside is anyRoom for a slice with paused groups if one of the pools is known.
func (m *MMU) roomBeside(slice int, pool *livePool) bool {
	return pool.limit-pool.used >= pool.wake.low || m.sizes.pools > 1 && m.anyRoom(slice)
}

// resumeOne looks at the groups that may be resumed, in order. For each one that
// cannot, it notes how many free cells may change that.
func (m *MMU) resumeOne(slice int, pools []livePool) (group int, ok bool) {
	for from := 0; ; from = group + 1 {
		if group, ok = lowestToWake(pools, from); !ok {
			return 0, false
		}
		g := m.group(slice, group)
		if g.gate.Paused() && m.resume(slice, g) {
			g.pool.wake.set(g.rank, neverFree)
			return group, true
		}
		m.noteResume(g)
	}
}

// lowestToWake returns the lowest group, at or after a given one, for which its pool may have enough free cells.
func lowestToWake(pools []livePool, from int) (lowest int, ok bool) {
	for i := range pools {
		p := &pools[i]
		if group, found := p.wake.first(from, p.limit-p.used); found && (!ok || group < lowest) {
			lowest, ok = group, true
		}
	}
	return lowest, ok
}

// More and fewer free cells than any pool can have. A pool can hold more than
// its limit after a change of limits, so its free cells can be negative.
const (
	neverFree  = mostCells << 2
	alwaysFree = -mostCells << 2
)

// noteResume notes with how many free cells of its pool a group may be resumed: never if it is not paused.
func (m *MMU) noteResume(g *liveGroup) {
	level := cells.Count(neverFree)
	if g.gate.Paused() {
		level = m.freeToResume(g)
	}
	g.pool.wake.set(g.rank, level)
}

// freeToResume returns the free cells of the pool with which a paused group may be resumed: the XON rule, solved for
// the free cells. alwaysFree means that it cannot be computed, neverFree that only the group's own packets can change
// it.
func (m *MMU) freeToResume(g *liveGroup) cells.Count {
	switch {
	case g.Stage.on() || !g.short:
		return alwaysFree
	case g.held.Headroom+g.held.Global > 0:
		return neverFree
	}
	used := g.held.Reserved + g.shared
	if g.XON.Latched {
		if used <= g.XON.Level(g.gate.AtXOFF()) {
			return alwaysFree
		}
		return neverFree
	}
	limit := used + g.XON.Offset - g.Reserved
	switch {
	case used <= g.XON.Floor || limit <= g.Limit.At(0):
		return alwaysFree
	case g.Limit.Mode() != thresholds.DynamicLimit || limit > mostCells:
		return neverFree
	}
	shift := uint(alphaBits+int(g.Limit.Alpha())) & 63
	free := (limit<<alphaBits + 1<<shift - 1) >> shift
	if m.rule.LimitAfter {
		free++
	}
	return free
}
