package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// FuzzExpandPorts reads any text as ports. It is refused, or it is names of ports, each of which stands for itself.
func FuzzExpandPorts(f *testing.F) {
	for _, text := range []string{"Ethernet1-4", "Ethernet1/1-32", "Ethernet0-124/4", "e1,e3-5", "swp1-48s0", "1..48",
		"Ethernet1–48", "{1..48}", "e1-4096,e1-4096", "e01-04", "e1-99999999999999999999", ",", "-", "e1\x1b", "et-0/0/0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, err := topology.ExpandPorts(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, names)
		require.LessOrEqual(t, len(names), buffer.MaxPorts)
		for _, name := range names {
			require.True(t, buffer.ValidPortName(name), "%q", name)
			one, err := topology.ExpandPorts(name)
			require.NoError(t, err, "%q", name)
			require.Equal(t, []string{name}, one)
		}
	})
}
