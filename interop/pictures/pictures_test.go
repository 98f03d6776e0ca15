// Package pictures_test draws the pictures of the documents that need a library for plots, from what the command prints
// and the packages compute. After a change run, in interop,
//
//	go test ./pictures -rewrite
//
// and read the difference.
package pictures_test

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the pictures of the documents")

// One colour for each kind of cells, the same in both pictures. Readers who see
// red and green alike can tell them apart (Okabe and Ito 2008).
var (
	chipColour     = rgb(0x6b6b6b)
	reservedColour = rgb(0x1b365d)
	headroomColour = rgb(0xe69f00)
	sharedColour   = rgb(0x8ec3e6)
	unusedColour   = rgb(0xe4e7eb)
	xonColour      = rgb(0x1a7f4b)
	pauseColour    = rgb(0xc0432f)
	ink            = rgb(0x1f2933)
	pale           = rgb(0x616e7c)
	gridColour     = rgb(0xd5dae1)
	paper          = rgb(0xffffff)
)

// Where things stand on both pictures, in points.
const (
	width     vg.Length = 840
	inset     vg.Length = 16
	axisLeft  vg.Length = 66 // of what has an axis
	axisRight vg.Length = 824
	small               = 12 // size of text
)

func rgb(n uint32) color.Color {
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

// picture is a canvas with a size in points. Its origin is at the lower left.
type picture struct {
	svg *vgsvg.Canvas
	draw.Canvas
}

func newPicture(height vg.Length) *picture {
	svg := vgsvg.New(width, height)
	p := &picture{svg, draw.New(svg)}
	p.rect(0, 0, width, height, paper)
	return p
}

// file returns the picture as an SVG file. Arial and Helvetica have the widths
// of Liberation Sans, with which the text was measured.
func (p *picture) file(t *testing.T) string {
	var b bytes.Buffer
	_, err := p.svg.WriteTo(&b)
	require.NoError(t, err)
	return strings.ReplaceAll(b.String(), "font-family:Liberation Sans;",
		"font-family:Helvetica,Arial,Liberation Sans,sans-serif;")
}

func style(size vg.Length, c color.Color, x text.XAlignment) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: x, YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}

func titleStyle() text.Style {
	s := style(17, ink, text.XLeft)
	s.Font.Weight = xfont.WeightBold
	return s
}

// write writes text whose middle is at the height y.
func (p *picture) write(s text.Style, x, y vg.Length, format string, args ...any) {
	p.FillText(s, vg.Point{X: x, Y: y}, fmt.Sprintf(format, args...))
}

func (p *picture) rect(x0, y0, x1, y1 vg.Length, c color.Color) {
	p.area(c, vg.Point{X: x0, Y: y0}, vg.Point{X: x1, Y: y0}, vg.Point{X: x1, Y: y1}, vg.Point{X: x0, Y: y1})
}

func (p *picture) area(c color.Color, points ...vg.Point) { p.FillPolygon(c, points) }

func (p *picture) stroke(c color.Color, w vg.Length, dashes []vg.Length, points ...vg.Point) {
	p.StrokeLines(draw.LineStyle{Color: c, Width: w, Dashes: dashes}, points)
}

// key draws an entry of a legend and returns where the next one begins.
func (p *picture) key(x, y vg.Length, c color.Color, name string) vg.Length {
	p.rect(x, y-6, x+12, y+6, c)
	return p.name(x, y, name)
}

// name writes the name of an entry of a legend.
func (p *picture) name(x, y vg.Length, name string) vg.Length {
	s := style(small, ink, text.XLeft)
	p.write(s, x+18, y, "%s", name)
	return x + 18 + s.Width(name) + 22
}

// triangle draws one whose point is at x and y, upward or downward.
func (p *picture) triangle(x, y, up vg.Length, colour color.Color) {
	p.area(colour, vg.Point{X: x, Y: y}, vg.Point{X: x - 5, Y: y - 9*up}, vg.Point{X: x + 5, Y: y - 9*up})
}

// cellwarden runs the command in the root of the repository and returns what it prints.
func cellwarden(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"run", "./cmd/cellwarden"}, args...)...)
	c.Dir, c.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return out
}

// keep requires that a file of docs has this content, or rewrites it.
func keep(t *testing.T, file, want string) {
	file = filepath.Join("..", "..", "docs", file)
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "%s is out of date: go test ./pictures -rewrite", file)
}
