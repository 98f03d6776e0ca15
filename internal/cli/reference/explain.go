package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	sizecli "github.com/cellwarden/cellwarden/internal/cli/size"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
)

// explain says of the numbers of one port where they come from.

// ExplainCommand explains the numbers of one port. Items are checked before the topology is read, so that a wrong word
// costs no planning.
func ExplainCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("explain", cli.Args(2, cli.NoBound), func(cmd *cobra.Command, args []string) error {
		// Without items all are explained, in an order that goes from the headroom to the slice.
		for _, item := range args[2:] {
			if !slices.Contains(report.ExplainItems(), item) {
				return fmt.Errorf("%q cannot be explained (want %s)", item, strings.Join(report.ExplainItems(), ", "))
			}
		}
		file, changes, err := inputs.ReadTopology(cmd, args[0])
		if err != nil {
			return err
		}
		// An error is a port that the topology does not have, or an intent that cannot be planned. No items at all
		// are explained as all of them.
		doc, err := explainPort(file, args[1], args[2:])
		if err != nil {
			return cli.BadUsage("%s: %w", args[0], err)
		}
		// The changes of --set are in the first line, so that nobody takes the numbers for those of the file.
		doc.Set = changes
		screen := explainReport(&doc, file, format.Units()).Brief(12, "numbers")
		// The numbers of a refused port are what it asks for: they are printed, and the exit code says that it
		// does not have them. Nothing of a refused plan is applied, so an admitted port of it has none either.
		return screen.Print(cmd, format, doc, cli.CodeIf(doc.Refused != "" || doc.PlanRefused != "", cli.ExitNoFit))
	})
	c.ValidArgs = report.ExplainItems()
	cli.TopologyFlags(c, &format)
	return c
}

// explainPort finds the port and explains it. The admission of all ports is made, because what a port gets may depend
// on those before it.
func explainPort(file *topology.File, port string, items []string) (report.ExplainDocument, error) {
	i, err := file.PortNamed(port)
	if err != nil {
		return report.ExplainDocument{}, err
	}
	a, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return report.ExplainDocument{}, err
	}
	// The values of a port stand at its entry, which may be a range: the file has no line for the port alone.
	return report.Explain(&file.Intent, a, i, file.EntryOf(i).Path, file.Place, items...), nil
}

// explainReport is the explanations as tables: first all numbers, then what the topology says, then the terms of each
// headroom. The first line says at once if the port has none of these numbers, because it or the plan is refused.
func explainReport(d *report.ExplainDocument, file *topology.File, units string) *cli.Screen {
	r := &cli.Screen{Head: []string{d.Port + cli.ChangedText(d.Set)}}
	if d.Refused != "" {
		r.Head = []string{fmt.Sprintf("%s IS REFUSED%s: %s", d.Port, cli.ChangedText(d.Set), d.Refused)}
	}
	if d.PlanRefused != "" {
		r.Head[0] += ": THE PLAN IS REFUSED, and this port would have been admitted: " + d.PlanRefused
	}
	// What the chip's numbers rest on is above them, since all of them do.
	r.Head = append(r.Head, cli.Prefixed("rests on  ", d.RestsOn)...)
	numbers := cli.Table("numbers", "Numbers", "item", "group", "class", "value", "how")
	// One row for each value of the topology that an item depends on, also for defaults that it does not state.
	asked := cli.Table("asked", "What the topology says", "item", "path", "value", "where")
	var terms []cli.Section
	// Groups of one class are one row; what the topology says of them is listed once.
	for _, f := range foldItems(d.Items) {
		x := f.first
		item := x.Item
		if x.Channel != nil {
			// A channel is one of credit-based flow control (CBFC); the groups of PFC have none.
			item += fmt.Sprintf(" of channel %d", *x.Channel)
		}
		// A dash is an item that belongs to no group or class.
		numbers.Row(item, cli.Dash(cli.Joined(f.groups)), cli.Dash(x.Class), valueText(d, x, file, units), x.How)
		// An item of the port or the slice has no group.
		what := strings.TrimSpace(item + " " + cli.Joined(f.groups))
		// Two items may depend on one value of the topology; each has its own row for it.
		for _, q := range x.Asked {
			asked.Row(what, q.Path, q.Value, placeText(q))
		}
		// What was rounded and what is assumed follows the tables: these are sentences, and few.
		r.Foot = append(r.Foot, cli.Prefixed("- "+what+": rounded: ", x.Rounded)...)
		r.Foot = append(r.Foot, cli.Prefixed("- "+what+": ", x.Notes)...)
		if len(x.Terms) > 0 {
			// The terms are shown as the verb headroom shows them. Its name has the groups, so that --table can choose
			// one of several.
			s := sizecli.TermSection(thresholds.Explanation{Terms: x.Terms}, true)
			s.Name, s.Title = "terms-"+cli.Joined(f.groups), "Terms of the headroom of group "+cli.Joined(f.groups)
			terms = append(terms, s)
		}
	}
	// The first screen has the numbers alone; what they come from is behind --all.
	r.Sections = append([]cli.Section{numbers, asked}, terms...)
	if len(r.Foot) > 0 {
		r.Foot = append([]string{"Notes"}, r.Foot...)
	}
	return r.WithoutEmpty()
}

// inCells is an amount of cells in a value, with its bytes. The text is made in cells by package report, for every
// reader; a screen in other units replaces that part of it.
var inCells = once.Pattern(`[0-9]+ cells \([^)]*\)`)

// valueText is the value of an item with its cells in a unit. The shared cells of a slice belong to several ports and
// have no time.
func valueText(d *report.ExplainDocument, x *report.ExplainItem, file *topology.File, units string) string {
	if x.Cells == nil || units == cli.InCells {
		return x.Value
	}
	in := &file.Intent
	// Rate stays 0 for what several ports share, and no time is then printed.
	a := cli.Amount{Cells: *x.Cells, Bytes: in.Chip.Cell.Bytes(*x.Cells)}
	if x.Item != "shared" {
		// The port is there: explainPort has found it by this name.
		a.Rate = in.Ports[slices.IndexFunc(in.Ports, func(p buffer.Port) bool { return p.Name == d.Port })].Rate
	}
	return inCells().ReplaceAllLiteralString(x.Value, a.Text(units))
}

// foldedItem is an item of all groups of a class, which are alike.
type foldedItem struct {
	first  *report.ExplainItem
	groups []int
}

// foldItems puts the groups of a class together. A nil Group is an item of the port or the slice, and folds with none.
func foldItems(items []report.ExplainItem) (out []foldedItem) {
	for i := range items {
		x := &items[i]
		// Only neighbours fold: the items come sorted, and a table that jumps back would read as two classes.
		if n := len(out) - 1; n >= 0 && x.Group != nil && out[n].first.Item == x.Item && out[n].first.Class == x.Class &&
			out[n].first.Value == x.Value {
			out[n].groups = append(out[n].groups, *x.Group)
			continue
		}
		f := foldedItem{first: x}
		if x.Group != nil {
			f.groups = append(f.groups, *x.Group)
		}
		out = append(out, f)
	}
	return out
}

// placeText says where a value is, or that the topology does not state it.
func placeText(q report.Asked) string {
	// Line 0 is a value of --set, which has its own text in place of a file. A value that is not stated is a default.
	switch {
	case !q.Stated:
		return "not stated"
	case q.Line == 0:
		return q.File
	default:
		return fmt.Sprintf("%s:%d", q.File, q.Line)
	}
}
