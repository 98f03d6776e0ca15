package mmu

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// Check returns an error that names every broken invariant, or nil. It is for tests, fuzzers and simulators: an MMU
// with a broken invariant has a bug. The invariants:
//
//   - No account is negative, and no watermark is below the present value.
//   - The shared cells of the groups add up to those of their pool and of their
//     port. So do headroom, global headroom, the ports' reserved cells, and the
//     queues' cells.
//   - No pool holds more than its limit, unless packets may exceed limits.
//   - The members that are counted as busy for a policy are those that hold shared cells.
//   - The plain way is open to the groups and queues that may go it now.
//   - Only lossless groups are paused or hold headroom. A group that holds
//     headroom is paused, unless its headroom is the first of two stages.
func (m *MMU) Check() error {
	c := checker{m: m}
	for s := range m.slices {
		c.slice(s)
	}
	return errors.Join(c.bad...)
}

// checker collects broken invariants.
type checker struct {
	m   *MMU
	bad []error
}

// must adds an error unless ok.
func (c *checker) must(ok bool, format string, args ...any) {
	if !ok {
		c.bad = append(c.bad, fmt.Errorf(format, args...))
	}
}

// slice adds up the accounts of the groups of one slice.
func (c *checker) slice(s int) {
	m := c.m
	pools, spare := make([]cells.Count, m.sizes.pools), make([]cells.Count, m.sizes.headroomPools)
	busy := make([][priorities]int, m.sizes.pools)
	ports := make([][2]cells.Count, m.sizes.ports)
	var global, waiting cells.Count
	closed := 0
	for i := range m.sizes.groups {
		g := m.group(s, i)
		h := g.accounts()
		c.must(min(h.Reserved, h.Port, h.Shared, h.Headroom, h.Global) >= 0, "slice %d group %d holds %+v", s, i, h)
		c.must(g.peak >= h.Shared && g.peakHeadroom >= h.Headroom,
			"slice %d group %d: watermarks %d, %d below %+v", s, i, g.peak, g.peakHeadroom, h)
		c.must(g.Lossless || !g.gate.Paused() && h.Headroom == 0,
			"slice %d group %d is lossy, paused %t with %d of headroom", s, i, g.gate.Paused(), h.Headroom)
		settled := *g
		settled.settle()
		c.must(settled == *g, "slice %d group %d is %+v, want %+v", s, i, *g, settled)
		c.must(h.Headroom == 0 || g.gate.Paused() || g.Stage.on(),
			"slice %d group %d holds %d of headroom and is not paused", s, i, h.Headroom)
		pools[g.Pool] += h.Shared
		if m.rule.HeadroomShared {
			pools[g.Pool] += h.Headroom
		}
		if m.rule.ReservedShared {
			pools[g.Pool] += h.Reserved
		}
		busy[g.Pool][g.Priority] += min(int(h.Shared), 1)
		global += h.Global
		if g.HeadroomPool > 0 {
			spare[g.HeadroomPool-1] += h.Headroom
		}
		if g.PortPool > 0 {
			ports[g.PortPool-1][0] += h.Port
			ports[g.PortPool-1][1] += h.Shared
		}
		if g.gate.Paused() {
			closed++
		}
		if g.Stage.on() {
			waiting += h.Headroom
		}
	}
	c.must(waiting == m.state[s].waiting, "slice %d: %d cells wait, %d counted", s, waiting, m.state[s].waiting)
	c.must(closed == m.state[s].paused, "slice %d: %d groups are paused, %d counted", s, closed, m.state[s].paused)
	c.pools("pool", s, pools, m.pools)
	c.busy("pool", s, busy, m.pools)
	c.pools("headroom pool", s, spare, m.headroomPools)
	c.pools("global headroom", s, []cells.Count{global}, m.global)
	for i, sum := range ports {
		p := &m.ports[s*m.sizes.ports+i]
		c.must(sum == [2]cells.Count{p.reserved, p.shared}, "slice %d port %d: groups hold %v, counted %d and %d", s,
			i, sum, p.reserved, p.shared)
	}
	c.egress(s)
}

// egress adds up the accounts of the queues of one slice.
func (c *checker) egress(s int) {
	m := c.m
	pools, ports := make([]cells.Count, m.sizes.egressPools), make([]cells.Count, m.sizes.egressPorts)
	busy := make([][priorities]int, m.sizes.egressPools)
	for i := range m.sizes.queues {
		q := &m.queues[s*m.sizes.queues+i]
		c.must(q.reserved >= 0 && q.reserved <= q.Reserved && q.shared >= 0 && q.peak >= q.shared,
			"slice %d queue %d: %+v", s, i, q)
		settled := *q
		settled.settle()
		c.must(settled == *q, "slice %d queue %d is %+v, want %+v", s, i, *q, settled)
		pools[q.Pool] += q.shared
		busy[q.Pool][q.Priority] += min(int(q.shared), 1)
		if q.PortPool > 0 {
			ports[q.PortPool-1] += q.shared
		}
	}
	c.pools("egress pool", s, pools, m.egressPools)
	c.busy("egress pool", s, busy, m.egressPools)
	for i, sum := range ports {
		c.must(sum == m.egressPorts[s*m.sizes.egressPorts+i].shared,
			"slice %d egress port %d: queues hold %d, counted %d", s,
			i, sum, m.egressPorts[s*m.sizes.egressPorts+i].shared)
	}
}

// busy compares the counted members in use with those of the pools.
func (c *checker) busy(what string, s int, counts [][priorities]int, pools []livePool) {
	for i, n := range counts {
		p := &pools[s*len(counts)+i]
		c.must(p.policy == nil || n == p.busy, "slice %d %s %d: busy members %v, counted %v", s, what, i, n, p.busy)
	}
}

// pools compares the sums of the members with the pools' own counters.
func (c *checker) pools(what string, s int, sums []cells.Count, pools []livePool) {
	for i, sum := range sums {
		p := &pools[s*len(sums)+i]
		c.must(sum == p.used, "slice %d %s %d: members hold %d, counted %d", s, what, i, sum, p.used)
		c.must(p.peak >= p.used, "slice %d %s %d: watermark %d below %d", s, what, i, p.peak, p.used)
		c.must(c.m.rule.LastPacket || c.m.rule.ReservedShared || p.used <= max(p.limit, p.usedAtChange),
			"slice %d %s %d: %d of %d cells", s, what, i, p.used, p.limit)
	}
}
