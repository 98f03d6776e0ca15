package internal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cabling"
)

// samples are small files of each form, in the form that their tools document.
var samples = map[string]string{
	"lab.clab.yml": `name: lab
topology:
  kinds: {ceos: {image: x}}
  nodes:
    leaf1: {kind: ceos}
    spine1: {kind: ceos}
    h1: {kind: linux}
  links:
    - endpoints: ["leaf1:eth1", "spine1:eth1"]
    - type: veth
      endpoints:
        - {node: h1, interface: eth1}
        - {node: leaf1, interface: eth2}
      mtu: 9000
`,
	"lab.yml": `nodes: {leaf1: {}, spine1: {}, h1: {role: host}}
links:
- leaf1-spine1
- [leaf1, spine1]
- {leaf1: {}, h1: {}, mtu: 9000}
- {interfaces: [{node: leaf1}, {node: spine1}, {node: h1}]}
`,
	"ptm.dot": `graph G {
  // cables
  node [shape=box];
  "leaf1" [role="leaf" os="cumulus"]
  "h1" [role="server"]
  "leaf1":"swp49" -- "spine1":"swp1" [LLDP="match_type=portdescr"]
  h1:eth0 -- leaf1:swp1;
}
`,
	"cables.csv": `side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit
leaf1,dcim.interface,Ethernet49,spine1,dcim.interface,Ethernet1,smf,connected,30,m
panel,dcim.frontport,1,spine1,dcim.interface,Ethernet2,smf,connected,,
leaf1,interface,Ethernet50,spine2,dcim.interface,Ethernet1,smf,connected,100,ft
leaf1,dcim.interface,Ethernet51,spine2,dcim.interface,Ethernet2,smf,decommissioning,,
`,
	"sonic_lab_links.csv": `StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode,AutoNeg
leaf1,Ethernet0,spine1,Ethernet4,100000,1681,Access,on
server1,p4p1,leaf1,Ethernet8,100000
leaf1,Ethernet12,leaf1,Ethernet16,100000
`,
	"sonic_lab_devices.csv": `Hostname,ManagementIp,HwSku,Type,Protocol,Os,AuthType
server1,192.0.2.1/24,Srv,Server,,ubuntu
`,
	"minigraph.xml": `<DeviceMiniGraph xmlns="Microsoft.Search.Autopilot.Evolution"><PngDec><DeviceInterfaceLinks>
<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType><Bandwidth>100000</Bandwidth><EndDevice>leaf1</EndDevice>
<EndPort>Ethernet0</EndPort><StartDevice>spine1</StartDevice><StartPort>Ethernet4</StartPort></DeviceLinkBase>
<DeviceLinkBase><ElementType>DeviceSerialLink</ElementType><EndDevice>x</EndDevice></DeviceLinkBase>
</DeviceInterfaceLinks></PngDec></DeviceMiniGraph>
`,
	"fabric.net": "vendid=0x2c9\n" +
		"Switch\t8 \"S-0002c90000000001\"\t\t# \"leaf1\" base port 0 lid 2 lmc 0\n" +
		"[1]\t\"S-0002c90000000002\"[3]\t\t# \"spine1\" lid 1 4xQDR\n" +
		"[2](2c9)\t\"H-0002c90000000003\"[1]\t\t# \"h1 HCA-1\" lid 3 4xQDR\n\n" +
		"Switch\t8 \"S-0002c90000000002\"\t\t# \"spine1\" base port 0 lid 1 lmc 0\n" +
		"[3]\t\"S-0002c90000000001\"[1]\t\t# \"leaf1\" lid 2 4xQDR\n\n" +
		"Ca\t1 \"H-0002c90000000003\"\t\t# \"h1 HCA-1\"\n" +
		"[1](2c9)\t\"S-0002c90000000001\"[2]\t\t# lid 3 lmc 0 \"leaf1\" lid 2 4xQDR\n",
	"tiny.topo": "# a leaf-spine\nNodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n" +
		"Downlink_Latency_ns 1000\n\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\n",
	"three.topo": "Nodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nTier 1\n" +
		"Downlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nTier 2\nDownlink_speed_Gbps 400\nRadix_Down 4\nBundle 1\n",
	"leaf1.lldp.json": `{"lldp": {"interface": [
{"Ethernet49": {"chassis": {"spine1": {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}}, "port": {"id": {"type": "ifname", "value": "Ethernet1"}, "ttl": "120"}}},
{"eth0": {"chassis": {"oob": {"id": {"type": "mac", "value": "02:00:00:00:00:02"}}}, "port": {"id": {"type": "ifname", "value": "7"}, "ttl": "120"}}}]}}`,
	"spine1.lldp.json": `{"lldp": [{"interface": [{"name": "Ethernet1", "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:03"}], "name": [{"value": "leaf1"}]}], "port": [{"id": [{"type": "ifname", "value": "Ethernet49"}], "ttl": [{"value": "120"}]}]}]}]}`,
	"fat.txt":          "4 2 3\n2 3\n0 2 100Gbps 1000ns 0.0\n1 3 100Gbps 1000ns 0.0\n2 3 400Gbps 1000ns 0.0\n",
	"leaf1.json":       `{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}, "CABLE_LENGTH": {"AZURE": {"Ethernet0": "30m", "Ethernet4": "0m"}}, "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "spine1", "port": "Ethernet8"}, "Servers0": {"local_port": "Ethernet4", "port": "eth0"}}, "DEVICE_NEIGHBOR_METADATA": {"Servers0": {"type": "Server"}}}`,
	"leaf1.avd.yml":    "hostname: leaf1\nethernet_interfaces:\n- {name: Ethernet49, peer: spine1, peer_interface: Ethernet1, speed: forced 100gfull}\n- {name: Ethernet1, peer: h1, peer_interface: eth0, peer_type: server}\n- {name: Ethernet2}\n",
	"spine1.avd.yaml":  "hostname: spine1\nethernet_interfaces:\n  Ethernet1: {peer: leaf1, peer_interface: Ethernet49}\n",
}

