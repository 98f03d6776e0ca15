package push

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

// apply sends a plan to one switch, to many switches or to a simulated ASIC. This
// file reads its flags and prints the table of many switches. push.go does the
// work for one device.

// insteadKey is the key of a context's function that apply calls.
type insteadKey struct{}

// WithInstead has the verb apply call a function with its flags, and push nothing by itself.
func WithInstead(ctx context.Context, do func(Flags) error) context.Context {
	return context.WithValue(ctx, insteadKey{}, do)
}

// instead checks the flags that a change of many switches has as well, and makes it.
func (f *applyFlags) instead(cmd *cobra.Command, do func(Flags) error) error {
	var err error
	if f.Parallel, err = f.many.Parallel(); err != nil {
		return err
	}
	f.Dial.Connection.Log = cli.Logger(cmd)
	return do(f.Flags)
}

// ApplyCommand makes the verb. A device has to be named: without --sim, --target, --targets or --to-file nothing is
// pushed. The flags of a fabric are added by package many, which also wraps the run.
func ApplyCommand() *cobra.Command {
	var f applyFlags
	c := cli.Command("apply", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	c.Flags().BoolVar(&f.sim, "sim", false, "apply to a simulated ASIC in this process")
	f.Dial.Register(c)
	f.Dial.RegisterChanging(c)
	f.many.Register(c)
	f.Register(c)
	c.Flags().BoolVar(&f.Strict, "strict", false,
		"refuse the plan if a value that lossless groups need cannot be sent, or if shares are off (exit code 8)")
	toleranceFlag(c, &f.ShareTolerance)
	c.Flags().StringVar(&f.Journal, "journal", "",
		"journal of the push (JSON lines), for cellwarden resume: a new file, a directory that gets a new file, or off "+
			"(default: cellwarden/journals under $XDG_STATE_HOME, ~/.local/state or the state directory of the system)")
	cli.WordFlag(c, &f.allowed, "allow-disruption", "none", disruptions(), "largest part of the traffic that a change "+
		"may stop: "+strings.Join(disruptions(), ", ")+"; a plan that needs more is refused")
	c.Flags().BoolVar(&f.Dial.Connection.Phased, "phases", false,
		"send each phase as one Set and read it back before the next phase (default: as the profile says)")
	c.Flags().BoolVar(&f.Prune, "prune", false,
		"also reset ports that have buffers on the device but are not in the topology")
	f.sonic.register(c, "as reported by the switch")
	c.Flags().StringVar(&f.file.to, "to-file", "", "write the changes to this file and send nothing")
	dialects := dialectsToFile()
	cli.WordFlag(c, &f.file.dialect, "dialect", "", dialects,
		"configuration for --to-file: "+strings.Join(dialects, ", "))
	c.Flags().StringVar(&f.file.current, "current", "", "config_db.json of the SONiC switch, for --to-file")
	cli.OutputFlag(c, &f.format)
	// A push to files has no device and no journal: nothing is sent that would have to be undone.
	for _, other := range []string{"sim", "target", "targets", "profile", "journal", "dry-run", "native", "prune"} {
		c.MarkFlagsMutuallyExclusive("to-file", other)
	}
	// A simulated ASIC is no switch, and ends with the process.
	for _, other := range []string{"target", "targets", "profile", "journal", "native"} {
		c.MarkFlagsMutuallyExclusive("sim", other)
	}
	cli.SetFlag(c)
	return c
}

// check refuses flags that contradict each other. The combinations that pflag knows as exclusive were refused before.
func (f *applyFlags) check() error {
	if err := f.file.check(); err != nil {
		return err
	}
	// Files need no device and no journal.
	if f.file.to != "" {
		return nil
	}
	// A dry run of a kind of switch needs no switch. All else needs one, and none is assumed. All faults of the flags
	// are said at once: errors.Join.
	if f.sim || f.many.File != "" || f.Dial.Address != "" || f.Named != nil && f.DryRun {
		return errors.Join(f.format.OneOf(pushTables), f.checkJournal())
	}
	return errors.New("no device is named (want --sim, --target, --targets, --to-file with --dialect, or " +
		"--dry-run with --profile)")
}

// checkJournal refuses a journal that exists already, and for many switches one
// that cannot be a directory. It does so before a switch is contacted. A journal
// is never overwritten, because an interrupted push may still need it. For many switches the folder is made here, so
// that one that cannot be made ends the run before the first push.
func (f *applyFlags) checkJournal() error {
	// Without --targets a path that does not exist is a new file; an error of another kind than "not there" comes when
	// it is made.
	switch info, err := os.Stat(f.Journal); {
	case f.Journal == "" || noJournal(f.Journal) || f.DryRun,
		err != nil && f.many.File == "",
		err == nil && info.IsDir():
		return nil
	case f.many.File == "":
		return fmt.Errorf("--journal: %s exists already, and may be needed to undo a push (want a new file, a "+
			"directory, or off)", f.Journal)
	}
	if err := journal.MakeDirectory(f.Journal); err != nil {
		return fmt.Errorf("--journal: %w: accepted with --targets: a directory, or off", err)
	}
	return nil
}

// run plans the topology, pushes the plan to one device and prints the report. An
// error that comes before the device was read has no report. The order is: flags, files, plan, push, report, exit code.
// Everything that can be wrong on this side is found before a switch is contacted.
func (f *applyFlags) run(cmd *cobra.Command, file string) error {
	f.Disruption = disruptionOf(f.allowed)
	if do, is := cmd.Context().Value(insteadKey{}).(func(Flags) error); is {
		return f.instead(cmd, do)
	}
	if err := f.check(); err != nil {
		return err
	}
	// All files of the flags are read before a switch is contacted: a typing error must not leave a push half done.
	err := f.sonic.read(cmd)
	if err != nil {
		return err
	}
	// It is nil without --current; a push over gNMI then reads the configuration from the switch itself.
	if f.sonic.Current, err = readCurrent(cmd, f.file.current); err != nil {
		return err
	}
	f.set, f.Dial.Connection.Log = cli.Changed(cmd), cli.Logger(cmd)
	if f.many.File != "" {
		return f.runMany(cmd, file)
	}
	// Part of a plan would take cells from ports that are up, for ports that do not fit.
	plan, in, err := inputs.LoadPlan(cmd, file, "nothing was sent", false)
	if err != nil {
		return err
	}
	// The layout is the plan's registers, and the intent is what native configuration is made from.
	d := &deviceRun{applyFlags: f, plan: nos.Plan{Intent: in, Layout: plan.Layout()}, profile: f.Named,
		stderr: cmd.ErrOrStderr()}
	// With --to-file the run has sent nothing, and has the files to write.
	if err = d.run(cmd.Context()); err == nil && f.file.to != "" {
		err = writeFiles(cmd, "", "", d.files)
	}
	return d.report(cmd, err)
}

// runMany applies plans to many switches in parallel. A line of the targets file
// may name a topology of its own. The failure of one switch does not stop the
// others, and the exit code is the worst of all. Progress goes to standard error as switches are done, and the table
// has them in the order of the file.
func (f *applyFlags) runMany(cmd *cobra.Command, file string) error {
	all, err := f.many.Read(cmd)
	if err != nil {
		return err
	}
	plans := dial.Plans(cmd, all, file, f.Named)
	runs := make([]*deviceRun, len(all))
	outcomes := f.many.Each(cmd.Context(), all, cmd.ErrOrStderr(),
		// It is called for several switches at the same time: each call writes its own place of runs alone.
		func(ctx context.Context, i int, t push.Target) dial.Outcome {
			runs[i] = f.to(t, plans[i].Profile)
			return runs[i].outcome(ctx, plans[i])
		})
	// The document has every switch of the file, also those that were not contacted.
	doc := report.ApplyManyDocument{Schema: "cellwarden.apply-many/v1", Set: f.set, ExitCode: dial.Worst(outcomes)}
	s := cli.Table("switches", "Switches", "target", "state", "changes", "differences", "lossless by this push", "exit",
		"error")
	for i, o := range outcomes {
		t := unnamed.Add(&doc.Targets)
		// The prefix target is that of the run: dial.To has put in the flag's where the line has none.
		t.Target, t.Prefix, t.State = all[i].Address, runs[i].Dial.PrefixTarget, o.State
		t.ExitCode, t.Error = o.Code, o.ErrorText()
		changes, differences, lossless := cli.Number("-"), cli.Number("-"), "-"
		// nil: the switch was not contacted, or did not answer. A dash is not 0 changes.
		if runs[i].result != nil {
			d := runs[i].document(o.Err)
			t.Report = &d
			changes, differences = cli.Count(len(d.Changes)), cli.Count(len(d.Differences))
			lossless = cli.YesNo(d.Lossless)
		}
		s.Row(o.Address, o.State, changes, differences, lossless, cli.Count(o.Code), t.Error)
	}
	out := &cli.Screen{Head: []string{dial.Counts(outcomes) + cli.ChangedText(f.set)}, Sections: []cli.Section{s},
		Foot: journalsText(runs)}
	// The code is the worst of all switches: a script has to see one failure among a hundred.
	return cli.Ended(out.Write(cmd.OutOrStdout(), f.format, doc), doc.ExitCode)
}

// journalsText names the directory of the journals; nothing if nothing was sent. All journals of a run are in one
// folder. checkJournal has refused a file for many switches, so the folder of the last is that of all.
func journalsText(runs []*deviceRun) []string {
	n, dir := 0, ""
	for _, d := range runs {
		if d.result != nil && d.result.Journal != "" {
			n, dir = n+1, filepath.Dir(d.result.Journal)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s in %s", cli.Plural(n, "journal", "journals"), dir)}
}

// to returns the push to one of many switches. It has its own copy of the flags, because pushes run in parallel.
// stderr stays nil: the lines of many pushes would mix. f.Dial of the copy has the address of the line. The slices
// and maps of the flags are shared, and only read.
func (f *applyFlags) to(t push.Target, named *nos.Profile) *deviceRun {
	own := *f
	own.Dial.To(t)
	return &deviceRun{applyFlags: &own, profile: named}
}

// outcome runs a push and returns its state, error and exit code. d.result is nil if the switch was not contacted, and
// the exit code is then decided by the error alone.
func (d *deviceRun) outcome(ctx context.Context, what dial.Planned) (o dial.Outcome) {
	// what.Err is that of a topology which cannot be planned, or of an unknown profile.
	if o.Err = what.Err; o.Err == nil {
		d.plan = nos.Plan{Intent: what.In, Layout: what.Plan.Layout()}
		o.Err = d.run(ctx)
	}
	// A push that failed before its first Set left the switch as it was, and says so with the same words as one that
	// did not connect.
	o.State = "not sent"
	if d.result != nil && (o.Err == nil || d.result.State != backend.Unchanged) {
		o.State = string(d.result.State)
	}
	// nil is not decided, and the code stays 0.
	if code, decided := cli.DecidedCode(o.Err); decided {
		o.Code = code
	} else if o.Err != nil {
		// An error that has not decided on its code is of a push that has a result.
		o.Code, o.Hint = cli.StateCode(d.result.State, o.Err), d.hint(o.Err)
	}
	return o
}
