package push

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/report"
)

// resume finishes or undoes an interrupted push. Package backend/gnmi/push does what
// remains to be done; this file opens the journal and prints the report of apply.

// resumeFlags are the flags of the resume command. allowed is "" for the limit that the push had. With DryRun the
// switch is read and nothing is sent.
type resumeFlags struct {
	push.ResumeOptions
	dial    dial.DialFlags
	allowed string
	format  cli.Output
}

// ResumeCommand makes the verb, which lists or resumes by whether its argument is a journal. It has no flags of
// planning: what was planned is in the journal.
func ResumeCommand() *cobra.Command {
	var f resumeFlags
	c := cli.Command("resume", cli.Args(0, 1), func(cmd *cobra.Command, args []string) error {
		switch dir, err := journalsIn(args); {
		case err != nil:
			return err
		case dir != "":
			return f.list(cmd, dir)
		default:
			if err := f.format.OneOf(pushTables); err != nil {
				return err
			}
			return f.run(cmd, args[0])
		}
	})
	f.dial.Register(c)
	f.dial.RegisterChanging(c)
	c.Flags().BoolVar(&f.Undo, "undo", false, "restore the previous values of the switch")
	c.Flags().BoolVar(&f.Overwrite, "overwrite", false,
		"also change values that are neither the planned nor the previous ones, which others have changed since")
	c.Flags().BoolVar(&f.DryRun, "dry-run", false, "print the remaining changes and send nothing")
	c.Flags().BoolVar(&f.dial.Connection.Phased, "phases", false,
		"send each phase as one Set (default: as the push was sent)")
	cli.WordFlag(c, &f.allowed, "allow-disruption", "", disruptions(), "largest part of the traffic that a remaining "+
		"change may stop: "+strings.Join(disruptions(), ", ")+" (default: as the push was allowed to)")
	cli.OutputFlag(c, &f.format)
	return c
}

// run resumes one push. Address, phases and time limit come from the journal, unless a
// flag gives another value. The journal is read whole before the switch is contacted.
func (f *resumeFlags) run(cmd *cobra.Command, file string) error {
	f.dial.Connection.Log = cli.Logger(cmd)
	// The bound keeps a wrong path, such as that of a disk image, from filling the memory.
	data, err := files.ReadAtMost(cmd.Context(), file, journal.MaxBytes)
	if err != nil {
		return cli.BadUsage("%w (want a journal that apply wrote; cellwarden resume lists the unfinished pushes)", err)
	}
	s, err := push.Journals().Read(data)
	// Nothing to finish and nothing to undo is success: a script may resume whatever it finds.
	if errors.Is(err, journal.ErrNothingSent) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %v\n", file, err)
		return cli.Failure(err)
	}
	if err != nil {
		return cli.BadUsage("%s: %w (want a journal that apply wrote)", file, err)
	}
	s.File = file
	// The report is that of apply, of which it needs no flag of planning.
	d := &deviceRun{applyFlags: &applyFlags{Flags: Flags{Dial: f.dial}, format: f.format}, stderr: cmd.ErrOrStderr()}
	d.DryRun = f.DryRun
	// The switch is that of the journal, unless the user names another address of it.
	if d.Dial.Address == "" {
		d.Dial.Address = s.Start.Target
	}
	// An empty prefix target is a value, so the presence of the flag decides.
	if !cmd.Flags().Changed("prefix-target") {
		d.Dial.PrefixTarget = s.Start.PrefixTarget
	}
	// d.plan stays empty: a journal has registers or values, and no intent.
	err = d.explained(f.push(cmd, d, s))
	foot := []string{fmt.Sprintf("journal of %s, by %s; last line: %s", s.Start.Time.Format("2006-01-02 15:04:05Z"),
		s.Start.Who, s.LastLine())}
	// A dry run reads and does not wait, so what it prints may be out of date when the Set ends.
	if f.DryRun && len(s.Pending) > 0 {
		foot = append(foot, "a Set of this push was not answered: the switch may still be working on it. Without "+
			"--dry-run, resume waits for its end first")
	}
	if f.DryRun && s.Open() && len(s.Commits) > 0 {
		foot = append(foot, "a commit of this push may still wait for confirmation: the switch undoes it when its "+
			"time is up. Without --dry-run, resume undoes it first")
	}
	return d.report(cmd, err, foot...)
}

