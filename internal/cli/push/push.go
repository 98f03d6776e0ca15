package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/nos"
)

// This file pushes a plan to one device, and adds the flags that can help to its errors. Package backend/gnmi/push does
// the work.

// Flags are those of apply that a change of many switches has as well. Named is the kind of the switches that no other
// file says; nil: recognised. What is known of a SONiC switch is in no option of these.
type Flags struct {
	Dial     dial.DialFlags
	Parallel int // of a change of many switches
	Named    *nos.Profile
	push.Options
}

// Register adds the flags that say what is sent to which kind of switch.
func (f *Flags) Register(c *cobra.Command) {
	dial.ProfileFlag(c, &f.Named)
	c.Flags().BoolVar(&f.Native, "native", false,
		"push the native configuration of the switch: SR Linux, EOS; SONiC always receives CONFIG_DB")
	c.Flags().BoolVar(&f.DryRun, "dry-run", false, "print what would be sent, rounded and omitted, and send nothing")
}

// applyFlags are the flags of the apply command. A resumed push fills in those that it needs. The Journal is a path,
// "off" or "none" for none, "" for the usual place. allowed is a word of disruptions.
type applyFlags struct {
	Flags
	many    dial.ManyFlags
	sim     bool
	sonic   sonicFlags
	file    fileFlags
	allowed string
	format  cli.Output
	set     []string // changes of the topology; none for a push that is resumed
}

// fileFlags are the flags of a push to files. to is the path of the first file; current is the configuration that the
// switch has, "" for not known.
type fileFlags struct{ dialect, to, current string }

// deviceRun is a push of one plan to one device, or the rest of a push that was interrupted, and its report. result
// is nil as long as no device was contacted. A push that is resumed has no plan, and flags of its own with what it
// needs of these. files stay empty where the device is reached. stderr is for what cannot wait for the report.
type deviceRun struct {
	*applyFlags
	plan    nos.Plan
	profile *nos.Profile // nil: not named
	stderr  io.Writer    // standard error; nil: one of many pushes
	files   []nos.File   // that a push to files writes, in the order in which they are applied
	result  *push.Result // nil: no device was contacted
}

// run pushes the plan to the device that the flags name. The four ways exclude each other: see check. The error has the
// flag that can help.
func (d *deviceRun) run(ctx context.Context) (err error) {
	switch {
	// The simulated ASIC has no target, and so must come before the case of a dry run without one.
	case d.sim:
		err = d.simulate(ctx)
	case d.file.to != "":
		err = d.toFiles()
	case d.Dial.Address == "":
		err = d.describe()
	default:
		err = d.apply(ctx)
	}
	return d.explained(err)
}

// apply pushes the plan to a switch. The engine writes the journal before each Set and returns what was read back,
// also with an error. An error without a result means that the switch was not contacted.
func (d *deviceRun) apply(ctx context.Context) error {
	opt := d.options()
	var err error
	if opt.Connection, err = d.Dial.Options(ctx, d.plan.Intent.Chip.Cell, d.profile); err != nil {
		return err
	}
	d.result, err = push.Apply(ctx, d.Dial.Target, d.plan, opt)
	// The push itself is done; only its last line is missing, so this is no error of it.
	if d.result != nil && d.result.Unended != nil && d.stderr != nil {
		fmt.Fprintf(d.stderr, "the end of the push is not in its journal, so that resume lists it: %v\n", d.result.Unended)
	}
	return err
}

// options are the options of the push. Strict, the tolerance and the allowed disruption are limits: a push that exceeds
// one is refused before its first Set. Without a current configuration of a SONiC switch, Apply reads it from the
// switch, and Describe takes every value for a change.
func (d *deviceRun) options() push.Options {
	opt := d.Options
	opt.Native, opt.SONiC = opt.Native || d.file.to != "", d.sonic.Options
	opt.NoJournal, opt.JournalCreated, opt.Waiting = noJournal(opt.Journal), d.created, d.waits
	return opt
}

