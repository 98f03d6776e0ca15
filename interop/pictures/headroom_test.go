package pictures_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

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

// TestPlotIsOfTheTable checks that the plot compares what the table of headroom.md compares, and computes its numbers.
func TestPlotIsOfTheTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "headroom.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "<!-- comparison: ")
	require.True(t, found)
	table, _, found := strings.Cut(rest, "<!-- comparison ends -->")
	require.True(t, found)
	for _, m := range lines(t) {
		for _, r := range rates {
			row := fmt.Sprintf("\n| %s | %v |", m.name, r)
			for _, l := range lengths {
				if h, err := m.sizer.Size(link(r, l), memory); err == nil {
					row += fmt.Sprintf(" %d |", (h.XOFF+unit.KiB/2)/unit.KiB)
				} else {
					row += " – |"
				}
			}
			require.Contains(t, table, row+"\n")
		}
	}
	require.Equal(t, 3+len(lines(t))*len(rates), strings.Count(table, "\n"), "and the table has no other row")
}

// TestComparisonPlot checks that the plot shows what the methods compute.
func TestComparisonPlot(t *testing.T) {
	canvas := vgsvg.New(26*vg.Centimeter, 33*vg.Centimeter)
	tiles := draw.Tiles{Rows: len(rates), Cols: 1, PadY: 6 * vg.Millimeter, PadTop: 4 * vg.Millimeter,
		PadRight: 4 * vg.Millimeter}
	var panels [][]*plot.Plot
	for _, r := range rates {
		panels = append(panels, []*plot.Plot{panel(t, r)})
	}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		panels[i][0].Draw(row[0])
	}
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	require.NoError(t, err)
	keep(t, "headroom.svg", b.String())
}

// panel plots every method at one speed.
func panel(t *testing.T, rate unit.BitRate) *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("headroom of one lossless group at %v", rate)
	p.X.Label.Text, p.Y.Label.Text = "cable, metres", "xoff, KiB"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	for i, m := range lines(t) {
		var points plotter.XYs
		for l := 5 * unit.Metre; l <= 80*unit.Kilometre; l = l * 5 / 4 {
			if h, err := m.sizer.Size(link(rate, l), memory); err == nil {
				points = append(points, plotter.XY{X: float64(l) / float64(unit.Metre), Y: float64(h.XOFF) / float64(unit.KiB)})
			}
		}
		if len(points) == 0 {
			continue // the method refuses this speed
		}
		curve, err := plotter.NewLine(points)
		require.NoError(t, err)
		curve.Color, curve.Dashes, curve.Width = plotutil.Color(i), plotutil.Dashes(i/4), vg.Points(1.2)
		p.Add(curve)
		p.Legend.Add(m.name, curve)
	}
	inFlight(t, p, rate)
	return p
}

// inFlight plots what light both ways alone holds: below it a headroom cannot be lossless.
func inFlight(t *testing.T, p *plot.Plot, rate unit.BitRate) {
	floor := func(l unit.Length) float64 {
		return float64(2*rate.BitsIn(unit.Time(l)*5)) / 8 / float64(unit.KiB)
	}
	points := plotter.XYs{}
	for _, l := range []unit.Length{5 * unit.Metre, 80 * unit.Kilometre} {
		points = append(points, plotter.XY{X: float64(l) / float64(unit.Metre), Y: floor(l)})
	}
	curve, err := plotter.NewLine(points)
	require.NoError(t, err)
	curve.Width = vg.Points(1.6)
	p.Add(curve)
	p.Legend.Add("in flight: light both ways, 5 ns/m", curve)
}
