package picture

import (
	"fmt"
	"strings"
)

// Series is the number of colours for series. A chart with more of them uses the colours again, with dashes.
const Series = 8

// light and dark are the colours of series on a light and on a dark ground. They can be told apart with impaired
// colour vision: those on light ground are of Okabe and Ito (2008) without yellow, which is hard to see on white;
// those on dark ground are the same hues, lighter.
var (
	light = [Series]string{"#0072b2", "#d55e00", "#009e73", "#b8579a", "#2a82b8", "#9c6a00", "#111111", "#777777"}
	dark  = [Series]string{"#4aa8e8", "#ff8a3c", "#2fd3a5", "#e59acb", "#9bd3f5", "#f2c14e", "#f5f5f5", "#a8a8a8"}
)

// theme is what every other class looks like. The accounts of cells have one colour each in all pictures.
type theme struct {
	ink, pale, grid, paper, chip, reserved, headroom, shared, unused, short, good, onStrong, onWeak string
}

var (
	lightTheme = theme{"#1f2933", "#55606c", "#d8dde4", "#ffffff", "#6b6b6b", "#1b4a7d", "#e69f00", "#8ec3e6", "#e9ecf0",
		"#b3261e", "#1a7f4b", "#ffffff", "#14181d"}
	darkTheme = theme{"#e8ecf1", "#a9b4c0", "#39424d", "#14181d", "#8f979f", "#6ea2e0", "#f0b429", "#2c6e9b", "#2a323b",
		"#ff7b72", "#4cc38a", "#14181d", "#ffffff"}
)

// variables writes a theme as CSS variables.
func (t theme) variables(series [Series]string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "--ink:%s;--pale:%s;--grid:%s;--paper:%s;--chip:%s;--reserved:%s;--headroom:%s;--shared:%s;"+
		"--unused:%s;--short:%s;--good:%s;--on-strong:%s;--on-weak:%s", t.ink, t.pale, t.grid, t.paper, t.chip, t.reserved,
		t.headroom, t.shared, t.unused, t.short, t.good, t.onStrong, t.onWeak)
	for i, c := range series {
		fmt.Fprintf(&out, ";--s%d:%s", i, c)
	}
	return out.String()
}

// Style is the style sheet of the pictures, for the page that contains them. Paper is light whatever the screen is.
func Style() string {
	var out strings.Builder
	out.WriteString(":root{color-scheme:light dark;" + lightTheme.variables(light) + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + darkTheme.variables(dark) + "}}\n" + parts)
	for i := range Series {
		fmt.Fprintf(&out, ".f%d{fill:var(--s%d)}.l%d{stroke:var(--s%d)}.b%d{background:var(--s%d)}\n", i, i, i, i, i, i)
	}
	return out.String()
}

// parts are the classes of a picture's parts: text, lines, and what is filled. Narrow lines around filled parts keep
// neighbours of one colour apart.
const parts = `svg.picture{display:block;width:100%;height:auto}
svg.picture text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;fill:var(--ink)}
svg.picture text.pale{fill:var(--pale)}svg.picture text.small{font-size:11px}svg.picture text.strong{font-weight:600}
svg.picture text.tiny{font-size:9px}svg.picture text.large{font-size:19px}
svg.picture text.on-strong,svg.picture text.on-chip,svg.picture text.on-reserved{fill:var(--on-strong)}
svg.picture text.on-shared{fill:var(--on-weak)}svg.picture text.on-headroom{fill:#14181d}
svg.picture text.bad{fill:var(--short)}
svg.picture text.halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--grid);fill:none}.axis{stroke:var(--pale);fill:none}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1.3}.dash{stroke-dasharray:6 4}
.dots{stroke-dasharray:2 3}.bad-line{stroke:var(--short)}.good-line{stroke:var(--good)}.ink-line{stroke:var(--ink)}
.ground{fill:var(--paper)}
.part{stroke:var(--paper);stroke-width:1}
.chip{fill:var(--chip)}.reserved{fill:var(--reserved)}.headroom{fill:var(--headroom)}.shared{fill:var(--shared)}
.unused{fill:var(--unused)}.short{fill:var(--short)}.good{fill:var(--good)}
.b-chip{background:var(--chip)}.b-reserved{background:var(--reserved)}.b-headroom{background:var(--headroom)}
.b-shared{background:var(--shared)}.b-unused{background:var(--unused)}.b-short{background:var(--short)}
.faint{opacity:.35}.weak{opacity:.55}
`
