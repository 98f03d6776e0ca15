package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx/link"
)

// A fabric of 20 leaves and 10 spines has 200 cables. Five ports are planted that do not match the other end; link
// finds these five, and nothing else.
func TestFiveMismatchesInAFabric(t *testing.T) {
	const leaves, spines = 20, 10
	planted := map[string]string{ // by port, what is other than at all others
		"leaf3:Ethernet5":   "speed: 100G, cable: 30m, classes: [rest]",
		"leaf11:Ethernet10": "speed: 100G, cable: 30m, classes: [rdma, storage, rest]",
		"spine2:Ethernet17": "speed: 100G, cable: 30m, classes: [rdma, rest], mtu: 4200B",
		"spine9:Ethernet1":  "speed: 100G, cable: 3m, classes: [rdma, rest]",
		"leaf20:Ethernet1":  "speed: 25G, cable: 30m, classes: [rdma, rest]",
	}
	want := map[string]link.Code{
		"leaf3.yaml:Ethernet5 spine5.yaml:Ethernet3":     link.PFCAtOneEnd,
		"leaf11.yaml:Ethernet10 spine10.yaml:Ethernet11": link.PFCPriorities,
		"leaf17.yaml:Ethernet2 spine2.yaml:Ethernet17":   link.FrameLength,
		"leaf1.yaml:Ethernet9 spine9.yaml:Ethernet1":     link.CableLength,
		"leaf20.yaml:Ethernet1 spine1.yaml:Ethernet20":   link.LinkRate,
	}
	dir := t.TempDir()
	write := func(name string, ports int) {
		var b strings.Builder
		b.WriteString(`chip: tomahawk
headroom: {method: ieee802.1qbb}
dscp: {3: [26]}
classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B, weight: 60}
  - {name: storage, priorities: [5], lossless: true, mtu: 4096B, weight: 20}
  - {name: rest, priorities: [0, 1, 2, 4, 6, 7], weight: 5}
ports:
`)
		for p := 1; p <= ports; p++ {
			port := fmt.Sprintf("Ethernet%d", p)
			how, odd := planted[name+":"+port]
			if !odd {
				how = "speed: 100G, cable: 30m, classes: [rdma, rest]"
			}
			fmt.Fprintf(&b, "  - {name: %s, %s}\n", port, how)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(b.String()), 0o644))
	}
	var cables strings.Builder
	cables.WriteString("a,b\n")
	for l := 1; l <= leaves; l++ {
		write(fmt.Sprintf("leaf%d", l), spines)
		for s := 1; s <= spines; s++ {
			cables.WriteString(fmt.Sprintf("leaf%d.yaml:Ethernet%d,spine%d.yaml:Ethernet%d\n", l, s, s, l))
		}
	}
	for s := 1; s <= spines; s++ {
		write(fmt.Sprintf("spine%d", s), leaves)
	}
	list := filepath.Join(dir, "cables.csv")
	require.NoError(t, os.WriteFile(list, []byte(cables.String()), 0o644))

	code, out, bad := cellwarden(t, "link", "--fabric", list, "-o", "json")
	require.Equal(t, exitLint, code, bad)
	var doc linkJSON
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Links, 200)
	got := map[string]link.Code{}
	for _, l := range doc.Links {
		for _, f := range l.Findings {
			require.NotContains(t, got, l.A+" "+l.B, "one cause, one finding")
			got[l.A+" "+l.B] = f.Code
		}
	}
	require.Equal(t, want, got)
	require.Equal(t, 5, doc.Errors+doc.Warnings)

	_, out, _ = cellwarden(t, "link", "--fabric", list)
	require.Contains(
		t,
		out,
		"DIFFER: 4 errors, 1 warning on 200 links: 5 have findings, 195 are the same as far as compared\n",
	)
	require.Contains(t, out, "- not known on any link: willing\n")
}
