package golden

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// readings counts every account that is no watermark.
func (m *MMU) readings() []buffer.Reading {
	var out []buffer.Reading
	for s := range m.c.Slices {
		add := func(a buffer.Account, i int, n cells.Count) {
			out = append(out, buffer.Reading{Account: a, Slice: s, Index: i, Value: int64(n)})
		}
		for i := range m.c.Pools {
			add(buffer.PoolUsed, i, m.poolUsed(s, i))
		}
		for i := range m.c.HeadroomPools {
			add(buffer.HeadroomPoolUsed, i, m.among(s, onHeadroom, func(g buffer.MMUGroup) bool { return g.HeadroomPool == i+1 }))
		}
		add(buffer.GlobalUsed, 0, m.among(s, onGlobal, func(buffer.MMUGroup) bool { return true }))
		for i := range m.c.PortPools {
			add(buffer.PortReserved, i, m.among(s, onPort, func(g buffer.MMUGroup) bool { return g.PortPool == i+1 }))
			add(buffer.PortShared, i, m.portShared(s, i+1))
		}
		for i := range m.c.Groups {
			add(buffer.GroupReservedUsed, i, m.on(s, i, onReserved))
			add(buffer.GroupPortUsed, i, m.on(s, i, onPort))
			add(buffer.GroupSharedUsed, i, m.on(s, i, onShared))
			add(buffer.GroupHeadroomUsed, i, m.on(s, i, onHeadroom))
			add(buffer.GroupGlobalUsed, i, m.on(s, i, onGlobal))
			if _, paused := m.paused[[2]int{s, i}]; paused {
				add(buffer.GroupPaused, i, 1)
			}
		}
		for i := range m.c.EgressPools {
			add(buffer.EgressUsed, i, m.queuedAmong(s, func(q buffer.MMUQueue) bool { return q.Pool == i }))
		}
		for i := range m.c.EgressPortPools {
			add(buffer.EgressPortUsed, i, m.queuedAmong(s, func(q buffer.MMUQueue) bool { return q.PortPool == i+1 }))
		}
		for i := range m.c.Queues {
			add(buffer.QueueReservedUsed, i, m.count(m.queued, func(c cell) bool { return c == cell{s, i, onReserved} }))
			add(buffer.QueueSharedUsed, i, m.count(m.queued, func(c cell) bool { return c == cell{s, i, onShared} }))
		}
	}
	return out
}

// watermark says which watermark follows an account.
var watermark = map[buffer.Account]buffer.Account{
	buffer.PoolUsed: buffer.PoolWatermark, buffer.HeadroomPoolUsed: buffer.HeadroomPoolPeak, buffer.EgressUsed: buffer.EgressPeak,
	buffer.GroupSharedUsed: buffer.GroupSharedPeak, buffer.GroupHeadroomUsed: buffer.GroupHeadroomPeak, buffer.QueueSharedUsed: buffer.QueueSharedPeak,
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
func (m *MMU) Snapshot() []buffer.Reading {
	out := m.readings()
	for k, v := range m.peaks {
		out = append(out, buffer.Reading{Account: k.account, Slice: k.slice, Index: k.index, Value: v})
	}
	for c, n := range m.drops {
		out = append(out, buffer.Reading{Account: buffer.Dropped, Index: int(c), Value: n})
	}
	out = slices.DeleteFunc(out, func(r buffer.Reading) bool { return r.Value == 0 })
	slices.SortFunc(out, buffer.Reading.Compare)
	return out
}