// push reads the switch and sends the remaining changes. Nothing is sent if a change may stop more traffic than
// --allow-disruption allows. The prefix target, the phases and the time limits of the push are those of its journal
// where no flag says otherwise. The result stays nil where the switch was not contacted.
func (f *resumeFlags) push(cmd *cobra.Command, d *deviceRun, s *journal.Push) error {
	opt := f.ResumeOptions
	// Without the flag the time of a rollback is that of the push.
	opt.OwnRollback, opt.Waiting = cmd.Flags().Changed("rollback-after"), d.waits
	// nil: the limit that the push had. Resuming must not stop more traffic than the one who began it allowed. A larger
	// limit than that of the push is accepted, because the user gives it now.
	if f.allowed != "" {
		most := disruptionOf(f.allowed)
		opt.Disruption = &most
	}
	// The kind of switch is that of the journal: recognised anew it might be another, with other paths.
	as, err := registry.LoadProfile(s.Start.Profile)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	if opt.Connection, err = d.Dial.Options(cmd.Context(), s.Start.Cell, as); err != nil {
		return err
	}
	// The flag has a default of its own, which is not the time that the push had.
	if !cmd.Flags().Changed("set-timeout") {
		opt.Connection.SetTimeout = 0 // that of the push
	}
	d.result, err = push.Resume(cmd.Context(), d.Dial.Target, s, opt)
	return err
}

// journalsIn returns the directory whose journals are listed; empty if the argument is a journal. Without an argument
// it is the usual directory of the user. An error is that there is no state directory for the user.
func journalsIn(args []string) (string, error) {
	if len(args) == 0 {
		dir, err := journal.Home()
		if err != nil {
			return "", cli.BadUsage("no directory of journals: %w (want a journal, or a directory of them)", err)
		}
		return dir, nil
	}
	// A name that does not exist is a journal that is missing: reading it gives the error.
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		return args[0], nil
	}
	return "", nil
}

// list prints the unfinished pushes of a directory. Nothing is read from a switch: the state is what the journal
// says. A directory without unfinished pushes is success, with a line that says so.
func (f *resumeFlags) list(cmd *cobra.Command, dir string) error {
	// A list changes nothing, and a flag for one push would look as if it had.
	if f.Undo || f.DryRun {
		return cli.BadUsage("--undo and --dry-run need one push (want it with a journal; %s "+
			"alone lists the unfinished pushes)", cmd.CommandPath())
	}
	all, err := push.Journals().List(dir)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	out := &cli.Screen{}
	s := cli.Table("", "Unfinished pushes", "begun", "target", "by", "state", "journal")
	doc := report.JournalsDocument{Schema: "cellwarden.journals/v1", Directory: dir}
	unnamed.List(&doc.Unfinished, 0)
	for _, u := range all {
		now := time.Now() // of a push in the future, because the clock was set back, it is not known what followed
		if p, err := push.Journals().ReadFile(u.Journal); err == nil && !u.Begun.After(now) && p.Replaced(now) {
			u.State += "; a later push followed" // resume refuses it
		}
		x := unnamed.Add(&doc.Unfinished)
		x.Journal, x.Target, x.PrefixTarget, x.Who, x.State = u.Journal, u.Target, u.PrefixTarget, u.Who, u.State
		x.Begun = u.Begun.Format(time.RFC3339Nano)
		target := u.Target
		if u.PrefixTarget != "" {
			target += " (" + u.PrefixTarget + ")"
		}
		s.Row(u.Begun.Format("2006-01-02 15:04:05Z"), cli.Dash(target), cli.Dash(u.Who), u.State, u.Journal)
	}
	if len(all) == 0 {
		out.Head = []string{"no unfinished push in " + dir}
	} else {
		out.Sections = []cli.Section{s}
		out.Foot = []string{"cellwarden resume JOURNAL finishes a push; with --undo it restores the previous values. To " +
			"drop a push that no longer matters, remove its file"}
	}
	return out.Print(cmd, f.format, doc, cli.ExitFine)
}
