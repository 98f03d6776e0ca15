package topology_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// A name is a name and a range is a range.
func TestParseComplainsAboutNames(t *testing.T) {
	for _, c := range []struct {
		edit func(string) string
		want string
	}{
		{replace("1/1-3", "1-5000"), `"Ethernet1-5000" is more than 4096 ports (want at most 4096)`},
		{replace("name: Ethernet1/4, ", ""), "leaf.yaml:10: ports[1]: no name: want either name or range"},
		{replace("name: Ethernet1/4", "name: Ethernet1/4-8"), `leaf.yaml:10: ports[1].name: "Ethernet1/4-8" is not ` +
			`the name of one port (want a name; ports of several names are a range)`},
		{replace("Ethernet1/1-3", "Ethernet1/1"), `leaf.yaml:9: ports[0].range: "Ethernet1/1" is not a range of ports ` +
			`(want a range such as "Ethernet1/1-32", "Ethernet0-124/4" (every fourth), or several with commas; ` +
			`one port has a name)`},
		{replace("name: Ethernet1/4", "name: Ethernet 1"), `leaf.yaml:10: port Ethernet 1: "Ethernet 1": want ` +
			`an interface name: letters, digits and / _ . : -`},
	} {
		_, err := topology.Parse("leaf.yaml", []byte(c.edit(good)), noFiles)
		require.ErrorContains(t, err, c.want)
	}
}

// What does not belong to the intent as it is planned has a line too.
func TestParseComplainsAboutWhatIsNotPlanned(t *testing.T) {
	for _, c := range []struct {
		edit func(string) string
		want string
	}{
		{replace("speed: 40G", "speed: 33G"), "leaf.yaml:10: ports[1]: port Ethernet1/4, class rdma: no source gives the " +
			"pause response time of 33G"},
		{replace("frame: 64B", "frame: 9216B"), `leaf.yaml:2: headroom.frame: 9216B: want at most the 4096B ` +
			`that frames of class "rdma" have`},
		{replace("chip: tomahawk", "chip: Broadcom Tomahawk 4"),
			`leaf.yaml:1: chip: "Broadcom Tomahawk 4": want a chip of the catalogue (nearest: tomahawk4; all: `},
		{func(s string) string { return s + "---\nchip: tomahawk2\n" },
			"leaf.yaml:12: document: a second document: want " +
				"one document in a file"},
		{func(s string) string { return `{"chip": "tomahawk"} and more` }, "leaf.yaml: after the document: "},
	} {
		_, err := topology.Parse("leaf.yaml", []byte(c.edit(good)), noFiles)
		require.ErrorContains(t, err, c.want)
	}
	_, err := topology.Parse("leaf.yaml", []byte("---\n"+good+"---\n"), noFiles)
	require.NoError(t, err, "an empty document is nothing")
}

func TestExpandPortsIsTheInverseOfFoldPorts(t *testing.T) {
	for _, text := range []string{
		"Ethernet1/1-32", "Ethernet0-124/4", "et-0/0/0-3", "swp1-2,swp5", "Ethernet1/1/1-4", "mgmt",
	} {
		names, err := topology.ExpandPorts(text)
		require.NoError(t, err)
		require.Equal(t, text, buffer.FoldPorts(names))
	}
	for _, text := range []string{"", "a,,b", "a5-1", "a1-5/0", "1-", "a1-99999999999999999999", "-3", "a1..3"} {
		names, err := topology.ExpandPorts(text)
		require.Error(t, err, text)
		require.Empty(t, names)
	}
}

// What people write for a range and the reader does not know is refused; it does not become one port of that name.
func TestWhatIsNoRangeIsNoPort(t *testing.T) {
	for _, text := range []string{"Ethernet1..48", "1–48", "[1-48]", "1 - 48", "1:48", "Ethernet1-Ethernet48",
		"Ethernet1/1-1/48", "swp1-48s0", "{1..48}", "Ethernet*", "Ethernet1-48 ", "Ethernet1 - 48", "Ethernet1-",
		"Ethernet1", "Ethernet1:48", "Ethernet01-48", "Ethernet1-48/0", "Ethernet1-48/5", "Ethernet1/1-2/1",
		"Ethernet1-4,7", "Ethernet1-4,7-8", "Ethernet1-2,Ethernet4..8", "Ethernet1-2,Ethernet4-Ethernet8",
		"ethernet1-Ethernet48", "Ethernet1-2-3"} {
		edit := replace("Ethernet1/1-3", text)
		_, err := topology.Parse("leaf.yaml", []byte(edit(good)), noFiles)
		if text == "Ethernet1-48 " { // what stands around a name is not part of it
			require.NotContains(t, fmt.Sprint(err), "range of ports")
			continue
		}
		require.ErrorContains(t, err, "leaf.yaml:9: ports[0].range: ", text)
		require.ErrorContains(t, err, "is not a range of ports", text)
	}
	for _, text := range []string{"Ethernet1..48", "1–48", "[1-48]", "1 - 48", "Ethernet1-48", "Ethernet1-Ethernet48",
		"Ethernet1/1-1/48", "swp1-48s0", "{1..48}", "Ethernet*"} {
		_, err := topology.Parse("leaf.yaml", []byte(replace("name: Ethernet1/4", `name: "`+text+`"`)(good)), noFiles)
		require.Error(t, err, text)
	}
	for _, text := range []string{"et-0/0/0", "ethernet-1/1", "xe-0/0/0:1", "1/1/c1/1", "eth0.100", "swp1s0", "a01-b"} {
		_, err := topology.Parse("leaf.yaml", []byte(replace("name: Ethernet1/4", `name: "`+text+`"`)(good)), noFiles)
		require.NoError(t, err, text)
	}
}
