// Package docs_test checks the documents: what they show must be what the
// packages compute and the command prints. After a change run
//
//	go test ./docs -rewrite
//
// and read the difference. The pictures that a library for plots draws are in interop/pictures.
package docs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the tables and pictures of the documents")

// The link and the memory that are compared: jumbo frames on the port, RoCE frames of 4096 bytes, the cells of Tomahawk
// 3, for which Broadcom's full formula was written.
var memory = thresholds.Memory{Cell: 254, Overhead: 40}

func link(rate unit.BitRate, cable unit.Length) thresholds.Link {
	return thresholds.Link{Rate: rate, Cable: cable, MTU: 9216, LosslessMTU: 4096}
}

var (
	rates   = []unit.BitRate{100 * unit.Gbps, 400 * unit.Gbps, 800 * unit.Gbps}
	lengths = []unit.Length{5 * unit.Metre, 40 * unit.Metre, 300 * unit.Metre, 2 * unit.Kilometre, 10 * unit.Kilometre,
		40 * unit.Kilometre, 80 * unit.Kilometre}
)

// line is one method with what it assumes.
type line struct {
	name  string
	sizer thresholds.Sizer
}

func lines(t *testing.T) []line {
	spectrum, known := method.LookupSONiCChip("spectrum-4")
	require.True(t, known)
	return []line{
		{"ieee802.1qbb, worst mixture", thresholds.IEEE{}},
		{"ieee802.1qbb, 1024 B frames", thresholds.IEEE{Mix: thresholds.Frames(1024)}},
		{"ieee802.1qbb, 4096 B frames", thresholds.IEEE{Mix: thresholds.Frames(4096)}},
		{"broadcom-th3, 64 B frames", method.BroadcomTH3{}},
		{"sonic-dynamic, spectrum-4", method.SONiC{Chip: spectrum}},
		{"mlxsw", method.MLXSW{}},
		{"mlx5", method.MLX5{}},
		{"juniper (a model), worst mixture", method.Juniper{MRU: unit.Given[unit.Bytes](9216)}},
		{"cisco-practical, from 100 m", method.CiscoPractical{}},
	}
}

// TestComparisonTable checks that headroom.md shows what the methods compute.
func TestComparisonTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| KiB of xoff | speed |")
	for _, l := range lengths {
		fmt.Fprintf(&b, " %v |", l)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---:|", len(lengths)) + "\n")
	for _, m := range lines(t) {
		for _, r := range rates {
			fmt.Fprintf(&b, "| %s | %v |", m.name, r)
			for _, l := range lengths {
				h, err := m.sizer.Size(link(r, l), memory)
				if err != nil {
					b.WriteString(" – |")
					continue
				}
				fmt.Fprintf(&b, " %d |", (h.XOFF+unit.KiB/2)/unit.KiB)
			}
			b.WriteString("\n")
		}
	}
	const begin, end = "<!-- comparison: made by go test ./docs -rewrite -->\n", "<!-- comparison ends -->"
	text, err := os.ReadFile("headroom.md")
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	_, tail, found := strings.Cut(rest, end)
	require.True(t, found)
	keep(t, "headroom.md", head+begin+b.String()+end+tail)
}

// keep requires that a file has this content, or rewrites it.
func keep(t *testing.T, file, want string) {
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "%s is out of date: go test ./docs -rewrite", file)
}
