package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads the routes of a fabric: which ways its frames take, and what else may be down.

// routesOf reads the routes: one mapping, or a list of them.
func (r *reader) routesOf(v *document.Value) {
	if v == nil {
		return
	}
	items := []*document.Value{v}
	if !v.IsMapping() {
		items = v.Items()
		if len(items) == 0 {
			v.Refuse("a mapping with paths or a rule, or a list of them")
		}
	}
	for _, item := range items {
		f := item.Fields("paths", "rule", "between", "from", "to", "priority", "tables", "before", "at", "outside",
			"prefixes", "flood")
		item.Need(f, "priority")
		routes := routes{priority: int(f["priority"].Integer(0, 7))}
		r.kindOf(item, f, &routes)
		r.routes = append(r.routes, routes)
	}
}

// kindOf reads the one of paths, rule, tables and flood that routes have.
func (r *reader) kindOf(item *document.Value, f map[string]*document.Value, to *routes) {
	kinds := slices.DeleteFunc([]string{rulePaths, "rule", ruleTables, ruleFlood},
		func(key string) bool { return f[key] == nil })
	if len(kinds) != 1 {
		item.Fail("want paths, a rule, tables or flood, and one of them: there is no usual way of routing")
		return
	}
	switch to.rule = kinds[0]; to.rule {
	case rulePaths:
		without(f, "paths", "before", "between", "from", "to", "at", "outside", "prefixes")
		for _, p := range f["paths"].Items() {
			if len(to.paths) == maxPaths {
				p.Fail(fmt.Sprintf("too many paths: want at most %d", maxPaths))
				break
			}
			r.onePath(p, to)
		}
		if len(f["paths"].Items()) == 0 {
			f["paths"].Refuse("a list of paths, such as [h1 leaf1 spine1 leaf2 h2]")
		}
	case "rule":
		without(f, "a rule", "before", "at", "outside", "prefixes")
		r.rule(item, f, to)
	case ruleTables:
		without(f, "tables", "between", "to")
		r.tablesOf(item, f, to)
	default:
		without(f, "flood", "before", "between", "from", "to", "at", "outside", "prefixes")
		to.from = r.named(f["flood"])
	}
}

// without refuses keys that go with others.
func without(f map[string]*document.Value, key string, keys ...string) {
	for _, k := range keys {
		if f[k] != nil {
			f[k].Fail(k + " does not go with " + key)
		}
	}
}

// onePath reads a path: a text, or a mapping with the priority on each cable.
func (r *reader) onePath(v *document.Value, to *routes) {
	p := route{line: v.Line}
	before, f := v.Complaints(), map[string]*document.Value{"nodes": v}
	if v.IsMapping() {
		f = v.Fields("nodes", "priorities")
		v.Need(f, "nodes", "priorities")
	}
	text, each := f["nodes"], f["priorities"]
	p.text = text.Text()
	for name := range strings.FieldsSeq(p.text) {
		n, known := r.number[name]
		if !known {
			text.Fail(fmt.Sprintf("%q is no host or switch of this file: want names with spaces between them", name))
			return
		}
		p.nodes = append(p.nodes, n)
	}
	switch {
	case v.Complaints() > before:
		return
	case len(p.nodes) < 2 || len(p.nodes) > maxPath:
		text.Refuse(fmt.Sprintf("2 to %d names with spaces between them", maxPath))
		return
	}
	for range p.nodes[1:] {
		p.priorities = append(p.priorities, to.priority)
	}
	if p.fixed = each != nil; p.fixed {
		items := each.Items()
		if len(items) != len(p.nodes)-1 {
			each.Fail(fmt.Sprintf("%d priorities of %d cables: want one for each", len(items), len(p.nodes)-1))
			return
		}
		for i, x := range items {
			p.priorities[i] = int(x.Integer(0, 7))
		}
	}
	for i, n := range p.nodes[1:] {
		if i > 0 && r.nodes[p.nodes[i]].host {
			text.Fail(fmt.Sprintf("the path goes through %s: a host passes nothing on", r.nodes[p.nodes[i]].name))
			return
		}
		if len(r.between(p.nodes[i], n)) == 0 {
			text.Fail(fmt.Sprintf("no cable from %s to %s: want a path over cables", r.nodes[p.nodes[i]].name,
				r.nodes[n].name))
			return
		}
	}
	to.paths = append(to.paths, p)
}

