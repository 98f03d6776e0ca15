package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
)

// explain says of the numbers of one port where they come from.

const explainLong = `explain prints numbers of one port with what they come from: their terms and sources, the values of the topology that
they depend on with file and line, and what was rounded.

ITEM is headroom, xon, alpha, reserved, shared or slice; by default all are explained.

`

func explainCommand() *cobra.Command {
	var format output
	c := &cobra.Command{
		Use:       "explain FILE PORT [ITEM...]",
		Short:     "Where the numbers of a port come from: terms, sources, lines of the topology, rounding",
		Long:      explainLong + exitCodes,
		Example:   "  cellwarden explain leaf.yaml Ethernet52 headroom\n  cellwarden explain leaf.yaml Ethernet52 -o json",
		Args:      cobra.MinimumNArgs(2),
		ValidArgs: publish.ExplainItems(),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, item := range args[2:] {
				if !slices.Contains(publish.ExplainItems(), item) {
					return fmt.Errorf(
						"%q cannot be explained (accepted: %s)",
						item,
						strings.Join(publish.ExplainItems(), ", "),
					)
				}
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			file, changes, err := readTopology(cmd, args[0])
			if err != nil {
				return err
			}
			doc, err := explainPort(file, args[1], args[2:])
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("%s: %w", args[0], err))
			}
			doc.Set = changes
			if err := explainReport(&doc).write(cmd.OutOrStdout(), format, doc); err != nil {
				return failure(err)
			}
			if doc.Refused != "" {
				return silent(exitNoFit)
			}
			return nil
		},
	}
	setFlag(c)
	confineFlag(c)
	outputFlag(c, &format)
	return c
}

// explainPort finds the port and explains it.
func explainPort(file *topology.File, port string, items []string) (publish.ExplainDocument, error) {
	in := &file.Intent
	i := slices.IndexFunc(in.Ports, func(p buffer.Port) bool { return p.Name == port })
	if i < 0 {
		var names []string
		for _, p := range in.Ports {
			names = append(names, p.Name)
		}
		return publish.ExplainDocument{}, fmt.Errorf("%w: no port %q (accepted: %s)", buffer.ErrInvalid, port,
			buffer.FoldPorts(names))
	}
	a, err := buffer.NewAdmission(*in)
	if err != nil {
		return publish.ExplainDocument{}, err
	}
	entry := file.EntryOf(i)
	if entry == nil {
		return publish.ExplainDocument{}, errors.New("a port without an entry")
	}
	places := func(path string) (string, int, bool) {
		name, line := file.Where(path)
		return name, line, file.States(path)
	}
	return publish.Explain(in, a, i, entry.Path, places, items...), nil
}

// explainReport is the explanations as tables: first all numbers, then what the topology says, then the terms of each
// headroom.
func explainReport(d *publish.ExplainDocument) *report {
	r := &report{head: []string{d.Port + changedText(d.Set)}}
	if d.Refused != "" {
		r.head = []string{fmt.Sprintf("%s IS REFUSED%s: %s", d.Port, changedText(d.Set), d.Refused)}
	}
	numbers := section{name: "numbers", title: "Numbers", columns: []string{"item", "group", "class", "value", "how"}}
	asked := section{
		name:    "asked",
		title:   "What the topology says",
		columns: []string{"item", "path", "value", "where"},
	}
	var terms []section
	for _, f := range foldItems(d.Items) {
		x := f.first
		item := x.Item
		if x.Channel != nil {
			item += fmt.Sprintf(" of channel %d", *x.Channel)
		}
		numbers.row(item, dash(joined(f.groups)), dash(x.Class), x.Value, x.How)
		what := strings.TrimSpace(item + " " + joined(f.groups))
		for _, q := range x.Asked {
			asked.row(what, q.Path, q.Value, placeText(q))
		}
		for _, text := range x.Rounded {
			r.foot = append(r.foot, "- "+what+": rounded: "+text)
		}
		for _, text := range x.Notes {
			r.foot = append(r.foot, "- "+what+": "+text)
		}
		if len(x.Terms) > 0 {
			s := termSection(thresholds.Explanation{Terms: x.Terms}, true)
			s.name, s.title = "terms-"+joined(f.groups), "Terms of the headroom of group "+joined(f.groups)
			terms = append(terms, s)
		}
	}
	r.sections = append([]section{numbers, asked}, terms...)
	if len(r.foot) > 0 {
		r.foot = append([]string{"Notes"}, r.foot...)
	}
	return r.withoutEmpty()
}

// foldedItem is an item of all groups of a class, which are alike.
type foldedItem struct {
	first  *publish.ExplainItem
	groups []int
}

// foldItems puts the groups of a class together.
func foldItems(items []publish.ExplainItem) (out []foldedItem) {
	for i := range items {
		x := &items[i]
		if n := len(out) - 1; n >= 0 && x.Group != nil && out[n].first.Item == x.Item &&
			out[n].first.Class == x.Class &&
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

// placeText says where a value stands, or that the topology does not state it.
func placeText(q publish.Asked) string {
	switch {
	case !q.Stated:
		return "not stated"
	case q.Line == 0:
		return q.File
	default:
		return fmt.Sprintf("%s:%d", q.File, q.Line)
	}
}
