package size

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// fit extends a vendor's headroom table. Package thresholds/table fits and checks; this
// file reads the table and prints the rows.

// fitFlags are the flags of the fit command, as text.
type fitFlags struct {
	speed, at, cell, chip string
	format                cli.Output
	force                 bool
}

// fitLong is the description of the command in --help.
const fitLong = `fit reads a pg_profile_lookup.ini (- is standard input). For each speed it fits a line to the xoff
values, and prints the base, the slope in bytes per metre and the likely meaning of the slope. It
computes rows for the lengths of --at, rounded up to cells.

A new row is never smaller than the bytes in flight, nor smaller than the row of a shorter cable. A
length that the table contains is printed unchanged. A series that is flat or that decreases with
the length gives no rows without --force; fit then prints only the reason.

` + cli.ExitCodes

// fitCommand returns the fit command.
func fitCommand() *cobra.Command {
	var f fitFlags
	c := &cobra.Command{
		Use:   "fit FILE",
		Short: "Fit a line to a vendor's headroom table and compute rows for other cable lengths",
		Long:  fitLong,
		Example: `  cellwarden fit pg_profile_lookup.ini --speed 100G --at 30m,50m,4km
  cellwarden fit pg_profile_lookup.ini --at 500m --chip tomahawk -o ini >> pg_profile_lookup.ini`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().StringVar(&f.speed, "speed", "", "these speeds only, such as 100G,400G")
	c.Flags().StringVar(&f.at, "at", "", "cable lengths of the new rows, such as 30m,50m,4km")
	c.Flags().StringVar(&f.cell, "cell", "",
		"size of a cell, such as 208B (or --chip); default: rows are rounded to the table's common divisor")
	c.Flags().StringVar(&f.chip, "chip", "", "take the cell's size from this chip: a name or a chip file")
	c.Flags().BoolVar(&f.force, "force", false, "also compute rows for flat and decreasing series")
	c.Flags().StringVarP(&f.format.Format, "output", "o", "table", "output format: "+strings.Join(cli.Formats, ", ")+
		", ini (the rows alone)")
	cli.TableFlags(c, &f.format)
	return c
}

// run fits the lines and prints the rows. If a row cannot be computed, it prints
// nothing, so that a file to which rows are appended stays unchanged.
func (f *fitFlags) run(cmd *cobra.Command, path string) error {
	var bad []error
	if f.format.Format != "ini" {
		bad = append(bad, cli.CheckFormat(f.format))
	}
	cell, err := cli.CellFlag(cli.Named(cmd), f.cell, f.chip)
	bad = append(bad, err)
	speeds := listFlag(&bad, "speed", f.speed, unit.ParseBitRate)
	lengths := listFlag(&bad, "at", f.at, unit.ParseLength)
	if err := errors.Join(bad...); err != nil {
		return err
	}
	shipped, err := readTable(cmd, path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	fits, err := chosenFits(shipped, cell, speeds)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	rows, err := newRows(fits, lengths, f.force)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf(
			"%w\n--speed selects speeds; --force computes rows where a line can be fitted", err))
	}
	return cli.Failure(writeFit(cmd.OutOrStdout(), f.format, fitResult{fits, rows, cell, shipped.Grain(cell)}))
}

