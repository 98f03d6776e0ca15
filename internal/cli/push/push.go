package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
)

// This file pushes a plan to one device: connect, probe the switch, compare, check
// what may be disrupted, write the journal, send. push_registers.go has the part
// for OpenConfig, push_native.go the part for native configuration.

// Push is the push of one plan to one device, or the rest of a push that was
// interrupted.
type Push struct {
	*ApplyFlags
	in      buffer.Intent
	want    buffer.Layout
	profile *nos.Profile // nil: not named

	met     *gnmi.ProbeResult // nil: no switch was contacted
	unsaid  []string          // what the switch did not say of itself
	resumes bool              // the rest of a push that was interrupted
	undo    bool              // its previous values are restored
	lacking []string          // what of the switch of the plan a journal does not have
	stderr  io.Writer         // standard error; nil: one of many pushes
	wrote   string            // file of its journal; empty: there is none
	commit  string            // whether the switch undoes an unconfirmed push; empty: nothing was sent
	files   []writtenJSON     // that a push to files wrote, in the order in which they are applied
	changes changes           // nil: not compared yet, or the device is a simulated ASIC
	Report  *backend.Report   // never nil after run, unless the error is about usage
}

// changes are what a push changes: registers over OpenConfig, or native values.
type changes interface {
	// count is how many there are.
	count() int
	// Allowed refuses changes that may stop more traffic.
	Allowed(buffer.Disruption) error
	// Run sends them. A nil Writer writes nothing.
	Run(context.Context, *journal.Writer) error
	// about completes what the journal says of the push.
	about(*journal.About)
	// fill writes them into the JSON report.
	fill(*Push, *ApplyJSON)
	// text is the report for people.
	text(*Push, error) *cli.Screen
}

// run reads the device, computes the changes and sends them. A dry run ends before
// sending. The disruption is checked before anything is sent, because a refused
// plan must leave the switch untouched.
func (p *Push) run(ctx context.Context) (err error) {
	defer func() { err = p.dial.Advise(err) }()
	switch {
	case p.sim:
		return p.simulate(ctx)
	case p.file.to != "":
		return p.toFiles()
	case p.dial.Target == "":
		return p.describe()
	}
	p.dial.Waiting = p.waits
	client, err := p.dial.Open(ctx, p.in.Chip.Cell, p.profile)
	if err != nil {
		return err
	}
	defer client.Close()
	if !p.opt.DryRun {
		lock, err := p.lock()
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	if err := p.meet(ctx, client); err != nil {
		return err
	}
	if err := p.identify(ctx, client, expected(p.in)); err != nil {
		return err
	}
	if err := p.look(ctx, client); err != nil || p.opt.DryRun {
		return err
	}
	if err := p.changes.Allowed(disruptionOf(p.allowed)); err != nil {
		return err
	}
	return p.send(ctx, client)
}

// lock keeps other pushes of this machine to the same switch away. Without a place for the lock,
// the push goes on and says so.
func (p *Push) lock() (*journal.Lock, error) {
	address, err := gnmi.Address(p.dial.Target)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--target: %w", err))
	}
	if p.dial.PrefixTarget != "" { // a gateway has several switches at one address
		address += " " + p.dial.PrefixTarget
	}
	lock, err := journal.LockTarget(address, time.Now())
	var held *journal.HeldError
	if errors.As(err, &held) {
		return nil, cli.ExitWith(cli.ExitFailure, fmt.Errorf("nothing was sent: %w", err))
	}
	if err != nil {
		p.dial.Log.Warn("no lock: another push of this machine could write to the switch at the same time", "target",
			address, "error", err)
	}
	return lock, nil
}

// meet probes a switch: its kind, gNMI version and encodings.
func (p *Push) meet(ctx context.Context, client *gnmi.Client) (err error) {
	p.Report = &backend.Report{Device: client.Name(), State: backend.Unchanged, Has: backend.NotRead}
	p.met, err = client.Probe(ctx)
	return err
}

// expected is the switch that a plan is for.
func expected(in buffer.Intent) gnmi.Expected {
	out := gnmi.Expected{Chip: in.Chip.Name, Title: in.Chip.Title, Cell: in.Chip.Cell}
	for _, p := range in.Ports {
		out.Ports = append(out.Ports, p.Name)
	}
	return out
}

// identify compares what the switch says of itself with the chip and the ports of the plan, before anything is
// sent. What the switch does not say is in the report.
func (p *Push) identify(ctx context.Context, client *gnmi.Client, want gnmi.Expected) (err error) {
	p.unsaid, err = native.Identify(ctx, client, p.met).Check(want)
	if err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	return nil
}

// unsaidText names what was not compared, because the switch did not say it; empty: there is nothing.
func unsaidText(unsaid []string) string {
	if len(unsaid) == 0 {
		return ""
	}
	return "not compared, because the switch does not say it: its " + strings.Join(unsaid, ", its ")
}

// unrecordedText names what was not compared, because the journal of an earlier version does not have it; empty:
// there is nothing.
func unrecordedText(unrecorded []string) string {
	if len(unrecorded) == 0 {
		return ""
	}
	return "not compared, because the journal does not have it: the plan's " + strings.Join(unrecorded, ", the plan's ")
}

