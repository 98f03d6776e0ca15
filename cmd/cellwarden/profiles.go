package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// profiles prints what each kind of gNMI switch can express. The data are in package
// nos; docs/gnmi.md has the same tables.

const profilesLong = `profiles lists the kinds of gNMI switches, or prints the profile of one kind. A profile states for every register of a
plan: the path that carries it and how its value is rounded, or why the switch cannot express it and the alternative. It
also lists the peculiarities of the switch and the traffic that a change may stop. Each entry has its source; entries
without a source are marked as inferred.

`

func profilesCommand() *cobra.Command {
	var format output
	c := &cobra.Command{
		Use:     "profiles [NAME]",
		Short:   "Show which values each vendor's gNMI accepts, how it rounds them and what a change stops",
		Long:    profilesLong + exitCodes,
		Example: "  cellwarden profiles\n  cellwarden profiles arista",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			if len(args) == 0 {
				all := registry.Profiles()
				return failure(profileList(all).write(cmd.OutOrStdout(), format, all))
			}
			p, err := registry.LoadProfile(args[0])
			if err != nil {
				return exit{exitUsage, err}
			}
			return failure(profileReport(p).write(cmd.OutOrStdout(), format, p))
		},
	}
	outputFlag(c, &format)
	return c
}

// profileList has a line for each profile.
func profileList(all []*nos.Profile) *report {
	s := section{title: "Profiles", columns: []string{"name", "target", "can express", "cannot express", "native dialect"}}
	for _, p := range all {
		var carried, not []string
		for _, r := range p.Rules {
			if r.Expressible() {
				carried = append(carried, r.Register)
			} else {
				not = append(not, r.Register)
			}
		}
		s.row(p.Name, p.Title, dash(strings.Join(carried, ", ")), strings.Join(not, ", "), dash(p.Dialect))
	}
	return &report{sections: []section{s}}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// profileReport is one profile with the source of each entry.
func profileReport(p *nos.Profile) *report {
	r := &report{head: []string{p.Name + ": " + p.Title}}
	if len(p.Models) > 0 {
		r.head = append(r.head, "  recognised by models whose names begin with "+strings.Join(p.Models, ", ")+
			"; or whose organization contains "+strings.Join(p.Organizations, ", "))
	}
	carried := section{title: "What it can express", columns: []string{"register", "path", "unit", "rounding", "source"}}
	not := section{title: "What it cannot express", columns: []string{"register", "why", "alternative", "source"}}
	for i := range p.Rules {
		switch rule := &p.Rules[i]; {
		case rule.Expressible():
			carried.row(rule.Register, rule.Path, string(rule.Unit), rounding(rule), evidence(rule.Evidence))
		default:
			not.row(rule.Register, rule.Why, dash(rule.Where), evidence(rule.Evidence))
		}
	}
	quirks := section{title: "Peculiarities", columns: []string{"quirk", "what", "source"}}
	for _, q := range p.Quirks {
		quirks.row(string(q.ID), q.Text, evidence(q.Evidence))
	}
	changes := section{title: "What a change may stop", columns: []string{"registers", "may stop", "what", "source"}}
	for _, c := range p.Changes {
		changes.row(strings.Join(c.Registers, ", "), c.MayStop, c.Text, evidence(c.Evidence))
	}
	for _, s := range []section{carried, not, quirks, changes} {
		if len(s.rows) > 0 {
			r.sections = append(r.sections, s)
		}
	}
	return r
}

// rounding describes the values that a leaf can hold.
func rounding(r *nos.Rule) string {
	out := string(r.Round)
	if r.Kind == buffer.QueueECNPMax {
		return out + ", whole percents"
	}
	if r.Quantum > 1 {
		out += " to multiples of " + string(count(r.Quantum))
	}
	if r.Most > 0 {
		out += ", at most " + string(count(r.Most))
	}
	return out
}

func evidence(e nos.Evidence) string {
	if e.Inferred {
		return "inferred; " + e.Source
	}
	return e.Source
}
