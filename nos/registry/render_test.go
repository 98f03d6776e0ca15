package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// planned is a plan with two lossless priorities, a port with one of them, and a port with a long cable.
func planned(t *testing.T, dscp pg.DSCPMap, names ...string) nos.Plan {
	t.Helper()
	in := buffer.Intent{
		Chip:   buffer.Chip{Name: "small", Cell: 254, Slices: []buffer.Slice{{Cells: 50000}}, Groups: pg.PerPort},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true},
			{Name: "storage", Priorities: []int{4}, Lossless: true}, {Name: "other", Priorities: []int{0, 1, 2, 5, 6,
				7}}},
		DSCP: dscp,
	}
	for i, name := range names {
		in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, MTU: 9216,
			Cable: []unit.Length{40 * unit.Metre, 300 * unit.Metre}[i%2], Classes: []buffer.ClassSet{0, 0b101}[i%2]})
	}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, plan.Fits)
	return nos.Plan{Intent: in, Layout: plan.Layout()}
}

// read audits a file of a rendering.
func read(t *testing.T, f nos.File) *audit.Result {
	t.Helper()
	system, err := registry.Of(f.Content)
	require.NoError(t, err)
	reading, err := system.Read(f.Name, f.Content, audit.Chip{})
	require.NoError(t, err)
	return audit.Run(audit.Source{File: f.Name, Reading: reading})
}

// readBack audits a file of a rendering, and prints of each port the priorities with PFC and the cable.
func readBack(t *testing.T, f nos.File) (ports string, r *audit.Result) {
	t.Helper()
	r = read(t, f)
	require.Empty(t, r.Findings, f.Name)
	require.Zero(t, r.What().Statements.Unread, f.Name)
	var out []string
	for _, p := range r.Switch.Ports {
		out = append(out, fmt.Sprintf("%s %b %v %v", p.Name, p.PFC, p.Cable, p.LosslessGroups()))
	}
	return strings.Join(out, ", "), r
}

// TestOwnRenderings reads what the dialects write: the same priorities and cables come back, and nothing is found.
func TestOwnRenderings(t *testing.T) {
	rendered := eos.System.Render(planned(t, pg.DSCPMap{}, "Ethernet1/1", "Ethernet2/1"))
	ports, _ := readBack(t, rendered.Files[1])
	require.Equal(t, "Ethernet1/1 11000 0m [3 4], Ethernet2/1 1000 0m [3]", ports)
	ports, r := readBack(t, rendered.Files[0])
	require.Equal(t, "Ethernet1/1 11000 0m [], Ethernet2/1 1000 0m []", ports)
	require.Contains(t, r.Unknown[0], "whether PFC is on is not in OpenConfig")

	for _, dscp := range []pg.DSCPMap{{}, {3: pg.Points(24, 26), 4: pg.Points(32)}} {
		ports, _ = readBack(t, junos.System.Render(planned(t, dscp, "et-0/0/0", "et-0/0/1")).Files[0])
		require.Equal(t, "et-0/0/0 11000 40m [3 4], et-0/0/1 1000 300m [3]", ports)
	}
}
