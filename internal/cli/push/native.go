package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// This file is the part of a push that sends native configuration. Package
// backend/gnmi/native compares and sends; this file adds the flags and the errors.

// nativeFlags are the flags of a verb that works on native configuration.
type nativeFlags struct {
	on      bool
	sonic   sonicFlags
	current sonic.Database // of a SONiC switch that is not asked; nil: not known
}

func (f *nativeFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "native", false,
		"push the native configuration of the switch: SR Linux, EOS; SONiC always receives CONFIG_DB")
	f.sonic.register(c, "as reported by the switch")
	c.MarkFlagsMutuallyExclusive("sim", "native")
}

// wanted tells whether a target receives native configuration: with --native, and
// for a target that accepts nothing else.
func (f *nativeFlags) wanted(target *nos.Profile) bool { return f.on || target.NativeOnly() }

// language returns the native configuration of a target for a plan.
func (f *nativeFlags) language(target *nos.Profile, plan nos.Plan) (native.Language, error) {
	known, err := f.sonic.options()
	if err != nil {
		return nil, err
	}
	known.Current = f.current
	language, err := native.New(target.Dialect, plan, known)
	if errors.Is(err, native.ErrNoLanguage) {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--native: profile %s has no native configuration: accepted: %s", target.Name,
			strings.Join(nativeProfiles(), ", ")))
	}
	return language, err
}

// nativeProfiles are the profiles whose native configuration is sent: not Junos', which is rendered only.
func nativeProfiles() []string {
	var out []string
	for _, p := range registry.Profiles() {
		if p.Dialect != "" && p.Dialect != "junos" {
			out = append(out, p.Name)
		}
	}
	return out
}

// nativeChanges are changes of native values.
type nativeChanges struct {
	push    *Push
	report  *native.Report
	profile *nos.Profile
	resumed bool         // resumed from a journal, which does not contain the plan
	version string       // that the switch reported; empty: none
	found   *native.Push // nil: no switch was asked
}

// describeNative computes what would be sent to a kind of switch, without a
// connection. Without the switch's configuration every value counts as a change.
func (p *Push) describeNative(target *nos.Profile) error {
	language, err := p.native.language(target, nos.Plan{Intent: p.in, Layout: p.want})
	if err != nil {
		return err
	}
	if err := portsOf(language, p.native.current); err != nil {
		return err
	}
	r := language.Unread()
	c := &nativeChanges{push: p, profile: target, report: &native.Report{State: backend.Unchanged,
		Has: backend.NotRead, Rendering: r, Changes: native.Changes(r.Updates, valueAt(p.native.current))}}
	native.Judge(c.report.Changes, target.Disruption)
	p.changes = c
	if r.NotSent != "" && p.file.to == "" {
		return cli.ExitWith(cli.ExitGaps, fmt.Errorf("nothing is sent: %s", r.NotSent))
	}
	return c.enough()
}

// lookNative compares the plan with the native configuration of a switch.
func (p *Push) lookNative(ctx context.Context, client *gnmi.Client) error {
	language, err := p.native.language(p.met.Profile, nos.Plan{Intent: p.in, Layout: p.want})
	if err != nil {
		return err
	}
	n, err := native.Look(ctx, client, language)
	if err != nil {
		return cli.NotDone("nothing was sent", err)
	}
	c := &nativeChanges{push: p, report: n.Report, profile: p.met.Profile, version: language.Version(), found: n}
	p.changes = c
	return c.enough()
}

// enough refuses, with --strict, a push after which the switch is not lossless, and one whose shares of the bandwidth
// are not those of the plan: see [sharesFlags.refuse].
func (c *nativeChanges) enough() error {
	if err := c.push.shares.refuse(c.report.Rendering.Shares, c.push.strict); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	if r := c.report.Rendering; c.push.strict && (!r.Lossless() || r.NeedsReload()) {
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, losslessVerdict(r))
	}
	return nil
}

func (c *nativeChanges) count() int { return len(c.report.Changes) }

func (c *nativeChanges) Run(ctx context.Context, w *journal.Writer) error {
	c.found.Observer = native.Observer(w)
	err := c.found.Run(ctx)
	c.push.Report.State = c.report.State
	return err
}

// about adds nothing: the journal contains the changes themselves.
func (c *nativeChanges) about(*journal.About) {}

// allowed refuses changes that may stop more traffic than --allow-disruption allows.
func (c *nativeChanges) Allowed(most buffer.Disruption) error {
	for _, x := range c.report.Changes {
		if x.Reach > most {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("nothing was sent: %s from %s to %s may stop the traffic of: %v; allowed: %v "+
				"(--allow-disruption)", x.Path, cli.Dash(x.From), cli.Dash(x.To), x.Reach, most))
		}
	}
	return nil
}
