package page_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// A page of tables: texts stay texts, and numbers stand to the right.
func TestTables(t *testing.T) {
	p := page.Tables{Title: "LOSSLESS <i>", Head: []string{"chip      x & y"}, Foot: []string{"<script>"},
		Tables: []page.Table{{Title: "Groups", Columns: []string{"class", "cells"},
			Rows: [][]string{{"rdma", "1,292"}, {"<b>", "-"}}, Total: []string{"", "1,292"}}}}
	html := pageOf(t, p)
	for _, want := range []string{"<h1>LOSSLESS &lt;i&gt;</h1>\n", `<div><dt>chip</dt><dd>x &amp; y</dd></div>`,
		"<h2>Groups</h2>", `<td>&lt;b&gt;</td><td class="r">-</td>`, `<p class="line">&lt;script&gt;</p>`} {
		require.Contains(t, html, want)
	}
}

// Lines that are made for a terminal are names with texts, lists and titles on a page.
func TestLinesOfTables(t *testing.T) {
	p := page.Tables{Title: "NOT LOSSLESS", Tone: "bad", Head: []string{"plan      chip tomahawk", "case      both ends",
		"          each alone", "measured by hand"},
		Foot: []string{"one line", "10G  5m  1,292", "Notes", "- first", "  goes on", "- second"}}
	html := pageOf(t, p)
	for _, want := range []string{`<header class="bar bad">` + "\n<h1>NOT LOSSLESS</h1>", `<div id="head" class="bad">`,
		"<div><dt>plan</dt><dd>chip tomahawk</dd></div>\n<div><dt>case</dt><dd>both ends\neach alone</dd></div>\n</dl>",
		`<p class="line">measured by hand</p>`, `<p class="line">one line</p>`, `<p class="line">10G  5m  1,292</p>`,
		"<h2>Notes</h2>\n<ul>\n",
		`<li class="line">first` + "\n" + `goes on</li>` + "\n" + `<li class="line">second</li>`} {
		require.Contains(t, html, want)
	}
	require.NotContains(t, html, "unit-mb", "nothing to switch")
}

// A table with cells has them in MB and as times too, and a long text is labelled for a phone.
func TestUnitsOfTables(t *testing.T) {
	long := strings.Repeat("a long text ", 5)
	p := page.Tables{Title: "t", Tables: []page.Table{{Columns: []string{"class", "cells", "change", "why"},
		Rows: [][]string{{"rdma", "1,250", "+1,250", long}, {"rdma", "1", "-1,250", ""}}}}}
	p.Tables[0].Cells.Columns, p.Tables[0].Cells.Size = []int{1, 2}, 208
	html := pageOf(t, p)
	require.Contains(t, html, `id="unit-mb"`)
	require.NotContains(t, html, `id="unit-us"`, "no row has a speed")
	p.Tables[0].Cells.Rates = []unit.BitRate{100 * unit.Gbps, 400 * unit.Gbps}
	html = pageOf(t, p)
	require.Contains(t, html, `id="unit-us"`)
	for _, want := range []string{ // 1,250 cells of 208 bytes are 260,000 bytes: 2.08 Mbit
		`<td data-label="class">rdma</td>`, `data-label="why">` + long,
		`<td data-label="cells" class="r">1,250 <small class="mb">0.26 MB</small> <small class="us">20.80 us</small></td>`,
		`class="r">&#43;1,250 <small class="mb">&#43;0.26 MB</small> <small class="us">&#43;20.80 us</small></td>`,
		`class="r">1 <small class="mb">&lt;0.01 MB</small> <small class="us">&lt;0.01 us</small></td>`,
		`class="r">-1,250 <small class="mb">-0.26 MB</small> <small class="us">-5.20 us</small></td>`} {
		require.Contains(t, html, want)
	}
}

// pageOf writes a page of tables, without its style.
func pageOf(t *testing.T, p page.Tables) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	_, html, _ := strings.Cut(b.String(), "</style>")
	return html
}

// A sweep of one key: a cell has the colour of what remains to share, and says why there is nothing.
func TestHeatMap(t *testing.T) {
	var b bytes.Buffer
	h := page.HeatMap{Title: "sweep", Rows: "cable", Names: []string{"5m", "1km", "9km", "<b>"}, Heads: []string{"shared"},
		Cells: [][]page.HeatCell{{{Text: "100.0 %", Percent: 100}}, {{Text: "59.9 %", Percent: 59}},
			{{Text: "refused 2", Why: "2992 short", Refused: true}}, {{Text: "not accepted", Why: "<i>", Invalid: true}}}}
	require.NoError(t, h.Write(&b))
	html := b.String()
	for _, want := range []string{`<th scope="row">5m</th><td class="heat4" title="">100.0 %</td>`,
		`<th scope="row">1km</th><td class="heat2" title="">59.9 %</td>`,
		`<td class="refused" title="2992 short">refused 2</td>`,
		`<th scope="row">&lt;b&gt;</th><td class="invalid" title="&lt;i&gt;">not accepted</td>`,
		`<i class="heat0"></i>from 0%</span>`, "Rows: cable.</p>",
		`<summary>Why points are refused</summary>`, "<tr><td>9km</td><td>shared</td><td>2992 short</td></tr>"} {
		require.Contains(t, html, want)
	}
}
