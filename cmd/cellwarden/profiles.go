package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
)

func profilesCommand() *cobra.Command {
	var format output
	c := &cobra.Command{
		Use:   "profiles [NAME]",
		Short: "What is known of gNMI targets: what each can express, how it rounds, what it stops",
		Long: "profiles lists the kinds of gNMI targets, or shows all that is known of one: for every register of a plan the path that\n" +
			"carries it, how its value is rounded, or why there is none and where it could go; what is peculiar about the target;\n" +
			"what a change may stop. Each entry has its source; what no source says is marked as inferred.",
		Example: "  cellwarden profiles\n  cellwarden profiles arista",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			if len(args) == 0 {
				all := profile.All()
				return failure(profileList(all).write(cmd.OutOrStdout(), format, all))
			}
			p, err := profile.Load(args[0])
			if err != nil {
				return exit{exitUsage, err}
			}
			return failure(profileReport(p).write(cmd.OutOrStdout(), format, p))
		},
	}
	outputFlag(c, &format)
	return c
}

// profileList is a line for each profile.
func profileList(all []*profile.Profile) *report {
	s := section{title: "Profiles", columns: []string{"name", "target", "carries", "has no words for", "rest goes by"}}
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

// profileReport is all that is known of one.
func profileReport(p *profile.Profile) *report {
	r := &report{head: []string{p.Name + ": " + p.Title}}
	if len(p.Models) > 0 {
		r.head = append(r.head, "  known by models named "+strings.Join(p.Models, "..., ")+"..., or by "+strings.Join(p.Organizations, ", "))
	}
	carried := section{title: "What it can express", columns: []string{"register", "path", "unit", "rounding", "source"}}
	not := section{title: "What it has no words for", columns: []string{"register", "why", "where it could go", "source"}}
	for i := range p.Rules {
		switch rule := &p.Rules[i]; {
		case rule.Expressible():
			carried.row(rule.Register, rule.Path, string(rule.Unit), rounding(rule), evidence(rule.Evidence))
		default:
			not.row(rule.Register, rule.Why, dash(rule.Where), evidence(rule.Evidence))
		}
	}
	quirks := section{title: "What is peculiar", columns: []string{"quirk", "what", "source"}}
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

// rounding says what a leaf holds.
func rounding(r *profile.Rule) string {
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

func evidence(e profile.Evidence) string {
	if e.Inferred {
		return "inferred; " + e.Source
	}
	return e.Source
}
