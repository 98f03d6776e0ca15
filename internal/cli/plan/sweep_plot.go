package plan

import (
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file draws a sweep of one or two keys as a heat map. Package report/page has the page.

// writeHeatMap writes the page. The points are in the order of the grid, in which the last key varies fastest.
func writeHeatMap(w io.Writer, g sweep.Grid, points []point, title string) error {
	heat := page.HeatMap{Title: title, Rows: g.Axes[0].Name, Heads: []string{"shared"}}
	if len(g.Axes) == 2 {
		heat.Columns, heat.Heads = g.Axes[1].Name, g.Axes[1].Values
	}
	for i, name := range g.Axes[0].Values {
		row := unnamed.Add(&heat.Body)
		row.Name = name
		cells := unnamed.List(&row.Cells, len(heat.Heads))
		for k := range cells {
			p, to := &points[i*len(heat.Heads)+k], &cells[k]
			to.Class, to.Text, to.Why = heatCell(&heat, p)
		}
	}
	return heat.Write(w)
}

// heatCell is the colour of a point, its text, and why it has none or what the text counts.
func heatCell(heat *page.HeatMap, p *point) (class, text, why string) {
	switch {
	case p.answer.Error != "":
		return "none", "not accepted", p.why()
	case !p.answer.Fits:
		return "no", fmt.Sprintf("refused %d", p.answer.Refused), p.why()
	}
	return heat.Class(int64(p.shared), int64(p.total)), string(cli.Share(p.shared, p.total)),
		fmt.Sprintf("%d cells", p.shared)
}
