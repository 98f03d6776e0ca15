package main

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
)

// registerChanges are changes of registers, over OpenConfig.
type registerChanges struct {
	push   *push
	target *profile.Profile
	said   *qos.Compatibility // what becomes of the plan; nil: the push is resumed
	found  interface {        // nil: no switch was asked
		Run(context.Context, *journal.Writer) error
	}
}

// say finds out what becomes of every number, and refuses it with --strict if that
// is not enough.
func (p *push) say(target *profile.Profile) error {
	said, err := qos.CheckCompatibility(p.want, p.in.Chip.Cell, target)
	if err != nil {
		return err
	}
	p.changes = &registerChanges{push: p, target: target, said: said}
	if p.strict && !said.Lossless() {
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, losslessText(said))
	}
	return nil
}

// lookRegisters compares the plan with the registers of a switch.
func (p *push) lookRegisters(ctx context.Context, client *gnmi.Client) error {
	if err := p.say(p.met.Profile); err != nil {
		return err
	}
	return p.changes.(*registerChanges).look(ctx, client)
}

// look compares what can be sent of the plan with a device.
func (c *registerChanges) look(ctx context.Context, device backend.Backend) error {
	found, err := backend.Look(ctx, device, c.said.Layout, c.push.opt)
	c.push.report, c.found = found.Report, &convergence{found}
	return err
}

// convergence is a Convergence that writes a journal.
type convergence struct{ *backend.Convergence }

// Run sends what is to be changed.
func (c *convergence) Run(ctx context.Context, w *journal.Writer) error {
	c.Observer = w.Registers()
	return c.Convergence.Run(ctx)
}

func (c *registerChanges) count() int { return len(c.push.report.Steps) }

func (c *registerChanges) run(ctx context.Context, w *journal.Writer) error {
	return c.found.Run(ctx, w)
}

// about is the plan, and how it is sent.
func (c *registerChanges) about(a *journal.About) {
	_, apart := c.target.Quirk(profile.PhasesApart)
	a.Want, a.Apart, a.Within = c.said.Layout, apart || c.push.dial.phased, c.push.dial.rollback
}

// allowed refuses steps that reach further into traffic.
func (c *registerChanges) allowed(most buffer.Disruption) error {
	for _, s := range c.push.report.Steps {
		if reach := c.target.Disruption(s.Kind); reach > most {
			return exit{exitUsage, fmt.Errorf("nothing was sent: %v may stop the traffic of: %v; allowed: %v (--allow-disruption)", s, reach, most)}
		}
	}
	return nil
}
