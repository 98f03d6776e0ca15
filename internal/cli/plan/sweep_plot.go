package plan

import (
	"fmt"
	"html/template"
	"io"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file draws a sweep of one or two keys as a heat map: a table whose cells are coloured by what remains to share,
// with the numbers in them, so that nothing is said by colour alone.

// heatPage is the page. It loads nothing.
var heatPage = template.Must(template.New("heat").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{{.Title}}</title>
<style>
{{.Style}}
table.heat th, table.heat td { border: 1px solid var(--grid); padding: .3rem .6rem; text-align: right; white-space: nowrap; }
table.heat td { color: #14181d; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
td.no { background: #e6a9a0; }
td.none { background: #cccccc; }
{{range .Steps}}td.s{{.N}} { background: {{.Colour}}; }
{{end}}</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>Cells that remain to share, in percent of the fullest slice; "refused" with the number of refused ports; "not
accepted" where the value is none. Point at a cell to see why. Rows: {{.Rows}}{{if .Columns}}; columns:
{{.Columns}}{{end}}.</p>
<p class="legend">{{range .Legend}}<span><i style="background:{{.Colour}}"></i>{{.Text}}</span> {{end}}</p>
<div class="scroll"><table class="heat">
<thead><tr><th scope="col">{{.Rows}}</th>{{range .Heads}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Body}}<tr><th scope="row">{{.Name}}</th>{{range .Cells}}<td class="{{.Class}}" title="{{.Why}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
</main>
</body>
</html>
`))

// heatColours go from little to share to much: light enough for black text in both schemes.
var heatColours = []string{"#f4e3a1", "#e0e6a0", "#c8e3a6", "#aedcb0", "#96d2bd"}

// heatCell is one point.
type heatCell struct{ Class, Text, Why string }

// writeHeatMap writes the page.
func writeHeatMap(w io.Writer, g sweep.Grid, points []point, title string) error {
	type step struct {
		N      int
		Colour template.CSS
	}
	type entry struct {
		Colour template.CSS
		Text   string
	}
	type row struct {
		Name  string
		Cells []heatCell
	}
	heat := struct {
		Title, Rows, Columns string
		Heads                []string
		Steps                []step
		Legend               []entry
		Body                 []row
		Style                template.CSS
	}{Title: title, Rows: g.Axes[0].Name, Heads: []string{"shared"}, Style: template.CSS(page.Style())}
	if len(g.Axes) == 2 {
		heat.Columns, heat.Heads = g.Axes[1].Name, g.Axes[1].Values
	}
	for i, c := range heatColours {
		heat.Steps = append(heat.Steps, step{i, template.CSS(c)})
		heat.Legend = append(heat.Legend, entry{template.CSS(c), fmt.Sprintf("from %d%%", 100*i/len(heatColours))})
	}
	heat.Legend = append(heat.Legend, entry{"#e6a9a0", "refused"}, entry{"#cccccc", "not accepted"})
	for i, name := range g.Axes[0].Values {
		r := row{Name: name}
		for k := range heat.Heads {
			r.Cells = append(r.Cells, heatCellOf(&points[i*len(heat.Heads)+k]))
		}
		heat.Body = append(heat.Body, r)
	}
	return heatPage.Execute(w, heat)
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
	return heatCell{fmt.Sprintf("s%d", i), string(cli.Share(p.shared, p.total)), fmt.Sprintf("%d cells", p.shared)}
}
