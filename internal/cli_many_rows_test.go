package internal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
)

// The first line of drift claims no more than what was compared.
func TestManyVerdictOfDrift(t *testing.T) {
	for line, want := range map[string]string{
		"the switch: 0 differences":                                   "AS PLANNED",
		"the switch: 0 differences, 14 registers not compared":        "AS PLANNED AS FAR AS COMPARED",
		"the switch: nothing was compared, 14 registers not compared": "NOTHING COMPARED",
		"the switch: nothing was compared":                            "NOTHING COMPARED",
	} {
		require.Equal(t, want, many.Verdict(many.Drifted, line, cli.ExitFine), line)
	}
}
