package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// documentOf returns what a command prints, as JSON.
func documentOf(t *testing.T, args ...string) (doc map[string]any) {
	t.Helper()
	_, out, bad := cellwarden(t, args...)
	require.NoError(t, json.Unmarshal([]byte(out), &doc), "%v: %s", args, bad)
	return doc
}

// documentCommands are commands that print a document of each kind, by its name.
func documentCommands() map[string][]string {
	examples := filepath.Join("..", "..", "examples")
	leaf, table := filepath.Join(examples, "leaf-400g.yaml"), filepath.Join(examples, "arista-7060cx-32s.ini")
	return map[string][]string{
		"plan":         {"plan", filepath.Join(examples, "arista-7060cx-32s.yaml"), "-o", "json"}, // with a shared pool
		"plan-compare": {"plan", leaf, "--compare", "-o", "json"},
		"diff":         {"diff", leaf, "--set", "ports[1].cable=2km", "-o", "json"},
		"capacity":     {"capacity", leaf, "--only", "cable", "-o", "json"},
		"explain":      {"explain", leaf, "Ethernet1", "-o", "json"},
		"burst":        {"capacity", "--burst", leaf, "-o", "json"},
		"risk": {"risk", leaf, "--set", "pool.shared_headroom_ratio=4", "--paused", "1%", "--trials", "100", "-o",
			"json"},
		"answer":   {"sweep", leaf, "--vary", "cable=5m", "-o", "jsonl"},
		"headroom": {"headroom", "--speed", "400G", "--cable", "5m", "--chip", "tomahawk4", "-o", "json"},
		"headroom-compare": {"headroom", "--compare", "--speed", "400G", "--cable", "5m", "--chip", "tomahawk4", "-o",
			"json"},
		"headroom-credits": {"headroom", "--compare", "--with", "cbfc", "--speed", "400G", "-o", "json"},
		"fit":              {"headroom", "--fit", table, "--at", "77500mm", "--any-series", "-o", "json"},
		"llr":              {"headroom", "--llr", "--speed", "400G", "-o", "json"},
		"ecn": {"ecn", "--pool", "10875072B", "--chip", "tomahawk", "--kmin", "5000B", "--kmax", "200000B", "--pmax",
			"1%", "--rate", "40G", "--flows", "8", "--loop-delay", "4us", "-o", "json"},
		"verify":      {"verify", leaf, "-o", "json"},
		"probe":       {"probe", filepath.Join(examples, "probe-tomahawk.yaml"), "-o", "json"},
		"sim":         {"sim", filepath.Join(examples, "scenarios", "incast-absorbed.yaml"), "-o", "json"},
		"calibrate":   {"calibrate", filepath.Join(examples, "measured", "arista-7260cx3.yaml"), "-o", "json"},
		"identify":    {"identify", filepath.Join(examples, "probe-tomahawk.yaml"), "--practise", "7", "-o", "json"},
		"version":     {"version", "-o", "json"},
		"fabric":      {"fabric", "deadlock", filepath.Join(examples, "fabric-leaf-spine.yaml"), "-o", "json"},
		"fabric-rows": {"plan", filepath.Join(examples, "fabric-leaf-spine.yaml"), "-o", "json"},
		"chip":        {"asic", "show", "tomahawk4", "-o", "json"},
		"apply":       {"apply", leaf, "--sim", "-o", "json"},
		"link":        {"link", leaf + ":Ethernet1", leaf + ":Ethernet2", "-o", "json"},
		"audit":       {"audit", table, "-o", "json"},
	}
}

// The documents have the keys of their schema, and those that it needs.
func TestDocumentsHaveTheKeysOfTheirSchemas(t *testing.T) {
	effort.SkipShort(t, "it makes each document")
	for name, args := range documentCommands() {
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

// A client reads a document into its Go type and loses nothing: written again, it is the same.
func TestDocumentsAreReadIntoTheirTypes(t *testing.T) {
	effort.SkipShort(t, "it makes each document")
	commands := documentCommands()
	for _, d := range report.Documents() {
		args := commands[d.Name]
		if args == nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			_, out, bad := cellwarden(t, args...)
			read := json.NewDecoder(strings.NewReader(out))
			read.DisallowUnknownFields()
			doc := reflect.New(reflect.TypeOf(d.Of))
			require.NoError(t, read.Decode(doc.Interface()), bad)
			again, err := json.Marshal(doc.Interface())
			require.NoError(t, err)
			require.JSONEq(t, out, string(again))
		})
	}
}

func TestEverySchemaIsPrinted(t *testing.T) {
	for _, d := range report.Documents() {
		require.Equal(t, "cellwarden: "+d.What, documentOf(t, "schema", d.Name)["title"])
	}
	require.Contains(t, documentOf(t, "schema", "topology")["properties"], "ports")
}

// init writes a topology that fits, for every chip that can be planned with.
func TestInitOfEveryChip(t *testing.T) {
	for _, chip := range asic.All() {
		text, err := topology.Starter(chip.Name, "", 0, 0, 0, nil, nil)
		if len(chip.Slices) == 0 {
			if text, err = topology.Starter(chip.Name, "", 0, 25766440000, 8, nil, nil); chip.MemoryKind != "SRAM+HBM" {
				require.ErrorContains(t, err, "--pool-bytes: 25766440000 (want none for "+chip.Name)
				continue
			}
		}
		require.NoError(t, err, chip.Name)
		in, err := topology.Parse("init.yaml", []byte(text), os.ReadFile)
		require.NoError(t, err, "%s\n%s", chip.Name, text)
		plan, err := buffer.New(in)
		require.NoError(t, err, chip.Name)
		require.True(t, plan.Fits, chip.Name)
	}
}
