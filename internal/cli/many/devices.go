package many

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/cli/watch"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// This file does to one switch what a wave does to all of its switches: package backend/gnmi/push sends, compares and
// undoes, and package diagnosis says what the counters mean.

// to returns the flags of the connection to a switch, with its target, and the options of a push. profile is that of a
// journal; empty: that of the switch, which counts more than that of the command line; where neither says one, the
// client recognises it.
func (d *devices) to(ctx context.Context, name string, cell cells.Size, profile string) (
	own dial.DialFlags, opt push.Options, err error) {
	// own is a copy: several switches are worked on at the same time, and each has another address.
	s, own := d.route.to.at[name], d.flags.Dial
	own.Address, opt.Native = s.Target, d.flags.Native
	as := d.flags.Named
	// The name is looked up here, so an unknown one is an error before this switch is contacted.
	if profile = cmp.Or(profile, s.Profile); profile != "" {
		as, err = registry.LoadProfile(profile)
	}
	if err == nil {
		opt.Connection, err = own.Options(ctx, cell, as)
	}
	return own, opt, err
}

// Differs compares a switch with a stage. The text is empty for a switch that is as the stage says. It names the
// first difference. An error means that there is no answer: the switch was not reached or not read. It does not mean
// that the switch differs.
func (d *devices) Differs(ctx context.Context, name string, stage int) (string, error) {
	// Every stage has a plan of each switch, also of those that the stage does not change.
	plan := d.route.At(name, stage).Plan
	own, opt, err := d.to(ctx, name, plan.Intent.Chip.Cell, "")
	if err != nil {
		return "", err
	}
	// nil: it is compared once, and not watched.
	c, err := push.Compare(ctx, own.Target, plan, opt, nil)
	if err != nil {
		return "", own.Advise(err)
	}
	// One difference shows what kind they are; drift lists all.
	if n := len(c.Differences); n > 0 {
		x := c.Differences[0]
		return fmt.Sprintf("%s from %s, first %s%s has %s, not %s", cli.Plural(n, "difference", "differences"),
			d.route.Stages[stage], x.Register, x.Path, x.Has, x.Planned), nil
	}
	return "", nil
}

// journals are the journals of a switch's pushes to a stage, in their order, and a name for the next one. A journal to
// which nothing was written is passed over, and its name is not used again.
func (d *devices) journals(name string, stage int) (all []*journal.Push, next string, err error) {
	// The first name that is free ends the list: journals are never removed by a run, so there are no gaps.
	for n := 1; ; n++ {
		file := d.journalOf(name, stage, n)
		p, err := push.Journals().ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return all, file, nil
		// The run was killed between the making of the file and its first Set. There is nothing to finish or to undo.
		case errors.Is(err, journal.ErrNothingSent):
			continue
		case err != nil:
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		p.File = file
		all = append(all, p)
	}
}

// resume finishes or undoes a push from its journal. The profile is that of the journal, as for the verb resume.
func (d *devices) resume(ctx context.Context, name string, p *journal.Push, undo bool) error {
	own, of, err := d.to(ctx, name, p.Start.Cell, p.Start.Profile)
	if err != nil {
		return err
	}
	// Values that others have changed since are not overwritten: the zero options leave them, and Resume returns an
	// error.
	opt := push.ResumeOptions{Undo: undo, Connection: of.Connection}
	// 0 takes the time that the push had. The flag has a default of its own, so only its presence tells that the user
	// wants another time than the push had.
	if !d.route.to.cmd.Flags().Changed("set-timeout") {
		opt.Connection.SetTimeout = 0
	}
	_, err = push.Resume(ctx, own.Target, p, opt)
	return own.Advise(err)
}

// Send brings a switch to a stage. A push that an earlier run began is finished first. The text names what could not be
// sent. The error wraps rollout.ErrAsBefore where the switch is known to have what it had.
func (d *devices) Send(ctx context.Context, name string, stage int) (string, error) {
	plan := d.route.At(name, stage).Plan
	own, opt, err := d.to(ctx, name, plan.Intent.Chip.Cell, "")
	if err != nil {
		return "", err
	}
	// Journals have the configuration of switches, so only their owner reads them. An error here is not ErrAsBefore, and
	// stops the run for a person, although nothing was sent.
	if err := os.MkdirAll(d.flags.journals(), 0o700); err != nil {
		return "", err
	}
	all, next, err := d.journals(name, stage)
	if err != nil {
		return "", err
	}
	// The journal of a run that was killed says what was sent, and the switch may still be at work on it. Only the last
	// can be open: a new journal is begun below, when the one before has been finished.
	if len(all) > 0 && all[len(all)-1].Open() {
		if err := d.resume(ctx, name, all[len(all)-1], false); err != nil {
			return "", err
		}
	}
	// Limits are those of apply, and hold for each switch by itself.
	opt.Journal, opt.Disruption, opt.Strict = next, d.flags.Disruption, d.flags.Strict
	// The result is nil if the switch was not contacted.
	result, err := push.Apply(ctx, own.Target, plan, opt)
	text := ""
	if result != nil {
		text = strings.Join(notSent(result), ", ")
	}
	if err == nil {
		return text, nil
	}
	err = own.Advise(err)
	// A switch that does not answer may have had its change: that is for a person. Without a result nothing was sent.
	// With one, the switch must have been read (Probe) and the engine must know that it has what it had: unchanged,
	// refused, or rolled back and read back.
	if result == nil || result.Probe != nil && (result.State == backend.Unchanged || result.State == backend.Refused ||
		result.State == backend.RolledBack) {
		return text, fmt.Errorf("%w: %w", err, rollout.ErrAsBefore)
	}
	return text, err
}

