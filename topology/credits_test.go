package topology_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/topology"
)

// A class says with one key how it loses nothing: by pauses, or by credits.
func TestLosslessByPausesOrCredits(t *testing.T) {
	for value, want := range map[string][2]bool{"true": {true, false}, "pfc": {true, false}, "cbfc": {false, true},
		"false": {false, false}} {
		in, err := topology.Parse("t.yaml", []byte("chip: tomahawk4\nheadroom: {method: ieee802.1qbb}\n"+
			"classes:\n  - {name: a, priorities: [3], lossless: "+
			value+"}\nports:\n  - {name: Ethernet1, speed: 100G, cable: 5m, mtu: 9216B}\n"), os.ReadFile)
		require.NoError(t, err, value)
		require.Equal(t, want, [2]bool{in.Classes[0].Lossless, in.Classes[0].Credits}, value)
	}
}
