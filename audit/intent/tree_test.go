package intent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/buffer"
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
	for f, err := range devicetree.Audit(t.Context(), tree.Tree, tree.Folders, others) {
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
					counts["refused, and come back equal with a chip file"]++
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
			after := rendered(t, document(c.Tables), c.Result, imported)
			if other := differing(meaning(c.Result, imported), meaning(after, imported)); len(other) == 0 {
				counts[kind+", and come back equal"]++
			} else if kind == "expressed" {
				t.Errorf("%v %v: expressed, and rendered otherwise in %d: %s", f.Folder, c.Variant, len(other),
					other[0])
			}
		}
	}
	t.Log(counts)
	if tree.Measured { // docs/import.md has the counts
		require.Equal(t, map[string]int{"configurations": 907, "expressed": 270, "expressed, and come back equal": 270,
			"with differences": 377, "with differences, and come back equal": 370,
			"refused, and come back equal with a chip file": 119,
			"refused: the chip is not known":                150, "refused: how many cells": 30, "refused: there is no BUFFER_POOL": 50,
			"refused: there is no PORT_QOS_MAP": 4,
			"refused: the cable of ports":       2, "refused: the speed of ports": 9, "refused: other": 15}, counts)
	}
}

// comesBack tells whether a configuration that was refused for its chip comes back equal with what --chip FILE and
// --cable say: a chip that has room for its pools, and 5 m for ports whose cable is not said.
func comesBack(t *testing.T, c *devicetree.Configuration) bool {
	t.Helper()
	source := c.Result.Source
	if source.Chip.Sourced() || c.Result.Switch == nil {
		return false
	}
	room := unit.Bytes(1 << 20)
	for _, p := range c.Result.Switch.Pools {
		room += p.Size.Bytes() + p.XOFF.Bytes()
	}
	chip := buffer.Chip{Name: "given", Cell: 256, MinAlpha: -8, MaxAlpha: 7, Groups: 8}
	chip.Slices = []buffer.Slice{{Cells: chip.Cell.Holding(room)}}
	source.Chip, source.Cable = audit.Named(chip, "--chip"), unit.Given(5*unit.Metre)
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
	for _, r := range []string{"the chip is not known", "how many cells", "there is no BUFFER_POOL",
		"there is no PORT_QOS_MAP",
		"the cable of ports", "the speed of ports"} {
		if strings.Contains(err.Error(), r) {
			return r
		}
	}
	return "other"
}
