package mmu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/thresholds"
)

// An MMU is calm while no group is paused, and never with several slices.
func TestCalm(t *testing.T) {
	c := mmu.Config{Cell: 100, Pools: []mmu.Pool{{Shared: 10}}, Groups: []mmu.Group{{Limit: thresholds.Static(2),
		Lossless: true, Headroom: 5, XON: thresholds.XON{Offset: 1}}}}
	m, cell := mmuOf(t, c), mmu.Packet{Bytes: 100}
	require.True(t, m.Calm())
	for range 3 {
		m.Arrive(cell)
	}
	require.False(t, m.Calm(), "paused")
	require.False(t, m.Leave(cell).XON)
	require.False(t, m.Calm(), "still paused")
	require.True(t, m.Leave(cell).XON)
	require.True(t, m.Calm(), "resumed")

	c.Slices = 2
	require.False(t, mmuOf(t, c).Calm(), "several slices")
}

// A packet of another group leaves quietly as long as its cells cannot resume the one that is paused.
func TestQuiet(t *testing.T) {
	c := mmu.Config{Cell: 100, Pools: []mmu.Pool{{Shared: 30}}, Groups: []mmu.Group{
		{Limit: thresholds.Dynamic(0), Lossless: true, Headroom: 50, XON: thresholds.XON{Offset: 3}},
		{Limit: thresholds.Dynamic(0)}}}
	m, other := mmuOf(t, c), mmu.Packet{Group: 1, Bytes: 200}
	for range 4 {
		require.Equal(t, mmu.CauseNone, m.Arrive(other).Drop)
	}
	first := mmu.Packet{Bytes: 100}
	for !m.Arrive(first).XOFF {
	}
	require.False(t, m.Leave(first).Room, "its headroom is free again, and it is paused still")
	// It holds 11 cells, as many as are free, and resumes when 3 more are.
	require.EqualValues(t, 30-11, m.PoolUsed(0, 0))
	require.False(t, m.RoomWith(2))
	require.True(t, m.RoomWith(3))
	n, ok := m.Quiet(other, 0)
	require.True(t, ok)
	require.EqualValues(t, 2, n)
	_, ok = m.Quiet(other, 1)
	require.False(t, ok, "with another cell they resume it")
	_, ok = m.Quiet(first, 0)
	require.False(t, ok, "its own packets may resume it")
	require.False(t, m.Leave(other).Room)
	require.True(t, m.Leave(other).Room)

	c.Slices = 2
	_, ok = mmuOf(t, c).Quiet(other, 0)
	require.False(t, ok, "several slices")
}
