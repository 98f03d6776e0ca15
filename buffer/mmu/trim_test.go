package mmu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// trimmer is an MMU with a lossy and a lossless group, a queue of 4 cells that trims to 100 bytes, and the queue for the
// rest, of 3 cells.
func trimmer(t *testing.T) *MMU {
	m, err := New(Config{Cell: 100, Pools: []Pool{{Shared: 1000}}, EgressPools: []Pool{{Shared: 1000}}, Trim: 100,
		Groups: []Group{{Limit: thresholds.Unlimited()}, {Limit: thresholds.Unlimited(), Lossless: true}},
		Queues: []Queue{{Limit: thresholds.Static(4), Trim: 2}, {Limit: thresholds.Static(3)}}})
	require.NoError(t, err)
	return m
}

func TestTrim(t *testing.T) {
	m := trimmer(t)
	big := Packet{Bytes: 400}
	require.Equal(t, CauseNone, m.Arrive(big).Drop)
	for n := range 3 { // the queue is full: 3 rests of one cell find room
		v := m.Arrive(big)
		require.Equal(t, Verdict{Held: Held{Shared: 1}, QueueShared: 1, Drop: CauseQueueLimit, Trim: 2}, v, n)
	}
	require.Equal(t, Verdict{Drop: CauseQueueLimit}, m.Arrive(big))
	require.Equal(t, Counters{Admitted: 4, Dropped: 4, Trimmed: 4, TrimDropped: 1}, m.Counters())
	require.EqualValues(t, 4, m.Drops(CauseQueueLimit))
	_, shared := m.QueueState(0, 1)
	require.EqualValues(t, 3, shared)
	// A packet that is shorter than the rest goes whole; one of a lossless group is not trimmed.
	rest := Packet{Bytes: 100, Queue: 1}
	m.Leave(rest)
	require.Equal(t, 2, m.Arrive(Packet{Bytes: 60}).Trim)
	m.Leave(Packet{Bytes: 60, Queue: 1})
	require.Zero(t, m.Arrive(Packet{Bytes: 400, Group: 1}).Trim)
	m.Leave(rest)
	m.Leave(rest)
	m.Leave(big)
	require.NoError(t, m.Check())
	require.Equal(t, cells.Count(0), m.PoolUsed(0, 0))
}

// A packet is trimmed without an allocation.
func TestTrimAllocatesNothing(t *testing.T) {
	m := trimmer(t)
	m.Arrive(Packet{Bytes: 400})
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if v := m.Arrive(Packet{Bytes: 400}); v.Trim != 2 {
			panic(v)
		}
		m.Leave(Packet{Bytes: 100, Queue: 1})
	}))
}

func TestTrimRefused(t *testing.T) {
	queue := func(trim int) Queue { return Queue{Limit: thresholds.Unlimited(), Trim: trim} }
	for want, c := range map[string]Config{
		"queues[0].trim: 3 (want 0 to 2)":            {Trim: 64, Queues: []Queue{queue(3), queue(0)}},
		"queues[0].trim: 2 (want a queue that does":  {Trim: 64, Queues: []Queue{queue(2), queue(1)}},
		"queues[0].trim: a queue for the rest (want": {Queues: []Queue{queue(2), queue(0)}},
		"trim: -1 (want 0 to 65536)":                 {Trim: -1},
	} {
		c.Cell, c.Pools, c.EgressPools = 100, []Pool{{Shared: 1}}, []Pool{{Shared: 1}}
		_, err := New(c)
		require.ErrorContains(t, err, want)
	}
}
