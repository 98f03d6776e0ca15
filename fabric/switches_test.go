package fabric

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// planned is a fabric with two kinds of leaves: one has another pool.
const planned = `generate: {leaf-spine: {leaves: 4, spines: 2, hosts: 1, cables: 2}}
roles:
  leaf: {topology: leaf.yaml, ports: {spine: Ethernet1-4, host: Ethernet5}, target: "{name}:9339", set: [shared_floor=10%]}
  spine: {topology: spine.yaml, ports: {leaf: Ethernet1-8}}
overrides:
  leaf3: {set: ["pool.shared_headroom_ratio=4", shared_floor=20%], target: "[::1]:1"}
cable_kinds:
  - {a: leaf, b: host, length: 3m, speed: 100G}
  - {a: leaf4, b: spine, length: 500m}
  - {a: leaf, b: spine, length: 30m, speed: 400G}
peers: [[leaf1, leaf2]]
`

const leafTemplate = `chip: tomahawk4
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports:
  - {range: Ethernet1-5}
`

// The switches have the topologies, the changes and the cables of their file; those that plan alike are of one kind.
func TestPlanned(t *testing.T) {
	f, err := Read("lab/fabric.yaml", []byte(planned))
	require.NoError(t, err)
	switches, cables, err := f.Planned()
	require.NoError(t, err)
	require.Len(t, switches, 6)
	require.Len(t, cables, 20)
	byName := map[string]Switch{}
	for _, s := range switches {
		byName[s.Name] = s
	}
	require.Equal(t, byName["leaf1"].Kind, byName["leaf2"].Kind)
	require.NotEqual(t, byName["leaf1"].Kind, byName["leaf3"].Kind)
	require.NotEqual(t, byName["leaf1"].Kind, byName["leaf4"].Kind) // its cables are longer
	require.Equal(t, []string{"leaf2"}, byName["leaf1"].Peers)
	require.Equal(t, "leaf1:9339", byName["leaf1"].Target)
	require.Equal(t, "[::1]:1", byName["leaf3"].Target)
	require.Equal(t, "lab/leaf.yaml", byName["leaf1"].Topology)

	in, err := topology.Parse("lab/leaf.yaml", []byte(leafTemplate), nil, byName["leaf4"].Changes...)
	require.NoError(t, err)
	require.Equal(t, "500m 500m 500m 500m 3m", lengths(in.Ports))
	require.Equal(t, "400G", in.Ports[0].Rate.String()) // the kind that gives the length gives no speed
	require.Equal(t, "100G", in.Ports[4].Rate.String())
	require.Equal(t, "10%", in.SharedFloor.String())
	in, err = topology.Parse("lab/leaf.yaml", []byte(leafTemplate), nil, byName["leaf3"].Changes...)
	require.NoError(t, err)
	require.Equal(t, 4, in.Pool.SharedHeadroomRatio)
	require.Equal(t, "20%", in.SharedFloor.String()) // the override comes after the role
}

// lengths prints the cables of ports.
func lengths(ports []buffer.Port) string {
	var out []string
	for _, p := range ports {
		out = append(out, p.Cable.String())
	}
	return strings.Join(out, " ")
}

// What the topology and the fabric say otherwise is refused with both places, and so is a port that is not there.
func TestPlannedContradicts(t *testing.T) {
	f, err := Read("fabric.yaml", []byte(planned))
	require.NoError(t, err)
	switches, _, err := f.Planned()
	require.NoError(t, err)
	leaf := switches[2]
	require.Equal(t, "leaf1", leaf.Name)
	for text, want := range map[string]string{
		"  - {range: Ethernet1-5, cable: 5m}\n": `leaf.yaml:5: ports[0].cable: 5m here, and fabric.yaml:10 says 30m for the ` +
			`cable of Ethernet1: want it in one place`,
		"  - {range: Ethernet1-5, delay: 5us}\n":  "ports[0].delay: 5us here, and fabric.yaml:10 says 30m",
		"  - {range: Ethernet1-4}\n":              "no port Ethernet5, and fabric.yaml:8 has a cable at it",
		"  - {range: Ethernet1-4, speed: 100G}\n": "ports[0].speed: 100G here, and fabric.yaml:10 says 400G",
		"  - {range: Ethernet1-6}\n":              "ports[0]: the file of the fabric has no cable at Ethernet6",
	} {
		_, err := topology.Parse("leaf.yaml", []byte(leafTemplate[:len(leafTemplate)-len("  - {range: Ethernet1-5}\n")]+text), nil,
			leaf.Changes...)
		require.ErrorContains(t, err, want, text)
	}
}

// Hosts with two switches make these peers, and generated planes are those of the form.
func TestPeersAndPlanes(t *testing.T) {
	f, err := Read("fabric.yaml", []byte("hosts: [h]\nswitches: [A, B, C]\ncables: [[h, A], [h, B], [A, C], [B, C]]\n"))
	require.NoError(t, err)
	switches, _, err := f.Planned()
	require.NoError(t, err)
	require.Equal(t, []string{"B"}, switches[0].Peers)
	require.Empty(t, switches[2].Peers)
	require.Equal(t, -1, switches[0].Kind)

	f, err = Read("fabric.yaml", []byte("generate: {fat-tree: {ports: 4}}\n"))
	require.NoError(t, err)
	switches, _, err = f.Planned()
	require.NoError(t, err)
	planes := map[string]string{}
	for _, s := range switches {
		planes[s.Name] = s.Plane
	}
	require.Equal(t, "2", planes["leaf1-2"])
	require.Equal(t, "1", planes["spine1-2"])
	require.Empty(t, planes["tor1-1"])
}

// What the keys of switches must not say.
func TestSwitchesRefused(t *testing.T) {
	const begin = "generate: {leaf-spine: {leaves: 2, spines: 2}}\n"
	for text, want := range map[string]string{
		"roles: [leaf]": "want a mapping of roles", "overrides: [leaf]": "want a mapping of names",
		"overrides: {leaf9: {}}":                       "no switch has this name",
		"roles: {leaf: {ports: Ethernet1}}":            "want a mapping of roles to ports",
		"roles: {leaf: {set: [shared_floor]}}":         "shared_floor",
		"roles: {leaf: {port: Ethernet1}}":             "port",
		"cable_kinds: [{a: leaf, b: leaf}]":            "no cable joins leaf and leaf",
		"cable_kinds: [{a: leaf, b: x}]":               "want a role, host, or a name",
		"cable_kinds: [{a: leaf, b: spine, speed: 1}]": "speed",
		"peers: [[leaf1, x]]":                          "want a name or a pattern",
	} {
		_, err := Read("fabric.yaml", []byte(begin+text+"\n"))
		require.ErrorContains(t, err, want, text)
	}
	f, err := Read("fabric.yaml", []byte(begin+"roles: {leaf: {topology: l.yaml, ports: {spine: Ethernet1}}}\n"))
	require.NoError(t, err)
	_, _, err = f.Planned()
	require.ErrorContains(t, err, "leaf1 has 1 ports for spine, and more cables")
	f, err = Read("fabric.yaml", []byte(begin+"roles: {leaf: {topology: l.yaml, ports: {spine: 'Ethernet1,Ethernet1'}}}\n"))
	require.NoError(t, err)
	_, _, err = f.Planned()
	require.ErrorContains(t, err, "leaf1:Ethernet1 has two cables: the other is in line 1")
}
