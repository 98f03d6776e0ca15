package topology_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

const twoEntries = `chip: tomahawk
headroom: {method: ieee802.1qbb, frame: 64B}
classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B}
ports:
  - {range: "Ethernet1/1-4", speed: 100G, cable: 5m}
  - {name: Ethernet1/5, speed: 100G, cable: 300m}
`

func read(t *testing.T, text string, changes ...string) (*topology.File, error) {
	t.Helper()
	var set []topology.Override
	for _, c := range changes {
		change, err := topology.ParseOverride(c)
		require.NoError(t, err)
		set = append(set, change)
	}
	return topology.Read("leaf.yaml", []byte(text), os.ReadFile, set...)
}

func TestFileSaysWhereItsValuesStand(t *testing.T) {
	f, err := read(t, twoEntries, "ports[1].cable=2km", "pool.shared_headroom_ratio=6")
	require.NoError(t, err)
	require.Equal(t, []topology.Entry{{"ports[0]", capacity.Entry{Text: "Ethernet1/1-4", Count: 4}},
		{"ports[1]", capacity.Entry{Text: "Ethernet1/5", First: 4, Count: 1}}}, f.Entries)
	require.Equal(t, 2*unit.Kilometre, f.Intent.Ports[4].Cable)
	require.Equal(t, 5*unit.Metre, f.Intent.Ports[3].Cable)
	require.Equal(t, 6, f.Intent.Pool.SharedHeadroomRatio)
	require.Equal(t, "Ethernet1/1-4", f.EntryOf(3).Text)
	require.Nil(t, f.EntryOf(5))
	for path, want := range map[string]string{
		"ports[0].cable": "leaf.yaml", "ports[1].cable": "--set ports[1].cable=2km", "ports[1].mtu": "leaf.yaml",
		"pool.shared_headroom_ratio": "--set pool.shared_headroom_ratio=6",
	} {
		file, line, stated := f.Place(path)
		require.Equal(t, want, file)
		require.Equal(t, want == "leaf.yaml", line > 0)
		require.Equal(t, path != "ports[1].mtu", stated)
	}
}

// A value is refused as the file's own would be: by the reader, by what the intent accepts, and by the method.
func TestChangesAreRefusedAsTheFileIs(t *testing.T) {
	for change, want := range map[string]string{
		"ports[1].cable=2":          `--set ports[1].cable=2: ports[1].cable: "2" is not a length: it has no unit`,
		"ports[1].cable=2000km":     `--set ports[1].cable=2000km: ports[1].cable: 2000km: want 0m to 1000km`,
		"ports[1].cabel=2km":        `--set ports[1].cabel=2km: ports[1].cabel: unknown key`,
		"headroom.frame=9216B":      `--set headroom.frame=9216B: headroom.frame: 9216B: want at most the 4096B`,
		"headroom.method=ieee":      `--set headroom.method=ieee: headroom.method: "ieee"`,
		"chip=tomahawk99":           `--set chip=tomahawk99: chip: "tomahawk99"`,
		"ports[1].name=Ethernet1/4": `a name that no other port has`,
		"ports=[]":                  `--set ports=[]: ports: 0`,
	} {
		_, err := read(t, twoEntries, change)
		require.ErrorContains(t, err, want, change)
	}
}
