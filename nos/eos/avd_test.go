package eos_test

import (
	_ "embed" // for the variables of testdata
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// leafOfAVD are variables of our own, with every key of platform.trident.mmu.
//
//go:embed testdata/avd.yaml
var leafOfAVD string

// TestVariables reads platform.trident.mmu as the commands that AVD makes of it: nothing is left, each number is at its
// line, and cells are known where the chip is.
func TestVariables(t *testing.T) {
	system, err := registry.Of([]byte(leafOfAVD))
	require.NoError(t, err)
	require.Equal(t, "eos", system.Name)
	reading, err := system.Read("avd.yaml", []byte(leafOfAVD), audit.Catalogued("tomahawk", "the test"))
	require.NoError(t, err)
	require.Empty(t, reading.Findings)
	require.Zero(t, reading.Statements.Unread)
	require.Equal(t, []string{"which ports have groups without drops: platform.trident.mmu has no ports"}, reading.Unknown)
	require.Len(t, reading.Switch.Profiles, 2)
	three, four := reading.Switch.Profiles[0], reading.Switch.Profiles[1]
	value := func(want int64, line int, n audit.Number) {
		t.Helper()
		require.True(t, n.Given)
		require.Equal(t, want, n.Value)
		require.Equal(t, finding.Place{File: "avd.yaml", Line: line}, n.At)
	}
	value(24000*208, 9, three.Pool.XOFF)
	value(6*208, 23, three.Size)
	value(0, 22, three.DynamicTh)
	value(1664, 15, four.Size)
	value(-1, 25, four.DynamicTh)
	value(268736, 17, four.XOFF)
	value(2288, 18, four.XONOffset)
}

// TestVariablesElsewhere finds the variables under the keys of another role, in JSON, and beside other variables.
func TestVariablesElsewhere(t *testing.T) {
	for name, text := range map[string]string{
		"a role of designs": strings.Replace(leafOfAVD, "platform:", "custom_structured_configuration_platform:", 1),
		"a node": "l3leaf:\n  nodes:\n    - name: leaf1\n      structured_config:\n        platform:\n" +
			"          trident:\n            mmu:\n              headroom_pool: {limit: 4992000}\n",
		"one line": "platform: {trident: {mmu: {headroom_pool: {limit: 4992000}}}}\n",
		"JSON":     `{"platform": {"trident": {"mmu": {"headroom_pool": {"unit": "bytes", "limit": 4992000}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			system, err := registry.Of([]byte(text))
			require.NoError(t, err)
			require.Equal(t, "eos", system.Name)
			reading, err := system.Read("f", []byte(text), audit.Catalogued("tomahawk", "the test"))
			require.NoError(t, err)
			require.Empty(t, reading.Findings)
			require.Len(t, reading.Switch.Pools, 1)
			require.EqualValues(t, 4992000, reading.Switch.Pools[0].XOFF.Value)
		})
	}
}

// TestMistakesOfVariables makes one mistake at a time. Each is found at its line.
func TestMistakesOfVariables(t *testing.T) {
	readertest.Mistakes(t, eos.System.Read, leafOfAVD, []readertest.Mistake{
		readertest.Wrong("a threshold that is none", "number-format", `threshold is "1/3": want 1/128 to 8`,
			`"1/8"`, `"1/3"`),
		readertest.Wrong("a threshold that is a number", "number-format", `threshold is "3": want 1/128 to 8`,
			`"1/8"`, `3`),
		readertest.Wrong("the profile is missing", "name-missing", "there is no queue profile of this name",
			"active_profile: roce", "active_profile: rdma"),
		readertest.Wrong("a unit that is none", "number-format", `headroom_pool.unit: "KB": want bytes or cells`,
			"unit: cells", "unit: KB"),
		readertest.Wrong("a text in place of a number", "number-format",
			`ingress.headroom.memory: "{{ headroom }}": want a whole number`, "268736", "'{{ headroom }}'"),
		readertest.Wrong("a pool without cells", "number-format", "limit is 0: want 1 or more",
			"unit: cells", "unit: bytes", "24000", "0"),
		readertest.Wrong("no headroom", "no-drop-no-headroom", "ingress headroom is 0, and group 3 is without drops",
			"268736", "0"),
		readertest.Wrong("a group twice the number", "number-format",
			`priority_groups[1].id: "8": want a whole number from 0 to 7`, "id: 4", "id: 8"),
		readertest.Wrong("a key of a draft", "statement-unread",
			"platform trident mmu key platform.trident.mmu.headroom_pool_limit", "headroom_pool:", "headroom_pool_limit:"),
	})
}

// TestNoZeroForARefusedValue: a value that cannot be read is one finding, and no headroom of 0.
func TestNoZeroForARefusedValue(t *testing.T) {
	r := readertest.Run(t, eos.System.Read, leafOfAVD, "", "268736", "a lot", "unit: cells", "unit: bytes")
	require.Len(t, r.Findings, 1)
	require.Equal(t, 17, r.Findings[0].Line)
}

// TestRefusesVariables refuses a file without one platform.trident.mmu.
func TestRefusesVariables(t *testing.T) {
	for text, want := range map[string]string{
		"trident: {}\nmmu: {}\n": "f: no platform.trident.mmu: want ",
		"a: {trident: {mmu: {}}}\nb: {trident: {mmu: {}}}\n": "f:2: a second platform.trident.mmu, after that of line 1: " +
			"want one in a file",
		"trident: {mmu: [}\n": "f: yaml: ",
	} {
		_, err := eos.System.Read("f", []byte(text), audit.Chip{})
		require.ErrorContains(t, err, want)
	}
}
