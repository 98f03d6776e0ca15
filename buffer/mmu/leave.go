package mmu

import (
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Release is what follows from a packet that has left.
type Release struct {
	XON    bool // the packet's group must send XON now
	Paused int  // groups of the slice that are still paused: with more room in the pool [MMU.Resume] may let some go on
}

// Leave takes back an admitted packet's cells when it has been sent. The group
// gives back what it holds in the order global headroom, headroom, shared,
// port's reserved, reserved, each as far as it goes; a queue gives back shared
// before reserved. So a group's headroom drains first, and where the leaving
// packet itself was stored does not matter. The order is a modelling choice: no
// vendor publishes theirs. A group of two stages gives back its headroom last,
// and what waits there in any group may then move on: see [Stage].
//
// A group or a queue that gives back more than it holds panics: the caller has
// counted a packet twice.
func (m *MMU) Leave(p Packet) Release {
	g := &m.groups[p.Slice*m.sizes.groups+p.Group]
	k := &g.fast
	hi, _ := bits.Mul64(uint64(p.Bytes)+m.roundUp, m.inverse)
	n := cells.Count(hi)
	if uint64(p.Bytes) >= k.sharedOnlyBelow || n >= g.held.Shared || g.gate.Paused() ||
		g.held.Headroom|g.held.Global|k.slice.waiting != 0 {
		return m.leaveFast(p, g)
	}
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	g.held.Shared -= n
	k.pool.used -= n
	return Release{false, k.slice.paused}
}

// leaveFast takes back what is not as simple as that.
func (m *MMU) leaveFast(p Packet, g *liveGroup) Release {
	n := m.fastCells(&g.fast, p.Bytes)
	if n > 0 && n < g.held.Headroom && g.held.Global|g.fast.slice.waiting == 0 && !g.Stage.on() {
		return m.leaveHeadroom(p, g, n)
	}
	if n == 0 || g.gate.Paused() || g.held.Headroom|g.held.Global|g.fast.slice.waiting != 0 ||
		n > g.held.Shared+g.held.Reserved {
		return m.leaveByRules(p, g)
	}
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	m.dischargeShared(g, g.fast.pool, n)
	return Release{false, g.fast.slice.paused}
}

// leaveHeadroom takes back cells of a group that has more in its headroom: it
// stays paused, nobody else has more room, and nothing waits in a first stage.
func (m *MMU) leaveHeadroom(p Packet, g *liveGroup, n cells.Count) Release {
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	g.held.Headroom -= n
	if g.HeadroomPool > 0 {
		m.headroomPool(p.Slice, g).used -= n
	}
	return Release{false, g.fast.slice.paused}
}

// leaveByRules knows all rules.
func (m *MMU) leaveByRules(p Packet, g *liveGroup) Release {
	n := m.Cells(p)
	if n > g.held.Total() {
		panic(fmt.Sprintf("buffer: group %d in slice %d gives back %d cells and holds %d", p.Group, p.Slice, n,
			g.held.Total()))
	}
	pool := &m.pools[p.Slice*m.sizes.pools+g.Pool]
	port := m.port(p.Slice, g)
	m.discharge(p.Slice, g, pool, port, n)
	g.updateSmooth(pool, g.held.Shared)
	m.moveWaiting(p.Slice, p.Group)
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	xon := g.gate.Paused() && m.resume(p.Slice, g, pool, port)
	m.noteResume(g, pool)
	return Release{xon, m.state[p.Slice].paused}
}

// moveWaiting lets cells that wait in a first stage move on, those of the group
// first and then of the others in turn.
func (m *MMU) moveWaiting(slice, first int) {
	for i := 0; i < m.sizes.groups && m.state[slice].waiting > 0; i++ {
		g := &m.groups[slice*m.sizes.groups+(first+i)%m.sizes.groups]
		if g.Stage.on() && g.held.Headroom > 0 {
			m.moveToShared(slice, g)
		}
	}
}

// moveToShared takes a group's cells from its headroom into the shared buffer, as
// many as that admits.
func (m *MMU) moveToShared(slice int, g *liveGroup) {
	pool, port := &m.pools[slice*m.sizes.pools+g.Pool], m.port(slice, g)
	for g.held.Headroom > 0 {
		var v Verdict
		v.Reserved, v.Port, v.Shared = ownCells(g, port, 1)
		if v.Shared > 0 && m.sharedCause(g, pool, port, 1) != CauseNone {
			return
		}
		m.takeHeadroom(slice, g, 1)
		m.charge(slice, g, pool, port, &v)
	}
}
