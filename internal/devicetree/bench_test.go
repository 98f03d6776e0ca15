package devicetree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"

	"github.com/cellwarden/cellwarden/internal/revision"
)

// auditTimes audits a tree again and again. One process renders for all rounds, unless the start is part of it.
func auditTimes(b *testing.B, root string, started bool) {
	b.Helper()
	ctx := context.Background()
	tree, below, err := devicetree.Open(root)
	require.NoError(b, err)
	defer tree.Close()
	renderer, err := devicetree.StartRenderer(ctx)
	if err != nil {
		b.Skip(err)
	}
	defer renderer.Close()
	var o devicetree.Options
	if started {
		o.Renderer = renderer
	}
	b.ReportAllocs()
	for b.Loop() {
		folders, _, err := tree.Folders(ctx, below)
		require.NoError(b, err)
		for _, err := range devicetree.Audit(ctx, tree, folders, o) {
			require.NoError(b, err)
		}
	}
}

// BenchmarkFolder audits a hwsku folder with 512 ports for its three variants: with the start of the interpreter, as
// the command does, and without.
func BenchmarkFolder(b *testing.B) {
	root := b.TempDir()
	var ports strings.Builder
	ports.WriteString("# name lanes speed\n")
	for n := range 512 {
		fmt.Fprintf(&ports, "Ethernet%d %d 100000\n", n, n+1)
	}
	for name, text := range smallFolder {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "port_config.ini") {
			text = ports.String()
		}
		require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, started := range []bool{false, true} {
		b.Run(map[bool]string{false: "start", true: "started"}[started], func(b *testing.B) { auditTimes(b, root, started) })
	}
}

// BenchmarkTree audits all of sonic-buildimage's device files.
func BenchmarkTree(b *testing.B) {
	if os.Getenv(history) == "" {
		b.Skip(history + " names no clone of sonic-buildimage with its history")
	}
	whole, err := revision.Open(context.Background(), temporary, os.Getenv(history), "HEAD")
	require.NoError(b, err)
	defer whole.Close()
	auditTimes(b, whole.Path, false)
}
