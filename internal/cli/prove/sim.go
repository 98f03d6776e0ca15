package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/foreign"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// sim runs a scenario file. Package backend/sim/scenario reads and runs it; this file
// opens the output files and prints the summary.

// simFlags are the flags of the sim command. trace, pcap and plot are paths; empty: not written. Of the run, flags set
// the end, 0 for that of the file, the workers, 0 for one on each processor, and whether repetitions are left out.
type simFlags struct {
	format            cli.Output
	trace, pcap, plot string
	seed              uint64
	flows             string
	o                 scenario.Options
	export            string
}

// SimCommand returns the sim command. Flags that name outputs stand first, then those that change the run, then those
// of the report.
func SimCommand() *cobra.Command {
	var f simFlags
	c := cli.Command("sim", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	c.Flags().StringVar(&f.trace, "trace", "", "write every event to this CSV file")
	c.Flags().StringVar(&f.pcap, "pcap", "", "write the frames to this pcap file")
	c.Flags().StringVar(&f.plot, "plot", "", "write charts to this HTML file")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "seed of the random numbers, in place of the file's")
	cli.TypedFlag(c.Flags(), &f.o.Until, "until", "", func(text string) (unit.Time, error) {
		until, err := unit.ParseTime(text)
		if err != nil || until <= 0 {
			return 0, fmt.Errorf("%q (want a time of more than 0, such as 500us)", text)
		}
		return until, nil
	}, "end of the run, such as 500us, in place of the file's")
	c.Flags().StringVar(&f.flows, "flow-list", "", "flow list of another simulator (flow.txt of ns-3, .cm of htsim), in\n"+
		"place of the file of the scenario's entry with list")
	c.Flags().StringVar(&f.export, "export", "", "run nothing; print the settings of the switches for another\n"+
		"simulator: "+strings.Join(foreign.Simulators(), " or "))
	c.Flags().BoolVar(&f.o.FastForward, "fast-forward", false,
		"leave out repetitions of steady states: an estimate, and\nthe first lines say so")
	c.Flags().IntVar(&f.o.Workers, "workers", 0, "goroutines that share a large network (default: one for each\n"+
		"processor); the results do not depend on it")
	cli.OutputFlag(c, &f.format)
	cli.AllFlag(c, &f.format)
	cli.UnitsFlag(c, &f.format)
	cli.ConfineFlag(c)
	return c
}

// Made is a scenario that a command makes in place of reading a file, and what its run says.
type Made struct {
	Name string
	Data []byte
	Open topology.Open
	// Head is the first lines and the exit code; nil: a file, which has a name and expectations for these.
	Head func(*scenario.Scenario, *scenario.Result) ([]string, int)
}

// madeKey is the key of a context's scenario.
type madeKey struct{}

// WithMade has the verb sim run a scenario that is made.
func WithMade(ctx context.Context, m *Made) context.Context {
	return context.WithValue(ctx, madeKey{}, m)
}

// read returns the scenario of a command: that of a file, or one that is made. The flow list of --flow-list, whose
// format package foreign recognises from its content, takes the place of that of the scenario's entry with list.
func (f *simFlags) read(cmd *cobra.Command, file string) (*Made, *scenario.Scenario, error) {
	// The argument of the command is the file of a fabric, and no scenario, where one is made.
	in, made := cmd.Context().Value(madeKey{}).(*Made)
	if !made {
		name, data, err := cli.ReadInput(cmd, file)
		if err != nil {
			return nil, nil, err
		}
		in = &Made{Name: name, Data: data, Open: cli.Beside(cmd, file, false)}
	}
	var list *scenario.FlowList
	if f.flows != "" {
		name, data, err := cli.ReadInput(cmd, f.flows)
		if err != nil {
			return nil, nil, err
		}
		list = &scenario.FlowList{Name: name, Data: data}
	}
	// The whole file is checked before the run, and all of its mistakes are named.
	s, err := scenario.ReadContext(cmd.Context(), in.Name, in.Data, in.Open, list)
	return in, s, err
}

