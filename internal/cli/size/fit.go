package size

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file extends a vendor's headroom table: headroom --fit. Package thresholds/table fits and checks; this file
// reads the table and prints the rows.

// fitLong is the part of the help about --fit.
const fitLong = `--fit reads a pg_profile_lookup.ini (- is standard input). For each speed it fits a line to the xoff values, and prints
the base, the slope in bytes per metre and the likely meaning of the slope. It computes rows for the lengths of --at,
rounded up to cells. A new row is never smaller than the bytes in flight, nor smaller than the row of a shorter cable. A
length that the table contains is printed unchanged. A series that is flat or that decreases with the length gives no
rows without --any-series; only the reason is printed then. -o ini prints the rows alone, as a file.

`

// fitFlags are the flags of --fit and of --llr, as text. spacing is the text of --ctlos-spacing. llr without file sizes
// one buffer or a grid of them; with file it extends a table of replay buffers.
type fitFlags struct {
	file, at, spacing string
	llr, anySeries    bool
	format            *cli.Output

	speed, cable, mtu, cell, chip, reverse string // of flags that a headroom has too
}

// register adds the flags that a headroom does not have. Flags that both share with a headroom are registered by that,
// and their texts are taken in check.
func (f *fitFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "fit", "", "fit a line to this table of headroom (with --llr: of replay buffers) for "+
		"each speed; - is standard input")
	c.Flags().StringVar(&f.at, "at", "", "with --fit: cable lengths of the new rows, such as 30m,50m,4km")
	c.Flags().BoolVar(&f.anySeries, "any-series", false, "with --fit: also compute rows for flat and decreasing "+
		"series, and for those that contradict light")
	c.Flags().BoolVar(&f.llr, "llr", false, "size the replay buffer of link-layer retry in place of headroom")
	c.Flags().StringVar(&f.spacing, "ctlos-spacing", "2048B", "with --llr: bytes between two acknowledgements")
}

// wanted tells whether a table or a replay buffer is asked for.
func (f *fitFlags) wanted() bool { return f.file != "" || f.llr }

// accepted are the flags of each use, beside those of the output. use is how a complaint names the combination of
// flags.
func (f *fitFlags) accepted() (use string, names []string) {
	switch {
	case f.llr && f.file != "":
		return "--llr --fit", []string{"llr", "fit", "speed", "at", "any-series"}
	case f.llr:
		return "--llr", []string{"llr", "speed", "cable", "mtu", "ctlos-spacing", "reverse-frame"}
	}
	return "--fit", []string{"fit", "speed", "at", "any-series", "cell", "chip"}
}

// check refuses flags that the use does not have, and takes the texts of those that it shares with a headroom. The
// flags are those that were given: one with a default is none of them, and is read all the same.
func (f *fitFlags) check(cmd *cobra.Command) (bad []error) {
	use, names := f.accepted()
	// The verb has some forty flags of its methods, and each use reads a few: a flag without an effect is refused. The
	// flags of the output and of the log are of every use.
	names = append(names, "output", "table", "tables", "force", "confine", "log-level")
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(names, flag.Name) {
			bad = append(bad, fmt.Errorf("--%s: not accepted with %s", flag.Name, use))
		}
	})
	// They are taken also where they were not given: a flag such as --mtu has a default that a replay buffer needs.
	for name, to := range map[string]*string{"speed": &f.speed, "cable": &f.cable, "mtu": &f.mtu, "cell": &f.cell,
		"chip": &f.chip, "reverse-frame": &f.reverse} {
		*to = cmd.Flags().Lookup(name).Value.String()
	}
	switch {
	// ini is a format of tables alone, so the check of the other verbs does not know it.
	case f.format.Format != "ini":
		bad = append(bad, cli.CheckFormat(*f.format))
	case f.file == "":
		bad = append(bad, errors.New("-o ini: accepted with --fit"))
	}
	return bad
}

// run sizes replay buffers, or extends a table. Each of the three joins the complaints of check with its own, before it
// reads a file.
func (f *fitFlags) run(cmd *cobra.Command) error {
	bad := f.check(cmd)
	switch {
	case !f.llr:
		return f.runTable(cmd, bad)
	case f.file != "":
		return f.runReplayTable(cmd, bad)
	}
	return f.runReplay(cmd, bad)
}

// runTable fits the lines and prints the rows. If a row cannot be computed, it prints
// nothing, so that a file to which rows are appended stays unchanged. Without --chip and --cell the size of a cell is
// not known: the grain of the new rows is then that of the rows which the table has.
func (f *fitFlags) runTable(cmd *cobra.Command, bad []error) error {
	// A table in bytes says nothing of cells, so they come from the chip, if rows are to be rounded to its cells.
	cell, err := cli.CellFlag(cli.Named(cmd), f.cell, f.chip)
	bad = append(bad, err)
	speeds := listFlag(&bad, "speed", f.speed, unit.ParseBitRate)
	// Without --at the lines are printed and no rows.
	lengths := listFlag(&bad, "at", f.at, unit.ParseLength)
	if err := errors.Join(bad...); err != nil {
		return err
	}
	shipped, err := readTable(cmd, f.file)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// Without --speed all speeds of the table are fitted.
	fits, err := chosenFits(shipped, cell, speeds)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// All rows or none: output that is appended to a file must not be half of what was asked for.
	rows, err := newRows(fits, lengths, f.anySeries)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf(
			"%w\n--speed selects speeds; --any-series computes rows where a line can be fitted", err))
	}
	return cli.Failure(writeFit(cmd.OutOrStdout(), *f.format, fitResult{fits, rows, cell, shipped.Grain(cell)}))
}