// written reads files into one list and writes it.
func written(t *testing.T, files ...string) (string, cabling.List) {
	t.Helper()
	var l cabling.List
	for _, name := range files {
		require.NoError(t, l.Read(name, []byte(samples[name])), name)
	}
	text, err := l.Write()
	require.NoError(t, err)
	// What is written is the file of a fabric, once it has routes.
	f, err := fabric.Read("fabric.yaml", append(text, []byte("routes: {rule: shortest, between: [leaf1, spine1], priority: 3}\n")...))
	if !strings.Contains(files[0], "fat") && !strings.Contains(files[0], "topo") {
		require.NoError(t, err, string(text))
		require.Equal(t, []int{l.Hosts(), l.Switches(), l.Cables()}, []int{f.Hosts(), f.Switches(), f.Cables()})
	}
	return string(text), l
}

// Each form is read with its names, speeds and lengths, and each line has its source.
func TestCablingForms(t *testing.T) {
	for _, c := range []struct {
		files                   []string
		hosts, switches, cables int
		lines                   []string
	}{
		{[]string{"lab.clab.yml"}, 1, 2, 2, []string{"- h1 # kind linux, lab.clab.yml:7",
			`- {a: "leaf1:eth1", b: "spine1:eth1"} # lab.clab.yml:9`}},
		{[]string{"lab.yml"}, 1, 2, 3, []string{"- {a: leaf1, b: spine1, count: 2} # lab.yml:3",
			"# lab.yml:6: a link of 3 nodes is left out"}},
		{[]string{"ptm.dot"}, 1, 2, 2, []string{"- h1 # role server, ptm.dot:5",
			`- {a: "leaf1:swp49", b: "spine1:swp1"} # ptm.dot:6`}},
		{[]string{"cables.csv"}, 0, 3, 2, []string{
			`- {a: "leaf1:Ethernet49", b: "spine1:Ethernet1", length: 30m} # cables.csv:2`,
			`- {a: "leaf1:Ethernet50", b: "spine2:Ethernet1", length: 30.48m} # cables.csv:4`,
			"# cables.csv: 1 cables do not join two interfaces",
			"# cables.csv: 1 cables are being taken away"}},
		{[]string{"sonic_lab_links.csv", "sonic_lab_devices.csv"}, 1, 2, 2, []string{
			"- server1 # Type Server, sonic_lab_links.csv:3",
			"# sonic_lab_links.csv:4: a cable of leaf1 to itself is left out",
			`- {a: "leaf1:Ethernet0", b: "spine1:Ethernet4", speed: 100G} # sonic_lab_links.csv:2`}},
		{[]string{"minigraph.xml"}, 0, 2, 1, []string{
			`- {a: "spine1:Ethernet4", b: "leaf1:Ethernet0", speed: 100G} # minigraph.xml:3`}},
		{[]string{"fabric.net"}, 1, 2, 2, []string{"- h1_HCA-1 # Ca, fabric.net:9",
			`- {a: "leaf1:1", b: "spine1:3"} # fabric.net:3, fabric.net:7`}},
		{[]string{"fat.txt"}, 2, 2, 3, []string{"- {a: n2, b: n3, speed: 400G} # fat.txt:5"}},
		{[]string{"tiny.topo"}, 32, 6, 32 + 8, []string{"- h0 # a node of htsim, tiny.topo",
			"- {a: h8, b: tor1, speed: 100G} # tiny.topo", "- {a: tor3, b: agg1, speed: 200G} # tiny.topo"}},
		{[]string{"three.topo"}, 16, 8 + 8 + 4, 16 + 16 + 16, []string{"- {a: agg3, b: core1, speed: 400G} # three.topo",
			"- {a: agg3, b: core3, speed: 400G} # three.topo", "- {a: agg2, b: core0, speed: 400G} # three.topo"}},
		{[]string{"leaf1.lldp.json", "spine1.lldp.json"}, 0, 2, 1, []string{
			`- {a: "leaf1:Ethernet49", b: "spine1:Ethernet1"} # leaf1.lldp.json, spine1.lldp.json`,
			"# leaf1.lldp.json: eth0 is for management"}},
		{[]string{"leaf1.json"}, 1, 2, 2, []string{"- Servers0 # type Server, leaf1.json:1",
			`- {a: "leaf1:Ethernet0", b: "spine1:Ethernet8", length: 30m} # leaf1.json:1`,
			`- {a: "leaf1:Ethernet4", b: "Servers0:eth0"} # leaf1.json:1`}},
		{[]string{"leaf1.avd.yml", "spine1.avd.yaml"}, 1, 2, 2, []string{
			`- {a: "leaf1:Ethernet49", b: "spine1:Ethernet1", speed: 100G} # leaf1.avd.yml:3, spine1.avd.yaml:3`}},
	} {
		text, l := written(t, c.files...)
		require.Equal(t, []int{c.hosts, c.switches, c.cables}, []int{l.Hosts(), l.Switches(), l.Cables()}, text)
		for _, line := range c.lines {
			require.Contains(t, text, line)
		}
	}
}

