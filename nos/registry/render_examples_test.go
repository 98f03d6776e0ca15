package registry_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// namesOf gives port n the name of a dialect.
var namesOf = map[string]func(n int) string{
	"sonic": func(n int) string { return fmt.Sprintf("Ethernet%d", 4*n) },
	"junos": func(n int) string { return fmt.Sprintf("et-0/0/%d", n) },
	"eos":   func(n int) string { return fmt.Sprintf("Ethernet%d/1", n+1) },
	"nxos":  func(n int) string { return fmt.Sprintf("Ethernet1/%d", n+1) },
}

// TestExamplesComeBack renders every example for every dialect whose configurations are read, and audits the result: it
// is silent, all statements are understood, and each port has the lossless priorities of the plan. A dialect that
// cannot express a plan says so beforehand (Rendering.Undone), and is not asked.
func TestExamplesComeBack(t *testing.T) {
	asked := map[string]int{}
	for _, name := range examples.Topologies() {
		if strings.HasPrefix(name, "fabric-") {
			continue // of several switches
		}
		data, err := examples.Read(name)
		require.NoError(t, err)
		in, err := topology.Parse(name, data, examples.Read)
		require.NoError(t, err)
		plan, err := buffer.New(in)
		require.NoError(t, err)
		if !plan.Fits {
			continue // it is refused, and not rendered
		}
		for _, dialect := range slices.Sorted(maps.Keys(namesOf)) {
			var names []string
			for n := range in.Ports {
				names = append(names, namesOf[dialect](n))
			}
			p := rename(nos.Plan{Intent: in, Layout: plan.Layout()}, names...)
			rendered := registry.System(dialect).Render(p)
			if len(rendered.Undone) > 0 {
				continue
			}
			asked[dialect]++
			t.Run(name+" "+dialect, func(t *testing.T) { comesBack(t, p, rendered) })
		}
	}
	for dialect := range namesOf {
		require.Greater(t, asked[dialect], 3, dialect)
	}
}

// comesBack audits the files of a rendering that are configurations, and compares what they say of PFC with the plan.
func comesBack(t *testing.T, p nos.Plan, rendered *nos.Rendering) {
	t.Helper()
	want := map[string]string{}
	for _, port := range p.Ports() {
		if lossless := port.Lossless(); len(lossless) > 0 {
			want[port.Name] = fmt.Sprint(lossless)
		}
	}
	compared := 0
	for _, f := range rendered.Files {
		system, err := registry.Of(f.Content)
		if err != nil || rendered.Dialect == "sonic" && f.Name != "config_db.json" {
			continue // a table, or the part of CONFIG_DB that an updater does not take
		}
		reading, err := system.Read(f.Name, f.Content, audit.Chip{})
		if err != nil {
			continue // a patch, or a part of no meaning by itself
		}
		chip := strings.TrimSuffix(p.Intent.Chip.Name, "-fboss") // a file of its own, of a Tomahawk 5
		r := audit.Run(audit.Source{File: f.Name, Reading: reading, Chip: audit.Catalogued(chip, "the plan's chip"),
			SizeIncludesHeadroom: unit.Given(p.Intent.Pool.SizeIncludesHeadroom)})
		require.Empty(t, r.Findings, f.Name)
		if rendered.Dialect == "sonic" { // it is merged into a configuration that has the egress
			require.Contains(t, strings.Join(r.Unknown, "\n"), "whether the queues have buffers is not checked")
		}
		if statements := r.What().Statements; statements != nil {
			require.Zero(t, statements.Unread, f.Name)
		}
		got := map[string]string{}
		for _, port := range r.Switch.Ports {
			var priorities []int
			for n := range 8 {
				if port.PFC>>n&1 == 1 {
					priorities = append(priorities, n)
				}
			}
			if len(priorities) > 0 {
				got[port.Name] = fmt.Sprint(priorities)
			}
		}
		if len(got) > 0 {
			compared++
			require.Equal(t, want, got, f.Name)
		}
	}
	if len(want) > 0 {
		require.Positive(t, compared)
	}
}
