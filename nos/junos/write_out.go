package junos

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// writeOut writes out what stands for several statements: the groups that are applied, ranges of interfaces, and the
// class of service of interfaces with a wildcard or of an aggregated interface.
func (r *reader) writeOut(tree *statements.Tree, root *statements.Statement) error {
	missing, err := tree.Inherit(root)
	if err != nil {
		return err
	}
	for _, m := range missing {
		if !ownGroup().MatchString(m.Text) {
			r.missing(m.Line, "apply-groups", m.Text, "group", root, "groups")
		}
	}
	ifs := elements(root.Find("interfaces"), "interface")
	if ifs != nil {
		for _, n := range named(root.Find("interfaces").Find("interface-range")) {
			if err := r.interfaceRange(tree, ifs, n); err != nil {
				return err
			}
		}
	}
	r.known = physicals(ifs)
	for _, name := range r.known {
		if ae := aggregateOf(ifs.Member(name)); ae != "" {
			r.members[ae] = append(r.members[ae], name)
		}
	}
	r.cos = root.Find("class-of-service")
	return r.spread(tree)
}

// ownGroup matches the groups that a switch has by itself, or that are for one of several routing engines.
var ownGroup = once.Pattern(`^(junos-\w+|re[01]|node[01]|member\d|global)$`)

// elements returns the statement that the elements of a list stand under. In JSON the list has a name, too.
func elements(s *statements.Statement, name string) *statements.Statement {
	if s == nil {
		return nil
	}
	for _, u := range s.Under {
		if u.Word(0) == name && len(u.Under) > 0 {
			return u.Read()
		}
	}
	return s
}

// mostMembers is the largest number of interfaces of a range: more than a switch has ports.
const mostMembers = 1024

// interfaceRange gives the members of a range what it has.
func (r *reader) interfaceRange(tree *statements.Tree, ifs, n *statements.Statement) error {
	var names []string
	for _, m := range named(n.Find("member")) {
		if !strings.ContainsAny(m.Word(0), "*?[") {
			names = append(names, m.Word(0))
			continue
		}
		for _, u := range ifs.Under {
			if physical().MatchString(u.Word(0)) && statements.Matches(m.Word(0), u.Word(0)) {
				names = append(names, u.Word(0))
			}
		}
	}
	for _, m := range named(n.Find("member-range")) {
		names = append(names, between(m.Word(0), only(m.Find("to")))...)
	}
	r.ranges[n.Word(0)] = names
	return tree.Spread(n, ifs, names)
}

// between lists the interfaces from one to another, which differ in their last number.
func between(first, last string) (out []string) {
	low, high := numbered().FindStringSubmatch(first), numbered().FindStringSubmatch(last)
	if low == nil || high == nil || low[1] != high[1] {
		return nil
	}
	from, _ := strconv.Atoi(low[2]) // at most four digits
	to, _ := strconv.Atoi(high[2])
	for n := from; n <= to && len(out) < mostMembers; n++ {
		out = append(out, low[1]+strconv.Itoa(n))
	}
	return out
}

// numbered matches a name that ends with a number.
var numbered = once.Pattern(`^(.*\D)(\d{1,4})$`)

// physicals lists the ports that the interfaces name. A port that is broken out is not one of them, its parts are.
func physicals(ifs *statements.Statement) (out []string) {
	if ifs == nil {
		return nil
	}
	broken := map[string]bool{}
	for _, u := range ifs.Under {
		if whole, _, part := strings.Cut(u.Word(0), ":"); part {
			broken[whole] = true
		}
		if u.Member("number-of-sub-ports") != nil {
			broken[u.Word(0)] = true
		}
	}
	for _, u := range ifs.Under {
		if name := u.Word(0); !u.Inactive && physical().MatchString(name) && !broken[name] {
			out = append(out, name)
		}
	}
	return out
}

// physical is the name of a port, such as et-0/0/1 or xe-0/0/1:2.
var physical = once.Pattern(`^(et|xe|ge|mge)-[0-9/:]+$`)

// aggregateOf returns the aggregated interface that a port is a member of; "": none.
func aggregateOf(s *statements.Statement) string {
	for _, options := range []string{"ether-options", "gigether-options"} {
		if name := only(s.Find(options).Find("802.3ad")); name != "" {
			return name
		}
	}
	return ""
}

// aggregated is the name of an aggregated interface.
var aggregated = once.Pattern(`^ae[0-9]+$`)

// spread gives the ports the class of service of statements for several of them: a wildcard, a range, an aggregated
// interface. What a port has itself counts, then what the longest wildcard has.
func (r *reader) spread(tree *statements.Tree) error {
	ifs := elements(r.cos.Member("interfaces"), "interface")
	if ifs == nil {
		return nil
	}
	for _, of := range []func(*statements.Statement) []string{r.byPattern, r.byAggregate} {
		blocks := slices.Clone(ifs.Under)
		slices.SortStableFunc(blocks, func(a, b *statements.Statement) int { return len(b.Word(0)) - len(a.Word(0)) })
		for _, b := range blocks {
			if b.Inactive {
				continue
			}
			names := of(b)
			r.spreadOut[b] = r.spreadOut[b] || len(names) > 0
			if err := tree.Spread(b, ifs, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// byPattern lists the ports that a wildcard or a range stands for; nothing: the statement is for one interface.
func (r *reader) byPattern(b *statements.Statement) (out []string) {
	pattern := strings.Trim(b.Word(0), "<>")
	if names, is := r.ranges[pattern]; is {
		return names
	}
	if !strings.ContainsAny(pattern, "*?[") && pattern != "all" {
		return nil
	}
	candidates := slices.Clone(r.known)
	for ae := range r.members {
		candidates = append(candidates, ae)
	}
	slices.Sort(candidates[len(r.known):])
	for _, name := range candidates {
		if pattern == "all" || statements.Matches(pattern, name) {
			out = append(out, name)
		}
	}
	return out
}

// byAggregate lists the members of an aggregated interface; nothing: it has none, or it is none.
func (r *reader) byAggregate(b *statements.Statement) []string { return r.members[b.Word(0)] }