// listFlag converts a flag with several values, and returns them in ascending
// order without duplicates.
func listFlag[T ~int64](bad *[]error, flag, text string, parse func(string) (T, error)) []T {
	var out []T
	for part := range strings.SplitSeq(text, ",") {
		if text != "" {
			out = append(out, flagValue(bad, flag, part, parse))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readTable reads a table from a file or from standard input.
func readTable(cmd *cobra.Command, path string) (*table.Table, error) {
	name, data, err := cli.ReadInput(cmd, path)
	if err != nil {
		return nil, err
	}
	return table.Read(name, bytes.NewReader(data))
}

// chosenFits returns the lines of the given speeds; of all speeds if none is
// given.
func chosenFits(t *table.Table, cell cells.Size, speeds []unit.BitRate) ([]table.Fit, error) {
	fits := t.Fits(cell)
	var bad []error
	for _, s := range speeds {
		if len(t.Lengths(s)) == 0 {
			bad = append(bad, fmt.Errorf("%s: %w: it has no row for %v", t.Name, table.ErrNoRow, s))
		}
	}
	if len(speeds) > 0 {
		fits = slices.DeleteFunc(fits, func(f table.Fit) bool { return !slices.Contains(speeds, f.Rate) })
	}
	return fits, errors.Join(bad...)
}

// newRows computes a row for every line and length. If some cannot be computed, it
// returns the reasons of all of them.
func newRows(fits []table.Fit, lengths []unit.Length, force bool) ([]table.NewRow, error) {
	var rows []table.NewRow
	var bad []error
	for i := range fits {
		for _, l := range lengths {
			r, err := fits[i].At(l, force)
			rows, bad = append(rows, r), append(bad, err)
		}
	}
	return rows, errors.Join(bad...)
}

// fitResult is the lines and the new rows.
type fitResult struct {
	fits  []table.Fit
	rows  []table.NewRow
	cell  cells.Size // 0: unknown
	grain unit.Bytes
}

// writeFit writes the result. The format "ini" is a table of the new rows
// alone.
func writeFit(w io.Writer, format cli.Output, r fitResult) error {
	if format.Format == "ini" {
		_, err := r.table().WriteTo(w)
		return err
	}
	return r.report().Write(w, format, r.document())
}

// table is the new rows as a headroom table.
func (r fitResult) table() *table.Table {
	t := &table.Table{Name: "new rows"}
	for _, row := range r.rows {
		t.Rows = append(t.Rows, row.Row)
	}
	return t
}

// fitJSON is the line of a speed.
type fitJSON struct {
	Speed       int64             `json:"speed_mbps"`
	Base        unit.Bytes        `json:"base_bytes"`
	PerMetre    table.Thousandths `json:"bytes_per_m"`
	MaxResidual table.Thousandths `json:"max_residual_percent"`
	Reading     string            `json:"reading"`
}

// fitRowJSON is a row.
type fitRowJSON struct {
	Speed     int64       `json:"speed_mbps"`
	Cable     json.Number `json:"cable_m"`
	Size      unit.Bytes  `json:"size_bytes"`
	XON       unit.Bytes  `json:"xon_bytes"`
	XOFF      unit.Bytes  `json:"xoff_bytes"`
	XONOffset *unit.Bytes `json:"xon_offset_bytes"` // null: the table has no such column
	Alpha     string      `json:"alpha"`            // the factor: "8", "1/8"
	DynamicTh int         `json:"dynamic_th"`
	FromTable bool        `json:"from_table"`
	Notes     []string    `json:"notes"`
}

// fitDocument is the result as a document.
type fitDocument struct {
	Schema string       `json:"schema"`
	Cell   cells.Size   `json:"cell_bytes"`     // 0: unknown
	Grain  unit.Bytes   `json:"rounding_bytes"` // rows are rounded up to a multiple of it
	Fits   []fitJSON    `json:"fits"`
	Rows   []fitRowJSON `json:"rows"`
}

// document converts the result.
func (r fitResult) document() fitDocument {
	d := fitDocument{"cellwarden.fit/v1", r.cell, r.grain, []fitJSON{}, []fitRowJSON{}}
	for _, f := range r.fits {
		d.Fits = append(d.Fits, fitJSON{int64(f.Rate / unit.Mbps), f.Base, f.PerMetre, f.MaxResidual, f.Reading})
	}
	for _, row := range r.rows {
		j := fitRowJSON{int64(row.Rate / unit.Mbps), metres(row.Cable), row.Size, row.XON, row.XOFF, nil,
			row.Alpha.String(), row.Alpha.DynamicTh(),
			row.FromTable, append([]string{}, row.Notes...)}
		if offset, ok := row.XONOffset.Get(); ok {
			j.XONOffset = &offset
		}
		d.Rows = append(d.Rows, j)
	}
	return d
}

// report lists the lines and the rows. Below them it repeats the rows in the format
// of the file, so that they can be pasted.
func (r fitResult) report() *cli.Screen {
	lines := cli.Section{Title: "Lines", Columns: []string{"speed", "base bytes", "bytes/m", "max residual", "reading"}}
	for _, f := range r.fits {
		lines.Row(f.Rate.String(), cli.Count(f.Base), cli.Number(f.PerMetre.String()), cli.Number(f.MaxResidual.String()+" %"),
			f.Reading)
	}
	out := &cli.Screen{Sections: []cli.Section{lines}}
	if len(r.rows) == 0 {
		return out
	}
	rows := cli.Section{Title: fmt.Sprintf("Rows, xoff rounded up to a multiple of %d bytes", r.grain),
		Columns: []string{"speed", "cable", "size", "xon", "xoff", "threshold", "xon offset", "note"}}
	for _, row := range r.rows {
		offset, notes := cli.Number("-"), row.Notes
		if given, ok := row.XONOffset.Get(); ok {
			offset = cli.Count(given)
		}
		if row.FromTable {
			notes = []string{"from the table"}
		}
		rows.Row(row.Rate.String(), row.Cable.String(), cli.Count(row.Size), cli.Count(row.XON), cli.Count(row.XOFF),
			cli.Count(row.Alpha.DynamicTh()), offset, strings.Join(notes, "; "))
	}
	out.Sections = append(out.Sections, rows)
	var ini strings.Builder
	if _, err := r.table().WriteTo(&ini); err == nil {
		out.Foot = strings.Split(strings.TrimSuffix(ini.String(), "\n"), "\n")
	}
	return out
}

// metres returns a length in metres as a JSON number.
func metres(l unit.Length) json.Number {
	return json.Number(strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", l/unit.Metre, l%unit.Metre), "0"),
		"."))
}
