package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/dialect"
)

// resumeFlags are the flags of the resume command.
type resumeFlags struct {
	dial    dialFlags
	undo    bool
	dryRun  bool
	allowed string
	format  output
}

func resumeCommand() *cobra.Command {
	var f resumeFlags
	c := &cobra.Command{
		Use:   "resume [JOURNAL]",
		Short: "Finish or undo a push that was interrupted, from its journal",
		Long: "resume reads the journal of an apply that was killed or lost its switch, asks the switch what it holds now, and makes the\n" +
			"changes that are left; with --undo it leads the ports of the plan back to what they held before. The journal is continued.\n" +
			"What was sent phase by phase is finished and undone phase by phase, and within the same time for a commit to be confirmed.\n" +
			"A push in the switch's own words is led to what its journal says of each path, whatever is there; entries that others have\n" +
			"added are left alone. If the push was killed while the switch worked on a Set, resume waits until that is over.\n" +
			"Credentials and certificates are not in a journal: give them again.\n\n" +
			"Without a journal, or with a directory of them, it lists the pushes that did not end, the newest first.\n\n" +
			exitCodes,
		Example: "  cellwarden resume\n  cellwarden resume push.jsonl --insecure\n  cellwarden resume push.jsonl --insecure --undo",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(f.format); err != nil {
				return err
			}
			switch dir, err := journalsIn(args); {
			case err != nil:
				return err
			case dir != "":
				return f.list(cmd, dir)
			default:
				return f.run(cmd, args[0])
			}
		},
	}
	f.dial.register(c)
	f.dial.registerRollback(c)
	c.Flags().BoolVar(&f.undo, "undo", false, "lead back to what the switch held before")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what is left to do and send nothing")
	c.Flags().BoolVar(&f.dial.phased, "phases", false,
		"send each phase as a Set of its own (default: as the push was sent)")
	c.Flags().StringVar(&f.allowed, "allow-disruption", "",
		"how far what is left may reach into traffic: "+strings.Join(disruptions(), ", ")+
			" (default: as far as the push was allowed to)")
	outputFlag(c, &f.format)
	return c
}

// journalReader reads journals, and checks native values.
var journalReader = journal.Reader{Values: native.CheckValues}

func (f *resumeFlags) run(cmd *cobra.Command, file string) error {
	if f.allowed != "" && !slices.Contains(disruptions(), f.allowed) {
		return exit{exitUsage, fmt.Errorf("--allow-disruption: %q: accepted: %s", f.allowed,
			strings.Join(disruptions(), ", "))}
	}
	f.dial.log = logger(cmd)
	data, err := os.ReadFile(file)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%w: accepted: a journal that apply wrote; cellwarden resume lists those that did not end", err)}
	}
	s, err := journalReader.Read(data)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%s: %w: accepted: a journal that apply wrote", file, err)}
	}
	s.File = file
	p := &push{applyFlags: &applyFlags{dial: f.dial, allowed: f.allowed, opt: backend.Options{DryRun: f.dryRun},
		format: f.format}, stderr: cmd.ErrOrStderr()}
	if p.dial.target == "" {
		p.dial.target = s.Start.Target
	}
	if p.dial.phased = f.dial.phased || s.Start.Apart; s.Within >= 0 && !cmd.Flags().Changed("rollback-after") {
		p.dial.rollback = s.Within
	}
	err = p.dial.advise(f.push(cmd.Context(), p, s))
	if _, decided := decidedCode(err); decided {
		return err
	}
	out := p.text(err)
	out.foot = append(out.foot, fmt.Sprintf("the journal is of %s, by %s; its last line: %s",
		s.Start.Time.Format("2006-01-02 15:04:05Z"), s.Start.Who, s.LastLine()))
	if f.dryRun && len(s.Pending) > 0 {
		out.foot = append(out.foot, "a Set of it was not answered: the switch may have been at work on it for a while; without --dry-run that is waited for first")
	}
	if f.dryRun && s.Open() && len(s.Commits) > 0 {
		out.foot = append(out.foot, "a commit of it may still wait to be confirmed: the switch undoes that by itself when its time is up; without --dry-run it is undone first")
	}
	if printed := out.write(cmd.OutOrStdout(), f.format, p.document(err)); printed != nil {
		return exit{exitFailure, printed}
	}
	return p.ended(err)
}