// Files that contradict each other are refused, with both places.
func TestCablingContradictions(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		// LLDP that contradicts a list of cables, and another switch's LLDP.
		{"StartDevice,StartPort,EndDevice,EndPort,BandWidth\nb,Ethernet49,spine2,Ethernet1,100000\n", samples["leaf1.lldp.json"],
			"b:Ethernet49 is cabled to spine1:Ethernet1 here, and to spine2:Ethernet1 at a.csv:2"},
		{"Nodes 32\nTiers 2\nTier 0\nRadix_Down 5\n", "", "those of no fat tree"},
		{"Nodes 32\nTier 1\n", "", `a.csv:2: tier "1" (want 0, 1 and 2 in their order)`},
		{"Nodes 65536\nTiers 2\nTier 0\nRadix_Down 8\nRadix_Up 2\nTier 1\nRadix_Down 8192\n", "", "want at most 40000"},
		{"Nodes lots\n", "", `Nodes "lots" (want 1 to`},
		{"StartDevice,StartPort,EndDevice,EndPort,BandWidth\nleaf1,e1,spine1,e1,100000\nleaf1,e1,spine2,e1,100000\n", "",
			"a.csv:3: leaf1:e1 is cabled to spine2:e1 here, and to spine1:e1 at a.csv:2"},
		{"StartDevice,StartPort,EndDevice,EndPort,BandWidth\nleaf1,e1,spine1,e1,100000\n",
			"StartDevice,StartPort,EndDevice,EndPort,BandWidth\nspine1,e1,leaf1,e1,400000\n",
			"b.csv:2: leaf1:e1 has 400G here and 100G at a.csv:2"},
		{"StartDevice,StartPort,EndDevice,EndPort,BandWidth\nleaf1,e1,spine1,e1,fast\n", "", `"fast" Mb/s (want 1 to`},
		{"side_a_device,side_a_name,side_b_device,side_b_name,length,length_unit\nleaf1,e1,spine1,e1,3,rods\n", "",
			`a.csv:2: length_unit "rods": want km, m, cm, mi, ft or in`},
		{"hello\n", "", "a.csv: no list of cables that is known (want NetBox cables (CSV), "},
		{"4 2 1\n2\n0 2\n", "", "a.csv:3: 2 columns (want source"},
	} {
		var l cabling.List
		err := l.Read("a.csv", []byte(c.a))
		if c.b != "" {
			require.NoError(t, err)
			err = l.Read("b.csv", []byte(c.b))
		}
		require.ErrorContains(t, err, c.want)
		_, err = l.Write()
		require.Error(t, err)
	}
}

func Example_cabling() {
	data := []byte("graph {\nleaf1:swp1 -- spine1:swp1\n}\n")
	var l cabling.List
	err := l.Read("clos.clab.yml", data)
	if err == nil {
		var text []byte
		text, err = l.Write()
		fmt.Print(string(text))
	}
	fmt.Println(err)
	// Output:
	// # Cables and nodes as these files have them. Add how frames go, such as:
	// #   routes: {rule: shortest, between: [leaf*], priority: 3}
	// switches:
	//   - leaf1 # clos.clab.yml:2
	//   - spine1 # clos.clab.yml:2
	// cables:
	//   - {a: "leaf1:swp1", b: "spine1:swp1"} # clos.clab.yml:2
	// <nil>
}

// Any bytes are read or refused, and what is written is a fabric.
func FuzzCablingRead(f *testing.F) {
	for _, text := range samples {
		f.Add([]byte(text))
	}
	f.Add([]byte("links:\n- {interfaces: [{x: leaf1}]}\n"))
	f.Add([]byte(" x: leaf1\nethernet_interfaces:\n- {n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l cabling.List
		if err := l.Read("file", data); err != nil {
			return
		}
		text, err := l.Write()
		if err != nil {
			return
		}
		_, err = fabric.Read("fabric.yaml", append(text, []byte("routes: {rule: shortest, between: [\"*\"], priority: 3}\n")...))
		require.NoError(t, err, string(text))
	})
}