// run reads the scenario, runs it and prints the result. The order is: what the flags exclude, the files, the run, the
// files that it wrote, the report, and at last the exit code of the expectations. So a run that is not as expected has
// all of its outputs.
func (f *simFlags) run(cmd *cobra.Command, file string) error {
	if err := f.format.OneOf(simTables); err != nil {
		return err
	}
	if f.o.Workers < 0 || f.o.Workers > mostWorkers {
		return cli.BadUsage("--workers %d (want 0 (one for each processor) to %d)", f.o.Workers, mostWorkers)
	}
	// An export runs nothing, so flags of a run would have no effect.
	if f.export != "" && (f.trace+f.pcap+f.plot != "" || f.o.Until > 0 || f.o.FastForward || f.o.Workers > 0 ||
		cmd.Flags().Changed("output")) {
		return cli.BadUsage("--export (want it without flags of a run, which it does not make)")
	}
	// A file with gaps in it could not be told from one of a quiet network.
	if f.o.FastForward && f.trace+f.pcap+f.plot != "" {
		return cli.ExitWith(cli.ExitUsage,
			errors.New("--fast-forward (want it without --trace, --pcap and --plot, which show every event)"))
	}
	in, s, err := f.read(cmd, file)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if f.export != "" {
		if err := foreign.WriteSettings(cmd.OutOrStdout(), f.export, s.Name, &s.Network); err != nil {
			return cli.BadUsage("--export: %w", err)
		}
		return nil
	}
	// 0 is a seed, so the presence of the flag decides.
	if cmd.Flags().Changed("seed") {
		s.Network.Seed = f.seed
	}
	// With an end of its own, a run may stop before the time for which the file expects something: expectations are
	// then not checked. 0 workers are those of the machine, and do not change the results.
	res, err := f.write(cmd, s)
	if err != nil {
		return cli.Failure(err)
	}
	// The number is never more than asked for, and a user who measures it wants to know why it is less.
	if f.o.Workers > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d workers: %s\n", res.Workers, f.o.Workers,
			workersText(res.Workers, f.o.Workers))
	}
	d := s.Document(res)
	screen, code := simScreen(&d, s, res, f.format.Units()), cli.ExitFine
	// The first lines of a run that was interrupted claim nothing.
	if in.Head != nil && !res.Cut {
		var head []string
		head, code = in.Head(s, res)
		// The first line of a file is its name, which a scenario that was made does not have to say.
		screen.Head, screen.Mood = append(head, screen.Head[1:]...), cli.MoodOf(code == cli.ExitFine)
		screen.Foot = screen.Foot[:len(screen.Foot)-1] // that a file expects nothing
	}
	if res.Cut { // what an interrupted run has is printed
		cmd.SetContext(context.WithoutCancel(cmd.Context()))
	}
	// Expectations that are not met are an error with a text, so they are no code of the report. Of the tables the
	// first screen has the summary alone.
	if err := screen.Brief(12, "summary").Print(cmd, f.format, d, code); err != nil {
		return err
	}
	return simVerdict(res)
}

// mostWorkers is the largest number of workers that a user can ask for.
const mostWorkers = 4096

// workersText says why a run had so many workers of those that were asked for. The results are the same in all of these
// cases.
func workersText(had, asked int) string {
	switch {
	case had == asked:
		return "windows with few active switches have fewer"
	case had == 1:
		return "the network is run as a whole, because it is small or because its output needs all events in one order"
	}
	return "the network has too few switches for more"
}

// simVerdict is the error of a run that was interrupted or did not meet its
// expectations. nil also stands for a run with another end, of which nothing was expected.
func simVerdict(res *scenario.Result) error {
	switch {
	// An interrupted run is a failure even if nothing was unmet so far: the rest is not known.
	case res.Cut:
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("interrupted at %v of model time; the files are complete up to then",
			res.End))
	// Each expectation that was not met has a line.
	case len(res.Unmet) > 0:
		return cli.ExitWith(cli.ExitFailure, errors.New("not as expected:\n  "+strings.Join(res.Unmet, "\n  ")))
	}
	return nil
}

// write runs the scenario with the output files that the flags name. They get their
// names also if the run was interrupted: they are then complete up to its end. An error of the run leaves no file at
// all, not even a part of one.
func (f *simFlags) write(cmd *cobra.Command, s *scenario.Scenario) (*scenario.Result, error) {
	o := f.o
	// The three are independent: each sees the same events.
	for _, x := range []struct {
		path string
		to   *io.Writer
	}{{f.trace, &o.Trace}, {f.pcap, &o.Capture}, {f.plot, &o.Plot}} {
		if x.path == "" {
			continue
		}
		// The files have other names until Commit, so that a run that fails leaves the files of the last one.
		file, err := cli.Create(cmd, x.path)
		if err != nil {
			return nil, err
		}
		*x.to = file
	}
	// Progress goes to standard error, and only to a terminal.
	o.Progress = cli.Progress[unit.Time](cmd.ErrOrStderr())
	res, err := s.Run(cmd.Context(), o)
	if err != nil {
		return nil, err
	}
	return res, cli.Commit(cmd)
}
