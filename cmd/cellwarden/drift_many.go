package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
)

// driftManyJSON is what was found on many switches.
type driftManyJSON struct {
	Schema   string            `json:"schema"`
	ExitCode int               `json:"exit_code"` // the worst
	Targets  []driftTargetJSON `json:"targets"`   // in the order of the file
}

type driftTargetJSON struct {
	Target   string     `json:"target"`
	State    string     `json:"state"` // as planned, differs, not compared
	ExitCode int        `json:"exit_code"`
	Error    string     `json:"error,omitempty"`
	Report   *driftJSON `json:"report,omitempty"` // none: it could not be compared
}

// runMany compares many switches with their plans.
func (f *driftFlags) runMany(cmd *cobra.Command, file string, named *profile.Profile) error {
	all, err := f.many.read(cmd.InOrStdin())
	if err != nil {
		return exit{exitUsage, err}
	}
	plans := plans(cmd, all, file)
	found := make([]*drift, len(all))
	outcomes := f.many.each(cmd.Context(), all, cmd.ErrOrStderr(), func(ctx context.Context, i int, d destination) (o outcome) {
		own := *f
		own.dial.target = d.address
		as := named
		if d.profile != nil {
			as = d.profile
		}
		o.state = "not compared"
		if o.err = plans[d.file(file)].err; o.err == nil {
			found[i], o.err = own.find(ctx, plans[d.file(file)], as)
		}
		switch {
		case o.err != nil:
			o.code = codeOf(o.err)
		case found[i].differs():
			o.state, o.code = "differs", exitDrift
		default:
			o.state = "as planned"
		}
		return o
	})
	doc := driftManyJSON{Schema: "cellwarden.drift-many/v1", ExitCode: worst(outcomes), Targets: []driftTargetJSON{}}
	s := section{title: "Switches", columns: []string{"target", "state", "differences", "exit", "error"}}
	what := section{title: "Not as planned", columns: []string{"target", "register", "holds", "planned", "path"}}
	for i, o := range outcomes {
		t := driftTargetJSON{Target: o.address, State: o.state, ExitCode: o.code, Error: o.errorText()}
		if o.err != nil {
			s.row(o.address, o.state, number("-"), count(o.code), t.Error)
		} else {
			d := found[i].document()
			t.Report = &d
			s.row(o.address, o.state, count(len(d.Differences)), count(o.code), "")
			for _, x := range d.Differences {
				what.row(o.address, dash(x.Register), dash(x.Holds), dash(x.Planned), x.Path)
			}
		}
		doc.Targets = append(doc.Targets, t)
	}
	out := &report{head: []string{counts(outcomes)}, sections: []section{s}}
	if len(what.rows) > 0 {
		out.sections = append(out.sections, what)
	}
	if err := out.write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return exit{exitFailure, err}
	}
	if doc.ExitCode != exitFine {
		return silent(doc.ExitCode)
	}
	return nil
}
