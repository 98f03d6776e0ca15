package golden

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
)

// readings counts every account that is no watermark.
func (m *MMU) readings() []mmu.Balance {
	var out []mmu.Balance
	for s := range m.c.Slices {
		add := func(a mmu.Account, i int, n cells.Count) {
			out = append(out, mmu.Balance{Account: a, Slice: s, Index: i, Value: int64(n)})
		}
		for i := range m.c.Pools {
			add(mmu.PoolUsed, i, m.poolUsed(s, i))
		}
		for i := range m.c.HeadroomPools {
			add(mmu.HeadroomPoolUsed, i,
				m.among(s, onHeadroom, func(g mmu.Group) bool { return g.HeadroomPool == i+1 }))
		}
		add(mmu.GlobalUsed, 0, m.among(s, onGlobal, func(mmu.Group) bool { return true }))
		for i := range m.c.PortPools {
			add(mmu.PortReserved, i, m.among(s, onPort, func(g mmu.Group) bool { return g.PortPool == i+1 }))
			add(mmu.PortShared, i, m.portShared(s, i+1))
		}
		for i := range m.c.Groups {
			add(mmu.GroupReservedUsed, i, m.on(s, i, onReserved))
			add(mmu.GroupPortUsed, i, m.on(s, i, onPort))
			add(mmu.GroupSharedUsed, i, m.on(s, i, onShared))
			add(mmu.GroupHeadroomUsed, i, m.on(s, i, onHeadroom))
			add(mmu.GroupGlobalUsed, i, m.on(s, i, onGlobal))
			if _, paused := m.paused[[2]int{s, i}]; paused {
				add(mmu.GroupPaused, i, 1)
			}
		}
		for i := range m.c.EgressPools {
			add(mmu.EgressUsed, i, m.queuedAmong(s, func(q mmu.Queue) bool { return q.Pool == i }))
		}
		for i := range m.c.EgressPortPools {
			add(mmu.EgressPortUsed, i, m.queuedAmong(s, func(q mmu.Queue) bool { return q.PortPool == i+1 }))
		}
		for i := range m.c.Queues {
			add(mmu.QueueReservedUsed, i, m.count(m.queued, func(c cell) bool { return c == cell{s, i, onReserved} }))
			add(mmu.QueueSharedUsed, i, m.count(m.queued, func(c cell) bool { return c == cell{s, i, onShared} }))
		}
	}
	return out
}

// watermark says which watermark follows an account.
var watermark = map[mmu.Account]mmu.Account{
	mmu.PoolUsed: mmu.PoolWatermark, mmu.HeadroomPoolUsed: mmu.HeadroomPoolPeak, mmu.EgressUsed: mmu.EgressPeak,
	mmu.GroupSharedUsed: mmu.GroupSharedPeak, mmu.GroupHeadroomUsed: mmu.GroupHeadroomPeak,
	mmu.QueueSharedUsed: mmu.QueueSharedPeak,
}

// remember raises the watermarks to what is held.
func (m *MMU) remember() {
	for _, r := range m.readings() {
		if w, ok := watermark[r.Account]; ok {
			k := peak{w, r.Slice, r.Index}
			m.peaks[k] = max(m.peaks[k], r.Value)
		}
	}
}

// Snapshot lists every account that is not 0, sorted.
func (m *MMU) Snapshot() []mmu.Balance {
	out := m.readings()
	for k, v := range m.peaks {
		out = append(out, mmu.Balance{Account: k.account, Slice: k.slice, Index: k.index, Value: v})
	}
	for c, n := range m.drops {
		out = append(out, mmu.Balance{Account: mmu.Dropped, Index: int(c), Value: n})
	}
	out = slices.DeleteFunc(out, func(r mmu.Balance) bool { return r.Value == 0 })
	slices.SortFunc(out, mmu.Balance.Compare)
	return out
}
