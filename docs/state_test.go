package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// TestStateNumbers counts what state.md counts.
func TestStateNumbers(t *testing.T) {
	page, err := os.ReadFile("state.md")
	require.NoError(t, err)
	scenarios, err := filepath.Glob("../examples/scenarios/*.yaml")
	require.NoError(t, err)
	planned := 0
	for _, c := range asic.All() {
		if len(c.Slices) > 0 {
			planned++
		}
	}
	imports, err := os.ReadFile("import.md")
	require.NoError(t, err)
	require.Contains(t, string(imports), "So 739 of 907 (81 %) come back equal by themselves") // counted by TestWholeTree
	for _, says := range []string{
		fmt.Sprintf("| chips | %d; plans are possible for %d, and for four more", len(asic.All()), planned),
		fmt.Sprintf("EOS, Junos: %d codes;", len(audit.Codes().All())),
		fmt.Sprintf("; %d scenarios with expected results", len(scenarios)),
		"739 of SONiC's 907 shipped ones",
	} {
		require.Contains(t, string(page), says)
	}
	require.Contains(t, string(page), "| target profiles | seven,")
	require.Len(t, registry.Profiles(), 7)
}
