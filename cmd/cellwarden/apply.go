package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/fleet"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/journal"
)

// applyFlags are the flags of the apply command.
type applyFlags struct {
	dial    dialFlags
	many    manyFlags
	sim     bool
	profile string
	strict  bool
	native  nativeFlags
	allowed string
	journal string
	opt     backend.Options
	format  output
}

func applyCommand() *cobra.Command {
	var f applyFlags
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "Plan a topology and bring it to a switch over gNMI, or to a simulated ASIC",
		Long: "apply plans the topology; a plan that does not fit is refused and nothing is sent. An admitted one is compared with what\n" +
			"the device has, sent, read back and compared in cells. If the device then holds something else, the steps are undone.\n" +
			"A switch is asked first what it can hold; its profile then says of every number of the plan whether it is sent as it is,\n" +
			"rounded, or not expressible: --dry-run prints all of them. With --dry-run and --profile no switch is needed.\n" +
			"OpenConfig has no words for headroom, pools and PFC: what cannot be sent is always listed, and --strict refuses a plan\n" +
			"of which headroom, PFC, PG-min, alpha or DSCPs of a lossless group cannot be sent. --native sends it in the switch's own words; a\n" +
			"SONiC switch has no others and is sent CONFIG_DB, but for what its configuration updater does not take without a reload.\n" +
			"What is sent to a switch is written down in a journal as it is sent, by which resume finishes or undoes a push that was\n" +
			"interrupted: in a file of its own in the user's cellwarden/journals, unless --journal says where. It has no credentials.\n\n" + exitCodes,
		Example: "  cellwarden apply examples/arista-7060cx-32s.yaml --sim\n  cellwarden apply examples/arista-7060cx-32s.yaml --dry-run --profile arista\n  cellwarden apply examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().BoolVar(&f.sim, "sim", false, "apply to a simulated ASIC in this process")
	f.dial.register(c)
	f.dial.registerRollback(c)
	f.many.register(c)
	c.Flags().StringVar(&f.profile, "profile", "",
		"kind of switch: a name of cellwarden profiles (default: found by the models that the switch lists)")
	c.Flags().BoolVar(&f.opt.DryRun, "dry-run", false, "say what would be sent, rounded and omitted, and send nothing")
	c.Flags().BoolVar(&f.strict, "strict", false,
		"refuse, before anything is sent, if something that lossless groups need cannot be sent (exit code 8)")
	c.Flags().StringVar(&f.journal, "journal", "",
		"where what is sent is written down as it is sent (JSON lines), for cellwarden resume: a new file; a directory, for a file of its own in it; or off (default: cellwarden/journals under $XDG_STATE_HOME, or ~/.local/state, or what the system has for it)")
	c.Flags().StringVar(&f.allowed, "allow-disruption", "none",
		"how far changes of a switch may reach into traffic: "+strings.Join(disruptions(), ", ")+
			"; a plan that needs more is refused")
	c.Flags().BoolVar(&f.dial.phased, "phases", false,
		"send each phase as a Set of its own and read it back before the next (default: where the profile says so)")
	c.Flags().BoolVar(&f.opt.Prune, "prune", false,
		"also reset ports that the device has buffers for and the topology does not name")
	f.native.register(c)
	outputFlag(c, &f.format)
	c.MarkFlagsMutuallyExclusive("sim", "target")
	c.MarkFlagsMutuallyExclusive("sim", "targets")
	c.MarkFlagsMutuallyExclusive("sim", "profile")
	c.MarkFlagsMutuallyExclusive("sim", "journal")
	return c
}

// check refuses flags that do not go together.
func (f *applyFlags) check() error {
	if !slices.Contains(disruptions(), f.allowed) {
		return fmt.Errorf("--allow-disruption: %q: accepted: %s", f.allowed, strings.Join(disruptions(), ", "))
	}
	if f.sim || f.many.file != "" || f.dial.target != "" || f.profile != "" && f.opt.DryRun {
		return errors.Join(checkFormat(f.format), f.checkJournal())
	}
	return errors.New("there is nothing to apply to: accepted: --sim, --target ADDRESS, --targets FILE, or --dry-run with --profile NAME")
}

// checkJournal refuses, before a switch is asked, a journal that is there
// already, and for many switches one that cannot be a directory.
func (f *applyFlags) checkJournal() error {
	switch info, err := os.Stat(f.journal); {
	case f.journal == "" || noJournal(f.journal) || f.opt.DryRun,
		err != nil && f.many.file == "",
		err == nil && info.IsDir():
		return nil
	case f.many.file == "":
		return fmt.Errorf("--journal: %s is there already, and may be needed to undo a push: accepted: a new file, a directory, or off", f.journal)
	}
	if err := journal.MakeDirectory(f.journal); err != nil {
		return fmt.Errorf("--journal: %w: accepted with --targets: a directory, or off", err)
	}
	return nil
}

