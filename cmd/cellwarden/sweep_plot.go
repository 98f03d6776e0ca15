package main

import (
	"fmt"
	"html/template"
	"io"

	"github.com/cellwarden/cellwarden/topology/grid"
)

// This file draws a sweep of one or two keys as a heat map: a table whose cells are coloured by what remains to share,
// with the numbers in them, so that nothing is said by colour alone.

// heatPage is the page. It loads nothing.
var heatPage = template.Must(template.New("heat").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #8888; padding: .3rem .6rem; text-align: right; }
td { color: #000; }
td.no { background: #e6a9a0; }
td.none { background: #cccccc; }
{{range .Steps}}td.s{{.N}} { background: {{.Colour}}; }
{{end}}caption { text-align: left; padding-bottom: .5rem; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<div><table>
<caption>Cells that remain to share, in percent of the fullest slice; "refused" with the number of refused ports.
Rows: {{.Rows}}{{if .Columns}}; columns: {{.Columns}}{{end}}.</caption>
<thead><tr><th scope="col">{{.Rows}}</th>{{range .Heads}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Body}}<tr><th scope="row">{{.Name}}</th>{{range .Cells}}<td class="{{.Class}}" title="{{.Why}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
</body>
</html>
`))

// heatColours go from little to share to much: light enough for black text in both schemes.
var heatColours = []string{"#f4e3a1", "#e0e6a0", "#c8e3a6", "#aedcb0", "#96d2bd"}

// heatCell is one point.
type heatCell struct{ Class, Text, Why string }

// writeHeatMap writes the page.
func writeHeatMap(w io.Writer, g grid.Grid, points []point, title string) error {
	type step struct {
		N      int
		Colour template.CSS
	}
	type row struct {
		Name  string
		Cells []heatCell
	}
	page := struct {
		Title, Rows, Columns string
		Heads                []string
		Steps                []step
		Body                 []row
	}{Title: title, Rows: g.Axes[0].Name, Heads: []string{"shared"}}
	if len(g.Axes) == 2 {
		page.Columns, page.Heads = g.Axes[1].Name, g.Axes[1].Values
	}
	for i, c := range heatColours {
		page.Steps = append(page.Steps, step{i, template.CSS(c)})
	}
	for i, name := range g.Axes[0].Values {
		r := row{Name: name}
		for k := range page.Heads {
			r.Cells = append(r.Cells, heatCellOf(&points[i*len(page.Heads)+k]))
		}
		page.Body = append(page.Body, r)
	}
	return heatPage.Execute(w, page)
}

func heatCellOf(p *point) heatCell {
	switch {
	case p.answer.Error != "":
		return heatCell{"none", "not accepted", p.why()}
	case !p.answer.Fits:
		return heatCell{"no", fmt.Sprintf("refused %d", p.answer.Refused), p.why()}
	}
	i := 0
	if p.total > 0 {
		i = min(len(heatColours)-1, int(int64(p.shared)*int64(len(heatColours))/int64(p.total)))
	}
	return heatCell{fmt.Sprintf("s%d", i), string(share(p.shared, p.total)), fmt.Sprintf("%d cells", p.shared)}
}
