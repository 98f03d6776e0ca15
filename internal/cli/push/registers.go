package push

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
)

// This file is the part of a push that sends registers over OpenConfig.

// RegisterChanges are changes of registers, over OpenConfig.
type RegisterChanges struct {
	Push   *Push
	Target *nos.Profile
	Compat *qos.Compatibility   // outcome of every register; nil: the push is resumed
	found  *backend.Convergence // nil: no switch was contacted
	shares []nos.Shares         // what the weights make of groups of queues; empty: there are none
}

// checkCompatibility computes which registers of the plan a target accepts. With
// --strict it refuses the plan if lossless groups need a register that is not sent.
func (p *Push) checkCompatibility(target *nos.Profile) error {
	compat, err := qos.CheckCompatibility(p.want, p.in.Chip.Cell, target)
	if err != nil {
		return err
	}
	c := &RegisterChanges{Push: p, Target: target, Compat: compat, shares: sharesOver(target, &p.in)}
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
func (p *Push) sends(compat *qos.Compatibility) bool {
	_, egress := p.in.NotWritten()
	return compat.Lossless() && !egress
}

// lookRegisters compares the plan with the registers of a switch.
func (p *Push) lookRegisters(ctx context.Context, client *gnmi.Client) error {
	if err := p.checkCompatibility(p.met.Profile); err != nil {
		return err
	}
	return p.changes.(*RegisterChanges).Look(ctx, client)
}

// Look compares the registers that can be sent with those of a device.
func (c *RegisterChanges) Look(ctx context.Context, device backend.Backend) error {
	found, err := backend.Look(ctx, device, c.Compat.Layout, c.Push.opt)
	c.Push.Report, c.found = found.Report, found
	return err
}

func (c *RegisterChanges) count() int { return len(c.Push.Report.Steps) }

func (c *RegisterChanges) Run(ctx context.Context, w *journal.Writer) error {
	c.found.Observer = w.Registers()
	return c.found.Run(ctx)
}

// about adds the plan and the way it is sent, so that resume sends in the same way.
func (c *RegisterChanges) about(a *journal.About) {
	_, apart := c.Target.Quirk(nos.PhasesApart)
	a.Want, a.Apart, a.Within = c.Compat.Layout, apart || c.Push.dial.Phased, c.Push.dial.Rollback
}

// Allowed refuses steps that may stop more traffic than --allow-disruption allows.
func (c *RegisterChanges) Allowed(most buffer.Disruption) error {
	for _, s := range c.Push.Report.Steps {
		if reach := c.Target.Disruption(s.Kind); reach > most {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("nothing was sent: %v may stop the traffic of: %v; allowed: %v "+
				"(--allow-disruption)", s, reach, most))
		}
	}
	return nil
}
