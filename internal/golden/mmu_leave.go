package golden

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
)

// This file takes packets out of the model, and ends pauses.

// takeCells removes n cells of an owner from its piles in this order.
func takeCells(list []cell, slice, owner int, n cells.Count, order []pile) []cell {
	for _, lies := range order {
		for ; n > 0; n-- {
			i := slices.Index(list, cell{slice, owner, lies})
			if i < 0 {
				break
			}
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// Leave removes a packet's cells, and returns whether XON is sent.
func (m *MMU) Leave(p mmu.Packet) (xon bool) {
	n := m.c.Cell.Packet(p.Bytes, m.c.Overhead)
	order := highestFirst
	if m.c.Groups[p.Group].Stage.XON > 0 {
		order = waitingLast
	}
	m.cells = takeCells(m.cells, p.Slice, p.Group, n, order)
	m.queued = takeCells(m.queued, p.Slice, p.Queue, n, highestFirst)
	m.settle(p.Slice, p.Group)
	return m.resume(p.Slice, p.Group)
}

// settle moves cells that wait in a first stage, first those of a group and then those of the others in turn.
func (m *MMU) settle(slice, first int) {
	for i := range m.c.Groups {
		group := (first + i) % len(m.c.Groups)
		for m.c.Groups[group].Stage.XON > 0 && m.moveOn(slice, group) {
		}
	}
	m.remember()
}

// moveOn moves one waiting cell of a group.
func (m *MMU) moveOn(slice, group int) bool {
	i := slices.Index(m.cells, cell{slice, group, onHeadroom})
	if i < 0 {
		return false
	}
	reserved, port, _ := m.owned(slice, group, 1)
	switch {
	case reserved > 0:
		m.cells[i].lies = onReserved
	case port > 0:
		m.cells[i].lies = onPort
	case m.shared(slice, group, 1) == mmu.CauseNone:
		m.cells[i].lies = onShared
	default:
		return false
	}
	return true
}

// Resume resumes one paused group.
func (m *MMU) Resume(slice int) (int, bool) {
	for i := range m.c.Groups {
		if m.resume(slice, i) {
			return i, true
		}
	}
	return 0, false
}

// resume resumes a group if its XON rule allows it.
func (m *MMU) resume(slice, group int) bool {
	latched, paused := m.paused[[2]int{slice, group}]
	g := m.c.Groups[group]
	held := m.on(slice, group, onHeadroom) + m.on(slice, group, onGlobal)
	if g.Stage.XON > 0 {
		if paused = paused && held < g.Stage.XON; paused {
			delete(m.paused, [2]int{slice, group})
		}
		return paused
	}
	if !paused || held > 0 {
		return false
	}
	limit := withReserved(m.groupLimit(slice, group, 1), g.Reserved)
	if g.XON.Latched {
		limit = latched
	}
	if m.on(slice, group, onReserved)+m.on(slice, group, onShared) > max(g.XON.Floor, limit-g.XON.Offset, 0) {
		return false
	}
	delete(m.paused, [2]int{slice, group})
	return true
}
