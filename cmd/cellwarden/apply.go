package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
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
	format  string
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
	c.Flags().StringVar(&f.profile, "profile", "", "kind of switch: a name of cellwarden profiles (default: found by the models that the switch lists)")
	c.Flags().BoolVar(&f.opt.DryRun, "dry-run", false, "say what would be sent, rounded and omitted, and send nothing")
	c.Flags().BoolVar(&f.strict, "strict", false, "refuse, before anything is sent, if something that lossless groups need cannot be sent (exit code 8)")
	c.Flags().StringVar(&f.journal, "journal", "", "where what is sent is written down as it is sent (JSON lines), for cellwarden resume: a new file; a directory, for a file of its own in it; or off (default: cellwarden/journals under $XDG_STATE_HOME, or ~/.local/state, or what the system has for it)")
	c.Flags().StringVar(&f.allowed, "allow-disruption", "none", "how far changes of a switch may reach into traffic: "+strings.Join(reaches(), ", ")+"; a plan that needs more is refused")
	c.Flags().BoolVar(&f.dial.phased, "phases", false, "send each phase as a Set of its own and read it back before the next (default: where the profile says so)")
	c.Flags().BoolVar(&f.opt.Prune, "prune", false, "also reset ports that the device has buffers for and the topology does not name")
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
	if !slices.Contains(reaches(), f.allowed) {
		return fmt.Errorf("--allow-disruption: %q: accepted: %s", f.allowed, strings.Join(reaches(), ", "))
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
	case f.journal == "" || noJournal[f.journal] || f.opt.DryRun, err != nil && f.many.file == "", err == nil && info.IsDir():
		return nil
	case f.many.file == "":
		return fmt.Errorf("--journal: %s is there already, and may be needed to undo a push: accepted: a new file, a directory, or off", f.journal)
	}
	if err := makeDirectory(f.journal); err != nil {
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
	p := &push{applyFlags: f, in: in, want: plan.Layout(), profile: named, aloud: cmd.ErrOrStderr()}
	err = p.run(cmd.Context())
	var bad exit
	if errors.As(err, &bad) {
		return err
	}
	if printed := p.text(err).write(cmd.OutOrStdout(), f.format, p.document(err)); printed != nil {
		return exit{exitFailure, printed}
	}
	return p.ended(err)
}

// ended makes an error of a push the command's.
func (p *push) ended(err error) error {
	if err == nil {
		return nil
	}
	code := applyCode(p.report, err)
	if hint := p.hint(); hint != "" {
		err = fmt.Errorf("%w\n%s", err, hint)
	}
	return exit{code, err}
}

// namedProfile loads the profile of --profile; none is nil.
func namedProfile(name string) (*profile.Profile, error) {
	if name == "" {
		return nil, nil
	}
	p, err := profile.Load(name)
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return p, nil
}

// push is one plan on its way to one device.
type push struct {
	*applyFlags
	in      buffer.Intent
	want    buffer.Layout
	profile *profile.Profile // nil: not named

	met    *gnmi.ProbeResult  // nil: nobody was asked
	aloud  io.Writer          // standard error; nil: one of many
	wrote  string             // its journal; empty: there is none
	commit string             // whether the switch undoes by itself; empty: nothing was sent
	said   *qos.Compatibility // nil: to a simulated ASIC, or it did not come so far
	spoken *spoken            // in the switch's own words; nil: in OpenConfig's
	report *backend.Report    // never nil after run, unless the error is about usage
}

// run asks the device what it can hold, says what becomes of the plan, and
// sends it.
func (p *push) run(ctx context.Context) (err error) {
	defer func() { err = p.dial.advise(err) }()
	switch {
	case p.sim:
		return p.simulate(ctx)
	case p.dial.target == "" && p.native.speaks(p.profile):
		return p.sayNative(p.profile)
	case p.dial.target == "":
		p.report = &backend.Report{Device: "profile " + p.profile.Name, State: backend.Unchanged}
		return p.say(p.profile)
	}
	client, err := p.dial.open(ctx, p.in.Chip.Cell, p.profile)
	if err != nil {
		return err
	}
	defer client.Close()
	p.report = &backend.Report{Device: client.Name(), State: backend.Unchanged}
	if p.met, err = client.Probe(ctx); err != nil {
		return err
	}
	if p.native.speaks(p.met.Profile) {
		return p.speak(ctx, client)
	}
	if err := p.say(p.met.Profile); err != nil {
		return err
	}
	err = p.converge(ctx, client)
	if len(p.report.Steps) > 0 && !p.opt.DryRun {
		p.commit = client.CommitText()
	}
	return err
}

