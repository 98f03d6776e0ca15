package report

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// FitDocument is a vendor's headroom table as a line for each speed, with rows for other cable lengths.
type FitDocument struct {
	Schema string     `json:"schema"`
	Cell   cells.Size `json:"cell_bytes"`     // 0: unknown
	Grain  unit.Bytes `json:"rounding_bytes"` // rows are rounded up to a multiple of it
	Fits   []struct {
		Speed       int64             `json:"speed_mbps"`
		Base        unit.Bytes        `json:"base_bytes"`
		PerMetre    table.Thousandths `json:"bytes_per_m"`
		MaxResidual table.Thousandths `json:"max_residual_percent"`
		Reading     string            `json:"reading"` // the likely meaning of the slope
	} `json:"fits"`
	Rows []struct {
		Speed     int64       `json:"speed_mbps"`
		Cable     Metres      `json:"cable_m"`
		Size      unit.Bytes  `json:"size_bytes"`
		XON       unit.Bytes  `json:"xon_bytes"`
		XOFF      unit.Bytes  `json:"xoff_bytes"`
		XONOffset *unit.Bytes `json:"xon_offset_bytes"` // null: the table has no such column
		Alpha     string      `json:"alpha"`            // the factor: "8", "1/8"
		DynamicTh int         `json:"dynamic_th"`
		FromTable bool        `json:"from_table"`
		Notes     []string    `json:"notes"`
	} `json:"rows"`
}

// FittedTable returns the document of the lines of a headroom table and of rows that were computed by them. cell is the
// size of a cell, 0 if it is not known.
func FittedTable(fits []table.Fit, rows []table.NewRow, cell cells.Size, grain unit.Bytes) FitDocument {
	d := FitDocument{Schema: Schema("fit"), Cell: cell, Grain: grain}
	lines := unnamed.List(&d.Fits, len(fits))
	for i, f := range fits {
		to := &lines[i]
		to.Speed, to.Base, to.PerMetre = int64(f.Rate/unit.Mbps), f.Base, f.PerMetre
		to.MaxResidual, to.Reading = f.MaxResidual, f.Reading
	}
	list := unnamed.List(&d.Rows, len(rows))
	for i, row := range rows {
		to := &list[i]
		to.Speed, to.Cable = int64(row.Rate/unit.Mbps), Metres(row.Cable)
		to.Size, to.XON, to.XOFF = row.Size, row.XON, row.XOFF
		if offset, given := row.XONOffset.Get(); given {
			to.XONOffset = &offset
		}
		to.Alpha, to.DynamicTh = row.Alpha.String(), row.Alpha.DynamicTh()
		to.FromTable, to.Notes = row.FromTable, append([]string{}, row.Notes...)
	}
	return d
}