// look compares the plan with a switch, over OpenConfig or in its native
// configuration.
func (p *Push) look(ctx context.Context, client *gnmi.Client) error {
	if p.native.wanted(p.met.Profile) {
		return p.lookNative(ctx, client)
	}
	return p.lookRegisters(ctx, client)
}

// waits prints that the switch is waited for, and for how long.
func (p *Push) waits(longest time.Duration) {
	if p.stderr != nil {
		fmt.Fprintf(p.stderr, "%s: the switch did not answer as expected and may still be working on a Set: reading it until "+
			"its state is known, for at most %v\n", p.Report.Device, longest.Round(time.Second))
	}
}

// describe computes what would be sent to a kind of switch, without a connection.
func (p *Push) describe() error {
	p.Report = &backend.Report{Device: "profile " + p.profile.Name, State: backend.Unchanged,
		Has: backend.NotRead}
	if p.native.wanted(p.profile) {
		return p.describeNative(p.profile)
	}
	return p.checkCompatibility(p.profile)
}

// send sends the changes and writes the journal, unless --journal is off.
func (p *Push) send(ctx context.Context, client *gnmi.Client) error {
	var w *journal.Writer
	if !noJournal(p.journal) {
		about := journal.About{Target: p.dial.Target, PrefixTarget: p.dial.PrefixTarget, Profile: p.met.Profile.Name,
			Cell: p.in.Chip.Cell, Chip: p.in.Chip.Name, ChipTitle: p.in.Chip.Title, Ports: expected(p.in).Ports}
		p.changes.about(&about)
		w = journal.NewIn(p.journal, about)
		w.Created = p.created
	}
	err := p.changes.Run(ctx, w)
	p.sent(client)
	err = w.End(p.Report.State, err)
	if unended := w.Unended(); unended != nil && p.stderr != nil {
		fmt.Fprintf(p.stderr, "the end of the push is not in its journal, so that resume lists it: %v\n", unended)
	}
	return withJournalAdvice(err)
}

// sent records whether the switch undoes an unconfirmed push by itself.
func (p *Push) sent(client *gnmi.Client) {
	if _, registers := p.changes.(*RegisterChanges); p.changes.count() > 0 && (registers || client.Commits()) {
		p.commit = client.CommitText()
	}
}

// created prints the journal's file before anything is sent. If the process is
// killed afterwards, the user knows the file for resume.
func (p *Push) created(file string) {
	p.wrote = file
	if p.stderr != nil && p.format.Format != "json" {
		fmt.Fprintln(p.stderr, "journal:", file)
		p.nameOthers(file)
	}
}

// nameOthers prints the journals of earlier pushes to the same switch that did not end: this push
// replaces what they left.
func (p *Push) nameOthers(file string) {
	all, _ := JournalReader.List(filepath.Dir(file)) // a list for people; the push does not depend on it
	for _, u := range all {
		if u.Target == p.dial.Target && u.PrefixTarget == p.dial.PrefixTarget && u.Journal != file {
			fmt.Fprintf(p.stderr, "an earlier push to this switch did not end (%s): %s\n", u.State, u.Journal)
		}
	}
}

// withJournalAdvice adds a hint to the error of a journal that cannot be written.
func withJournalAdvice(err error) error {
	var uncreated *journal.CreateError
	if errors.As(err, &uncreated) {
		return fmt.Errorf("%w: accepted: --journal FILE for a new file in a writable directory, or --journal off", uncreated)
	}
	return err
}

// noJournal tells whether a value of --journal switches it off.
func noJournal(where string) bool { return where == "off" || where == "none" }

// ended turns the error of a push into the error of the command.
func (p *Push) ended(err error) error {
	if err == nil {
		return nil
	}
	if hint := p.hint(); hint != "" {
		return cli.PushFailed(p.Report.State, fmt.Errorf("%w\n%s", err, hint))
	}
	return cli.PushFailed(p.Report.State, err)
}

// hint names the command that finishes or undoes an unfinished push.
func (p *Push) hint() string {
	if s := p.Report.State; p.wrote == "" || s != backend.RolledBack && s != backend.Partial && s != backend.Unknown {
		return ""
	}
	return fmt.Sprintf("cellwarden resume %s reads the switch and finishes the push; with --undo it restores the "+
		"previous values. It leaves values that others changed, unless --overwrite is given. Use the same connection flags",
		p.wrote)
}

// disruptions are the values of --allow-disruption.
func disruptions() []string {
	var out []string
	for d := buffer.DisruptsNothing; d <= buffer.DisruptsReboot; d++ {
		out = append(out, d.String())
	}
	return out
}

// disruptionOf returns the disruption of a value of --allow-disruption.
func disruptionOf(name string) buffer.Disruption {
	return buffer.Disruption(slices.Index(disruptions(), name))
}

// simulate applies the plan to a simulated ASIC, which can express every register.
func (p *Push) simulate(ctx context.Context) error {
	asic, err := sim.New(p.in.Chip, sim.Ports(p.in)...)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if what, needed := p.in.NotWritten(); needed && p.strict {
		p.Report = &backend.Report{Device: asic.Name(), State: backend.Unchanged}
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, what)
	}
	opt := p.opt
	opt.Strict = p.strict
	p.Report, err = backend.Converge(ctx, asic, p.want, opt)
	return err
}