// converge sends the plan, unless a step of it reaches further into traffic
// than is allowed.
func (p *push) converge(ctx context.Context, device backend.Backend) (err error) {
	allowed := buffer.Disruption(slices.Index(reaches(), p.allowed))
	may := func(k buffer.Kind) bool { return p.said.Profile.Disruption(k) <= allowed }
	if !p.opt.DryRun && slices.ContainsFunc(p.said.Layout, func(s buffer.Setting) bool { return !may(s.Kind) }) {
		look := p.opt
		look.DryRun = true
		if p.report, err = backend.Converge(ctx, device, p.said.Layout, look); err != nil {
			return err
		}
		if err := p.stepsReach(p.report.Steps, p.said.Profile); err != nil {
			return err
		}
	}
	if noJournal[p.journal] || p.opt.DryRun {
		p.report, err = backend.Converge(ctx, device, p.said.Layout, p.opt)
		return err
	}
	return p.written(ctx, device)
}

// stepsReach refuses steps that reach further into traffic than is allowed.
func (p *push) stepsReach(steps []buffer.Step, target *profile.Profile) error {
	allowed := buffer.Disruption(slices.Index(reaches(), p.allowed))
	for _, s := range steps {
		if reach := target.Disruption(s.Kind); reach > allowed {
			return exit{exitUsage, fmt.Errorf("nothing was sent: %v may stop the traffic of: %v; allowed: %s (--allow-disruption)", s, reach, p.allowed)}
		}
	}
	return nil
}

// tell says where the journal is, before anything is sent.
func (p *push) tell(file string) {
	p.wrote = file
	if p.aloud != nil && p.format != "json" {
		fmt.Fprintln(p.aloud, "journal:", file)
	}
}

// hint says how to go on after a push that was not brought to its end.
func (p *push) hint() string {
	if code := applyCode(p.report, nil); p.wrote == "" || code != exitRolledBack && code != exitPartial {
		return ""
	}
	return fmt.Sprintf("cellwarden resume %s finds out what the switch holds and finishes; with --undo it leads back to what it held before. Give the same flags for the connection", p.wrote)
}

// reaches are the values of --allow-disruption.
func reaches() []string {
	var out []string
	for d := buffer.DisruptsNothing; d <= buffer.DisruptsReboot; d++ {
		out = append(out, d.String())
	}
	return out
}

// simulate applies to a simulated ASIC, which can hold everything.
func (p *push) simulate(ctx context.Context) error {
	asic, err := sim.New(p.in.Chip, sim.Ports(p.in)...)
	if err != nil {
		return exit{exitUsage, err}
	}
	opt := p.opt
	opt.Strict = p.strict
	p.report, err = backend.Converge(ctx, asic, p.want, opt)
	return err
}

// say finds out what becomes of every number, and whether that is enough.
func (p *push) say(target *profile.Profile) (err error) {
	if p.said, err = qos.CheckCompatibility(p.want, p.in.Chip.Cell, target); err != nil {
		return err
	}
	if p.strict && !p.said.Lossless() {
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, losslessText(p.said))
	}
	return nil
}

// applyCode returns the exit code of an apply that ended with an error.
func applyCode(r *backend.Report, err error) int {
	switch {
	case errors.Is(err, backend.ErrGaps), errors.Is(err, qos.ErrInexpressible):
		return exitGaps
	case r.State == backend.RolledBack:
		return exitRolledBack
	case r.State == backend.Partial, r.State == backend.Unknown:
		return exitPartial
	case errors.Is(err, buffer.ErrNoFit):
		return exitNoFit
	default:
		return exitFailure
	}
}
