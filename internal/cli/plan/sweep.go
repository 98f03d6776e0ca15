package plan

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/ordered"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// sweep plans a topology at every point of a grid. Package capacity/sweep makes the grid; each point is what plan --set
// would say.

// sweepFormats are the formats of a sweep.
var sweepFormats = []string{"table", "csv", "jsonl", "md", "html"}

// sweepFlags are the flags of the sweep command. screen is for --all alone: the format is a text of its own, because
// JSON Lines is one of a sweep. plot is a path, empty for none.
type sweepFlags struct {
	vary   []string
	format string
	screen cli.Output // of a table: whether it has all points
	plot   string
	shard  shards
}

// SweepCommand makes the verb. Its line has two forms, since parts are merged without a topology.
func SweepCommand() *cobra.Command {
	var f sweepFlags
	c := cli.Command("sweep", cli.Args(1, cli.NoBound), func(cmd *cobra.Command, args []string) error {
		switch {
		case f.shard.merge:
			return mergeParts(cmd, args)
		case len(args) > 1:
			return errors.New("several files (want one topology, or --merge)")
		case len(f.vary) == 0:
			return errors.New("no --vary (want one or more, such as --vary cable=5m..2km:5)")
		}
		return f.run(cmd, args[0])
	})
	cli.SetFlag(c)
	// --force is for the file of --plot.
	cli.ForceFlag(c)
	c.Flags().StringArrayVar(&f.vary, "vary", nil, "a key and its values: cable=5m..10km:12; repeatable")
	c.Flags().StringVarP(&f.format, "output", "o", "table", "output format: "+strings.Join(sweepFormats, ", "))
	c.Flags().StringVar(&f.plot, "plot", "", "also write a heat map of one or two keys to this file, as a page")
	cli.AllFlag(c, &f.screen)
	f.shard.register(c)
	return c
}

// point is one answer of a sweep. values are those of the axes, in their order. shared and total are 0 for a point
// without a plan.
type point struct {
	values []string
	answer report.Answer
	shared cells.Count // of the slice with the fewest
	total  cells.Count // of that slice
	least  unit.Bytes  // shared, in bytes: the points may be of chips with other cells
	cause  string      // why the first port is refused, as the table says it
}

// check refuses flags that do not go together. g.Len is the product of the numbers of values.
func (f *sweepFlags) check(g sweep.Grid) error {
	switch {
	case !slices.Contains(sweepFormats, f.format):
		return fmt.Errorf("--output %q (want %s)", f.format, strings.Join(sweepFormats, ", "))
	case f.shard.jobs < 0 || f.shard.jobs > 4096:
		return fmt.Errorf("--jobs %d (want 0 (one for each processor) to 4096)", f.shard.jobs)
	// Only these two have a line for each point with its number, by which parts are put together.
	case !f.shard.Whole() && f.format != "csv" && f.format != "jsonl":
		return errors.New("--shard: accepted with -o csv or -o jsonl, which --merge reads")
	// A picture has two directions, and a part of the points would leave holes in it.
	case f.plot != "" && (len(g.Axes) > 2 || !f.shard.Whole()):
		return errors.New("--plot: accepted with one or two --vary, and without --shard")
	case g.Len() > mostShown && (f.plot != "" || f.format != "csv" && f.format != "jsonl"):
		return fmt.Errorf("%s points: accepted with -o csv or -o jsonl; a table or a plot has at most %s",
			cli.Count(g.Len()), cli.Count(mostShown))
	}
	return nil
}

// mostShown is the largest number of points of a table or a plot, which are held in memory.
const mostShown = 100_000

