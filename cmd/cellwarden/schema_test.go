package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	plancli "github.com/cellwarden/cellwarden/internal/cli/plan"
	referencecli "github.com/cellwarden/cellwarden/internal/cli/reference"
	"github.com/cellwarden/cellwarden/topology"
)

// documentOf returns what a command prints, as JSON.
func documentOf(t *testing.T, args ...string) (doc map[string]any) {
	t.Helper()
	_, out, bad := cellwarden(t, args...)
	require.NoError(t, json.Unmarshal([]byte(out), &doc), "%v: %s", args, bad)
	return doc
}

// The documents have the keys of their schema, and those that it needs.
func TestDocumentsHaveTheKeysOfTheirSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes each document")
	}
	leaf := filepath.Join("..", "..", "examples", "leaf-400g.yaml")
	for name, args := range map[string][]string{
		"plan":         {"plan", leaf, "-o", "json"},
		"plan-compare": {"plan", leaf, "--compare", "-o", "json"},
		"diff":         {"diff", leaf, "--set", "ports[1].cable=2km", "-o", "json"},
		"capacity":     {"capacity", leaf, "--only", "cable", "-o", "json"},
		"explain":      {"explain", leaf, "Ethernet1", "-o", "json"},
		"burst":        {"burst", leaf, "-o", "json"},
		"risk":         {"risk", leaf, "--set", "pool.shared_headroom_ratio=4", "--paused", "1%", "-o", "json"},
		"headroom":     {"headroom", "--speed", "400G", "--cable", "5m", "--chip", "tomahawk4", "-o", "json"},
		"headroom-compare": {"headroom", "--compare", "--speed", "400G", "--cable", "5m", "--chip", "tomahawk4", "-o",
			"json"},
		"headroom-credits": {"headroom", "--compare", "--with", "cbfc", "--speed", "400G", "-o", "json"},
		"chip":             {"asic", "show", "tomahawk4", "-o", "json"},
		"apply":            {"apply", leaf, "--sim", "-o", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			schema, doc := documentOf(t, "schema", name), documentOf(t, args...)
			known := schema["properties"].(map[string]any)
			for key := range doc {
				require.Contains(t, known, key)
			}
			for _, key := range schema["required"].([]any) {
				require.Contains(t, doc, key)
			}
		})
	}
}

func TestEverySchemaIsPrinted(t *testing.T) {
	for _, d := range referencecli.Documents {
		require.Equal(t, "cellwarden: "+d.What, documentOf(t, "schema", d.Name)["title"])
	}
	require.Contains(t, documentOf(t, "schema", "topology")["properties"], "ports")
}

// init writes a topology that fits, for every chip that can be planned with.
func TestInitOfEveryChip(t *testing.T) {
	for _, chip := range asic.All() {
		text, err := plancli.InitText(chip.Name, "", 0)
		if len(chip.Slices) == 0 {
			require.ErrorContains(t, err, "no plan can be made with it")
			continue
		}
		require.NoError(t, err, chip.Name)
		in, err := topology.Parse("init.yaml", []byte(text), os.ReadFile)
		require.NoError(t, err, "%s\n%s", chip.Name, text)
		plan, err := buffer.New(in)
		require.NoError(t, err, chip.Name)
		require.True(t, plan.Fits, chip.Name)
	}
}
