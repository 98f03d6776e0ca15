package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// planOf plans a topology.
func planOf(t *testing.T, text string) *buffer.Plan {
	t.Helper()
	in, err := topology.Parse("leaf.yaml", []byte(text), noFiles)
	require.NoError(t, err)
	p, err := buffer.New(in)
	require.NoError(t, err)
	return p
}

const spectrum4 = `chip: spectrum-4
headroom: {method: sonic-dynamic}
classes: [{name: rdma, priorities: [3], lossless: true, mtu: 4096B}]
ports:
  - {name: e1, speed: 800G, cable: 5m}
  - {name: e2, speed: 800G, cable: 5m, lanes: 4}
  - {name: e3, speed: 400G, cable: 5m}
  - {name: e4, speed: 400G, cable: 5m, lanes: 8}
`

// The lanes of a port are its own, else SONiC's for the speed; where that is assumed the plan says so.
func TestLanesOfPorts(t *testing.T) {
	p := planOf(t, spectrum4)
	var reserved []unit.Bytes
	for _, g := range p.Groups {
		reserved = append(reserved, g.ReservedAsked)
	}
	// Twice the XON of four lanes and a frame of the port's MTU, 9,216 bytes: size less xoff of the manager's profile.
	require.Equal(t, []unit.Bytes{38912 + 9216, 19456, 19456, 38912 + 9216}, reserved)
	require.Contains(t, strings.Join(p.Warnings, "\n"), "headroom at 800G: assumed: 8 lanes, which double XON to 38912B: "+
		"switches with spectrum-4 have ports of 800G with 8 lanes alone (sonic-swss, cfgmgr/buffermgrdyn.cpp")

	in, err := topology.Parse("leaf.yaml", []byte(spectrum4), noFiles)
	require.NoError(t, err)
	text, err := topology.Write(in)
	require.NoError(t, err)
	require.Contains(t, string(text.Topology), "lanes: 8")
	again, err := topology.Parse("again.yaml", text.Topology, noFiles)
	require.NoError(t, err)
	require.Equal(t, in.Ports, again.Ports)
}

// The MTU of a port bounds the frames of a class whose MTU is above it: a switch accepts both, and the plan warns.
func TestClassMTUAboveThePorts(t *testing.T) {
	of := func(class, port string) *buffer.Plan {
		return planOf(t, "chip: tomahawk\nheadroom: {method: ieee802.1qbb, frame: 1500B}\nclasses: [{name: rdma, "+
			"priorities: [3], lossless: true, mtu: "+class+"}]\nports: [{name: e1, speed: 100G, cable: 5m, mtu: "+port+"}]\n")
	}
	bounded, equal := of("4096B", "1500B"), of("1500B", "1500B")
	require.Equal(t, equal.Groups, bounded.Groups)
	require.Contains(t, bounded.Warnings, "class rdma: its mtu of 4096B is above that of e1: its frames there have at "+
		"most the port's MTU, 1500B, and the headroom is for these")
	require.NotContains(t, strings.Join(equal.Warnings, "\n"), "its mtu of")
}

// PFC without headroom is written and read back, takes no cells, and the plan says what it does.
func TestPFCWithoutHeadroom(t *testing.T) {
	const text = "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\nclasses: [{name: rdma, priorities: [3], lossless: true, mtu: 4096B}]\n" +
		"ports: [{name: e1, speed: 100G, cable: 5m%s}]\n"
	without := planOf(t, strings.Replace(text, "%s", "", 1))
	in, err := topology.Parse("leaf.yaml", []byte(strings.Replace(text, "%s", ", pfc_without_headroom: [6, 4]", 1)), noFiles)
	require.NoError(t, err)
	require.Equal(t, []int{4, 6}, in.Ports[0].WithoutHeadroom())
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, without.Layout(), p.Layout())
	require.Contains(t, p.Warnings, "e1: PFC without headroom for priority 4, 6: the port stops sending while it is "+
		"paused, and what it receives is lossy")
	written, err := topology.Write(in)
	require.NoError(t, err)
	require.Contains(t, string(written.Topology), "pfc_without_headroom: [4, 6]")
	again, err := topology.Parse("again.yaml", written.Topology, noFiles)
	require.NoError(t, err)
	require.Equal(t, in.Ports, again.Ports)
}
