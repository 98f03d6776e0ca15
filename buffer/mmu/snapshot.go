package mmu

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/named"
)

// Account is an account of the MMU.
type Account uint8

const (
	PoolUsed          Account = iota // shared cells of an ingress pool
	PoolWatermark                    // most shared cells of an ingress pool
	HeadroomPoolUsed                 // cells of a shared headroom pool
	HeadroomPoolPeak                 // most cells of a shared headroom pool
	GlobalUsed                       // global headroom
	PortReserved                     // reserved cells of a port in a pool
	PortShared                       // shared cells of a port in a pool
	GroupReservedUsed                // PG-min
	GroupPortUsed                    // reserved cells of its port that the group uses
	GroupSharedUsed                  // shared cells
	GroupSharedPeak                  // most shared cells of the group
	GroupHeadroomUsed                // headroom
	GroupHeadroomPeak                // most headroom of the group
	GroupGlobalUsed                  // global headroom of the group
	EgressUsed                       // shared cells of an egress pool
	EgressPeak                       // most shared cells of an egress pool
	EgressPortUsed                   // shared cells of a port in an egress pool
	QueueReservedUsed                // reserved cells of a queue
	QueueSharedUsed                  // shared cells of a queue
	QueueSharedPeak                  // most shared cells of a queue
	GroupPaused                      // 1: XOFF was the group's last signal
	Dropped                          // packets by cause: the index is a Cause, the slice is 0
	accounts
)

// accountNames are the names in outputs.
var accountNames = [accounts]string{"pool", "pool watermark", "headroom pool", "headroom pool watermark",
	"global headroom",
	"port reserved", "port shared", "group reserved", "group's port reserved", "group shared",
	"group shared watermark", "group headroom",
	"group headroom watermark", "group's global headroom", "egress pool", "egress pool watermark", "egress port",
	"queue reserved",
	"queue shared", "queue shared watermark", "group paused", "dropped"}

// String returns the name of the account: "group shared".
func (a Account) String() string { return named.Of(a, "account", accountNames[:]...) }

// Balance is the value of one account.
type Balance struct {
	Account Account
	Slice   int
	Index   int // of the pool, port, group, queue or cause
	Value   int64
}

// Compare orders readings by account, slice and index.
func (r Balance) Compare(o Balance) int {
	return cmp.Or(cmp.Compare(r.Account, o.Account), cmp.Compare(r.Slice, o.Slice), cmp.Compare(r.Index, o.Index))
}

// String prints "slice 0 group shared 3: 6536".
func (r Balance) String() string {
	if r.Account == Dropped {
		return fmt.Sprintf("dropped, %v: %d", Cause(r.Index), r.Value)
	}
	return fmt.Sprintf("slice %d %v %d: %d", r.Slice, r.Account, r.Index, r.Value)
}

// Snapshot appends every account that is not 0 to a list, and returns it sorted. The list can be nil, or an earlier one
// cut to length 0: then it allocates only if the list is too short.
func (m *MMU) Snapshot(into []Balance) []Balance {
	s := snapshot{into, m.slices}
	s.pools(m.pools, m.sizes.pools, PoolUsed, PoolWatermark)
	s.pools(m.headroomPools, m.sizes.headroomPools, HeadroomPoolUsed, HeadroomPoolPeak)
	s.each(GlobalUsed, 1, func(i int) cells.Count { return m.global[i].used })
	s.each(PortReserved, m.sizes.ports, func(i int) cells.Count { return m.ports[i].reserved })
	s.each(PortShared, m.sizes.ports, func(i int) cells.Count { return m.ports[i].shared })
	s.each(GroupReservedUsed, m.sizes.groups, func(i int) cells.Count { return m.groups[i].held.Reserved })
	s.each(GroupPortUsed, m.sizes.groups, func(i int) cells.Count { return m.groups[i].held.Port })
	s.each(GroupSharedUsed, m.sizes.groups, func(i int) cells.Count { return m.groups[i].shared })
	s.each(GroupSharedPeak, m.sizes.groups, func(i int) cells.Count { return m.groups[i].peak })
	s.each(GroupHeadroomUsed, m.sizes.groups, func(i int) cells.Count { return m.groups[i].held.Headroom })
	s.each(GroupHeadroomPeak, m.sizes.groups, func(i int) cells.Count { return m.groups[i].peakHeadroom })
	s.each(GroupGlobalUsed, m.sizes.groups, func(i int) cells.Count { return m.groups[i].held.Global })
	s.pools(m.egressPools, m.sizes.egressPools, EgressUsed, EgressPeak)
	s.each(EgressPortUsed, m.sizes.egressPorts, func(i int) cells.Count { return m.egressPorts[i].shared })
	s.each(QueueReservedUsed, m.sizes.queues, func(i int) cells.Count { return m.queues[i].reserved })
	s.each(QueueSharedUsed, m.sizes.queues, func(i int) cells.Count { return m.queues[i].shared })
	s.each(QueueSharedPeak, m.sizes.queues, func(i int) cells.Count { return m.queues[i].peak })
	s.each(GroupPaused, m.sizes.groups, func(i int) cells.Count {
		if m.groups[i].gate.Paused() {
			return 1
		}
		return 0
	})
	for c, n := range m.drops {
		s.add(Dropped, 0, c, n)
	}
	return s.out
}

// snapshot collects readings.
type snapshot struct {
	out    []Balance
	slices int
}

// add appends a reading that is not 0.
func (s *snapshot) add(a Account, slice, index int, v int64) {
	if v != 0 {
		s.out = append(s.out, Balance{a, slice, index, v})
	}
}

// each appends the readings of an account with n in every slice.
func (s *snapshot) each(a Account, n int, value func(int) cells.Count) {
	for i := range n * s.slices {
		s.add(a, i/n, i%n, int64(value(i)))
	}
}

// pools appends the use and the peak of pools.
func (s *snapshot) pools(p []livePool, n int, used, peak Account) {
	s.each(used, n, func(i int) cells.Count { return p[i].used })
	s.each(peak, n, func(i int) cells.Count { return p[i].peak })
}

// Watermarks are the most cells that were held since the watermarks were last
// cleared: SAI's statistics of the same names.
type Watermarks struct {
	GroupShared, GroupHeadroom, Pool, HeadroomPool cells.Count
}

// Watermarks returns the watermarks of a group in a slice, of its pool, and of its headroom pool; 0 if it has none.
func (m *MMU) Watermarks(slice, group int) Watermarks {
	g := m.group(slice, group)
	w := Watermarks{GroupShared: g.peak, GroupHeadroom: g.peakHeadroom, Pool: g.pool.peak}
	if g.spare != nil {
		w.HeadroomPool = g.spare.peak
	}
	return w
}

// ClearWatermarks sets every watermark to the value that is held now.
func (m *MMU) ClearWatermarks() {
	for i := range m.groups {
		g := &m.groups[i]
		g.peak, g.peakHeadroom = g.shared, g.held.Headroom
	}
	for i := range m.queues {
		m.queues[i].peak = m.queues[i].shared
	}
	for _, pools := range [...][]livePool{m.pools, m.egressPools, m.headroomPools, m.global} {
		for i := range pools {
			pools[i].peak = pools[i].used
		}
	}
}
