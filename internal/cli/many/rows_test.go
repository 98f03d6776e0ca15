package many

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The first line of drift claims no more than what was compared.
func TestVerdictOfDrift(t *testing.T) {
	a := &asked{way: ways["drift"]}
	for line, want := range map[string]string{
		"the switch: 0 differences":                                   "AS PLANNED",
		"the switch: 0 differences, 14 registers not compared":        "AS PLANNED AS FAR AS COMPARED",
		"the switch: nothing was compared, 14 registers not compared": "NOTHING COMPARED",
		"the switch: nothing was compared":                            "NOTHING COMPARED",
	} {
		require.Equal(t, want, a.verdict(&row{line: line}), line)
	}
}