// run plans the points. The topology is read as it is, then once for each point, from the text in memory: a file that
// is edited meanwhile changes no point.
func (f *sweepFlags) run(cmd *cobra.Command, name string) error {
	// The grid is made before the file is read: its size decides which formats are accepted.
	g, err := sweep.Parse(f.vary...)
	if err == nil {
		err = f.check(g)
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The topology is read once without the values of the grid: an error in the file itself ends the run, and the
	// number of its entries is what [*] stands for.
	file, changes, err := inputs.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	// changes are the texts of --set, for the first line; given is what is set at each point.
	given := cli.ChangesOf(cmd)
	// Standard input can be read once, and it was.
	if name == "-" {
		return cli.BadUsage("- (want the topology of a sweep as a file)")
	}
	shown, data, err := cli.ReadInput(cmd, name)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	open := cli.Beside(cmd, name, false)
	at := func(i int) point {
		// The values of --set come first. A key that both name is refused, because the order would decide.
		set := append(slices.Clone(given), g.Changes(i, len(file.Entries))...)
		return f.plan(g, i, shown, data, open, set)
	}
	// Its error is one of writing the header.
	out, err := f.output(cmd, g, changes)
	if err != nil {
		return err
	}
	// A part ends with a fingerprint of it, by which --merge refuses parts of other topologies.
	out.input = data
	var sum totals
	// nil where standard error is no terminal.
	tick := cli.Progress[int](cmd.ErrOrStderr())
	// A shard counts its own points, while the progress counts to the whole grid.
	next, done := f.points(g.Len()), 0
	// The points are planned in any order and printed in theirs: the same bytes for every number of workers.
	err = ordered.Do(cmd.Context(), f.shard.workers(), next, at, func(p point) error {
		sum.count(&p.answer)
		if done++; tick != nil {
			tick(done, g.Len())
		}
		return out.add(p)
	})
	if err == nil {
		err = out.end(sum)
	}
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	// The totals go to standard error, so that a program reads points alone.
	fmt.Fprintln(cmd.ErrOrStderr(), sum.of("point", "points"))
	if done > 0 && sum.failed == done { // a key or a value that the topology does not have
		return cli.BadUsage("no point can be planned; the last: %s", out.last)
	}
	return nil
}

// points returns the numbers of the points of the shard, from 0. It is called by one goroutine.
func (f *sweepFlags) points(n int) func() (int, bool) {
	i := -1
	return func() (int, bool) {
		for i++; i < n; i++ {
			// Lines and shards count from 1, points from 0.
			if f.shard.Has(i + 1) {
				return i, true
			}
		}
		return 0, false
	}
}

// plan plans one point. A point that the topology does not accept is an answer of its own. It is called by several
// goroutines at a time: everything that it reads is shared and not changed.
func (f *sweepFlags) plan(g sweep.Grid, i int, name string, data []byte, open topology.Open,
	set []topology.Override) point {
	p := point{values: g.At(i)}
	// Files that the topology names are opened again for each point, since a value may name another one.
	file, err := topology.Read(name, data, open, set...)
	var a *buffer.Admission
	if err == nil {
		a, err = buffer.NewAdmission(file.Intent)
	}
	if err != nil {
		// A value that the topology does not accept is an answer of its point, and the sweep goes on.
		p.answer = report.AnswerError(err)
	} else {
		p.answer = report.AnswerOf(a)
		for k, s := range p.answer.Slices {
			// The slice with the fewest shared cells is where bursts are dropped first.
			if k == 0 || s.Shared < p.shared {
				p.shared, p.total = s.Shared, s.Total
			}
		}
		p.least = file.Intent.Chip.Cell.Bytes(p.shared)
		// This is the short cause for the table; the answer has the whole refusal.
		if denied, refused := a.FirstDenied(); refused {
			p.cause = fmt.Sprintf("%s: %v", denied.Port, denied.Shortfall)
		}
	}
	p.answer.Line = i + 1
	p.answer.Vary = g.JSON(i)
	return p
}

// sweepOutput prints the points of a sweep as they come, or keeps them for a table and a plot. kept is empty for the
// formats that print points as they come, unless there is a plot.
type sweepOutput struct {
	f       *sweepFlags
	cmd     *cobra.Command
	grid    sweep.Grid
	changes []string
	w       *bufio.Writer
	kept    []point
	input   []byte // the text of the topology
	last    string // why the last point that cannot be planned cannot
}

// output begins the output. CSV has a header, whose columns are the axes and what every point answers.
func (f *sweepFlags) output(cmd *cobra.Command, g sweep.Grid, changes []string) (*sweepOutput, error) {
	o := &sweepOutput{f: f, cmd: cmd, grid: g, changes: changes, w: bufio.NewWriter(cmd.OutOrStdout())}
	if f.format == "csv" {
		// line is the number of the point in the whole grid, from 1, by which parts are merged.
		columns := []string{"line"}
		for _, a := range g.Axes {
			columns = append(columns, a.Name)
		}
		columns = append(columns, "fits", "refused_ports", "least_shared_cells", "slice_cells", "why")
		return o, o.csv(columns)
	}
	return o, nil
}

// csv prints a line of CSV. Blanks and line breaks of a field become one blank each: one line for each point, so that
// --merge and other programs can count.
func (o *sweepOutput) csv(fields []string) error {
	line := o.w.AvailableBuffer()
	for i, field := range fields {
		if i > 0 {
			line = append(line, ',')
		}
		line = csvcell.Append(line, strings.Join(strings.Fields(field), " "))
	}
	_, err := o.w.Write(append(line, '\n'))
	return err
}

// add prints a point, or keeps it. Errors of a bufio.Writer stay in it, and the last of these calls returns them.
func (o *sweepOutput) add(p point) error {
	if p.answer.Error != "" {
		o.last = p.answer.Error
	}
	// CSV and JSON Lines go out as they come, so that a hundred million points need no memory.
	if o.f.plot != "" || o.f.format != "csv" && o.f.format != "jsonl" {
		o.kept = append(o.kept, p)
	}
	switch o.f.format {
	case "csv":
		// Cells are those of the slice with the fewest shared; both are 0 without a plan.
		fields := append([]string{strconv.Itoa(p.answer.Line)}, p.values...)
		return o.csv(append(fields, strconv.FormatBool(p.answer.Fits), strconv.Itoa(p.answer.Refused),
			strconv.FormatInt(int64(p.shared), 10), strconv.FormatInt(int64(p.total), 10), p.why()))
	case "jsonl":
		// An encoder for each point writes through the same buffer.
		e := json.NewEncoder(o.w)
		e.SetEscapeHTML(false)
		return e.Encode(p.answer)
	}
	return nil
}

// why is why a point does not fit, or has no plan; empty: it fits. That a value is not accepted is no cause: the cause
// is what follows these words. The prefix that is taken away is the same for every refused value.
func (p *point) why() string {
	if p.answer.Error != "" {
		return strings.TrimSpace(strings.TrimPrefix(p.answer.Error, buffer.ErrInvalid.Error()+":"))
	}
	return p.answer.First
}

// leastText is the fewest shared cells of a slice in millions of bytes, rounded down to two places: no cell is said to
// be there that is not; "-" without a plan.
func (p *point) leastText() string {
	if p.answer.Error != "" {
		return "-"
	}
	return fmt.Sprintf("%d.%02d MB", p.least/1e6, p.least%1e6/1e4)
}

// brief is why in one line of a table, without what the other columns have: the values of the point. A refused change
// names itself in its error, and the row has its value in a column.
func (p *point) brief() string {
	switch {
	case p.answer.Error != "":
		text := p.why()
		if _, after, set := strings.Cut(text, ": "); set && strings.HasPrefix(text, "--set ") {
			text = after
		}
		return cli.FirstLine(text)
	case !p.answer.Fits:
		return cli.FirstLine(p.cause)
	// A point that fits because its headroom is shared says by how much.
	case p.answer.HeadroomShared != "":
		return "headroom shared " + p.answer.HeadroomShared
	}
	return ""
}

// end prints the table, and writes the plot. The trailer of a part comes last, when all of its points are printed. The
// totals are in its first line, because a table is often read without standard error.
func (o *sweepOutput) end(sum totals) error {
	head := sum.of("point", "points") + cli.ChangedText(o.changes)
	// It is empty for a run that is no part.
	o.w.WriteString(o.f.shard.trailer(o.cmd, o.f.format == "csv", sum.all(), o.input))
	if o.f.format != "csv" && o.f.format != "jsonl" {
		// The columns are the axes, in the order of the command line, and what every point answers.
		s := cli.Section{Name: "points", Title: "Points"}
		for _, a := range o.grid.Axes {
			s.Columns = append(s.Columns, a.Name)
		}
		s.Columns = append(s.Columns, "fits", "refused ports", "least shared", "of slice", "why")
		// The first screen cuts the rows, so all of them are made here.
		for i := range o.kept {
			p := &o.kept[i]
			row := grouped.Each(p.values, func(v string) any { return v })
			s.Rows = append(s.Rows, append(row, cli.YesNo(p.answer.Fits), cli.Count(p.answer.Refused), p.leastText(),
				cli.Share(p.shared, p.total), p.brief()))
		}
		r := &cli.Screen{Head: []string{head}, Sections: []cli.Section{s}}
		// The flags of the screen have no -o of their own: that of a sweep has other formats.
		out := o.f.screen
		out.Format = o.f.format
		// The first screen has as many points as fit it, and --all has the others.
		if err := r.Brief(mostShown, "points").Write(o.w, out, nil); err != nil {
			return err
		}
	}
	if err := o.w.Flush(); err != nil || o.f.plot == "" {
		return err
	}
	// The page is made last and gets its name when it is complete. An error before it leaves the page of an earlier
	// run.
	to, err := cli.Create(o.cmd, o.f.plot)
	if err != nil {
		return err
	}
	if err := writeHeatMap(to, o.grid, o.kept, head); err != nil {
		return err
	}
	return cli.Commit(o.cmd)
}

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