// describe computes what would be sent to a kind of switch, without a connection. The result has no state of a device,
// and its report says that no switch was contacted.
func (d *deviceRun) describe() error {
	var err error
	d.result, err = push.Describe(d.profile, d.plan, d.options())
	// A dialect that is rendered only, such as that of Junos, has no push to describe.
	if r := d.result.Rendering; r != nil && r.NotSent != "" {
		return cli.ExitWith(cli.ExitGaps, fmt.Errorf("nothing is sent: %s", r.NotSent))
	}
	return err
}

// simulate applies the plan to a simulated ASIC, which can express every register. It lives as long as the process,
// so that this push shows what would happen and leaves nothing. Its error is one of the chip or of the pipe of a port
// in the topology, and so wrong usage.
func (d *deviceRun) simulate(ctx context.Context) error {
	// The simulated ASIC has the chip and the ports of the plan and an empty configuration.
	asic, err := sim.New(d.plan.Intent.Chip, sim.Ports(d.plan.Intent)...)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	d.result, err = push.ToDevice(ctx, asic, d.plan, push.Options{DryRun: d.DryRun, Strict: d.Strict, Prune: d.Prune})
	return err
}

// waits prints that the switch is waited for, and for how long.
func (d *deviceRun) waits(device string, longest time.Duration) {
	if d.stderr != nil {
		// Minutes can pass here: a device that lost its answer may still be working on the Set, and what it holds is
		// not known before.
		fmt.Fprintf(d.stderr, "%s: the switch did not answer as expected and may still be working on a Set: reading it "+
			"until its state is known, for at most %v, until %s\n", device, longest.Round(time.Second),
			time.Now().Add(longest).UTC().Format("15:04:05Z"))
	}
}

// created prints the journal's file before anything is sent. If the process is killed afterwards, the user knows the
// file for resume. A program that reads JSON finds the name in the document. file is the path that resume takes.
func (d *deviceRun) created(file string) {
	// Among many pushes the lines of several switches would mix: stderr is nil there, and the report names the
	// folder.
	if d.stderr != nil && d.format.Format != "json" {
		fmt.Fprintln(d.stderr, "journal:", file)
		d.nameOthers(file)
	}
}

// nameOthers prints the journals of earlier pushes to the same switch that did not end: this push
// replaces what they left. An error of the list is passed over, because the push has begun.
func (d *deviceRun) nameOthers(file string) {
	all, _ := push.Journals().List(filepath.Dir(file)) // a list for people; the push does not depend on it
	// The prefix target tells apart the switches behind one gateway.
	for _, u := range all {
		if u.Target == d.Dial.Address && u.PrefixTarget == d.Dial.PrefixTarget && u.Journal != file {
			fmt.Fprintf(d.stderr, "an earlier push to this switch did not end (%s): %s\n", u.State, u.Journal)
		}
	}
}

// noJournal tells whether a value of --journal switches it off. Both words are accepted. A push without a journal
// cannot be resumed.
func noJournal(where string) bool { return where == "off" || where == "none" }

// explained adds to the error of a push the flag that can help, and its exit code if it does not depend on the state of
// the device. The order matters: what the user can change by a flag comes before the general case that no device was
// contacted.
func (d *deviceRun) explained(err error) error {
	err = d.Dial.Advise(err)
	var uncreated *journal.CreateError
	_, decided := cli.DecidedCode(err)
	switch {
	case err == nil:
		return nil
	// Another process pushes to the same switch. The usage is right, so the code is that of a failure.
	case errors.As(err, new(*journal.HeldError)):
		return cli.ExitWith(cli.ExitFailure, err)
	// By default a push may disrupt nothing. The user must allow a change that stops traffic.
	case errors.As(err, new(*push.DisruptionError)):
		return cli.BadUsage("%w (--allow-disruption)", err)
	// The kind of the error stays: its exit code comes from journal.CreateError.
	case errors.As(err, &uncreated):
		return fmt.Errorf("%w (want --journal with a new file in a writable directory, or --journal off)", uncreated)
	case errors.Is(err, native.ErrNoLanguage):
		return cli.BadUsage("--native: %w", err)
	// reworded keeps backend.ErrGaps within, from which exit code 8 follows.
	case errors.Is(err, backend.ErrGaps):
		return reworded{withTolerance(err.Error(), d.ShareTolerance) + reloadAdvice(d.result), err}
	// No device was contacted, so the address or the connection flags are wrong.
	case d.result == nil && !decided:
		return cli.BadUsage("--target: %w", err)
	}
	return err
}

