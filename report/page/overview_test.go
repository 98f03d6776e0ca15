package page

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/topology"
)

var rewrite = flag.Bool("rewrite", false, "draw the picture of report.md again")

// The picture of report.md has those of the page that `cellwarden plan -o html` writes for a switch with three lengths
// of cable. go test ./report/page -rewrite draws it again.
func TestPictureOfReport(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "examples", "tomahawk4-three-lengths.yaml")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	in, err := topology.Parse(file, data, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.Len(t, plan.Refusals, 6, "as README.md says")
	got := overview(&Report{Intent: in, Plan: plan, WhatIf: true}).File()
	svg := filepath.Join(root, "docs", "pictures", "report.svg")
	if *rewrite {
		require.NoError(t, os.WriteFile(svg, []byte(got), 0o644))
	}
	want, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "report.svg is out of date: go test ./report/page -rewrite")
}

// legendRow is the height of a row of a drawn legend.
const legendRow = 20.0

// legendRows splits a legend into rows that are as wide as a picture.
func legendRows(legend []entry) (rows [][]entry) {
	x := 0.0
	for _, e := range legend {
		width := legendWidth(e)
		if len(rows) == 0 || x+width > pictureWidth {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += width
	}
	return rows
}

func legendWidth(e entry) float64 { return 18 + picture.TextWidth(e.Text) + 12 }

func legendHeight(legend []entry) float64 { return legendRow * float64(len(legendRows(legend))) }

// drawLegend draws a legend, which a page has as text. The class of a colour fills a part by another name there: b0
// is f0, b-chip is chip.
func drawLegend(out *picture.Picture, left, top float64, legend []entry) {
	for i, row := range legendRows(legend) {
		x, y := left, top+legendRow*float64(i)
		for _, e := range row {
			class := strings.TrimPrefix(e.Class, "b-")
			if class == e.Class {
				class = "f" + strings.TrimPrefix(e.Class, "b")
			}
			out.Rect(x, y, 12, 12, "part "+class, "")
			out.Text(x+18, y+11, picture.Start, "", e.Text)
			x += legendWidth(e)
		}
	}
}

// overview returns the pictures of a plan below each other, with the verdict above them: what a document shows that has
// no page. The pictures are the memory, the headroom over the cable, the ports, and the thresholds of the first kind of
// group.
func overview(r *Report) *picture.Picture {
	const inset, heading, gap = 16.0, 24.0, 18.0
	var figures []figure
	for _, f := range []func() (figure, bool){r.memory, r.cables, r.panel} {
		if x, ok := f(); ok {
			figures = append(figures, x)
		}
	}
	if all := r.thresholds(); len(all) > 0 {
		figures = append(figures, all[0])
	}
	height := 60.0
	for _, f := range figures {
		height += heading + legendHeight(f.Legend) + f.drawing.Height() + gap
	}
	out := picture.New(pictureWidth+2*inset, height, r.Verdict()+": "+r.memoryText())
	out.Text(inset, 30, picture.Start, "large strong", r.Verdict())
	y := 60.0
	for _, f := range figures {
		out.Text(inset, y+6, picture.Start, "strong", f.Title)
		y += heading
		drawLegend(out, inset, y, f.Legend)
		y += legendHeight(f.Legend)
		out.Add(inset, y, f.drawing)
		y += f.drawing.Height() + gap
	}
	return out
}
