package page

import (
	"fmt"
	"html/template"
	"io"
)

// HeatMap is a table of one or two keys whose cells are coloured by what remains to share, with the numbers in them, so
// that nothing is said by colour alone.
type HeatMap struct {
	Title         string
	Rows, Columns string   // the keys; Columns is empty with one key
	Heads         []string // of the columns
	// Body is a row for each value of the key of the rows.
	Body []struct {
		Name  string
		Cells []struct {
			// Class is the colour: the part of the cells that remains, in fifths, s0 to s4; "no" is refused and "none" not
			// accepted.
			Class, Text, Why string
		}
	}
}

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

// Class is the colour of a cell with this part of a whole.
func (*HeatMap) Class(part, whole int64) string {
	i := 0
	if whole > 0 {
		i = min(len(heatColours)-1, int(part*int64(len(heatColours))/whole))
	}
	return fmt.Sprintf("s%d", i)
}

// Write writes the page, which loads nothing.
func (m *HeatMap) Write(w io.Writer) error {
	type step struct {
		N      int
		Colour template.CSS
	}
	type entry struct {
		Colour template.CSS
		Text   string
	}
	heat := struct {
		*HeatMap
		Steps  []step
		Legend []entry
		Style  template.CSS
	}{HeatMap: m, Style: template.CSS(Style())}
	for i, c := range heatColours {
		heat.Steps = append(heat.Steps, step{i, template.CSS(c)})
		heat.Legend = append(heat.Legend, entry{template.CSS(c), fmt.Sprintf("from %d%%", 100*i/len(heatColours))})
	}
	heat.Legend = append(heat.Legend, entry{"#e6a9a0", "refused"}, entry{"#cccccc", "not accepted"})
	return heatPage.Execute(w, heat)
}
