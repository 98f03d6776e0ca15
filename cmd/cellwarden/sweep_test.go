package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
)

// Every point of a sweep is what plan --set says of it.
func TestSweepIsPlanPointByPoint(t *testing.T) {
	effort.SkipShort(t, "it plans each point")
	leaf := filepath.Join("..", "..", "examples", "leaf-400g.yaml")
	_, out, bad := cellwarden(t, "sweep", leaf, "--vary", "cable=5m..10km:5", "--vary", "headroom.frame=64B,1500B",
		"--vary", "pool.shared_headroom_ratio=0,4", "-o", "jsonl", "--jobs", "3")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 20, bad)
	fitting := 0
	for i, line := range lines {
		var a report.Answer
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		require.Equal(t, i+1, a.Line)
		var values map[string]string
		require.NoError(t, json.Unmarshal(a.Vary, &values))
		_, text, _ := cellwarden(t, "plan", leaf, "-o", "json", "--set", "ports[0].cable="+values["cable"],
			"--set", "ports[1].cable="+values["cable"], "--set", "headroom.frame="+values["headroom.frame"],
			"--set", "pool.shared_headroom_ratio="+values["pool.shared_headroom_ratio"])
		var plan report.PlanDocument
		_ = json.Unmarshal([]byte(text), &plan) // a ratio is not read back; what is compared is
		require.Equal(t, plan.Fits, a.Fits, line)
		require.Equal(t, plan.Refused, a.Refused, line)
		if a.Fits {
			fitting++
		}
	}
	require.Greater(t, fitting, 5)
	require.Less(t, fitting, 20)
}
