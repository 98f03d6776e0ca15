package internal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cabling"
)

// Files of each form, as their tools write them and public repositories have them: testdata/public/README.md says
// where.
func TestCablingPublic(t *testing.T) {
	for _, c := range []struct {
		files                   []string
		hosts, switches, cables int
		lines                   []string
	}{
		{[]string{"clos02.clab.yml"}, 2, 6, 8, []string{"- client1 # kind linux, clos02.clab.yml:11",
			`- {a: "spine1:e1-3", b: "superspine1:e1-1"} # clos02.clab.yml:18`}},
		{[]string{"link-formats.netlab.yml"}, 0, 3, 4, []string{"- {a: r1, b: r2, count: 4} # link-formats.netlab.yml:3",
			"# link-formats.netlab.yml:4: a link of 3 nodes is left out", "# link-formats.netlab.yml:10: a cable of r1 to itself"}},
		{[]string{"topology.dot"}, 0, 2, 3, []string{`- {a: "switch1:swp3", b: "switch2:swp43"} # topology.dot:12`}},
		{[]string{"ufm.dot"}, 1, 2, 2, []string{"- server1 # role server, ufm.dot:4", "- leaf1 # role leaf, ufm.dot:2"}},
		{[]string{"netbox.csv"}, 0, 2, 2, []string{`- {a: "sw1:Ethernet1", b: "sw2:Ethernet1", length: 30m} # netbox.csv:2`,
			"# netbox.csv: 1 cables do not join two interfaces"}},
		{[]string{"neighbour-name.config_db.json"}, 0, 3, 2, []string{
			"- ARISTA04T1 # role LeafRouter, neighbour-name.config_db.json:4",
			`- {a: "sonic-t0:Ethernet124", b: "ARISTA04T1:Ethernet1", length: 300m} # neighbour-name.config_db.json:4`}},
		{[]string{"local-port.config_db.json"}, 1, 2, 2, []string{"- Servers0 # type Server, local-port.config_db.json:3",
			`- {a: "sonic-t0:Ethernet112", b: "ARISTA01T1:Ethernet1"} # local-port.config_db.json:4`}},
		{[]string{"minigraph.xml"}, 1, 2, 2, []string{"- Servers0 # type Server, minigraph.xml:18",
			"# minigraph.xml: 1 links within a chassis are left out", "- switch-t0 # role ToRRouter, minigraph.xml:11",
			`- {a: "switch-t0:fortyGigE0/112", b: "ARISTA01T1:Ethernet1/1", speed: 40G} # minigraph.xml:11`}},
		{[]string{"sonic_snappi-sonic_links.csv", "sonic_snappi-sonic_devices.csv"}, 0, 3, 3, []string{
			`- {a: "sonic-s6100-dut2:Ethernet0", b: "snappi-sonic:Card1/Port5", speed: 100G} # sonic_snappi-sonic_links.csv:4`}},
		{[]string{"dc1-leaf1a.yml", "dc1-spine1.yml"}, 1, 3, 3, []string{"- dc1-leaf1-server1 # peer_type server, dc1-leaf1a.yml:5",
			`- {a: "dc1-leaf1a:Ethernet1", b: "dc1-spine1:Ethernet1"} # dc1-leaf1a.yml:4, dc1-spine1.yml:3`}},
		{[]string{"ibsim.net"}, 2, 1, 2, []string{"- n101-1 # Ca, ibsim.net:14",
			`- {a: "sw1:5", b: "gw101-1:1"} # ibsim.net:7, ibsim.net:11`}},
		{[]string{"hpcc.topology.txt"}, 3, 1, 3, []string{"- {a: n0, b: n3, speed: 25G} # hpcc.topology.txt:5",
			"# hpcc.topology.txt:7: lines behind the links are not read"}},
		{[]string{"leaf_spine_tiny.topo"}, 32, 6, 40, nil},
		{[]string{"../../../observed/testdata/lldpcli.json"}, 0, 2, 1, nil},
	} {
		var l cabling.List
		for _, file := range c.files {
			data, err := os.ReadFile(filepath.Join("cabling/testdata", "public", file))
			require.NoError(t, err)
			require.NoError(t, l.Read(file, data), file)
		}
		text, err := l.Write()
		require.NoError(t, err, c.files)
		require.Equal(t, []int{c.hosts, c.switches, c.cables}, []int{l.Hosts(), l.Switches(), l.Cables()}, string(text))
		for _, line := range c.lines {
			require.Contains(t, string(text), line)
		}
		f, err := fabric.Read("fabric.yaml", text)
		require.NoError(t, err, string(text))
		require.Equal(t, l.Cables(), f.Cables())
	}
}
