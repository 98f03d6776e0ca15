package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/topology"
)

// The key trust is read and written, and refused beside a map that says the opposite.
func TestTrust(t *testing.T) {
	const base = `chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports: [{name: Ethernet1, speed: 100G, cable: 10m}]
`
	for text, want := range map[string]pg.Trust{"": pg.TrustUnknown, "trust: pcp": pg.TrustPCP,
		"trust: dscp":                  pg.TrustDSCP,
		"trust: dscp\ndscp: {3: [26]}": pg.TrustDSCP} {
		in, err := topology.Parse("leaf.yaml", []byte(base+text), nil)
		require.NoError(t, err)
		require.Equal(t, want, in.Trust)
		w, err := topology.Write(in)
		require.NoError(t, err)
		again, err := topology.Parse("again.yaml", w.Topology, nil)
		require.NoError(t, err)
		require.Equal(t, want, again.Trust)
	}
	_, err := topology.Parse("leaf.yaml", []byte(base+"trust: pcp\ndscp: {3: [26]}"), nil)
	require.ErrorContains(t, err, "trust: pcp: want dscp, because dscp maps DSCPs to priorities")
	_, err = topology.Parse("leaf.yaml", []byte(base+"trust: cos"), nil)
	require.ErrorContains(t, err, "want pcp, dscp")
}