func (f *applyFlags) run(cmd *cobra.Command, file string) error {
	if err := f.check(); err != nil {
		return err
	}
	named, err := namedProfile(f.profile)
	if err != nil {
		return err
	}
	f.dial.log = logger(cmd)
	if f.many.file != "" {
		return f.runMany(cmd, file, named)
	}
	plan, in, err := loadPlan(cmd, file)
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return exit{exitNoFit, fmt.Errorf("nothing was sent: %w", err)}
	}
	p := &push{applyFlags: f, in: in, want: plan.Layout(), profile: named, stderr: cmd.ErrOrStderr()}
	err = p.run(cmd.Context())
	if _, decided := decidedCode(err); decided {
		return err
	}
	if printed := p.text(err).write(cmd.OutOrStdout(), f.format, p.document(err)); printed != nil {
		return exit{exitFailure, printed}
	}
	return p.ended(err)
}

// applyManyJSON is what came of many switches.
type applyManyJSON struct {
	Schema   string            `json:"schema"`
	ExitCode int               `json:"exit_code"` // the worst
	Targets  []applyTargetJSON `json:"targets"`   // in the order of the file
}

type applyTargetJSON struct {
	Target   string     `json:"target"`
	State    string     `json:"state"`
	ExitCode int        `json:"exit_code"`
	Error    string     `json:"error,omitempty"`
	Report   *applyJSON `json:"report,omitempty"` // none: it did not come so far
}

// runMany brings the plan, or each switch's own, to many switches.
func (f *applyFlags) runMany(cmd *cobra.Command, file string, named *profile.Profile) error {
	all, err := f.many.read(cmd.InOrStdin())
	if err != nil {
		return exit{exitUsage, err}
	}
	plans := plans(cmd, all, file)
	pushes := make([]*push, len(all))
	outcomes := f.many.each(cmd.Context(), all, cmd.ErrOrStderr(),
		func(ctx context.Context, i int, t fleet.Target) outcome {
			as, err := profileOf(t, named)
			pushes[i] = f.to(t, as)
			if err != nil {
				return outcome{state: "not sent", err: err, code: codeOf(err)}
			}
			return pushes[i].outcome(ctx, plans[topologyOf(t, file)])
		})
	doc := applyManyJSON{Schema: "cellwarden.apply-many/v1", ExitCode: worst(outcomes), Targets: []applyTargetJSON{}}
	s := section{title: "Switches", columns: []string{"target", "state", "changes", "differences",
		"lossless by this push", "exit", "error"}}
	for i, o := range outcomes {
		t := applyTargetJSON{Target: o.address, State: o.state, ExitCode: o.code, Error: o.errorText()}
		if p := pushes[i]; p.report == nil {
			s.row(o.address, o.state, number("-"), number("-"), "-", count(o.code), t.Error)
		} else {
			d := p.document(o.err)
			t.Report = &d
			s.row(o.address, o.state, count(len(d.Steps)), count(len(d.Differences)), yesNo(d.Lossless), count(o.code), t.Error)
		}
		doc.Targets = append(doc.Targets, t)
	}
	out := &report{head: []string{counts(outcomes)}, sections: []section{s}, foot: journalsText(pushes)}
	if err := out.write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return exit{exitFailure, err}
	}
	if doc.ExitCode != exitFine {
		return silent(doc.ExitCode)
	}
	return nil
}

// journalsText says where it is written what was sent; nothing if nothing was.
func journalsText(pushes []*push) []string {
	n, dir := 0, ""
	for _, p := range pushes {
		if p.wrote != "" {
			n, dir = n+1, filepath.Dir(p.wrote)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of what was sent, in %s", plural(n, "journal", "journals"), dir)}
}

// to is a push to one of many.
func (f *applyFlags) to(t fleet.Target, named *profile.Profile) *push {
	own := *f
	own.dial.target = t.Address
	return &push{applyFlags: &own, profile: named}
}

// outcome runs a push, and says what came of it.
func (p *push) outcome(ctx context.Context, what planned) (o outcome) {
	if o.err = what.err; o.err == nil {
		p.in, p.want = what.in, what.plan.Layout()
		o.err = p.run(ctx)
	}
	o.state = "not sent"
	if p.report != nil && (o.err == nil || p.report.State != backend.Unchanged) {
		o.state = string(p.report.State)
	}
	if code, decided := decidedCode(o.err); decided {
		o.code = code
	} else if o.err != nil {
		o.code, o.hint = stateCode(p.report.State, o.err), p.hint()
	}
	return o
}
