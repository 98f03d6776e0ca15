package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
)

func TestSetPortPool(t *testing.T) {
	m, err := buffer.NewMMU(buffer.MMUConfig{Cell: 100, Slices: 2, Pools: []buffer.MMUPool{{}}, PortPools: []buffer.MMUPortPool{{}},
		Groups: []buffer.MMUGroup{{PortPool: 1, Limit: thresholds.Unlimited()}}})
	require.NoError(t, err)
	in := buffer.Packet{Slice: 1, Bytes: 300}
	require.Equal(t, buffer.CausePool, m.Arrive(in).Drop)
	require.NoError(t, m.SetPortPool(0, buffer.MMUPortPool{Reserved: 4}))
	require.EqualValues(t, 3, m.Arrive(in).Port)
	require.NoError(t, m.SetPortPool(0, buffer.MMUPortPool{}))
	require.NoError(t, m.Check())
	require.Equal(t, buffer.CausePool, m.Arrive(buffer.Packet{Slice: 1, Bytes: 1}).Drop, "what is above the limit stays, and nothing more comes in")
	m.Leave(in)
	require.NoError(t, m.Check())
	require.ErrorContains(t, m.SetPortPool(1, buffer.MMUPortPool{}), "port 1 (accepted: 0 to 0)")
	require.ErrorContains(t, m.SetPortPool(0, buffer.MMUPortPool{Reserved: -1}), "reserved -1")
}
