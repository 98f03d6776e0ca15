package plan

import (
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report/page"
)

// writeHeatMap writes the page of a sweep of one or two keys. points are those of the whole grid, in its order.
func writeHeatMap(w io.Writer, g sweep.Grid, points []point, title string) error {
	// With one key the map has one column: the share of shared cells. The first key goes down the rows, and the second
	// one along the columns.
	heat := page.HeatMap{Title: title, Rows: g.Axes[0].Name, Names: g.Axes[0].Values, Heads: []string{"shared"}}
	if len(g.Axes) == 2 {
		heat.Columns, heat.Heads = g.Axes[1].Name, g.Axes[1].Values
	}
	for i := range heat.Names {
		var row []page.HeatCell
		for k := range heat.Heads {
			// The last axis varies fastest, as the points of a grid are numbered.
			row = append(row, heatCell(&points[i*len(heat.Heads)+k]))
		}
		heat.Cells = append(heat.Cells, row)
	}
	return heat.Write(w)
}

// heatCell returns a point of the sweep as the page shows it. Percent is the part of the slice with the fewest shared
// cells that is shared, 0 to 100, and decides the colour.
func heatCell(p *point) page.HeatCell {
	switch {
	case p.answer.Error != "":
		return page.HeatCell{Text: "not accepted", Why: p.why(), Invalid: true}
	// The number is that of the refused ports.
	case !p.answer.Fits:
		return page.HeatCell{Text: fmt.Sprintf("refused %d", p.answer.Refused), Why: p.why(), Refused: true}
	}
	cell := page.HeatCell{Text: string(cli.Share(p.shared, p.total)), Why: fmt.Sprintf("%d cells", p.shared)}
	// A slice without cells has no share and the colour of 0.
	if p.total > 0 {
		cell.Percent = int(int64(p.shared) * 100 / int64(p.total))
	}
	return cell
}
