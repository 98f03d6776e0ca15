package scheduler

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// slowTier is a level of a scheduler that looks at all members each time.
type slowTier struct {
	tier
	turns [Queues]uint8 // by group; of the groups themselves: the first
}

// weighted adds the quanta turn by turn.
func (t *slowTier) weighted(group, open, members uint8, cost [Queues]int64) uint8 {
	for m := range Queues {
		if members&^open>>m&1 != 0 {
			t.deficit[m] = 0
		}
	}
	for m := t.turns[group]; ; {
		if open>>m&1 != 0 && t.deficit[m] >= cost[m] {
			t.turns[group] = m
			return m
		}
		if m = (m + 1) % Queues; open>>m&1 != 0 {
			t.deficit[m] += t.quantum[m]
		}
	}
}

// slowScheduler is a Scheduler without shortcuts.
type slowScheduler struct {
	queues, groups slowTier
	of             [Queues]uint8
	overhead       int64
}

// next returns the queue that sends next, of those that are ready, and charges it for its frame.
func (c *slowScheduler) next(now int64, ready uint8, bytes [Queues]int64, perByte int64) (uint8, bool) {
	var would, members, cost, price [Queues]int64
	groups := c.update(now, ready)
	open := ready &^ c.queues.outOfCredit()
	for q := range uint8(Queues) {
		members[c.of[q]] |= 1 << q
		cost[q] = c.queues.cost(q, bytes[q])
	}
	groups &^= c.groups.outOfCredit()
	able := uint8(0)
	for g := range uint8(Queues) {
		if groups>>g&1 != 0 && open&uint8(members[g]) != 0 {
			able |= 1 << g
		}
	}
	// A strict or shaped group goes alone: the queues of the others are not asked.
	if first := able & c.groups.first; first != 0 {
		able = 1 << (bits.Len8(first) - 1)
	}
	if able == 0 {
		return 0, false
	}
	for g := range uint8(Queues) {
		if able>>g&1 == 0 {
			continue
		}
		mine := open & uint8(members[g])
		if first := mine & c.queues.first; first != 0 {
			would[g] = int64(bits.Len8(first) - 1)
		} else {
			would[g] = int64(c.queues.weighted(g, mine, uint8(members[g])&^c.queues.first, cost))
		}
		price[g] = c.groups.cost(g, bytes[would[g]])
	}
	g := uint8(bits.TrailingZeros8(able))
	if able&c.groups.first == 0 {
		g = c.groups.weighted(0, able, ^c.groups.first, price)
	}
	q := uint8(would[g])
	time := (bytes[q] - c.overhead) * perByte
	c.queues.take(q, bytes[q], now, time)
	c.groups.take(g, bytes[q], now, time)
	return q, true
}

// update brings the credits up to date, and returns the groups that are ready.
func (c *slowScheduler) update(now int64, ready uint8) (groups uint8) {
	for q := range Queues {
		if ready>>q&1 != 0 {
			groups |= 1 << c.of[q]
		}
	}
	c.queues.earn(now, ready)
	c.groups.earn(now, groups)
	return groups
}

// take charges a member for a frame.
func (t *slowTier) take(m uint8, bytes, now, time int64) {
	switch {
	case t.shaped>>m&1 != 0:
		t.shapers[m].send(now, time)
	case t.first>>m&1 == 0:
		t.deficit[m] -= t.cost(m, bytes)
	}
}

// anyConfig returns a configuration of any kind.
func anyConfig(r *rand.Rand) (c Config) {
	c.Quantum = unit.Bytes(1 + r.IntN(2000))
	c.Overhead = unit.Bytes(r.IntN(2) * 20)
	groups := 1 + r.IntN(4)
	any := func(weighted bool) Selection {
		switch n := r.IntN(10); {
		case n == 0 && !weighted:
			return Selection{Algorithm: Shaped, IdleSlope: unit.Gbps * unit.BitRate(1+r.IntN(5))}
		case n < 3 && !weighted:
			return Selection{Algorithm: Strict}
		case n < 8:
			return Selection{Algorithm: DWRR, Weight: 1 + r.IntN(20)}
		}
		return Selection{Weight: 1 + r.IntN(3)}
	}
	for q := range Queues {
		c.Group[q] = r.IntN(groups)
		c.Queues[q], c.Groups[q] = any(false), any(groups == 1)
	}
	return c
}

// The scheduler selects the same queues as one without shortcuts, and keeps the same deficits and credits.
func TestSchedulerAgainstSlow(t *testing.T) {
	effort.SkipShort(t, "it compares with the slow model")
	const perByte = 80 // picoseconds at 100 Gb/s
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		config := anyConfig(r)
		c, err := New(&config, 100*unit.Gbps)
		require.NoError(t, err)
		slow := slowScheduler{queues: slowTier{tier: c.queues, turns: c.current}, groups: slowTier{tier: c.groups},
			of: c.groupOf, overhead: c.overhead}
		slow.groups.turns[0] = c.currentGroup
		var queues [Queues]packet.Queue
		var bytes [Queues]int64
		arrive := func(q int) {
			n := uint16(64 + r.IntN(9000))
			queues[q].First().Bytes, bytes[q] = n, int64(n)+int64(config.Overhead)
		}
		for q := range Queues {
			queues[q].Push(packet.Packet{})
			arrive(q)
		}
		now := int64(0)
		for range 300 {
			ready := uint8(r.Uint32()) &^ uint8(r.Uint32()&r.Uint32())
			if r.IntN(3) == 0 {
				ready = 0xff
			}
			want, found := slow.next(now, ready, bytes, perByte)
			c.Update(now, ready)
			got, n, ok := c.Select(ready, &queues)
			require.Equal(t, found, ok, "seed %d", seed)
			if ok {
				require.Equal(t, want, got, "seed %d", seed)
				require.Equal(t, bytes[got]-int64(config.Overhead), n, "seed %d", seed)
				c.Spend(got, now, n*perByte)
				arrive(int(got))
			} else if open := ready & c.queues.outOfCredit(); open != 0 {
				require.Greater(t, c.Wake(now, ready), now, "seed %d", seed)
			}
			require.Equal(t, slow.queues.deficit, c.queues.deficit, "seed %d", seed)
			require.Equal(t, slow.queues.shapers, c.queues.shapers, "seed %d", seed)
			if !c.single {
				require.Equal(t, slow.groups.deficit, c.groups.deficit, "seed %d", seed)
				require.Equal(t, slow.groups.shapers, c.groups.shapers, "seed %d", seed)
			}
			now += int64(r.IntN(200_000))
		}
	}
}
