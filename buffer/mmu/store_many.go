package mmu

import (
	"math"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
)

// A deep buffer holds more packets than a probe can send one by one. As long as packets of one length are only stored,
// the accounts after any number of them are known. Limits fall and use rises with every packet, so a packet that is
// stored in the end has found room all along. The number of packets is therefore found by bisection, with the rules as
// they are. What happens next, a pause, a drop, or a packet that straddles two accounts, is left to Arrive.

// account says where the next packet of a group, or of a queue, is charged.
type account uint8

const (
	otherAccount account = iota // it straddles two, or must be looked at by itself
	reservedAccount
	sharedAccount
	headroomAccount
)

// manyPackets is rounds of packets of n cells each in slice 0: one packet to
// each of the groups, all of them into queue 0 if there are queues.
type manyPackets struct {
	*MMU
	n      cells.Count
	groups []*liveGroup
	into   []account // of each group
	queue  *liveQueue
	out    account // of the queue
}

// store stores as many rounds of packets, one of n cells to each of the groups,
// as cause no XOFF, no drop and no change of account, and returns how many.
func (m *MMU) store(groups []int, n cells.Count) int64 {
	x := manyPackets{MMU: m, n: n, groups: make([]*liveGroup, len(groups)), into: make([]account, len(groups))}
	if n <= 0 || len(groups) == 0 {
		return 0
	}
	most := int64(math.MaxInt64)
	for i, g := range groups {
		x.groups[i] = &m.groups[g]
		x.into[i] = x.accountOf(x.groups[i])
		most = min(most, x.room(i))
	}
	if m.sizes.queues > 0 {
		x.queue = &m.queues[0]
		x.out = x.accountOfQueue()
		most = min(most, x.roomOfQueue())
	}
	rounds := exact.Last(0, most+1, func(k int64) bool {
		x.put(k)
		defer x.put(-k)
		return x.roomForMore()
	})
	x.put(rounds)
	x.note(rounds)
	return rounds
}

// accountOf returns the account of a group's next packet.
func (x *manyPackets) accountOf(g *liveGroup) account {
	pool := g.pool
	switch {
	case !x.rule.plain() || x.packets > 0 || g.PortPool > 0 || g.GlobalHeadroom || g.Stage.on() || pool.policy != nil:
		return otherAccount
	case g.held.Reserved+x.n <= g.Reserved:
		return reservedAccount
	case g.held.Reserved < g.Reserved:
		return otherAccount
	case !g.gate.Paused():
		return sharedAccount
	case g.Headroom > 0 && x.sharedCause(g, pool, nil, x.n) != CauseNone:
		return headroomAccount
	}
	return otherAccount
}

// room returns the number of rounds above which the group's account is too small, by itself.
func (x *manyPackets) room(i int) int64 {
	g := x.groups[i]
	switch pool := g.pool; x.into[i] {
	case reservedAccount: // the last of them may pause: see Rule.PauseAtLimit
		return int64((g.Reserved-g.held.Reserved)/x.n) - 1
	case sharedAccount:
		return int64(max(pool.limit-pool.used, 0) / x.n)
	case headroomAccount:
		return int64(max(g.Headroom-g.held.Headroom, 0) / x.n)
	}
	return 0
}

// round returns the cells of a round.
func (x *manyPackets) round() cells.Count { return x.n * cells.Count(len(x.groups)) }

// accountOfQueue returns the account of the next round in the queue.
func (x *manyPackets) accountOfQueue() account {
	q := x.queue
	switch {
	case q.PortPool > 0 || q.pool.policy != nil:
		return otherAccount
	case q.reserved+x.round() <= q.Reserved:
		return reservedAccount
	case q.reserved < q.Reserved:
		return otherAccount
	}
	return sharedAccount
}

// roomOfQueue returns the number of rounds above which the queue's account is too small, by itself.
func (x *manyPackets) roomOfQueue() int64 {
	switch pool := x.queue.pool; x.out {
	case reservedAccount:
		return int64((x.queue.Reserved - x.queue.reserved) / x.round())
	case sharedAccount:
		return int64(max(pool.limit-pool.used, 0) / x.round())
	}
	return 0
}

// put puts rounds on the accounts, or takes them off again if they are negative.
func (x *manyPackets) put(rounds int64) {
	c := cells.Count(rounds) * x.n
	for i, g := range x.groups {
		switch x.into[i] {
		case reservedAccount:
			g.held.Reserved += c
		case sharedAccount:
			g.shared += c
			g.pool.used += c
		case headroomAccount:
			g.held.Headroom += c
			if g.spare != nil {
				g.spare.used += c
			}
		}
	}
	switch c *= cells.Count(len(x.groups)); x.out {
	case reservedAccount:
		x.queue.reserved += c
	case sharedAccount:
		x.queue.shared += c
		x.queue.pool.used += c
	}
}

// roomForMore tells whether each group, and the queue, would store one more
// packet in the same account. Then nothing has happened to those before it.
func (x *manyPackets) roomForMore() bool {
	for i, g := range x.groups {
		switch x.into[i] {
		case sharedAccount:
			if x.sharedCause(g, g.pool, nil, x.n) != CauseNone {
				return false
			}
		case headroomAccount:
			if x.headroomCause(g, x.n) != CauseNone {
				return false
			}
		}
	}
	return x.out != sharedAccount || x.egress(x.queue, x.n, &Verdict{}) == CauseNone
}

// note brings watermarks and counters up to what has been stored.
func (x *manyPackets) note(rounds int64) {
	if rounds == 0 {
		return
	}
	x.counts.Admitted += rounds * int64(len(x.groups))
	for _, g := range x.groups {
		g.peakHeadroom = max(g.peakHeadroom, g.held.Headroom)
		g.add(0)
		if g.spare != nil {
			g.spare.take(0)
		}
		g.settle()
	}
	if q := x.queue; q != nil {
		q.add(0)
		q.settle()
	}
}

// resumesAfter tells whether a paused group of slice 0 would send XON when it has given back n cells. Nothing changes.
func (m *MMU) resumesAfter(group int, n cells.Count) bool {
	g := m.groups[group]
	pool := *g.pool
	headroom := min(n, g.held.Headroom)
	shared := min(n-headroom, g.shared)
	g.held.Headroom -= headroom
	g.shared -= shared
	g.held.Reserved -= n - headroom - shared
	pool.used -= shared
	if m.rule.HeadroomShared {
		pool.used -= headroom
	}
	if m.rule.ReservedShared {
		pool.used -= n - headroom - shared
	}
	return g.gate.Released(m.whilePaused(&g, &pool, nil))
}