// push finds out what the switch holds and makes what is left.
func (f *resumeFlags) push(ctx context.Context, p *push, s *journal.Push) error {
	as, err := profile.Load(s.Start.Profile)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%s: %w", s.File, err)}
	}
	client, err := p.dial.open(ctx, s.Start.Cell, as)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := p.meet(ctx, client); err != nil {
		return err
	}
	device := p.resumed(client, s)
	err = s.Resume(ctx, device, journal.Options{Undo: f.undo, DryRun: f.dryRun, Continued: func() { p.wrote = s.File },
		Allow: func() error {
			device.looked()
			if f.allowed == "" {
				return nil
			}
			return p.changes.allowed(disruptionOf(f.allowed))
		}})
	device.looked()
	if !f.dryRun && p.changes != nil {
		p.sent(client)
	}
	return err
}

// resumption is the switch of a push that is resumed.
type resumption interface {
	journal.Target
	// looked notes what was found and done, for the report.
	looked()
}

// resumed is the switch as the journal resumes its push.
func (p *push) resumed(client *gnmi.Client, s *journal.Push) resumption {
	if s.Values != nil {
		r := &native.Resumption{Client: client, Longest: longestSets * p.dial.timeout, Pause: p.waiting()}
		return &resumedValues{r, p}
	}
	return &resumedRegisters{&journal.Registers{Backend: client}, p}
}

type resumedRegisters struct {
	*journal.Registers
	push *push
}

func (r *resumedRegisters) looked() {
	if r.Report != nil {
		r.push.report = r.Report
		r.push.changes = &registerChanges{push: r.push, target: r.push.met.Profile}
	}
}

type resumedValues struct {
	*native.Resumption
	push *push
}

func (r *resumedValues) looked() {
	if r.Push == nil {
		return
	}
	report := r.Push.Report
	report.Rendering = &dialect.Rendering{Dialect: r.push.met.Profile.Dialect}
	r.push.changes = &nativeChanges{push: r.push, report: report, profile: r.push.met.Profile, resumed: true}
	r.push.report.State = report.State
}

// waiting sleeps between two readings, and says once that it does.
func (p *push) waiting() func(context.Context, time.Duration) error {
	printed := false
	return func(ctx context.Context, d time.Duration) error {
		if !printed {
			printed = true
			fmt.Fprintf(p.stderr, "%s: the switch may still be at work on what it did not answer: waiting until it has all of it, or no longer can be (%d times --timeout)\n", p.report.Device, longestSets)
		}
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unfinishedJSON is a list of pushes that did not end.
type unfinishedJSON struct {
	Schema     string               `json:"schema"`
	Directory  string               `json:"directory"`
	Unfinished []journal.Unfinished `json:"unfinished"` // the newest first
}

// journalsIn returns the directory whose journals are to be listed; none for
// an argument that is a journal.
func journalsIn(args []string) (string, error) {
	if len(args) == 0 {
		dir, err := journal.Home()
		if err != nil {
			return "", exit{exitUsage, fmt.Errorf("there is no directory of journals: %w: accepted: a JOURNAL, or a directory of them", err)}
		}
		return dir, nil
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		return args[0], nil
	}
	return "", nil
}

// list prints the pushes of a directory that did not end.
func (f *resumeFlags) list(cmd *cobra.Command, dir string) error {
	if f.undo || f.dryRun {
		return exit{exitUsage, fmt.Errorf("--undo and --dry-run are of one push: accepted: with a JOURNAL; %s alone lists them", cmd.CommandPath())}
	}
	all, err := journalReader.List(dir)
	if err != nil {
		return exit{exitFailure, err}
	}
	out := &report{}
	s := section{title: "Pushes that did not end", columns: []string{"begun", "target", "by", "state", "journal"}}
	for _, u := range all {
		s.row(u.Begun.Format("2006-01-02 15:04:05Z"), dash(u.Target), dash(u.Who), u.State, u.Journal)
	}
	if len(all) == 0 {
		out.head = []string{"nothing is unfinished in " + dir}
	} else {
		out.sections = []section{s}
		out.foot = []string{"cellwarden resume JOURNAL finishes one; with --undo it leads back. One that no longer matters is forgotten by removing its file"}
	}
	return failure(out.write(cmd.OutOrStdout(), f.format,
		unfinishedJSON{"cellwarden.journals/v1", dir, append([]journal.Unfinished{}, all...)}))
}
