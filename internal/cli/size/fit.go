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

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file extends a vendor's headroom table: headroom --fit. Package thresholds/table fits and checks; this file
// reads the table and prints the rows.

// ini is the format of a table of rows alone, for --fit.
const ini = "ini"

// fitFlags are the flags of --fit and of --llr. Flags that a headroom has too are in q. llr without file sizes one
// buffer or a grid of them; with file it extends a table of replay buffers.
type fitFlags struct {
	file, at       string
	llr, anySeries bool
	format         *cli.Output
	q              request
}

// register adds the flags that a headroom does not have. Flags that both share with a headroom are registered by that,
// and are read as those of a request.
func (f *fitFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "fit", "", "fit a line to this table of headroom (with --llr: of replay buffers) for "+
		"each speed; - is standard input")
	c.Flags().StringVar(&f.at, "at", "", "with --fit: cable lengths of the new rows, such as 30m,50m,4km")
	c.Flags().BoolVar(&f.anySeries, "any-series", false, "with --fit: also compute rows for flat and decreasing "+
		"series, and for those that contradict light")
	c.Flags().BoolVar(&f.llr, "llr", false, "size the replay buffer of link-layer retry in place of headroom")
	c.Flags().String("ctlos-spacing", "2048B", "with --llr: bytes between two acknowledgements")
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

// check refuses flags that the use does not have. The verb has some forty flags of its methods, and each use reads a
// few: a flag without an effect is refused. The flags of the output and of the log are of every use.
func (f *fitFlags) check(cmd *cobra.Command) (bad []error) {
	use, names := f.accepted()
	names = append(names, "output", "table", "tables", "force", "confine", "log-level")
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(names, flag.Name) {
			bad = append(bad, fmt.Errorf("--%s: not accepted with %s", flag.Name, use))
		}
	})
	if f.format.Format == ini && f.file == "" {
		bad = append(bad, errors.New("-o ini: accepted with --fit"))
	}
	return bad
}

// run sizes replay buffers, or extends a table. Each of the three joins the complaints of check with its own, before it
// reads a file.
func (f *fitFlags) run(cmd *cobra.Command) error {
	f.q = requestOf(cmd)
	bad := f.check(cmd)
	switch {
	case !f.llr:
		return f.runTable(cmd, bad)
	case f.file != "":
		return f.runReplayTable(cmd, bad)
	}
	return f.runReplay(cmd, bad)
}

// runTable fits the lines of a headroom table and prints the rows. Without --chip and --cell the size of a cell is not
// known: the grain of the new rows is then that of the rows which the table has.
func (f *fitFlags) runTable(cmd *cobra.Command, bad []error) error {
	// A table in bytes says nothing of cells, so they come from the chip, if rows are to be rounded to its cells.
	cell := f.cell(&bad)
	// The error of a file that is no table shows nothing of its content, which may be another file than was meant.
	q, shipped, err := readAsked(cmd, f, bad, table.Read)
	if err != nil {
		return err
	}
	fits, rows, err := rowsAt(q, shipped.Fits(cell), func(f *table.Fit) unit.BitRate { return f.Rate },
		func(t *table.Fit, l unit.Length) (table.NewRow, error) { return t.At(l, f.anySeries) })
	if err != nil {
		return err
	}
	grain := shipped.Grain(cell)
	// The document has exact numbers: the slope as a fraction, the residual in percent.
	return fitted(fits, rows, grain).print(cmd, *f.format, report.FittedTable(fits, rows, cell, grain))
}

// cell is the size of a cell of --cell or --chip; 0 without both.
func (f *fitFlags) cell(bad *[]error) cells.Size {
	text, chip := f.q.text["cell"], f.q.text["chip"]
	switch {
	case chip != "" && text != "":
		*bad = append(*bad, errors.New("--cell and --chip (want one of them)"))
	case chip != "":
		load := func(name string) (buffer.Chip, error) { return inputs.LoadCells(f.q.open, name) }
		return cli.FlagValue(bad, "chip", chip, load).Cell
	case text != "":
		return cli.FlagValue(bad, "cell", text, inputs.ParseCell)
	}
	return 0
}

// asked are the rows that are asked for: of these speeds, or of all if there are none, and for these lengths. name is
// that of the table.
type asked struct {
	name    string
	speeds  []unit.BitRate
	lengths []unit.Length
}

