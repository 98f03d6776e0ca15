package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// Release is what follows from a packet that has left.
type Release struct {
	// XON says that the packet's group must send XON now.
	XON bool
	// Paused is the number of groups of the slice that are still paused.
	Paused int
	// Room tells whether [MMU.Resume] may resume some of them, because there is more room in their pools.
	Room bool
}

// Leave gives back the cells of an admitted packet that has been sent. The group gives back its accounts in the order
// global headroom, headroom, shared, reserved cells of the port, reserved cells. A queue gives back shared cells before
// reserved ones. So a group's headroom is emptied first, and it does not matter which account took the leaving packet.
// This order is a choice of the model; no vendor publishes theirs. A group of two stages gives back its headroom last,
// and cells that wait in any group can then move on: see [Stage].
//
// Leave panics if a group or a queue gives back more than it holds: the caller has counted a packet twice.
func (m *MMU) Leave(p Packet) Release {
	g, n := &m.groups[p.Slice*m.sizes.groups+p.Group], m.shortCells(p.Bytes)
	switch {
	case !g.leaves.lets(p.Bytes):
		if n >= g.held.Headroom || !g.simple || !isShort(p.Bytes) {
			return m.leaveOdd(p, g, n)
		}
		// The group stays paused, no other group has more room, and no cells wait in a first stage.
		g.held.Headroom -= n
		if g.spare != nil {
			g.spare.used -= n
		}
	case n <= g.shared:
		g.remove(n)
	case n <= g.shared+g.held.Reserved:
		g.dischargeShared(n)
	default:
		return m.leaveByRules(p, g)
	}
	if m.sizes.queues > 0 {
		if q := &m.queues[p.Slice*m.sizes.queues+p.Queue]; n > q.shared || q.own < 0 {
			m.dischargeQueue(p.Slice, p.Queue, n)
		} else {
			q.remove(n)
		}
	}
	m.counts.Left++
	if pool := g.pool; pool.slice.paused != 0 {
		return Release{Paused: pool.slice.paused, Room: m.roomBeside(p.Slice, pool)}
	}
	return Release{}
}

// leaveOdd is Leave for a packet that does not go the plain way.
func (m *MMU) leaveOdd(p Packet, g *liveGroup, n cells.Count) Release {
	slice := g.pool.slice
	if !g.short || !isShort(p.Bytes) || g.held.Headroom|g.held.Global|slice.waiting != 0 || g.gate.Paused() ||
		n > g.shared+g.held.Reserved {
		return m.leaveByRules(p, g)
	}
	if g.port != nil {
		g.port.shared -= min(n, g.shared)
	}
	if n <= g.shared {
		g.remove(n)
	} else {
		g.dischargeShared(n)
		g.settle()
	}
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	return Release{Paused: slice.paused, Room: slice.paused != 0 && m.roomBeside(p.Slice, g.pool)}
}

// leaveByRules applies all rules. Leave and leaveOdd must give the same result.
func (m *MMU) leaveByRules(p Packet, g *liveGroup) Release {
	n := m.Cells(p)
	if n > g.total() {
		panic(fmt.Sprintf("mmu: group %d in slice %d gives back %d cells and holds %d", p.Group, p.Slice, n,
			g.total()))
	}
	m.discharge(p.Slice, g, g.pool, g.port, n)
	if m.packets > 0 {
		m.state[p.Slice].packets--
	}
	m.moveWaiting(p.Slice, p.Group)
	if m.sizes.queues > 0 {
		m.dischargeQueue(p.Slice, p.Queue, n)
	}
	m.counts.Left++
	xon := false
	if g.gate.Paused() {
		xon = m.resume(p.Slice, g)
		m.noteResume(g)
	}
	return Release{xon, m.state[p.Slice].paused, m.anyRoom(p.Slice)}
}

// moveWaiting moves cells that wait in a first stage, first those of a group and then those of the others in turn.
func (m *MMU) moveWaiting(slice, first int) {
	for i := 0; i < m.sizes.groups && m.state[slice].waiting > 0; i++ {
		g := &m.groups[slice*m.sizes.groups+(first+i)%m.sizes.groups]
		if g.Stage.on() && g.held.Headroom > 0 {
			m.moveToShared(slice, g)
		}
	}
}

// moveToShared moves a group's cells from its headroom to the shared buffer, as many as this admits.
func (m *MMU) moveToShared(slice int, g *liveGroup) {
	pool, port := g.pool, g.port
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

// Calm tells whether packets that leave only give back cells: no group is paused, so that none can resume, and no cells
// wait in a first stage. Then it does not matter in which order packets leave, only which of them have left before the
// next one arrives. An MMU of several slices is never calm.
func (m *MMU) Calm() bool {
	s := &m.state[0]
	return s.paused == 0 && s.waiting == 0 && !m.ordered
}

// Quiet tells whether a packet that leaves later only gives back its cells, whose number it returns, although groups
// are paused: its own group is not, and no group can resume even if it leaves together with others that give back so
// many cells more. It holds until a group is paused, or another packet leaves: see [MMU.RoomWith].
func (m *MMU) Quiet(p Packet, more cells.Count) (n cells.Count, ok bool) {
	g := &m.groups[p.Group]
	if !g.short || !isShort(p.Bytes) || g.gate.Paused() || m.state[0].waiting != 0 || m.ordered {
		return 0, false
	}
	n = m.shortCells(p.Bytes)
	if len(m.pools) > 1 {
		return n, !m.RoomWith(more + n)
	}
	pool := g.pool
	return n, pool.limit-pool.used+more+n < pool.wake.low
}

// RoomWith tells whether a pool may have enough free cells for one of the paused groups, if it has so many more than
// now. It does not know the groups of several slices.
func (m *MMU) RoomWith(more cells.Count) bool {
	for i := range m.pools {
		if p := &m.pools[i]; p.limit-p.used+more >= p.wake.low {
			return true
		}
	}
	return false
}
