package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// probeRun is a probe in progress.
type probeRun struct {
	mmu    *MMU
	length unit.Bytes
	sent   []int64
	out    []ProbedGroup
}

// Run fills the groups up to their pauses, in rotation or in turn. It then determines each group's XON, and fills each
// group to its first drop. A group that drops before it pauses is done at that point. Run refuses what Validate
// refuses.
func (p *Probe) Run() (ProbeAnswer, error) {
	if err := p.Validate(); err != nil {
		return ProbeAnswer{}, err
	}
	m, err := New(p.Config())
	if err != nil {
		return ProbeAnswer{}, err
	}
	n := max(p.Groups, 1)
	q := probeRun{m, p.Packet, make([]int64, n), make([]ProbedGroup, n)}
	if p.Charged > 0 {
		q.length = p.Charged
	}
	if p.InTurn {
		q.sent[0] = p.LeakOut
		for g := range n {
			q.fillToPause(g)
		}
	} else {
		q.rotate(p.LeakOut)
	}
	for g := range n {
		q.out[g].XONBelow = q.drain(g)
	}
	for g := range n {
		q.fillToDrop(g)
	}
	shared, spare := p.sizes()
	a := ProbeAnswer{Groups: q.out, Shared: p.inCells(shared), HeadroomPool: p.inCells(spare)}
	if p.Egress.Pool > 0 {
		a.EgressShared = p.inCells(p.egressShared())
	}
	return a, nil
}

// fillToPause sends packets to a group until it pauses or drops one.
func (q *probeRun) fillToPause(group int) {
	for done := false; !done; {
		q.skip([]int{group})
		done = q.send(group)
	}
}

// fillToDrop sends packets to a group until it drops one.
func (q *probeRun) fillToDrop(group int) {
	for q.out[group].Drop == 0 {
		q.skip([]int{group})
		q.send(group)
	}
}

// rotate sends one packet to each group in turn until all groups have paused or dropped. The first packets leak out.
func (q *probeRun) rotate(leak int64) {
	groups := make([]int, len(q.out))
	n := int64(len(groups))
	for g := range groups {
		groups[g] = g
		q.sent[g] = leak / n
		if int64(g) < leak%n {
			q.sent[g]++
		}
	}
	for begin := int(leak % n); len(groups) > 0; begin = 0 {
		if begin == 0 {
			q.skip(groups)
		}
		left := append([]int(nil), groups[:begin]...)
		for _, g := range groups[begin:] {
			if !q.send(g) {
				left = append(left, g)
			}
		}
		groups = left
	}
}

// skip counts the rounds of packets, one to each of the groups, that are only stored.
func (q *probeRun) skip(groups []int) {
	rounds := q.mmu.store(groups, q.mmu.Cells(Packet{Bytes: q.length}))
	for _, g := range groups {
		q.sent[g] += rounds
		if q.mmu.groups[g].gate.Paused() {
			q.out[g].Headroom += rounds
		}
	}
}

// send sends a packet to a group and notes the result. It returns true if the group paused or dropped the packet.
func (q *probeRun) send(group int) (done bool) {
	v := q.mmu.Arrive(Packet{Group: group, Bytes: q.length})
	q.sent[group]++
	g := &q.out[group]
	if v.XOFF {
		g.XOFF = q.sent[group]
	}
	if v.Headroom > 0 {
		g.Headroom++
	}
	if v.Drop != CauseNone && g.Drop == 0 {
		g.Drop, g.Cause = q.sent[group], v.Drop
	}
	return v.XOFF || v.Drop != CauseNone
}

// drain returns how many packets of a paused group must leave until it sends
// XON; all that it holds if it never does. 0 for a group that has not paused.
func (q *probeRun) drain(group int) int64 {
	n := q.mmu.Cells(Packet{Bytes: q.length})
	held := q.mmu.groups[group].total() / n
	if q.out[group].XOFF == 0 || held == 0 {
		return 0
	}
	return 1 + int64(exact.Last(0, held, func(left cells.Count) bool { return !q.mmu.resumesAfter(group, left*n) }))
}