// readAsked reads what is asked for, and then the table. bad are complaints of other flags, which are reported together
// with those of these.
func readAsked[Table any](cmd *cobra.Command, f *fitFlags, bad []error, read func(string, io.Reader) (Table, error)) (
	q asked, t Table, err error) {
	q.speeds = listFlag(&bad, "speed", f.q.text["speed"], unit.ParseBitRate)
	q.lengths = listFlag(&bad, "at", f.at, unit.ParseLength)
	if err = errors.Join(bad...); err != nil {
		return q, t, err
	}
	var data []byte
	if q.name, data, err = cli.ReadInput(cmd, f.file); err == nil {
		t, err = read(q.name, bytes.NewReader(data))
	}
	if err != nil {
		err = cli.ExitWith(cli.ExitUsage, err)
	}
	return q, t, err
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

// rowsAt returns the lines of the speeds, of all if none is given, and the row of each line for each length. A speed
// without a row is refused and not fitted from others: headroom does not grow in proportion to the speed. All rows or
// none: output that is appended to a file must not be half of what was asked for.
func rowsAt[Fit, Row any](q asked, fits []Fit, rate func(*Fit) unit.BitRate,
	at func(*Fit, unit.Length) (Row, error)) ([]Fit, []Row, error) {
	var bad []error
	for _, s := range q.speeds {
		if !slices.ContainsFunc(fits, func(f Fit) bool { return rate(&f) == s }) {
			bad = append(bad, fmt.Errorf("%s: it has no row for %v", q.name, s))
		}
	}
	if len(bad) > 0 {
		return nil, nil, cli.ExitWith(cli.ExitUsage, errors.Join(bad...))
	}
	if len(q.speeds) > 0 {
		fits = slices.DeleteFunc(fits, func(f Fit) bool { return !slices.Contains(q.speeds, rate(&f)) })
	}
	var rows []Row
	for i := range fits {
		for _, l := range q.lengths {
			r, err := at(&fits[i], l)
			rows, bad = append(rows, r), append(bad, err)
		}
	}
	if err := errors.Join(bad...); err != nil {
		return nil, nil, cli.BadUsage(
			"%w\n--speed selects speeds; --any-series computes rows where a line can be fitted", err)
	}
	return fits, rows, nil
}

// extended is a table that was extended: its lines and rows as tables of a screen, and the rows as a file.
type extended struct {
	lines, rows cli.Section
	file        io.WriterTo
}

// print prints the result. The format ini is a file of the rows alone, so that it can be appended to the file that was
// read. A screen repeats them below its tables, to be pasted.
func (x extended) print(cmd *cobra.Command, format cli.Output, document any) error {
	var file strings.Builder
	if _, err := x.file.WriteTo(&file); err != nil {
		return cli.Failure(err)
	}
	if format.Format == ini {
		_, err := io.WriteString(cmd.OutOrStdout(), file.String())
		return cli.Failure(err)
	}
	s := &cli.Screen{Sections: []cli.Section{x.lines}}
	if len(x.rows.Rows) > 0 {
		s.Sections = append(s.Sections, x.rows)
		s.Foot = strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
	}
	return cli.Failure(s.Write(cmd.OutOrStdout(), format, document))
}

// fitted lists the lines and the new rows of a headroom table, by speed and then by length. Base is bytes at length 0,
// and the slope bytes per metre, from which a reader can tell what the vendor has counted: see the column reading.
func fitted(fits []table.Fit, rows []table.NewRow, grain unit.Bytes) extended {
	lines := cli.Table("", "Lines", "speed", "base bytes", "bytes/m", "max residual", "reading")
	for i := range fits {
		addLine(&lines, &fits[i], fits[i].Reading)
	}
	list := cli.Table("", fmt.Sprintf("Rows, xoff rounded up to a multiple of %d bytes", grain), "speed", "cable", "size",
		"xon", "xoff", "threshold", "xon offset", "note")
	file := &table.Table{Name: "new rows"}
	for _, row := range rows {
		file.Rows = append(file.Rows, row.Row)
		// A table without the column xon_offset has none in its new rows either. 0 is an offset, too.
		offset, notes := cli.Number("-"), row.Notes
		if given, ok := row.XONOffset.Get(); ok {
			offset = cli.Count(given)
		}
		// The vendor's own number stays, whatever the line says at this length.
		if row.FromTable {
			notes = []string{"from the table"}
		}
		list.Row(row.Rate.String(), row.Cable.String(), cli.Count(row.Size), cli.Count(row.XON), cli.Count(row.XOFF),
			cli.Count(row.Alpha.DynamicTh()), offset, strings.Join(notes, "; "))
	}
	return extended{lines, list, file}
}

// addLine adds the line of a speed, with what is to be said of it.
func addLine(s *cli.Section, f *table.Fit, text string) {
	s.Row(f.Rate.String(), cli.Count(f.Base), cli.Number(f.PerMetre.String()), cli.Number(f.MaxResidual.String()+" %"),
		text)
}
