package intent_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/treetest"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// All device files, for the topologies that they have files for: imported, planned, written, rendered for the
// switch that has the configuration, and compared with it.
func TestWholeTree(t *testing.T) {
	tree := treetest.Open(t)
	counts := map[string]int{}
	others := devicetree.Options{Wanted: func(v devicetree.Variant) bool {
		return !v.Neighbours && v.Topology != devicetree.Default
	}}
	for f, err := range tree.Audit(t, others) {
		require.NoError(t, err)
		if !f.Folder.Has(devicetree.Buffers) && !f.Folder.Has(devicetree.BuffersDynamic) {
			continue // the QoS of one use of another folder
		}
		for i := range f.Configurations {
			c := &f.Configurations[i]
			counts["configurations"]++
			imported, err := intent.Of(c.Result)
			if err != nil {
				require.True(t, errors.Is(err, intent.ErrUnknown) || errors.Is(err, intent.ErrNotExpressed), err)
				counts["refused: "+reason(err)]++
				if comesBack(t, c) {
					counts["refused, and come back equal with a cable"]++
				}
				continue
			}
			_, err = topology.WriteCommented(imported.Intent, topology.Comments{Path: imported.Sources,
				Ports: imported.PortSources})
			require.NoError(t, err, f.Folder)
			kind := "expressed"
			if len(imported.Differences) > 0 {
				kind = "with differences"
			}
			counts[kind]++
			assumed := imported.Intent.Chip.Assumed()
			if assumed {
				counts["of an assumed chip"]++
			}
			after := rendered(t, document(c.Tables), c.Result, imported)
			if other := differing(meaning(c.Result, imported), meaning(after, imported)); len(other) == 0 {
				counts[kind+", and come back equal"]++
				if assumed {
					counts["of an assumed chip, and come back equal"]++
				}
			} else if kind == "expressed" {
				t.Errorf("%v %v: expressed, and rendered otherwise in %d: %s", f.Folder, c.Variant, len(other),
					other[0])
			}
		}
	}
	t.Log(counts)
	if tree.Measured {
		require.Equal(t, map[string]int{"configurations": 907, "expressed": 293, "expressed, and come back equal": 293,
			"with differences": 467, "with differences, and come back equal": 446,
			"refused, and come back equal with a cable": 26,
			"refused: the chip is not known":            33, "refused: there is no BUFFER_POOL": 50,
			"refused: there is no PORT_QOS_MAP": 4, "refused: the cable of ports": 28,
			"refused: the speed of ports": 17, "refused: other": 15, "of an assumed chip": 113, "of an assumed chip, and come back equal": 99}, counts)
		page, err := os.ReadFile("../../docs/import.md")
		require.NoError(t, err)
		words := strings.Join(strings.Fields(string(page)), " ")
		equal := counts["expressed, and come back equal"] + counts["with differences, and come back equal"]
		with := equal + counts["refused, and come back equal with a cable"]
		for _, text := range []string{
			fmt.Sprintf("| expressed | %d | %d |", counts["expressed"], counts["expressed, and come back equal"]),
			fmt.Sprintf("| with differences | %d | %d |", counts["with differences"],
				counts["with differences, and come back equal"]),
			fmt.Sprintf("| refused: no cable | %d | %d with", counts["refused: the cable of ports"],
				counts["refused, and come back equal with a cable"]),
			fmt.Sprintf("So %d of %d (%d %%) come back equal by themselves, and %d (%d %%)", equal, counts["configurations"],
				equal*100/counts["configurations"], with, with*100/counts["configurations"]),
			fmt.Sprintf("the chip of %d is assumed, and %d of these", counts["of an assumed chip"],
				counts["of an assumed chip, and come back equal"])} {
			require.Contains(t, words, text)
		}
	}
}

// comesBack tells whether a configuration that was refused comes back equal with --cable 5m.
func comesBack(t *testing.T, c *devicetree.Configuration) bool {
	t.Helper()
	source := c.Result.Source
	if c.Result.Switch == nil {
		return false
	}
	source.Cable = unit.Given(5 * unit.Metre)
	given := audit.Run(source)
	imported, err := intent.Of(given)
	if err != nil {
		return false
	}
	after := rendered(t, document(c.Tables), given, imported)
	return len(differing(meaning(given, imported), meaning(after, imported))) == 0
}

// reason puts why a configuration is not imported into few kinds.
func reason(err error) string {
	for _, r := range []string{"the chip is not known", "there is no BUFFER_POOL", "there is no PORT_QOS_MAP",
		"the cable of ports", "the speed of ports"} {
		if strings.Contains(err.Error(), r) {
			return r
		}
	}
	return "other"
}
