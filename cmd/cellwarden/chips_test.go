package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// Every chip of the catalogue gets an answer or a refusal from every command
// that takes one, whatever of it is not sourced.
func TestEveryChipIsAnsweredOrRefused(t *testing.T) {
	effort.SkipShort(t, "it plans with every chip")
	file := filepath.Join(t.TempDir(), "leaf.yaml")
	for _, chip := range asic.Names() {
		require.NoError(t, os.WriteFile(file, []byte("chip: "+chip+"\nheadroom: {method: ieee802.1qbb}\n"+
			"classes: [{name: a, priorities: [3], lossless: true}]\nports: [{range: Ethernet1-4, speed: 100G, cable: 40m}]\n"),
			0o600))
		for _, args := range [][]string{
			{"plan", file},
			{"apply", file, "--sim"},
			{"asic", "show", chip},
			{"headroom", "--chip", chip, "--speed", "100G", "--cable", "40m"},
			{"headroom", "--chip", chip, "--speed", "100G", "--cable", "40m", "--compare"},
			{"ecn", "--chip", chip, "--pool", "10MiB", "--slices", "1", "--kmin", "100KiB"},
			{"headroom", "--fit", filepath.Join("..", "..", "examples", "arista-7060cx-32s.ini"), "--chip", chip, "--at", "50m"},
		} {
			code, out, bad := cellwarden(t, args...)
			require.Contains(t, []int{cli.ExitFine, cli.ExitUsage, cli.ExitNoFit}, code, "%v: %s", args, bad)
			require.NotEqual(t, out == "", bad == "", "%v says something, and says it once", args)
		}
	}
}
