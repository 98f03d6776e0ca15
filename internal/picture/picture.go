package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Picture is a drawing with a size in pixels. Its origin is at the upper left. It is made by [New].
type Picture struct {
	width, height float64
	alternative   string
	body          strings.Builder
}

// New returns an empty picture. The alternative is what the picture shows, in words: a screen reader reads it.
func New(width, height float64, alternative string) *Picture {
	return &Picture{width: width, height: height, alternative: alternative}
}

// Height returns the height in pixels.
func (p *Picture) Height() float64 { return p.height }

// SVG returns the picture as a part of a page that has [Style].
func (p *Picture) SVG() string {
	return p.open("") + p.body.String() + "</svg>\n"
}

// File returns the picture as a file of its own, with the style in it and a ground behind it.
func (p *Picture) File() string {
	return p.open(` xmlns="http://www.w3.org/2000/svg" width="`+Pixels(p.width)+`" height="`+Pixels(p.height)+`"`) +
		"<style>\n" + Style() + "</style>\n" + fmt.Sprintf("<rect class=\"ground\" width=\"%s\" height=\"%s\"/>\n",
		Pixels(p.width), Pixels(p.height)) + p.body.String() + "</svg>\n"
}

// open returns the first tag.
func (p *Picture) open(more string) string {
	return fmt.Sprintf("<svg class=\"picture\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\"%s>\n", Pixels(p.width),
		Pixels(p.height), Escape(p.alternative), more)
}

// Rect draws a rectangle. The name is shown when a reader points at it; "" for none.
func (p *Picture) Rect(x, y, width, height float64, class, name string) {
	p.part(fmt.Sprintf(`rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, Pixels(x), Pixels(y), Pixels(width),
		Pixels(height)), name)
}

// Circle draws a circle around a point.
func (p *Picture) Circle(x, y, radius float64, class, name string) {
	p.part(fmt.Sprintf(`circle class="%s" cx="%s" cy="%s" r="%s"`, class, Pixels(x), Pixels(y), Pixels(radius)), name)
}

// Line draws a line between two points.
func (p *Picture) Line(x1, y1, x2, y2 float64, class string) {
	p.part(fmt.Sprintf(`line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"`, class, Pixels(x1), Pixels(y1), Pixels(x2),
		Pixels(y2)), "")
}

// Path draws a path in the words of SVG: "M10 20L30 40Z".
func (p *Picture) Path(d, class, name string) {
	p.part(fmt.Sprintf(`path class="%s" d="%s"`, class, d), name)
}

// part writes a part with its name.
func (p *Picture) part(tag, name string) {
	if name == "" {
		p.body.WriteString("<" + tag + "/>\n")
		return
	}
	kind, _, _ := strings.Cut(tag, " ")
	p.body.WriteString("<" + tag + "><title>" + Escape(name) + "</title></" + kind + ">\n")
}

// Anchor says which point of a text is at its place.
type Anchor string

// The anchors.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Text writes a text. The place is on the baseline of its letters.
func (p *Picture) Text(x, y float64, anchor Anchor, class, text string) {
	p.text(fmt.Sprintf(`x="%s" y="%s"`, Pixels(x), Pixels(y)), anchor, class, text)
}

// Upward writes a text that reads from the bottom to the top, as the name of a vertical axis does.
func (p *Picture) Upward(x, y float64, anchor Anchor, class, text string) {
	p.text(fmt.Sprintf(`transform="translate(%s %s)rotate(-90)"`, Pixels(x), Pixels(y)), anchor, class, text)
}

func (p *Picture) text(place string, anchor Anchor, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	if anchor != Start {
		place += ` text-anchor="` + string(anchor) + `"`
	}
	fmt.Fprintf(&p.body, "<text%s %s>%s</text>\n", class, place, Escape(text))
}

// Add draws another picture with its upper left corner at a point.
func (p *Picture) Add(x, y float64, o *Picture) {
	fmt.Fprintf(&p.body, "<g transform=\"translate(%s %s)\">\n%s</g>\n", Pixels(x), Pixels(y), o.body.String())
}

// Pixels prints a place with at most one digit after the point, so that it prints alike on every machine. A place that
// is no number is 0.
func Pixels(v float64) string {
	tenths := math.Round(v * 10)
	if !(math.Abs(tenths) < 1e9) { // also for what is no number
		tenths = 0
	}
	return strconv.FormatFloat(tenths/10+0, 'f', -1, 64)
}

// replacer writes what XML and HTML give a meaning.
var replacer = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// Escape returns a text in the form that a page needs. Control characters and broken UTF-8, which no page can hold,
// become U+FFFD.
func Escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return '\uFFFD'
		}
		return r
	}, text)
	return replacer.Replace(text)
}

// TextWidth estimates the width of a text of 13 pixels. It is what most letters of the common fonts take at most, so
// that a text that is said to fit does.
func TextWidth(text string) float64 { return 7.6 * float64(len([]rune(text))) }
