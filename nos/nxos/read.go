package nxos

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads a running configuration. Chip is what the operator says of the chip: the configuration does not name it.
func read(name string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	tree, err := statements.Indented(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{Reading: audit.NewReading(title, name), maps: map[string]map[string]*classMap{},
		policies: map[string]map[string]*policy{}, profiles: map[string]*audit.Profile{}}
	r.Chip = chip
	regroup(tree.Root)
	r.definitions(tree.Root)
	r.system(tree.Root)
	if ports := r.interfaces(tree.Root); ports == 0 && !r.any {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no running configuration of NX-OS that says anything of " +
				"QoS: want class-map, policy-map, system qos, interfaces with priority-flow-control")}
	}
	r.Count(tree.Count(about))
	return r.Reading, nil
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Reading
	maps     map[string]map[string]*classMap // type, name
	policies map[string]map[string]*policy   // type, name
	global   applied                         // system qos
	profiles map[string]*audit.Profile
	any      bool // a statement about QoS was found
}

// about tells whether a statement is about buffers or QoS.
func about(path []*statements.Statement) bool {
	switch path[0].Word(0) {
	case "class-map", "policy-map":
		return path[0].Word(1) != "type" || !strings.HasPrefix(path[0].Word(2), "control-plane")
	case "system":
		return path[0].Word(1) == "qos"
	case "priority-flow-control":
		return true
	case "hardware":
		return path[0].Word(1) == "qos"
	case "interface":
		if len(path) < 2 {
			return false
		}
		switch path[1].Word(0) {
		case "priority-flow-control", "flowcontrol":
			return true
		case "service-policy":
			return true
		case "hardware":
			return path[1].Word(1) == "qos"
		}
	}
	return false
}

// The types of maps and policies.
const (
	typeQoS     = "qos"
	typeNetwork = "network-qos"
	typeQueuing = "queuing"
)

// typed returns the type and the name of a map or a policy: "policy-map type queuing NAME". Without a type it is qos.
func typed(words []string) (kind, name string, known bool) {
	kind = typeQoS
	if len(words) > 1 && words[0] == "type" {
		kind, words = words[1], words[2:]
	}
	if len(words) > 0 && (words[0] == "match-any" || words[0] == "match-all") {
		words = words[1:]
	}
	known = kind == typeQoS || kind == typeNetwork || kind == typeQueuing
	if len(words) == 0 {
		return kind, "", false
	}
	return kind, words[0], known
}

// classMap is what a class matches.
type classMap struct {
	group int          // qos-group; -1: none
	cos   map[int]bool // of type qos
	dscp  []int        // of type qos
	line  int
}

// predefined returns the class that the switch has by itself: c-nq1 to c-nq3, c-8q-nq1 to c-8q-nq7, c-out-q1,
// c-out-8q-q7, c-in-q1 and so on, and the default classes (guide, "Default System Classes").
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
	if name == "class-default" {
		return &classMap{group: 0}, true
	}
	return nil, false
}

// regroup puts a class that follows a policy map, at the same indentation, under it: that is its mode when such a text
// is typed in. show running-config indents it.
func regroup(root *statements.Statement) {
	kept := root.Under[:0]
	for _, s := range root.Under {
		if last := len(kept) - 1; s.Begins("class") && last >= 0 && kept[last].Begins("policy-map") {
			kept[last].Under = append(kept[last].Under, s)
			continue
		}
		kept = append(kept, s)
	}
	root.Under = kept
}

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
}

// classMap reads a class map.
func (r *reader) classMap(s *statements.Statement) {
	kind, name, known := typed(s.Words[1:])
	if !known {
		return
	}
	r.any = true
	m := &classMap{group: -1, cos: map[int]bool{}, line: s.Read().Line}
	object := "class-map type " + kind + " " + name
	for _, u := range s.Under {
		switch {
		case u.Begins("match", "qos-group") && len(u.Words) == 3:
			m.group = int(r.Int(u.Read().Word(2), u.Line, object, "qos-group", 0, 7).Value)
		case u.Begins("match", "cos"):
			for _, n := range statements.Numbers(strings.Join(u.Read().Words[2:], ",")) {
				m.cos[n] = true
			}
		case u.Begins("match", "dscp"), u.Begins("match", "ip", "dscp"):
			_, list, _ := strings.Cut(u.Read().Text(), "dscp")
			m.dscp = append(m.dscp, points(list)...)
		case u.Begins("match", "access-group"),
			u.Begins("match", "precedence"), u.Begins("match", "protocol"), u.Begins("match",
				"any"), u.Begins("description"):
			u.Read()
		}
	}
	if r.maps[kind] == nil {
		r.maps[kind] = map[string]*classMap{}
	}
	r.maps[kind][name] = m
}

// points reads a list of DSCPs: numbers, ranges, and the names of RFC 2474, 2597 and 3246.
func points(list string) (out []int) {
	for part := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ' ' || r == ',' }) {
		name := strings.ToLower(part)
		switch {
		case name == "ef":
			out = append(out, 46)
		case name == "default":
			out = append(out, 0)
		case len(name) == 3 && strings.HasPrefix(name, "cs") && name[2] >= '1' && name[2] <= '7':
			out = append(out, 8*int(name[2]-'0'))
		case len(name) == 4 && strings.HasPrefix(name, "af") && name[2] >= '1' && name[2] <= '4' && name[3] >= '1' &&
			name[3] <= '3':
			out = append(out, 8*int(name[2]-'0')+2*int(name[3]-'0'))
		default:
			out = append(out, statements.Numbers(part)...)
		}
	}
	return out
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
