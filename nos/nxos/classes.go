package nxos

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// classMap is what a class matches.
type classMap struct {
	group int          // qos-group; -1: none
	cos   map[int]bool // of type qos
	dscp  []int        // of type qos
}

// predefined returns the class that the switch has by itself: c-nq1 to c-nq3, c-8q-nq1 to c-8q-nq7, c-out-q1,
// c-out-8q-q7, c-in-q1 and so on, the default classes (guide, "Default System Classes"), and those of a Nexus 5000 and
// 7000, whose groups differ.
func predefined(name string) (*classMap, bool) {
	for _, prefix := range []string{"c-8q-nq", "c-nq", "c-out-8q-q", "c-out-q", "c-in-8q-q", "c-in-q"} {
		if text, found := strings.CutPrefix(name, prefix); found {
			if text == "-default" || prefix+text == "c-8q-nq-default" {
				return &classMap{group: 0}, true
			}
			if n, err := strconv.ParseUint(text, 10, 8); err == nil && n >= 1 && n <= 7 {
				return &classMap{group: int(n)}, true
			}
		}
	}
	switch {
	case name == "class-default":
		return &classMap{group: 0}, true
	case name == "class-fcoe":
		return &classMap{group: 1, cos: map[int]bool{3: true}}, true
	case ofOthers().MatchString(name):
		return &classMap{group: -1}, true
	}
	return nil, false
}

// ofOthers matches the names of classes that other Nexus switches have by themselves: c-nq-7e-drop, 1p7q4t-out-pq1.
var ofOthers = once.Pattern(`^(c-nq-.*|c-\d+q.*|\d+[pqe].*|class-(all-flood|ip-multicast|ethernet))$`)

// definitions reads the class maps, then the policies that name them.
func (r *reader) definitions(root *statements.Statement) {
	for _, s := range root.Under {
		if s.Begins("class-map") {
			r.classMap(s)
		}
	}
	for _, s := range root.Under {
		if s.Begins("policy-map") {
			r.policy(s)
		}
	}
	for _, p := range r.ordered {
		r.sums(p)
		for _, c := range p.classes {
			r.thresholds(c, p.object())
		}
	}
}

// classMap reads a class map. What a second one of the same name matches is added to the first.
func (r *reader) classMap(s *statements.Statement) {
	c := s.After(1)
	kind, name, known := typed(c)
	if !known || !c.End() {
		return
	}
	m := r.maps[kind][name]
	if m == nil {
		m = &classMap{group: -1, cos: map[int]bool{}}
		if r.maps[kind] == nil {
			r.maps[kind] = map[string]*classMap{}
		}
		r.maps[kind][name] = m
	}
	for _, u := range s.Under {
		r.match(m, u, "class-map type "+kind+" "+name)
	}
}

// match reads a statement of a class map.
func (r *reader) match(m *classMap, u *statements.Statement, object string) {
	if u.Begins("description") {
		u.Read()
		return
	}
	c := u.After(1)
	if !u.Begins("match") {
		return
	}
	if c.Take("not") {
		m = &classMap{cos: map[int]bool{}} // what it does not match is not known by a list
	}
	c.Take("ip")
	switch what := c.Next(); what {
	case "qos-group":
		if n := r.Int(c.Next(), u.Line, object, what, 0, 7); n.Given {
			m.group = int(n.Value)
		}
		c.End()
	case "cos":
		c.Take("inner")
		for _, n := range r.Codes(c.Rest(), u, object, what, 7) {
			m.cos[n] = true
		}
		c.End()
	case "dscp":
		m.dscp = append(m.dscp, r.Codes(c.Rest(), u, object, what, 63)...)
		c.End()
	case "precedence":
		r.Codes(c.Rest(), u, object, what, 7)
		c.End()
	case "any":
		c.End()
	case "access-group":
		c.Any("name")
		fallthrough
	case "protocol", "class-map", "vlan", "discard-class", "rtp":
		if c.Next() != "" {
			c.End()
		}
	case "packet":
		if c.Take("length") && c.Next() != "" {
			c.End()
		}
	}
}

// class finds the class that a policy names; a missing one is a finding.
func (r *reader) class(kind, name, object string, line int) *classMap {
	if m := r.maps[kind][name]; m != nil {
		return m
	}
	if m, there := predefined(name); there {
		return m
	}
	r.Missing(line, object, name, "class-map type "+kind)
	return &classMap{group: -1}
}
