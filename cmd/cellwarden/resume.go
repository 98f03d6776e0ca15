package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
)

// resumeFlags are the flags of the resume command.
type resumeFlags struct {
	dial    dialFlags
	undo    bool
	dryRun  bool
	allowed string
	format  string
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
			"Without a journal, or with a directory of them, it lists the pushes that did not end, the newest first.\n\n" + exitCodes,
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
	c.Flags().BoolVar(&f.dial.phased, "phases", false, "send each phase as a Set of its own (default: as the push was sent)")
	c.Flags().StringVar(&f.allowed, "allow-disruption", "", "how far what is left may reach into traffic: "+strings.Join(reaches(), ", ")+" (default: as far as the push was allowed to)")
	outputFlag(c, &f.format)
	return c
}

func (f *resumeFlags) run(cmd *cobra.Command, file string) error {
	if f.allowed != "" && !slices.Contains(reaches(), f.allowed) {
		return exit{exitUsage, fmt.Errorf("--allow-disruption: %q: accepted: %s", f.allowed, strings.Join(reaches(), ", "))}
	}
	f.dial.log = logger(cmd)
	data, err := os.ReadFile(file)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%w: accepted: a journal that apply wrote; cellwarden resume lists those that did not end", err)}
	}
	s, err := readJournal(data)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%s: %w: accepted: a journal that apply wrote", file, err)}
	}
	p := &push{applyFlags: &applyFlags{dial: f.dial, allowed: f.allowed, opt: backend.Options{DryRun: f.dryRun}, format: f.format}, aloud: cmd.ErrOrStderr()}
	if p.dial.target == "" {
		p.dial.target = s.start.Target
	}
	if p.dial.phased = f.dial.phased || s.start.Apart; s.within >= 0 && !cmd.Flags().Changed("rollback-after") {
		p.dial.rollback = s.within
	}
	err = p.dial.advise(f.push(cmd.Context(), p, s, file))
	var bad exit
	if errors.As(err, &bad) {
		return err
	}
	out := p.text(err)
	out.foot = append(out.foot, fmt.Sprintf("the journal is of %s, by %s; its last line: %s", s.start.Time.Format("2006-01-02 15:04:05Z"), s.start.Who, s.lastText()))
	if f.dryRun && len(s.pending) > 0 {
		out.foot = append(out.foot, "a Set of it was not answered: the switch may have been at work on it for a while; without --dry-run that is waited for first")
	}
	if f.dryRun && s.open() && len(s.commits) > 0 {
		out.foot = append(out.foot, "a commit of it may still wait to be confirmed: the switch undoes that by itself when its time is up; without --dry-run it is undone first")
	}
	if printed := out.write(cmd.OutOrStdout(), f.format, p.document(err)); printed != nil {
		return exit{exitFailure, printed}
	}
	return p.ended(err)
}

// push finds out what the switch holds and makes what is left.
func (f *resumeFlags) push(ctx context.Context, p *push, s *story, file string) error {
	as, err := profile.Load(s.start.Profile)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%s: %w", file, err)}
	}
	client, err := p.dial.open(ctx, s.start.Cell, as)
	if err != nil {
		return err
	}
	defer client.Close()
	p.report = &backend.Report{Device: client.Name(), State: backend.Unchanged}
	if p.met, err = client.Probe(ctx); err != nil {
		return err
	}
	switch {
	case s.words != nil:
		return f.speak(ctx, p, s, client, file)
	case f.dryRun:
		return f.finish(ctx, p, s, client, client)
	}
	j, err := s.goOn(file, f.undo)
	if err != nil {
		return err
	}
	p.wrote = file
	if err = s.cancel(ctx, client); err == nil {
		err = f.finish(ctx, p, s, client, &journaled{Backend: client, journal: j, read: true})
	}
	if len(p.report.Steps) > 0 {
		p.commit = client.CommitText()
	}
	return errors.Join(err, j.end(p.report.State, err))
}

// finish makes what is left to the plan, or to what was before.
func (f *resumeFlags) finish(ctx context.Context, p *push, s *story, client *gnmi.Client, device backend.Backend) (err error) {
	goal := s.want
	if f.undo {
		if goal, err = s.back(ctx, client); err != nil {
			return err
		}
		p.opt.Prune = true
	}
	if f.allowed != "" && !f.dryRun {
		look := p.opt
		look.DryRun = true
		if p.report, err = backend.Converge(ctx, client, goal, look); err != nil {
			return err
		}
		if err := p.stepsReach(p.report.Steps, p.met.Profile); err != nil {
			return err
		}
	}
	p.report, err = backend.Converge(ctx, device, goal, p.opt)
	return err
}

// cancel has the switch undo the commit that was left waiting, if one was: while
// it waits, every other Set is refused. It is the last, or the one before if the
// push was killed when it was to be confirmed.
func (s *story) cancel(ctx context.Context, client *gnmi.Client) error {
	for _, id := range s.commits[:min(2, len(s.commits))] {
		if undone, err := client.CancelCommit(ctx, id); undone || err != nil {
			return err
		}
	}
	return nil
}

// goOn opens the journal to be continued, unless the push is under way.
func (s *story) goOn(file string, undo bool) (*journal, error) {
	to, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, exit{exitUsage, fmt.Errorf("nothing was sent, because the journal cannot be continued: %w", err)}
	}
	j := &journal{to: to, start: s.start}
	if err = lockFile(to, false); err == nil {
		err = s.same(to)
	}
	if err == nil {
		err = j.write(record{Kind: "resume", Who: whoAmI(), Undo: undo})
	}
	if err != nil {
		return nil, errors.Join(exit{exitUsage, fmt.Errorf("nothing was sent: %s: %w", file, err)}, to.Close())
	}
	return j, nil
}

// same refuses a journal that went on since it was read, and takes off what was
// cut off, which must not run into what follows.
func (s *story) same(to *os.File) error {
	info, err := to.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() != s.size:
		return errors.New("somebody else went on with it meanwhile: look at the switch with drift, or resume again")
	case s.torn:
		return to.Truncate(s.whole)
	}
	return nil
}

// back is what the switch shall hold to be as it was: the ports of the plan as
// before, all others as they are now.
func (s *story) back(ctx context.Context, device backend.Backend) (buffer.Layout, error) {
	now, err := device.Observe(ctx)
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, r := range s.want {
		ours[r.Port] = true
	}
	out := now.Only(func(r buffer.Register) bool { return !ours[r.Port] })
	return buffer.NewLayout(append(out, s.before.Only(func(r buffer.Register) bool { return ours[r.Port] })...)), nil
}
