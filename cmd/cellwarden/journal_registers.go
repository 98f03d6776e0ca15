package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// startOf says what a push by OpenConfig is about.
func startOf(to dialFlags, as *profile.Profile, cell cells.Size, want buffer.Layout) record {
	_, apart := as.Quirk(profile.PhasesApart)
	r := newStart(journalSchema, to.target, as, cell)
	r.Apart, r.Within, r.Want = apart || to.phased, to.rollback.String(), settings(want)
	r.Plan = checksum(r.Want)
	return r
}

// setting is a register and its value, in cells or the register's unit.
type setting struct {
	Register string `json:"register"` // the full name of its kind
	Port     string `json:"port,omitempty"`
	Index    int    `json:"index"`
	Value    int64  `json:"value"`
}

func settings(l buffer.Layout) []setting {
	out := make([]setting, len(l))
	for i, s := range l {
		out[i] = setting{s.Kind.String(), s.Port, s.Index, s.Value}
	}
	return out
}

// layoutOf reads settings. It refuses registers that no switch has and those
// that are named twice.
//
// Earlier versions wrote "group reserved" for a port's minimum too. It stands for
// the group here: OpenConfig cannot express a port's minimum, so no journal has one.
func layoutOf(all []setting) (buffer.Layout, error) {
	seen := map[buffer.Register]bool{}
	var out []buffer.Setting
	for _, s := range all {
		k, err := buffer.ParseKind(s.Register)
		r := buffer.Register{Kind: k, Port: s.Port, Index: s.Index}
		if err != nil || seen[r] || !r.Valid() {
			return nil, fmt.Errorf("register %q of %q, %d: accepted: registers of a layout, each once", s.Register, s.Port, s.Index)
		}
		seen[r] = true
		out = append(out, buffer.Setting{Register: r, Value: s.Value})
	}
	return buffer.NewLayout(out), nil
}

// journaled is a device whose changes are written down as they are made.
type journaled struct {
	backend.Backend
	*journal
	read   bool // what it held before is known
	before buffer.Layout
	phase  int
}

// Observe notes what the device held when it was first read.
func (d *journaled) Observe(ctx context.Context) (buffer.Layout, error) {
	l, err := d.Backend.Observe(ctx)
	if err == nil && !d.read {
		d.read, d.before, d.start.Before = true, l, settings(l)
	}
	return l, err
}

// Apply writes down what is going to be sent, and what came of it. If that
// cannot be written, nothing is sent. Only what was sent before is undone then,
// and that has to be done without being written.
func (d *journaled) Apply(ctx context.Context, steps []buffer.Step) error {
	if err := d.begin(); err != nil {
		return err
	}
	if d.broken != nil {
		return d.Backend.Apply(ctx, steps)
	}
	d.phase++
	r := record{Kind: "send", Phase: d.phase, Steps: texts(steps)}
	if c, ok := d.Backend.(interface{ NextCommit() string }); ok {
		r.Commit = c.NextCommit()
	}
	undone := d.phase > 1 && d.leadBack(steps)
	unwritten := d.write(r)
	if unwritten != nil && !undone {
		return unwritten
	}
	err := d.Backend.Apply(ctx, steps)
	if unwritten == nil {
		unwritten = d.write(record{Kind: "sent", Phase: d.phase, Error: errorText(err)})
	}
	if undone {
		d.unsaid = unwritten
		return err
	}
	return errors.Join(err, unwritten)
}

// leadBack tells whether steps lead to what the device held before.
func (d *journaled) leadBack(steps []buffer.Step) bool {
	return !slices.ContainsFunc(steps, func(s buffer.Step) bool { return s.To != d.before.Value(s.Register) })
}

// Confirm writes down that it is going to be confirmed. What cannot be written
// is not confirmed, unless it is undone already.
func (d *journaled) Confirm(ctx context.Context) error {
	c, ok := d.Backend.(backend.Confirmer)
	if !ok {
		return nil
	}
	if d.broken == nil && d.to != nil {
		if err := d.write(record{Kind: "confirm"}); err != nil {
			return err
		}
	}
	return c.Confirm(ctx)
}

// Cancel writes down that it is going to be cancelled, if that can be written.
func (d *journaled) Cancel(ctx context.Context) (bool, error) {
	c, ok := d.Backend.(backend.Confirmer)
	if !ok {
		return false, nil
	}
	if d.broken == nil && d.to != nil {
		_ = d.write(record{Kind: "cancel"})
	}
	return c.Cancel(ctx)
}

// written sends the plan and writes down what is sent, as it is.
func (p *push) written(ctx context.Context, device backend.Backend) (err error) {
	j := p.newJournal(startOf(p.dial, p.said.Profile, p.in.Chip.Cell, p.said.Layout))
	if p.report, err = backend.Converge(ctx, &journaled{Backend: device, journal: j}, p.said.Layout, p.opt); j.unwritten != nil {
		return j.unwritten
	}
	return errors.Join(err, j.end(p.report.State, err))
}
