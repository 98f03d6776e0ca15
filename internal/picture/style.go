package picture

import (
	_ "embed" // the style
	"fmt"
	"strings"
)

// Series is the number of colours for series. A chart with more of them uses the colours again, with dashes.
const Series = 8

// light and dark are what the classes look like on a light and on a dark ground. The accounts of cells have one colour
// each in all pictures. The colours of series, s0 and up, can be told apart with impaired colour vision: those on light
// ground are of Okabe and Ito (2008) without yellow, which is hard to see on white; those on dark ground are the same
// hues, lighter.
const (
	light = "--ink:#1f2933;--pale:#55606c;--grid:#d8dde4;--paper:#ffffff;--chip:#6b6b6b;--reserved:#1b4a7d;" +
		"--headroom:#e69f00;--shared:#8ec3e6;--unused:#e9ecf0;--short:#b3261e;--good:#1a7f4b;--on-strong:#ffffff;" +
		"--on-weak:#14181d;--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8579a;--s4:#2a82b8;--s5:#9c6a00;--s6:#111111;" +
		"--s7:#777777"
	dark = "--ink:#e8ecf1;--pale:#a9b4c0;--grid:#39424d;--paper:#14181d;--chip:#8f979f;--reserved:#6ea2e0;" +
		"--headroom:#f0b429;--shared:#2c6e9b;--unused:#2a323b;--short:#ff7b72;--good:#4cc38a;--on-strong:#14181d;" +
		"--on-weak:#ffffff;--s0:#4aa8e8;--s1:#ff8a3c;--s2:#2fd3a5;--s3:#e59acb;--s4:#9bd3f5;--s5:#f2c14e;--s6:#f5f5f5;" +
		"--s7:#a8a8a8"
)

// Style is the style sheet of the pictures, for the page that contains them. Paper is light whatever the screen is.
func Style() string {
	var out strings.Builder
	out.WriteString(":root{color-scheme:light dark;" + light + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + dark + "}}\n" + parts)
	for i := range Series {
		fmt.Fprintf(&out, ".f%d{fill:var(--s%d)}.l%d{stroke:var(--s%d)}.b%d{background:var(--s%d)}\n", i, i, i, i, i, i)
	}
	return out.String()
}

// parts are the classes of a picture's parts: text, lines, and what is filled. Narrow lines around filled parts keep
// neighbours of one colour apart.
//
//go:embed parts.css
var parts string
