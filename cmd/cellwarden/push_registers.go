package main

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// This file is the part of a push that sends registers over OpenConfig.

// registerChanges are changes of registers, over OpenConfig.
type registerChanges struct {
	push   *push
	target *nos.Profile
	compat *qos.Compatibility   // outcome of every register; nil: the push is resumed
	found  *backend.Convergence // nil: no switch was contacted
	shares []nos.Shares         // what the weights make of groups of queues; empty: there are none
}

// checkCompatibility computes which registers of the plan a target accepts. With
// --strict it refuses the plan if lossless groups need a register that is not sent.
func (p *push) checkCompatibility(target *nos.Profile) error {
	compat, err := qos.CheckCompatibility(p.want, p.in.Chip.Cell, target)
	if err != nil {
		return err
	}
	c := &registerChanges{push: p, target: target, compat: compat, shares: sharesOver(target, &p.in)}
	p.changes = c
	if err := p.shares.refuse(c.shares, p.strict); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	if p.strict && !p.sends(compat) {
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, losslessText(compat, &p.in))
	}
	return nil
}

// sends tells whether everything that the lossless groups need is sent.
func (p *push) sends(compat *qos.Compatibility) bool {
	_, egress := p.in.NotWritten()
	return compat.Lossless() && !egress
}

// lookRegisters compares the plan with the registers of a switch.
func (p *push) lookRegisters(ctx context.Context, client *gnmi.Client) error {
	if err := p.checkCompatibility(p.met.Profile); err != nil {
		return err
	}
	return p.changes.(*registerChanges).look(ctx, client)
}

// look compares the registers that can be sent with those of a device.
func (c *registerChanges) look(ctx context.Context, device backend.Backend) error {
	found, err := backend.Look(ctx, device, c.compat.Layout, c.push.opt)
	c.push.report, c.found = found.Report, found
	return err
}

func (c *registerChanges) count() int { return len(c.push.report.Steps) }

func (c *registerChanges) run(ctx context.Context, w *journal.Writer) error {
	c.found.Observer = w.Registers()
	return c.found.Run(ctx)
}

// about adds the plan and the way it is sent, so that resume sends in the same way.
func (c *registerChanges) about(a *journal.About) {
	_, apart := c.target.Quirk(nos.PhasesApart)
	a.Want, a.Apart, a.Within = c.compat.Layout, apart || c.push.dial.phased, c.push.dial.rollback
}

// allowed refuses steps that may stop more traffic than --allow-disruption allows.
func (c *registerChanges) allowed(most buffer.Disruption) error {
	for _, s := range c.push.report.Steps {
		if reach := c.target.Disruption(s.Kind); reach > most {
			return exitWith(exitUsage, fmt.Errorf("nothing was sent: %v may stop the traffic of: %v; allowed: %v "+
				"(--allow-disruption)", s, reach, most))
		}
	}
	return nil
}
