package reference

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// This file prints what each kind of gNMI switch can express: asic profiles. The data are in package nos; docs/gnmi.md
// has the same tables.

// profilesCommand lists the profiles, or prints one. Its JSON is the data themselves.
func profilesCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("asic profiles", cli.Args(0, 1), func(cmd *cobra.Command, args []string) error {
		// The JSON of the list is all profiles in full, and so the data that docs/gnmi.md is made of.
		if len(args) == 0 {
			all := registry.Profiles()
			return profileList(all).Print(cmd, format, all, cli.ExitFine)
		}
		// The error of a name that is not there lists those that are.
		p, err := registry.LoadProfile(args[0])
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		return profileReport(p).Print(cmd, format, p, cli.ExitFine)
	})
	cli.OutputFlag(c, &format)
	return c
}

// profileList has a line for each profile. The columns have names of registers, so that a reader sees at a glance what
// is lost on which switch.
func profileList(all []*nos.Profile) *cli.Screen {
	s := cli.Table("", "Profiles", "name", "target", "can express", "cannot express", "native dialect")
	for _, p := range all {
		var carried, not []string
		for _, r := range p.Rules {
			if r.Expressible() {
				carried = append(carried, r.Register)
			} else {
				not = append(not, r.Register)
			}
		}
		s.Row(p.Name, p.Title, cli.Dash(strings.Join(carried, ", ")), strings.Join(not, ", "), cli.Dash(p.Dialect))
	}
	return &cli.Screen{Sections: []cli.Section{s}}
}

// profileReport is one profile with the source of each entry. Tables without rows are left out. The title of each is a
// claim about the switch, and each row has its source.
func profileReport(p *nos.Profile) *cli.Screen {
	r := &cli.Screen{Head: []string{p.Name + ": " + p.Title}}
	// A profile without models is never recognised and has to be named.
	if len(p.Models) > 0 {
		r.Head = append(r.Head, "  recognised by models whose names begin with "+strings.Join(p.Models, ", ")+
			"; or whose organization contains "+strings.Join(p.Organizations, ", "))
	}
	carried := cli.Table("", "Can express", "register", "path", "unit", "rounding", "source")
	// why is the reason of the model or of the switch, and alternative another way to the same end, if there is one.
	not := cli.Table("", "Cannot express", "register", "why", "alternative", "source")
	for i := range p.Rules {
		switch rule := &p.Rules[i]; {
		case rule.Expressible():
			carried.Row(rule.Register, rule.Path, string(rule.Unit), rounding(rule), cli.Evidence(rule.Evidence))
		default:
			not.Row(rule.Register, rule.Why, cli.Dash(rule.Where), cli.Evidence(rule.Evidence))
		}
	}
	// The first column is the name by which the client acts on a quirk or reports it.
	quirks := cli.Table("", "Peculiarities", "quirk", "what", "source")
	for _, q := range p.Quirks {
		quirks.Row(string(q.ID), q.Text, cli.Evidence(q.Evidence))
	}
	changes := cli.Table("", "What a change may stop", "registers", "may stop", "what", "source")
	for _, c := range p.Changes {
		changes.Row(strings.Join(c.Registers, ", "), c.MayStop, c.Text, cli.Evidence(c.Evidence))
	}
	r.Sections = []cli.Section{carried, not, quirks, changes}
	return r.WithoutEmpty()
}

// rounding describes the values that a leaf can hold. The quantum and the largest value are in the unit of the leaf,
// which its own column has.
func rounding(r *nos.Rule) string {
	out := string(r.Round)
	// OpenConfig's max-drop-probability-percent is a percentage of whole numbers.
	if r.Kind == buffer.QueueECNPMax {
		return out + ", whole percents"
	}
	// A quantum of 0 or 1 is every whole number, and a Most of 0 is no bound.
	if r.Quantum > 1 {
		out += " to multiples of " + string(cli.Count(r.Quantum))
	}
	if r.Most > 0 {
		out += ", at most " + string(cli.Count(r.Most))
	}
	return out
}
