package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
)

// fabricOf20 is 20 leaves and 10 spines with a topology each, and the 200 cables between them.
type fabricOf20 struct {
	head    string // of all topologies, before the ports
	usual   string // what all ports have
	planted map[string]string
	want    map[string]finding.Code // by the ends of a link
	first   string                  // the first line of the output
}

// write writes the topologies and the list of cables, and returns the list's name.
func (f *fabricOf20) write(t *testing.T) string {
	t.Helper()
	const leaves, spines = 20, 10
	dir := t.TempDir()
	topology := func(name string, ports int) {
		var b strings.Builder
		b.WriteString(f.head + "ports:\n")
		for p := 1; p <= ports; p++ {
			port := fmt.Sprintf("Ethernet%d", p)
			how, odd := f.planted[name+":"+port]
			if !odd {
				how = f.usual
			}
			fmt.Fprintf(&b, "  - {name: %s, %s}\n", port, how)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(b.String()), 0o644))
	}
	var cables strings.Builder
	cables.WriteString("a,b\n")
	for l := 1; l <= leaves; l++ {
		topology(fmt.Sprintf("leaf%d", l), spines)
		for s := 1; s <= spines; s++ {
			fmt.Fprintf(&cables, "leaf%d.yaml:Ethernet%d,spine%d.yaml:Ethernet%d\n", l, s, s, l)
		}
	}
	for s := 1; s <= spines; s++ {
		topology(fmt.Sprintf("spine%d", s), leaves)
	}
	list := filepath.Join(dir, "cables.csv")
	require.NoError(t, os.WriteFile(list, []byte(cables.String()), 0o644))
	return list
}

// In a fabric of 200 cables, five ports are planted that do not match the other end; link finds these five, and nothing
// else.
func TestFiveMismatchesInAFabric(t *testing.T) {
	effort.SkipShort(t, "it negotiates five links")
	for name, f := range map[string]fabricOf20{
		"pauses": {
			head: `chip: tomahawk
headroom: {method: ieee802.1qbb}
dscp: {3: [26]}
classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B, weight: 60}
  - {name: storage, priorities: [5], lossless: true, mtu: 4096B, weight: 20}
  - {name: rest, priorities: [0, 1, 2, 4, 6, 7], weight: 5}
`,
			usual: "speed: 100G, cable: 30m, classes: [rdma, rest]",
			planted: map[string]string{
				"leaf3:Ethernet5":   "speed: 100G, cable: 30m, classes: [rest]",
				"leaf11:Ethernet10": "speed: 100G, cable: 30m, classes: [rdma, storage, rest]",
				"spine2:Ethernet17": "speed: 100G, cable: 30m, classes: [rdma, rest], mtu: 4200B",
				"spine9:Ethernet1":  "speed: 100G, cable: 3m, classes: [rdma, rest]",
				"leaf20:Ethernet1":  "speed: 25G, cable: 30m, classes: [rdma, rest]",
			},
			want: map[string]finding.Code{
				"leaf3.yaml:Ethernet5 spine5.yaml:Ethernet3":     "pfc-one-end",
				"leaf11.yaml:Ethernet10 spine10.yaml:Ethernet11": "pfc-priorities",
				"leaf17.yaml:Ethernet2 spine2.yaml:Ethernet17":   "mtu",
				"leaf1.yaml:Ethernet9 spine9.yaml:Ethernet1":     "cable",
				"leaf20.yaml:Ethernet1 spine1.yaml:Ethernet20":   "rate",
			},
			first: "DIFFER: 4 errors, 1 warning on 200 links: 5 have findings, 195 are the same as far as compared\n",
		},
		// Every link has credits, groups of ETS and a measured delay.
		"credits, groups and measured delays": {
			head: `chip: tomahawk4
headroom: {method: ieee802.1qbb, frame: 4096B}
dscp: {3: [26], 4: [28]}
ets:
  priority_groups:
    - {number: 0, name: lan, bandwidth: 40%}
    - {number: 1, name: san, bandwidth: 60%}
classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B, ets_group: 1, weight: 2}
  - {name: storage, priorities: [4], lossless: true, mtu: 4096B, ets_group: 1, weight: 1}
  - {name: rest, priorities: [0, 1, 2, 5, 6, 7], ets_group: 0}
`,
			usual: "speed: 100G, lossless: cbfc, " +
				"measured_delay: {round_trip: 310ns, uncertainty: 10ns, source: ptp, date: 2026-05-12}",
			planted: map[string]string{
				"leaf3:Ethernet5": "speed: 100G, lossless: pfc, " +
					"measured_delay: {round_trip: 315ns, uncertainty: 5ns, source: ptp, date: 2026-06-12}",
				"leaf11:Ethernet10": "speed: 100G, lossless: cbfc, classes: [rdma, rest], " +
					"measured_delay: {one_way: 155ns, uncertainty: 0ns, source: ptp, date: 2026-06-12}",
				"spine2:Ethernet17": "speed: 100G, lossless: cbfc, mtu: 4200B, " +
					"measured_delay: {round_trip: 300ns, uncertainty: 0ns, source: ptp, date: 2026-06-12}",
				"spine9:Ethernet1": "speed: 100G, lossless: cbfc, " +
					"measured_delay: {round_trip: 331ns, uncertainty: 10ns, source: ptp, date: 2026-06-12}",
				"leaf20:Ethernet1": "speed: 25G, lossless: cbfc, " +
					"measured_delay: {round_trip: 310ns, uncertainty: 10ns, source: ptp, date: 2026-06-12}",
			},
			want: map[string]finding.Code{
				"leaf3.yaml:Ethernet5 spine5.yaml:Ethernet3":     "credits-one-end",
				"leaf11.yaml:Ethernet10 spine10.yaml:Ethernet11": "credit-channels",
				"leaf17.yaml:Ethernet2 spine2.yaml:Ethernet17":   "mtu",
				"leaf1.yaml:Ethernet9 spine9.yaml:Ethernet1":     "measured-delay",
				"leaf20.yaml:Ethernet1 spine1.yaml:Ethernet20":   "rate",
			},
			first: "DIFFER: 3 errors, 2 warnings on 200 links: 5 have findings, 195 are the same as far as compared\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := f.write(t)
			code, out, bad := cellwarden(t, "link", "--fabric", list, "-o", "json")
			require.Equal(t, cli.ExitLint, code, bad)
			var doc report.LinkDocument
			require.NoError(t, json.Unmarshal([]byte(out), &doc))
			require.Len(t, doc.Links, 200)
			got := map[string]finding.Code{}
			for _, l := range doc.Links {
				for _, x := range l.Findings {
					require.NotContains(t, got, l.A+" "+l.B, "one cause, one finding")
					got[l.A+" "+l.B] = x.Code
				}
			}
			require.Equal(t, f.want, got)
			require.Equal(t, 5, doc.Errors+doc.Warnings)
			_, out, _ = cellwarden(t, "link", "--fabric", list)
			require.Contains(t, out, f.first)
			require.Contains(t, out, "- not known on any link: ")
		})
	}
}
