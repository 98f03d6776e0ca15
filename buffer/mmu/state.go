package mmu

import "github.com/cellwarden/cellwarden/cells"

// GroupState is what one group holds in one slice.
type GroupState struct {
	Held   Held
	Paused bool        // XOFF was its last signal
	AtXOFF cells.Count // its limit at XOFF, with its reserved cells; 0 if it is not paused
}

// GroupState returns what a group holds.
func (m *MMU) GroupState(slice, group int) GroupState {
	g := m.group(slice, group)
	return GroupState{g.accounts(), g.gate.Paused(), g.gate.AtXOFF()}
}

// group returns the state of a group.
func (m *MMU) group(slice, group int) *liveGroup { return &m.groups[slice*m.sizes.groups+group] }

// Held returns what a group holds in all slices together.
func (m *MMU) Held(group int) (all Held) {
	for i := group; i < len(m.groups); i += m.sizes.groups {
		h := m.groups[i].accounts()
		all.Reserved += h.Reserved
		all.Port += h.Port
		all.Shared += h.Shared
		all.Headroom += h.Headroom
		all.Global += h.Global
	}
	return all
}

// QueueState returns the reserved and shared cells that an egress queue holds.
func (m *MMU) QueueState(slice, queue int) (reserved, shared cells.Count) {
	q := &m.queues[slice*m.sizes.queues+queue]
	return q.reserved, q.shared
}

// Holds tells whether the group and the queue of a packet hold its cells. If not, Leave panics.
func (m *MMU) Holds(p Packet) bool {
	n := m.Cells(p)
	if m.sizes.queues > 0 {
		if q := &m.queues[p.Slice*m.sizes.queues+p.Queue]; n > q.reserved+q.shared {
			return false
		}
	}
	return n <= m.group(p.Slice, p.Group).total()
}

// PoolUsed returns the shared cells of an ingress pool that are in use.
func (m *MMU) PoolUsed(slice, pool int) cells.Count { return m.pools[slice*m.sizes.pools+pool].used }

// Counters returns the packet counters.
func (m *MMU) Counters() Counters { return m.counts }

// Drops returns how many packets were dropped for a cause.
func (m *MMU) Drops(c Cause) int64 { return m.drops[c] }
