package registry_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/topology"
)

// planExamples plans the examples that fit, by their names.
func planExamples(t *testing.T) map[string]nos.Plan {
	t.Helper()
	names, err := filepath.Glob("../../examples/*.yaml")
	require.NoError(t, err)
	out := map[string]nos.Plan{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		in, err := topology.Parse(name, data, func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(filepath.Dir(name), filepath.Base(path)))
		})
		if err != nil {
			continue // a chip file, or the configuration of a probe
		}
		plan, err := buffer.New(in)
		if err != nil || plan.Err() != nil {
			continue // one that does not fit is not rendered
		}
		out[filepath.Base(name)] = nos.Plan{Intent: in, Layout: plan.Layout()}
	}
	require.GreaterOrEqual(t, len(out), 10)
	return out
}

// together reads texts of one system as one, and requires that nothing is found and all is understood.
func together(t *testing.T, system nos.System, texts ...nos.File) *audit.Result {
	t.Helper()
	whole := nos.File{Name: texts[0].Name}
	for _, f := range texts {
		whole.Content = append(whole.Content, f.Content...)
	}
	reading, err := system.Read(whole.Name, whole.Content, audit.Chip{})
	require.NoError(t, err)
	r := audit.Run(audit.Source{File: whole.Name, Reading: reading})
	require.Zero(t, r.What().Statements.Unread)
	return r
}

// TestExamplesKeepTheirHeadroom renders all examples that fit for NX-OS and EOS, and audits what is rendered: nothing is
// found, and groups and headroom of each port are those of the plan. NX-OS has the same classes without drops at all
// ports, and EOS one headroom for all groups: the largest.
func TestExamplesKeepTheirHeadroom(t *testing.T) {
	for name, plan := range planExamples(t) {
		t.Run(name, func(t *testing.T) {
			ports := plan.Ports()
			r := together(t, nxos.System, nxos.System.Render(plan).Files...)
			require.Empty(t, r.Findings)
			requirePorts(t, ports, r, func(g nos.Group, p *audit.Profile) {
				require.Equal(t, g.Reserved+g.Static, p.Size.Bytes())
				require.Equal(t, g.Headroom, p.XOFF.Bytes())
			})
			rendered := eos.System.Render(plan)
			if len(rendered.Files) < 3 {
				return // no port has a lossless class
			}
			most := int64(0)
			for i := range ports {
				for _, g := range ports[i].Groups {
					most = max(most, int64(g.Headroom))
				}
			}
			r = together(t, eos.System, rendered.Files[1:]...)
			require.Empty(t, r.Findings)
			requirePorts(t, ports, r, func(_ nos.Group, p *audit.Profile) { require.Equal(t, most, p.XOFF.Value) })
			alone := read(t, rendered.Files[2])
			require.Empty(t, alone.Findings)
			require.Empty(t, alone.What().TooLittle, "the commands for the memory name no port")
		})
	}
}

// requirePorts requires that the ports with lossless groups of a plan are those that were read.
func requirePorts(t *testing.T, ports []nos.Port, r *audit.Result, equal func(nos.Group, *audit.Profile)) {
	t.Helper()
	read := map[string]*audit.Port{}
	for _, p := range r.Switch.Ports {
		read[p.Name] = p
	}
	for i := range ports {
		want := &ports[i]
		lossless := want.Lossless()
		if len(lossless) == 0 {
			continue
		}
		names := statements.Interfaces([]string{want.Name}) // eth1/1 of FBOSS is read as Ethernet1/1
		require.Len(t, names, 1)
		got := read[names[0]]
		require.NotNil(t, got, want.Name)
		require.Equal(t, pfc.Of(lossless...), pfc.Priorities(got.PFC)&pfc.Of(lossless...), want.Name)
		for _, n := range lossless {
			require.True(t, slices.Contains(got.LosslessGroups(), n), "%s: group %d", want.Name, n)
			equal(want.Groups[n], got.Groups[n].Profile)
		}
	}
}
