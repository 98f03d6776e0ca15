package internal_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/picture"
)

// A picture is made of parts with classes; a reader who points at a part sees its name.
func Example_picture() {
	p := picture.New(200, 40, "Slice 0: 60 of 100 cells are shared")
	s := picture.Scale{To: 100, Low: 10, High: 190}
	p.Rect(s.At(0), 10, s.At(60)-s.At(0), 20, "part shared", "shared: 60 cells")
	p.Text(s.At(30), 25, picture.Middle, "", "60 < 100")
	fmt.Print(p.SVG())
	// Output:
	// <svg class="picture" viewBox="0 0 200 40" role="img" aria-label="Slice 0: 60 of 100 cells are shared">
	// <rect class="part shared" x="10" y="10" width="108" height="20"><title>shared: 60 cells</title></rect>
	// <text x="64" y="25" text-anchor="middle">60 &lt; 100</text>
	// </svg>
}

// wellFormed reads a whole text as XML, and returns the number of its elements.
func wellFormed(t testing.TB, text string) (elements int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		require.NoError(t, err, text)
		if _, is := token.(xml.StartElement); is {
			elements++
		}
	}
}

// Texts cannot leave their place, and numbers that are none do not reach the picture.
func TestPictureIsWellFormed(t *testing.T) {
	evil := "<script>\"&'\x00\x1b\xff</text>"
	c := picture.NewChart(720, 300, evil, picture.Axis{From: 1, To: 1e6, Log: true, Title: evil, Ticks: 5},
		picture.Axis{To: math.NaN(), Title: evil, Ticks: 5, Label: func(float64) string { return evil }})
	points := []picture.Point{{X: 0, Y: math.Inf(1)}, {X: math.NaN(), Y: -1}, {X: 1e300, Y: 3}}
	c.Curve(points, "l0", evil)
	c.Between(points, points, "f0", evil)
	c.Between(nil, points, "f0", evil)
	c.Mark(points[0], "f1", evil, evil)
	c.Level(math.Inf(-1), "l1", evil)
	c.Upward(math.NaN(), 1e40, picture.End, "pale", evil)
	c.Circle(1, 2, 3, "f0", "")
	outer := picture.New(800, 400, "")
	outer.Add(10, 20, c.Picture)
	for _, text := range []string{c.SVG(), c.File(), outer.SVG()} {
		require.Greater(t, wellFormed(t, text), 10)
		require.NotContains(t, text, "<script")
		require.NotContains(t, text, "NaN")
		require.NotContains(t, text, "Inf")
	}
	require.Contains(t, c.File(), "prefers-color-scheme:dark")
}

// FuzzEscape: whatever a text is, it is the text of one element.
func FuzzPictureEscape(f *testing.F) {
	f.Add("a<b>&\"'\x00\xff\ufffe]]>")
	f.Fuzz(func(t *testing.T, text string) {
		p := picture.New(1, 1, text)
		p.Text(0, 0, picture.Start, "", text)
		require.Equal(t, 2, wellFormed(t, p.SVG()))
	})
}

// Places grow with values, stay between the ends, and the round values of an axis are on it.
func TestPictureScale(t *testing.T) {
	for _, s := range []picture.Scale{{From: 0, To: 100, Low: 0, High: 1000},
		{From: 1, To: 1e6, Low: 50, High: 70, Log: true},
		{From: 840, To: 1700, Low: 100, High: 0, Log: true}, {From: 3, To: 3, Low: 5, High: 9},
		{From: 1, To: 2, Low: 0, High: 10, Log: true}, {From: 0.5, To: 40000, Low: 0, High: 10, Log: true}} {
		for n := 2; n < 20; n++ {
			ticks := s.Ticks(n)
			require.LessOrEqual(t, len(ticks), n+1, "%+v", s)
			last := math.Inf(-1)
			for _, v := range ticks {
				require.True(t, s.Has(v), "%+v %v", s, v)
				require.Greater(t, v, last)
				last = v
			}
		}
		require.Equal(t, s.Low, s.At(s.From-1))
		if s.To > s.From {
			require.InDelta(t, s.High, s.At(s.To), 1e-9)
			require.InDelta(t, s.High, s.At(s.To*10+1), 1e-9)
		}
	}
	require.Equal(t, []float64{0, 20, 40, 60, 80, 100}, picture.Scale{To: 100}.Ticks(5))
	require.Equal(t, []float64{1, 2, 5, 10, 20, 50, 100}, picture.Scale{From: 1, To: 100, Log: true}.Ticks(7))
	require.Nil(t, picture.Scale{Log: true, To: 5}.Ticks(5))
	require.Equal(t, "-0.1 0 12.3 1000", fmt.Sprint(picture.Pixels(-0.06), " ", picture.Pixels(-0.04), " ",
		picture.Pixels(12.345), " ", picture.Pixels(1000)))
}

// luminance is the relative luminance of a colour, as WCAG 2.2 defines it.
func luminance(t *testing.T, colour string) float64 {
	var c [3]int
	_, err := fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2])
	require.NoError(t, err, colour)
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(c[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// contrast is the contrast of two colours, 1 to 21, as WCAG 2.2 defines it.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Colours can be seen on their ground (WCAG 2.2: 4.5 for text, 3 for what is not), light and dark.
func TestPictureContrast(t *testing.T) {
	style := picture.Style()
	light, rest, found := strings.Cut(style, "@media")
	require.True(t, found)
	for name, part := range map[string]string{"light": light, "dark": rest} {
		colours := map[string]string{}
		for _, x := range strings.FieldsFunc(part[:min(strings.LastIndex(part, "--s7")+12, len(part))], func(r rune) bool {
			return strings.ContainsRune("{};", r)
		}) {
			if key, value, ok := strings.Cut(x, ":"); ok && strings.HasPrefix(value, "#") {
				colours[key] = value
			}
		}
		require.Greater(t, len(colours), 15)
		paper := colours["--paper"]
		for _, text := range []string{"--ink", "--pale", "--short", "--good"} {
			require.GreaterOrEqual(t, contrast(t, colours[text], paper), 4.5, "%s: %s", name, text)
		}
		for i := range picture.Series {
			require.GreaterOrEqual(t, contrast(t, colours[fmt.Sprintf("--s%d", i)], paper), 3.0, "%s: series %d", name, i)
		}
		for on, ground := range map[string]string{"--chip": "--on-strong", "--reserved": "--on-strong",
			"--shared": "--on-weak"} {
			require.GreaterOrEqual(t, contrast(t, colours[on], colours[ground]), 4.5, "%s: %s", name, on)
		}
		require.GreaterOrEqual(t, contrast(t, colours["--headroom"], "#14181d"), 4.5)
	}
}
