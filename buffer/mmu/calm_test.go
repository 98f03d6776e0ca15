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