// ended turns the error of a push into the error of the command. The error gets the state of the device, from which
// the exit code follows, and the command that goes on from there. A hint is there only for a push that left something
// to be done.
func (d *deviceRun) ended(err error) error {
	if err == nil {
		return nil
	}
	if hint := d.hint(err); hint != "" {
		if timedOut(err) {
			hint += ". A switch that takes longer for a Set needs a longer --set-timeout"
		}
		return cli.PushFailed(d.result.State, fmt.Errorf("%w\n%s", err, hint))
	}
	return cli.PushFailed(d.result.State, err)
}

// timedOut tells whether a Set ran out of the time that --set-timeout gives it. Only then a longer time can help. Set
// is the name of the RPC in gNMI, and DeadlineExceeded the code of gRPC for a deadline that has passed.
func timedOut(err error) bool {
	e, ok := errors.AsType[*gnmi.RPCError](err)
	return ok && e.RPC == "Set" && e.Code == codes.DeadlineExceeded
}

// hint names the command that finishes or undoes an unfinished push. It is empty where nothing is left to be done,
// and also where nothing is known of a journal. err tells whether a commit waits: the journal of the result is then
// that of the push which began it.
func (d *deviceRun) hint(err error) string {
	// Applied, unchanged and refused pushes have left nothing to finish.
	if s := d.result.State; d.result.Journal == "" && d.result.Earlier == "" ||
		s != backend.RolledBack && s != backend.Partial && s != backend.Unknown {
		return ""
	}
	if d.result.Earlier != "" { // there is nothing to finish, but what may come
		return "Run the same command again after that time: it compares, and ends with 0 if the switch has kept it"
	}
	if len(d.result.Changes) == 0 || errors.Is(err, backend.ErrCommitWaits) { // it is the journal of an earlier push
		return fmt.Sprintf("cellwarden resume %s finishes that push, and with --undo restores the values from before it. "+
			"Use the same connection flags", d.result.Journal)
	}
	return fmt.Sprintf("cellwarden resume %s reads the switch and finishes the push; with --undo it restores the "+
		"previous values. It leaves values that others changed, unless --overwrite is given. Use the same connection flags",
		d.result.Journal)
}

// disruptions are the values of --allow-disruption. The words are those of buffer.Disruption, and a word's place in
// the list is its number.
func disruptions() []string {
	var out []string
	// In the order of severity: the flag allows its value and all before it.
	for d := buffer.DisruptsNothing; d <= buffer.DisruptsReboot; d++ {
		out = append(out, d.String())
	}
	return out
}

// disruptionOf returns the disruption of a value of --allow-disruption, which is one of disruptions.
func disruptionOf(name string) buffer.Disruption {
	return buffer.Disruption(slices.Index(disruptions(), name))
}

// reloadAdvice says how the values that need a reload come to a SONiC switch; empty: lossless groups need none.
func reloadAdvice(r *push.Result) string {
	if r == nil || r.Rendering == nil || !r.Rendering.NeedsReload() {
		return ""
	}
	return ": write reload.json with cellwarden render --dialect sonic --current FILE, merge it into " +
		"/etc/sonic/config_db.json, run config reload"
}
