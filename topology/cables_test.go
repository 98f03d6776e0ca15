package topology_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/topology"
)

// The file of a fabric can give the ports of one entry several cables. Each of them is sized, and an entry has one
// complaint.
func TestEveryCableOfAnEntryIsSized(t *testing.T) {
	text := strings.Replace(withRows, `"Ethernet0-8/4", speed: 100G, cable: 40m`, `"Ethernet0-8/4"`, 1)
	read := func(speeds ...string) error {
		var changes []topology.Override
		for i, port := range []string{"Ethernet0", "Ethernet4", "Ethernet8"} {
			changes = append(changes, topology.NewCable(port, speeds[i], "40m", "fabric.yaml:3"))
		}
		_, err := topology.Read("x.yaml", []byte(text), os.ReadFile, changes...)
		return err
	}
	require.NoError(t, read("100G", "100G", "100G"))
	err := read("100G", "40G", "25G")
	require.ErrorContains(t, err, "x.yaml:8: ports[0]: port Ethernet4")
	require.ErrorContains(t, err, "no row for 40G")
	require.NotContains(t, err.Error(), "25G")
	require.ErrorContains(t, read("100G", "100G", "25G"), "x.yaml:8: ports[0]: port Ethernet8")
}

// Ports of an entry at which the fabric has no cable are named: what is missing is the cable.
func TestPortsWithoutACableOfTheFabricAreNamed(t *testing.T) {
	text := strings.Replace(withRows, `"Ethernet0-8/4", speed: 100G, cable: 40m`, `"Ethernet0-8/4"`, 1)
	_, err := topology.Read("x.yaml", []byte(text), os.ReadFile,
		topology.NewCable("Ethernet0", "100G", "40m", "fabric.yaml:3"))
	require.ErrorContains(t, err, "x.yaml:8: ports[0]: the file of the fabric has no cable at Ethernet4,Ethernet8: want")
	require.NotContains(t, err.Error(), "missing")
}
