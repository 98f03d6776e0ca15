package docs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// TestIncastThreeWays checks that fabric.md shows what the scenario gives.
func TestIncastThreeWays(t *testing.T) {
	var d struct {
		PauseSent   int64 `json:"pause_sent"`
		Trimmed     int64 `json:"frames_trimmed"`
		Drops       int64 `json:"drops"`
		Completions []struct {
			Entry   string `json:"entry"`
			Flows   int    `json:"flows"`
			Arrived int    `json:"flows_arrived"`
			Times   struct {
				Mean, Most int64
			} `json:"completion_ps"`
		} `json:"completions"`
	}
	out := cellwarden(t, "sim", "examples/scenarios/incast-three-ways.yaml", "-o", "json")
	require.NoError(t, json.Unmarshal(out, &d))
	events := map[string]string{"pauses": fmt.Sprintf("%d pauses", d.PauseSent), "credits": "hosts wait for credits",
		"trimmed": fmt.Sprintf("%s frames trimmed and repeated", unit.Thousands(d.Trimmed)),
		"dropped": fmt.Sprintf("%d frames dropped", d.Drops)}
	var b strings.Builder
	b.WriteString("| by | mean completion | longest | |\n|---|---:|---:|---|\n")
	for _, c := range d.Completions {
		require.Equal(t, c.Flows, c.Arrived)
		fmt.Fprintf(&b, "| %s | %.3f ms | %.3f ms | %s |\n", c.Entry, float64(c.Times.Mean)/1e9, float64(c.Times.Most)/1e9,
			events[c.Entry])
	}
	keepPart(t, "fabric.md", "<!-- incast: made by go test ./docs -rewrite -->\n", b.String(), "<!-- incast end -->")
}
