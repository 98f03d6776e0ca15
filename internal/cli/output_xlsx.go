package cli

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/cellwarden/cellwarden/internal/workbook"
)

// writeXLSX writes the tables as a workbook, that of the verdict first. A terminal would show its bytes, and is
// refused. The total is the last row of its sheet, since a workbook has no footer.
func (r *Screen) writeXLSX(w io.Writer) error {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return ExitWith(ExitUsage, errors.New("-o xlsx is no text for a terminal (want > FILE.xlsx)"))
	}
	// The names of sheets are those of --table.
	var out []workbook.Sheet
	for _, s := range r.tables() {
		if s.Total != nil {
			s.Row(s.Total...)
		}
		rows := make([][]any, len(s.Rows))
		for i := range rows {
			rows[i] = plainRow(s.Rows[i])
		}
		out = append(out, workbook.Sheet{Name: s.TableName(), Columns: s.Columns, Rows: rows})
	}
	return workbook.Write(w, out)
}
