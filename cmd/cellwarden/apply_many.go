package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
)

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
	outcomes := f.many.each(cmd.Context(), all, cmd.ErrOrStderr(), func(ctx context.Context, i int, d destination) outcome {
		pushes[i] = f.to(d, named)
		return pushes[i].outcome(ctx, plans[d.file(file)])
	})
	doc := applyManyJSON{Schema: "cellwarden.apply-many/v1", ExitCode: worst(outcomes), Targets: []applyTargetJSON{}}
	s := section{title: "Switches", columns: []string{"target", "state", "changes", "differences", "lossless by this push", "exit", "error"}}
	for i, o := range outcomes {
		t := applyTargetJSON{Target: o.address, State: o.state, ExitCode: o.code, Error: o.errorText()}
		if p := pushes[i]; p.report == nil {
			s.row(o.address, o.state, number("-"), number("-"), "-", count(o.code), t.Error)
		} else {
			d := p.document(o.err)
			t.Report = &d
			s.row(o.address, o.state, count(len(d.Steps)), count(len(d.Differences)), map[bool]string{true: "yes", false: "no"}[d.Lossless], count(o.code), t.Error)
		}
		doc.Targets = append(doc.Targets, t)
	}
	out := &report{head: []string{counts(outcomes)}, sections: []section{s}, foot: journals(pushes)}
	if err := out.write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return exit{exitFailure, err}
	}
	if doc.ExitCode != exitFine {
		return silent(doc.ExitCode)
	}
	return nil
}

// journals says where it is written what was sent; nothing if nothing was.
func journals(pushes []*push) []string {
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
func (f *applyFlags) to(d destination, named *profile.Profile) *push {
	own := *f
	own.dial.target = d.address
	if d.profile != nil {
		named = d.profile
	}
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
	var decided exit
	switch {
	case errors.As(o.err, &decided):
		o.code = decided.code
	case o.err != nil:
		o.code, o.hint = applyCode(p.report, o.err), p.hint()
	}
	return o
}
