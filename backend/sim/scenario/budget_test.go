package scenario_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// A scenario of the largest size costs at most 1 GiB of memory, allocated in all, to read and to refuse: a short file
// that stands for a large network is refused before its parts are made, and a long one has a bound on its values.
func TestReadBudget(t *testing.T) {
	effort.SkipShort(t, "it reads scenarios as large as they may be")
	head := "name: n\nuntil: 1us\nclasses: [{name: rdma, priority: 3, lossless: true}]\n" +
		"switch: {cell: 208B, pool: 200KiB, groups: {rdma: {reserved: 1KiB, alpha: 1}}}\n"
	flow := "- {from: all, to: all, class: rdma, frame: 1024B}\n"
	incast := "topology: {kind: incast, senders: 4096, rate: 100G, cable: 10m}\n"
	few := "topology: {kind: incast, senders: 2, rate: 100G, cable: 10m}\n"
	for name, text := range map[string]string{
		"fat tree": head + "topology: {kind: fat-tree, k: 64, rate: 100G, cable: 10m}\nflows: [{from: h1, to: h2, frame: " +
			"64B}]",
		"16,000 hosts": head +
			"topology: {kind: fat-tree, k: 40, rate: 100G, cable: 10m}\nflows: [{from: h1, to: h2, frame: 64B}]",
		"leaves": head + "topology: {kind: leaf-spine, leaves: 4096, spines: 16, hosts: 1, rate: 1G, cable: 1m}\nflows:\n" +
			flow,
		"flows":   head + incast + "flows:\n" + strings.Repeat(flow, 20_000),
		"repeat":  head + few + "flows: [{from: all, to: all, frame: 64B, repeat: 200000}]",
		"no host": head + incast + "flows:\n" + strings.Repeat("- {from: all, to: nobody, frame: 64B}\n", 20_000),
		"names": head + "topology: {hosts: [" + strings.Repeat("a1-4096,", 100_000) +
			"], switches: [], links: []}\nflows: []",
		"parallel": head + "topology:\n  hosts: [a]\n  switches: [s, t]\n  links:\n" +
			strings.Repeat("  - {from: s, to: t, rate: 1G, delay: 1us}\n", 20_000) + "flows: []",
		"long name": head + few + "flows: [{name: " + strings.Repeat("x", 16_000) + ", from: all, to: all, frame: 64B}]",
		"failures":  head + few + "flows: []\nfailures:\n" + strings.Repeat("- {kind: storm, host: nobody}\n", 30_000),
		"expect":    head + few + "flows: []\nexpect: {flows: [" + strings.Repeat("{flow: x},", 40_000) + "]}",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := scenario.Read("f.yaml", []byte(text), os.ReadFile)
		runtime.ReadMemStats(&after)
		if name != "parallel" && name != "16,000 hosts" { // which are accepted
			require.Error(t, err, name)
			require.Less(t, len(err.Error()), 30_000, name)
		}
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), 1<<30, name)
	}
}

// A scenario that is being read ends with its context.
func TestReadStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := scenario.ReadContext(ctx, "small.yaml", []byte(small), os.ReadFile, nil)
	require.ErrorIs(t, err, context.Canceled)
}