// notSent names what of a plan a switch could not be sent. Gaps are registers of OpenConfig, omissions those of a
// dialect.
func notSent(r *push.Result) (out []string) {
	for _, g := range r.Gaps {
		out = append(out, g.Kind.ShortName())
	}
	if r.Rendering != nil {
		for _, o := range r.Rendering.Omitted {
			out = append(out, o.ShortName())
		}
		if r.Rendering.NeedsReload() {
			out = append(out, "what needs a reload")
		}
	}
	return out
}

// Undo takes back the pushes of a switch to a stage, the last first. The pushes are undone one after the other, until
// the switch is as the stage before says. The stage before is what the wave found, because expected of package
// rollout has compared it before the first Set.
func (d *devices) Undo(ctx context.Context, name string, stage int) error {
	all, _, err := d.journals(name, stage)
	if err != nil {
		return err
	}
	for i := len(all) - 1; i >= 0; i-- {
		// The push had nothing to change: Steps are registers, Values those of native configuration.
		if len(all[i].Steps)+len(all[i].Values) == 0 {
			continue
		}
		// What an earlier run has undone is as before. An error of the comparison is passed over: the undoing reads the
		// switch by itself, and has the error that counts.
		if text, err := d.Differs(ctx, name, stage-1); err == nil && text == "" {
			return nil
		}
		if err := d.resume(ctx, name, all[i], true); err != nil {
			return err
		}
	}
	return nil
}

// grants are what the plan of a stage gives the lossless groups of a switch. A switch without lossless groups has none.
// An error is one of the intent of the stage, and has nothing to do with the switch.
func (d *devices) grants(name string, stage int) ([]diagnosis.Grant, error) {
	in := d.route.At(name, stage).Intent
	plan, err := buffer.New(in)
	if err != nil {
		return nil, err
	}
	return diagnosis.Grants(plan, in), nil
}

// Read reads what a switch has counted. A switch without lossless groups has counted nothing of interest, and is not
// asked. The result is what Judge reads.
func (d *devices) Read(ctx context.Context, name string, stage int) (out rollout.Counted, err error) {
	cell := d.route.At(name, stage).Intent.Chip.Cell
	own, opt, err := d.to(ctx, name, cell, "")
	if err != nil {
		return out, err
	}
	// The empty reading is one like any other, and Judge has no grants to compare it for.
	grants, err := d.grants(name, stage)
	if err != nil || len(grants) == 0 {
		return out, err
	}
	// Each reading has a connection of its own, since minutes pass between two.
	client, err := gnmi.Dial(own.Address, opt.Connection)
	if err != nil {
		return out, err
	}
	defer client.Close()
	met, err := client.Probe(ctx)
	if err != nil {
		return out, own.Advise(err)
	}
	// The changes of ports are taken from the answers that the counters come with. A port that no answer counts is not
	// in Flaps: its changes between up and down are unknown, and not 0.
	through := &watch.Listener{Client: client, Flaps: map[string]int64{}}
	out.Sample, _, err = gnmi.ReadCounters(ctx, through, met.Profile, grants, unit.Bytes(cell))
	if err != nil {
		return out, own.Advise(err)
	}
	// SONiC has its count in a database of its own, which its OpenConfig does not show.
	if met.Profile.Dialect == sonic.System.Name {
		through.PortTable(ctx, grants)
	}
	// Times count from the beginning of the run, also after it was killed: the state has it. Package diagnosis divides
	// by the time between two readings, so only their distance matters. began has no monotonic clock, so a clock that is
	// set between two readings falsifies it.
	out.Sample.At = unit.Given(unit.Time(time.Since(d.began).Nanoseconds()) * unit.Nanosecond)
	out.Flaps = through.Flaps
	return out, nil
}

// Judge says what is wrong by two readings. Findings begin with their code. unknown is what the readings do not say,
// and is no finding: whether a run goes on with it is for the flags.
func (d *devices) Judge(name string, stage int, was *rollout.Counted, now rollout.Counted) (
	findings, unknown, uncounted []string) {
	grants, err := d.grants(name, stage)
	if err != nil || len(grants) == 0 {
		return nil, nil, nil
	}
	return d.flags.bounds.Judge(grants, was, now)
}