// rule reads routes by a rule.
func (r *reader) rule(item *document.Value, f map[string]*document.Value, to *routes) {
	to.rule = f["rule"].Text()
	if !slices.Contains(ruleNames, to.rule) {
		f["rule"].Refuse(strings.Join(ruleNames, ", "))
		to.rule = ruleShortest
		return
	}
	switch {
	case f["between"] != nil && f["from"] == nil && f["to"] == nil:
		to.from = r.named(f["between"])
		to.to = to.from
	case f["between"] == nil && f["from"] != nil && f["to"] != nil:
		to.from, to.to = r.named(f["from"]), r.named(f["to"])
	default:
		item.Fail("want between, the nodes that send to each other, or from and to")
		return
	}
	if to.rule == ruleUpDown || to.rule == ruleValleyFree {
		for i := range r.nodes {
			if n := &r.nodes[i]; !n.host && n.rank == unranked {
				f["rule"].Fail(fmt.Sprintf("%s needs the ranks of all switches, and %s has none: want rank, or a role "+
					"with one", to.rule, n.name))
				return
			}
		}
	}
	if to.rule == ruleDimensions {
		r.placed(f["rule"])
	}
}

// placed refuses dimension-order where a switch has no place, or a host more than one switch.
func (r *reader) placed(v *document.Value) {
	dimensions, cables := 0, make([]int, len(r.nodes))
	for i := range r.cables {
		for k, e := range r.cables[i].ends {
			if cables[e.node] += r.cables[i].count; r.nodes[e.node].host {
				r.nodes[e.node].at = r.nodes[r.cables[i].ends[1-k].node].at
			}
		}
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.host && cables[i] != 1 {
			v.Fail(fmt.Sprintf("%s needs hosts with one cable, and %s has %d", ruleDimensions, n.name, cables[i]))
			return
		}
		if n.host {
			continue
		}
		dimensions = cmp.Or(dimensions, len(n.at))
		if len(n.at) != dimensions || dimensions == 0 {
			v.Fail(fmt.Sprintf("%s needs the place of every switch in as many dimensions, and %s has another: want "+
				"at, such as [0, 2]", ruleDimensions, n.name))
			return
		}
	}
}

// named reads a list of names and patterns, or one of them; nil: none.
func (r *reader) named(v *document.Value) []int {
	if v == nil {
		return nil
	}
	items := []*document.Value{v}
	if v.Raw() == "" {
		if items = v.Items(); len(items) == 0 {
			v.Refuse("a list of names and patterns, such as [leaf*]")
		}
	}
	var out []int
	for _, item := range items {
		some, err := r.matching(item.Text())
		if err != nil || len(some) == 0 {
			item.Refuse("a name or a pattern of hosts or switches of this file, such as leaf*")
		}
		out = append(out, some...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// failuresOf reads what else may be down.
func (r *reader) failuresOf(v *document.Value) {
	f := v.Fields("links", "draws", "seed")
	v.Need(f, "links")
	r.fail = failures{links: int(f["links"].Integer(1, 4)), draws: cmp.Or(int(f["draws"].Integer(1, maxDraws)), 300),
		seed: uint64(f["seed"].Integer(0, 1<<53))}
}

// watchdog is the PFC watchdog of the switches: how long a queue is paused before it drops, and how often switches
// look. Zero: there is none, or the file does not say it.
type watchdog struct{ detection, poll unit.Time }

// The longest times of a watchdog that are accepted. SONiC's have 5 s at most.
const longestWatch = 60 * unit.Second

// watchdogOf reads the watchdog.
func (r *reader) watchdogOf(v *document.Value) {
	if v == nil {
		return
	}
	f := v.Fields("detection", "poll")
	v.Need(f, "detection", "poll")
	before := v.Complaints()
	r.watchdog = watchdog{document.Quantity(f["detection"], unit.ParseTime), document.Quantity(f["poll"], unit.ParseTime)}
	if w := r.watchdog; v.Complaints() == before && (w.detection < 1 || w.poll < 1 || w.detection > longestWatch ||
		w.poll > longestWatch) {
		v.Refuse(fmt.Sprintf("times up to %v, such as {detection: 200ms, poll: 200ms}", longestWatch))
	}
}
