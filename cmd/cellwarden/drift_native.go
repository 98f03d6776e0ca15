package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/dialect"
)

// errNoWatch refuses to watch a switch in its own words.
var errNoWatch = exit{exitUsage, errors.New("--watch is of OpenConfig alone, and this switch is compared in its own words: accepted: drift without --watch, from time to time")}

// findNative compares one switch with a plan in the switch's own words.
func (f *driftFlags) findNative(ctx context.Context, d *drift, what planned) error {
	if f.watch {
		return errNoWatch
	}
	d.plan = what.plan.Layout()
	language, _, err := f.native.language(d.met.Profile, dialect.Plan{Intent: what.in, Layout: d.plan})
	if err != nil {
		return err
	}
	n, err := look(ctx, d.client, language, "nothing was compared")
	if err != nil {
		var decided exit
		if errors.As(err, &decided) {
			return err
		}
		return exit{exitFailure, f.dial.advise(err)}
	}
	d.spoken = spokenTo(d.met.Profile, n.Report)
	if s, ok := language.(*native.SONiC); ok {
		d.spoken.known = s.Told
	}
	return nil
}

// differs counts what is not as planned: what apply would send, and what waits
// for a reload.
func (s *spoken) differs() int { return len(s.report.Changes) + len(s.report.Rendering.Waiting) }

// compared counts the registers of the plan that the dialect has words for, and
// those that it has none for.
func (d *drift) compared() (in, not int) {
	for _, o := range d.spoken.report.Rendering.Omitted {
		not += o.Count
	}
	return len(d.plan) - not, not
}

func (d *drift) nativeDocument() driftJSON {
	out := driftJSON{Schema: "cellwarden.drift/v1", Device: d.client.Name(), Target: d.met.String(), Differences: []differenceJSON{}}
	out.Compared, out.NotCompared = d.compared()
	for _, c := range d.spoken.report.Changes {
		out.Differences = append(out.Differences, differenceJSON{Path: c.Path, Holds: c.From, Planned: c.To})
	}
	for _, w := range d.spoken.report.Rendering.Waiting {
		out.Differences = append(out.Differences, differenceJSON{Path: w.Path, Holds: w.From, Planned: w.To, Waits: w.Why})
	}
	return out
}

func (d *drift) nativeReport() *report {
	found := plural(d.spoken.differs(), "difference", "differences")
	out := &report{head: []string{d.client.Name() + ": " + found, "  " + d.met.String()}}
	if d.spoken.known != "" {
		out.head = append(out.head, "  it is "+d.spoken.known)
	}
	s := section{title: "Not as planned, in the words of " + d.spoken.report.Rendering.Dialect, columns: []string{"path", "holds", "planned", "takes a reload"}}
	for _, x := range d.nativeDocument().Differences {
		s.row(x.Path, dash(x.Holds), dash(x.Planned), dash(x.Waits))
	}
	if len(s.rows) > 0 {
		out.sections = append(out.sections, s)
	}
	in, not := d.compared()
	out.foot = append(out.foot, fmt.Sprintf("%s compared; %d not, because the switch's own words have none for them", plural(in, "register", "registers"), not))
	return out
}
