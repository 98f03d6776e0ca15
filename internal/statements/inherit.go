package statements

import (
	"path"
	"slices"
	"strings"
)

// A configuration of Junos has statements that stand for others: groups, which other statements apply, and wildcards.
// Inherit and Spread write them out. The sources are Juniper's "Configuration Groups" (inheritance, wildcards,
// apply-groups-except).

// mostSteps is the largest number of comparisons that writing out groups may take. The largest public configuration
// that was found, of 130,000 statements, takes 13,000.
const mostSteps = 2_000_000

// Inherit puts what the groups of a configuration give under the statements that apply them. Root is the statement that
// the groups stand under. What a statement has itself stays, and so does what an inner statement or an earlier group
// gives. It returns the names that are applied and are no group.
func (t *Tree) Inherit(root *Statement) (missing []Text, err error) {
	i := &inheritance{tree: t, root: root, groups: map[string]*Statement{}}
	for _, u := range root.Under {
		if u.Word(0) == "groups" && !u.Inactive {
			u.ReadAll() // a group that nothing applies has no effect; what is applied is marked again where it is read
			for _, g := range u.Under {
				if !g.Inactive {
					i.groups[g.Word(0)] = g
				}
			}
		}
	}
	i.apply(root, nil)
	return i.missing, t.build.err
}

// inheritance writes out the groups of a tree.
type inheritance struct {
	tree    *Tree
	root    *Statement
	groups  map[string]*Statement
	missing []Text
}

// apply writes out the groups that the statements under one apply, then those that it applies itself.
func (i *inheritance) apply(at *Statement, path []string) {
	var names []*Statement
	for _, u := range slices.Clone(at.Under) {
		switch word := u.Word(0); {
		case u.Inactive || at == i.root && word == "groups":
		case word == "apply-groups":
			names = append(names, u.Read().Under...)
		case word == "apply-groups-except":
			u.ReadAll()
		default:
			i.apply(u, append(path, word))
		}
	}
	for _, n := range names {
		if n.Inactive || i.tree.build.err != nil {
			continue
		}
		group := i.groups[n.Read().Word(0)]
		if group == nil {
			i.missing = append(i.missing, Text{n.Line, n.Word(0)})
			continue
		}
		from := i.match([]*Statement{group}, path)
		i.tree.bound(n)
		for _, from := range from {
			i.tree.give(from, at, group.Word(0))
		}
	}
}

// match returns the statements of a group for the statement with a path.
func (i *inheritance) match(of []*Statement, path []string) []*Statement {
	for _, word := range path {
		var next []*Statement
		for _, s := range of {
			i.tree.steps += len(s.Under)
			for _, u := range s.Under {
				if pattern, is := wildcard(u.Word(0)); !u.Inactive && (is && Matches(pattern, word) || u.Word(0) == word) {
					next = append(next, u)
				}
			}
		}
		of = next
	}
	return of
}

// wildcard returns the pattern of a word of a group such as <et-*>.
func wildcard(word string) (pattern string, is bool) {
	if len(word) < 2 || word[0] != '<' || word[len(word)-1] != '>' {
		return "", false
	}
	return word[1 : len(word)-1], true
}

// Spread puts copies of the statements under one statement under those with some names, which keep what they have; it
// makes those that are missing. Reading a copy marks its origin, and the copies are not counted. A word in < > gives to
// all statements that match it and are there.
func (t *Tree) Spread(from, parent *Statement, names []string) error {
	for _, name := range names {
		t.give(from, t.under(parent, name, from.Line), "")
	}
	return t.build.err
}

// give copies what is under one statement to another one. Of a group with a name a statement can except itself.
func (t *Tree) give(from, to *Statement, group string) {
	t.steps += len(from.Under)
	if t.bound(from); t.build.err != nil {
		return
	}
	if group != "" && slices.ContainsFunc(to.Under, func(s *Statement) bool {
		return s.Word(0) == "apply-groups-except" && slices.ContainsFunc(s.Under, func(n *Statement) bool {
			return n.Word(0) == group
		})
	}) {
		return
	}
	for _, u := range from.Under {
		if u.Inactive || u.Word(0) == "apply-groups" || u.Word(0) == "apply-groups-except" {
			continue
		}
		if pattern, is := wildcard(u.Word(0)); is {
			t.steps += len(to.Under)
			for _, v := range slices.Clone(to.Under) {
				if Matches(pattern, v.Word(0)) {
					t.give(u, v, group)
				}
			}
			continue
		}
		v := t.build.child(to, u.Word(0))
		switch {
		case v != nil && len(u.Under) == 0:
			u.Read() // the other statement has the same
		case v == nil:
			v = t.under(to, u.Word(0), u.Line)
			v.origin, u.read = u, false
		}
		t.give(u, v, group)
	}
}

// bound refuses a tree whose groups take too long.
func (t *Tree) bound(at *Statement) {
	if t.steps > mostSteps {
		t.build.refuse(at.Line, "writing out groups and wildcards takes more than %d steps: want fewer, or fewer "+
			"statements that apply them", mostSteps)
	}
}

// under returns the statement with a word under another one, and makes a missing one, which is not counted.
func (t *Tree) under(parent *Statement, word string, line int) *Statement {
	before := t.build.statements
	s := t.build.word(parent, token{text: word, line: line})
	s.made = s.made || t.build.statements > before
	return s
}

// Inherited tells whether a group or a wildcard has given the statement.
func (s *Statement) Inherited() bool { return s != nil && s.made }

// Matches tells whether a word matches a pattern of Junos: * stands for any text, ? for a character, and [1-3,x] for
// one of some characters; [!1-3] is for one that is none of them.
func Matches(pattern, word string) bool {
	is, err := path.Match(asPath.Replace(pattern), asPath.Replace(word))
	return is && err == nil
}

// asPath writes a pattern as that of a path, in which * would not stand for a slash. No name of Junos has a comma.
var asPath = strings.NewReplacer("/", "\x00", "[!", "[^", ",", "")
