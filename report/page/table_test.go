package page_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report/page"
)

// A page of tables: texts stay texts, and numbers stand to the right.
func TestTables(t *testing.T) {
	var b bytes.Buffer
	p := page.Tables{Title: "LOSSLESS <i>", Head: []string{"chip      x & y"}, Foot: []string{"<script>"},
		Tables: []page.Table{{Title: "Groups", Columns: []string{"class", "cells"},
			Rows: [][]string{{"rdma", "1,292"}, {"<b>", "-"}}, Total: []string{"", "1,292"}}}}
	require.NoError(t, p.Write(&b))
	html := b.String()
	for _, want := range []string{"<h1>LOSSLESS &lt;i&gt;</h1>\n", `<p class="line">chip      x &amp; y</p>`,
		"<h2>Groups</h2>", `<td>&lt;b&gt;</td><td class="r">-</td>`, `<p class="line">&lt;script&gt;</p>`} {
		require.Contains(t, html, want)
	}
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
		`<i class="heat0"></i>from 0%</span>`, "Rows: cable.</p>"} {
		require.Contains(t, html, want)
	}
}

// The page of a server loads its style and its script, and has no style of its own.
func TestServedPage(t *testing.T) {
	html := string(page.Served("desk", "/page.css", "/page.js", "<main>1</main>\n"))
	require.Contains(t, html, `<link rel="stylesheet" href="/page.css">`+"\n"+`<script src="/page.js" defer></script>`)
	require.Contains(t, html, "<body>\n<main>1</main>\n</body>")
	require.NotContains(t, html, "<style")
	require.NotContains(t, html, "Content-Security-Policy")
}