// listFlag converts a flag with several values, and returns them in ascending
// order without duplicates. An empty text is no value. A part that cannot be read is a zero in the result beside its
// complaint.
func listFlag[T ~int64](bad *[]error, flag, text string, parse func(string) (T, error)) []T {
	var out []T
	for part := range strings.SplitSeq(text, ",") {
		if text != "" {
			out = append(out, cli.FlagValue(bad, flag, part, parse))
		}
	}
	// The order of the rows is that of the file, by speed and length, and not that of the flag.
	slices.Sort(out)
	return slices.Compact(out)
}

// readTable reads a table from a file or from standard input. The error of a file that is no table shows nothing of its
// content, which may be another file than was meant.
func readTable(cmd *cobra.Command, path string) (*table.Table, error) {
	name, data, err := cli.ReadInput(cmd, path)
	if err != nil {
		return nil, err
	}
	return table.Read(name, bytes.NewReader(data))
}

// chosenFits returns the lines of the given speeds; of all speeds if none is
// given. The fits are returned beside the error, so that the caller can say both.
func chosenFits(t *table.Table, cell cells.Size, speeds []unit.BitRate) ([]table.Fit, error) {
	// A cell of 0 is one that is not known.
	fits := t.Fits(cell)
	var bad []error
	for _, s := range speeds {
		// A speed without a row is refused and not fitted from others: headroom does not grow in proportion to the
		// speed.
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
// returns the reasons of all of them. force computes rows also for a series that decreases or is flat, or that
// contradicts the speed of light.
func newRows(fits []table.Fit, lengths []unit.Length, force bool) ([]table.NewRow, error) {
	var rows []table.NewRow
	var bad []error
	for i := range fits {
		for _, l := range lengths {
			r, err := fits[i].At(l, force)
			// errors.Join drops the nil ones.
			rows, bad = append(rows, r), append(bad, err)
		}
	}
	return rows, errors.Join(bad...)
}

// fitResult is the lines and the new rows. cell and grain are bytes: of a cell, and of what xoff is rounded up to.
type fitResult struct {
	fits  []table.Fit
	rows  []table.NewRow
	cell  cells.Size // 0: unknown
	grain unit.Bytes
}

// writeFit writes the result. The format "ini" is a table of the new rows
// alone. With "ini" nothing but rows is printed, so that the output can be appended to the file that was read.
func writeFit(w io.Writer, format cli.Output, r fitResult) error {
	if format.Format == "ini" {
		_, err := r.table().WriteTo(w)
		return err
	}
	// The document has exact numbers: the slope as a fraction, the residual in percent.
	return r.screen().Write(w, format, report.FittedTable(r.fits, r.rows, r.cell, r.grain))
}

// table is the new rows as a headroom table. Its order is that of rows: by speed, and then by length.
func (r fitResult) table() *table.Table {
	t := &table.Table{Name: "new rows"}
	for _, row := range r.rows {
		t.Rows = append(t.Rows, row.Row)
	}
	return t
}

// screen lists the lines and the rows. Below them it repeats the rows in the format
// of the file, so that they can be pasted. Base is bytes at length 0, and the slope bytes per metre, from which a
// reader can tell what the vendor has counted: see the column reading.
func (r fitResult) screen() *cli.Screen {
	lines := cli.Section{Title: "Lines", Columns: []string{"speed", "base bytes", "bytes/m", "max residual", "reading"}}
	for _, f := range r.fits {
		lines.Row(f.Rate.String(), cli.Count(f.Base), cli.Number(f.PerMetre.String()),
			cli.Number(f.MaxResidual.String()+" %"), f.Reading)
	}
	out := &cli.Screen{Sections: []cli.Section{lines}}
	if len(r.rows) == 0 {
		return out
	}
	rows := cli.Section{Title: fmt.Sprintf("Rows, xoff rounded up to a multiple of %d bytes", r.grain),
		Columns: []string{"speed", "cable", "size", "xon", "xoff", "threshold", "xon offset", "note"}}
	for _, row := range r.rows {
		// A table without the column xon_offset has none in its new rows either.
		offset, notes := cli.Number("-"), row.Notes
		// 0 is an offset too, and another one than none.
		if given, ok := row.XONOffset.Get(); ok {
			offset = cli.Count(given)
		}
		// The vendor's own number stays, whatever the line says at this length.
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
