package mmu_test

import (
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
)

func TestSetPortPool(t *testing.T) {
	m, err := mmu.New(mmu.Config{Cell: 100, Slices: 2, Pools: []mmu.Pool{{}}, PortPools: []mmu.PortPool{{}},
		Groups: []mmu.Group{{PortPool: 1, Limit: thresholds.Unlimited()}}})
	require.NoError(t, err)
	in := mmu.Packet{Slice: 1, Bytes: 300}
	require.Equal(t, mmu.CausePool, m.Arrive(in).Drop)
	require.NoError(t, m.SetPortPool(0, mmu.PortPool{Reserved: 4}))
	require.EqualValues(t, 3, m.Arrive(in).Port)
	require.NoError(t, m.SetPortPool(0, mmu.PortPool{}))
	require.NoError(t, m.Check())
	require.Equal(t, mmu.CausePool, m.Arrive(mmu.Packet{Slice: 1, Bytes: 1}).Drop,
		"what is above the limit stays, and nothing more comes in")
	m.Leave(in)
	require.NoError(t, m.Check())
	require.ErrorContains(t, m.SetPortPool(1, mmu.PortPool{}), "port 1 (want 0 to 0)")
	require.ErrorContains(t, m.SetPortPool(0, mmu.PortPool{Reserved: -1}), "reserved -1")
}
