package prove

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/measured"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// calibrate turns measurements into the numbers of a chip. Package calibrate computes, internal/measured reads the
// files; this file reads the flags, and calibrate_report.go prints.

// calibrateFlags are the flags of the calibrate command. write is a path, "-" for standard output. date is a day, which
// becomes part of the source of every number.
type calibrateFlags struct {
	chip, write, name, date string
	leaveOut                bool
	format                  cli.Output
}

// CalibrateCommand returns the calibrate command. There is no --set: measurements are what was seen, and nobody changes
// them to try something.
func CalibrateCommand() *cobra.Command {
	var f calibrateFlags
	c := cli.Command("calibrate", cli.Args(1, cli.NoBound), f.run)
	c.Flags().StringVar(&f.chip, "chip", "", "chip whose numbers are assumed: a name or a chip file")
	c.Flags().StringVar(&f.write, "write", "", "write a chip file with the numbers that are exact (- is standard output)")
	c.Flags().StringVar(&f.name, "name", "", "with --write: name of the chip in the file")
	inputs.DateFlag(c, &f.date, "with --write: day of the measurement, such as 2026-11-22")
	c.Flags().BoolVar(&f.leaveOut, "leave-one-out", false,
		"also predict each group from all others, and compare it with what was measured")
	cli.OutputFlag(c, &f.format)
	return c
}

// check refuses flags that miss others. It runs before anything is read, as files of measurements can be large.
func (f *calibrateFlags) check() error {
	switch {
	case f.write == "" && (f.name != "" || f.date != ""):
		return errors.New("--name and --date (want it with --write)")
	// The source of every number in the file is this day: a measurement without a date cannot be weighed against a
	// later one.
	case f.write != "" && (f.name == "" || f.date == ""):
		return errors.New("--write (want it with --name and --date)")
	// The chip file takes the place of the tables on standard output, so a format of theirs would be lost.
	case f.write == "-" && f.format.Format != "table":
		return errors.New("--write - and -o (want one of them on standard output)")
	}
	return nil
}

// run reads the files, and prints what they say. Exit code 4 says that the measurements and assumptions contradict each
// other, which is a finding about one of them.
func (f *calibrateFlags) run(cmd *cobra.Command, paths []string) error {
	if err := f.check(); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	var base *buffer.Chip
	var assumed []calibrate.Assumption
	if f.chip != "" {
		// Its numbers are assumptions, which a measurement can contradict one by one.
		c, err := inputs.LoadChip(cli.Named(cmd), f.chip)
		if err != nil {
			return cli.BadUsage("--chip: %w", err)
		}
		// base is the chip that --write starts from: numbers that were not measured stay its own.
		base, assumed = &c, calibrate.OfChip(&c)
	}
	// All files are one set of measurements of one switch.
	all, err := readMeasured(cmd, paths, base)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// What a file states as known stands behind what the catalogue says. Both are assumptions, which a contradiction
	// names one by one.
	assumed = append(assumed, all.Known...)
	r, err := calibrate.Calibrate(all.Measurements, assumed)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	var left []calibrate.Prediction
	// It shows whether the numbers would have predicted each measurement, at the cost of a calibration for each group.
	if f.leaveOut {
		if left, err = calibrate.LeaveOneOut(all.Measurements, assumed); err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
	}
	// left is nil without --leave-one-out, and the document then has no such list.
	d := report.Calibration(&r, left)
	// The file comes before the tables: if it cannot be written, the exit code says so, and no table looks like
	// success.
	if f.write != "" {
		if err := f.writeChip(cmd, &r, base); err != nil {
			return err
		}
	}
	// The tables are printed also of a contradiction: they name what is contradicted. A chip file on standard output is
	// there alone.
	code := cli.CodeIf(!r.Agrees, cli.ExitLint)
	if f.write == "-" {
		return cli.Ended(nil, code)
	}
	return calibrateScreen(&d).Print(cmd, f.format, d, code)
}

// readMeasured reads all files of measurements. Dumps with watermarks in cells need the size of a cell, which the chip
// of --chip has or another file states as known: they are read last. The order of the files has no meaning but for
// messages: all measurements count alike.
func readMeasured(cmd *cobra.Command, paths []string, chip *buffer.Chip) (all measured.File, err error) {
	var cell unit.Bytes
	// 0 is a cell that is not known.
	if chip != nil {
		cell = unit.Bytes(chip.Cell)
	}
	// A file that waits for a cell is kept with its text, since standard input can be read once.
	type input struct {
		name string
		data []byte
	}
	var inCells []input
	for _, path := range paths {
		name, data, err := cli.ReadInput(cmd, path)
		if err != nil {
			return all, err
		}
		one, err := measured.Read(name, data, cell)
		if errors.Is(err, diagnosis.ErrNoCell) {
			inCells = append(inCells, input{name, data})
			continue
		}
		if err != nil {
			return all, err
		}
		all.Add(one)
	}
	// Only an exact size counts: watermarks in cells of an interval would be bytes of an interval.
	for _, known := range all.Known {
		if known.Parameter == calibrate.Cell && known.Is.IsPoint() && cell == 0 {
			cell = unit.Bytes(known.Is.Lo)
		}
	}
	// A second file without a cell is refused with what would help, because nothing else can give it.
	for _, in := range inCells {
		one, err := measured.Read(in.name, in.data, cell)
		if errors.Is(err, diagnosis.ErrNoCell) {
			return all, fmt.Errorf("%w (want --chip, or a file with known: {cell: 208B})", err)
		}
		if err != nil {
			return all, err
		}
		all.Add(one)
	}
	return all, nil
}

// writeChip writes the chip file. Only exact numbers are written: an interval has no place in a chip file, and the
// base's number stays in it.
func (f *calibrateFlags) writeChip(cmd *cobra.Command, r *calibrate.Result, base *buffer.Chip) error {
	// base may be nil: the chip then has one slice, with the cells that were measured.
	c, err := r.Chip(base, f.name, f.date)
	switch {
	// A contradiction has no chip, and that is a finding about the switch and no wrong use of the verb.
	case errors.Is(err, calibrate.ErrNoChip) && !r.Agrees:
		return cli.ExitWith(cli.ExitLint, fmt.Errorf("--write: %w", err))
	case err != nil:
		return cli.BadUsage("--write: %w", err)
	}
	return inputs.WriteChip(cmd, f.write, c)
}
