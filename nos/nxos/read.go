package nxos

import (
	"errors"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads a running configuration. Chip is what the operator says of the chip: the configuration does not name it.
func read(name string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	tree, err := statements.Indented(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{Meaning: audit.NewReading(title, name), maps: map[string]map[string]*classMap{},
		policies: map[string]map[string]*policy{}, profiles: map[string]*audit.Profile{},
		ofClass: map[profileKey]*audit.Profile{}, ports: map[string]*settings{}}
	r.Chip = chip
	statements.SpellOut(tree.Root)
	statements.Regroup(tree.Root, opens, within)
	r.Fragment = !slices.ContainsFunc(tree.Root.Under, func(s *statements.Statement) bool {
		return s.Begins("hostname") || s.Begins("version")
	})
	r.definitions(tree.Root)
	r.system(tree.Root)
	r.interfaces(tree.Root)
	r.classes()
	r.apply()
	counts := tree.Count(about)
	if counts.Subject+len(counts.Unread) == 0 {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no running configuration of NX-OS that says anything of " +
				"QoS: want class-map, policy-map, system qos, interfaces with priority-flow-control")}
	}
	r.Count(counts)
	return r.Meaning, nil
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Meaning
	maps     map[string]map[string]*classMap // type, name
	policies map[string]map[string]*policy   // type, name
	ordered  []*policy                       // in the order of the file
	global   applied                         // system qos
	lossless []*policyClass                  // of the network-qos policy of the system; nil: not looked for
	profiles map[string]*audit.Profile
	ofClass  map[profileKey]*audit.Profile
	ports    map[string]*settings // by the names of ports and port channels
	order    []string             // of their first statements
	off      int                  // line that switches PFC off at all ports; 0: none
}

// about tells whether a statement is about buffers or QoS.
func about(path []*statements.Statement) bool {
	first := path[0]
	if first.Begins("no") && len(first.Words) > 1 {
		first = &statements.Statement{Words: first.Words[1:]}
	}
	switch first.Word(0) {
	case "class-map", "policy-map":
		return first.Word(1) != "type" || slices.Contains([]string{typeQoS, typeNetwork, typeQueuing}, first.Word(2))
	case "system":
		return first.Word(1) == "qos"
	case "priority-flow-control", "class", "service-policy", "pause", "random-detect", "congestion-control", "queue-limit":
		return true // all but the first belong into a mode that the text does not open
	case "set", "match":
		return slices.Contains([]string{"qos-group", "dscp", "cos"}, first.Word(1))
	case "hardware":
		return first.Word(1) == "qos" || first.Begins("hardware", "profile", "pfc")
	case "vlan":
		return len(path) > 1 && path[1].Begins("service-policy")
	case "interface":
		return len(path) > 1 && !strings.HasPrefix(first.Word(1), "mgmt") && ofInterface(path[1])
	}
	return false
}

// ofInterface tells whether a statement of an interface is about buffers or QoS.
func ofInterface(s *statements.Statement) bool {
	at := 0
	if s.Begins("no") || s.Begins("default") {
		at = 1
	}
	switch s.Word(at) {
	case "priority-flow-control", "flowcontrol", "queue-limit":
		return true
	case "service-policy":
		return s.Word(at+1) != "type" || slices.Contains([]string{typeQoS, typeNetwork, typeQueuing}, s.Word(at+2))
	case "hardware":
		return s.Word(at+1) == "qos"
	}
	return false
}

// The types of maps and policies.
const (
	typeQoS     = "qos"
	typeNetwork = "network-qos"
	typeQueuing = "queuing"
)

// typed reads the type and the name of a map, a class or a policy: type queuing match-any NAME. Without a type it is
// qos. It is known if the type is one of the three and nothing is behind the name.
func typed(c *statements.Cursor) (kind, name string, known bool) {
	kind = typeQoS
	if c.Take("type") {
		kind = c.Next()
	}
	c.Any("match-any", "match-all")
	name = c.Next()
	return kind, name, name != "" && (kind == typeQoS || kind == typeNetwork || kind == typeQueuing)
}

// modes are the words of the statements that open a mode, or end the one before.
var modes = []string{"class-map", "policy-map", "class", "interface", "system", "hostname", "version", "feature",
	"vlan", "vrf", "vdc", "router", "line"}

// opens tells whether a statement opens a mode, or ends the one before.
func opens(s *statements.Statement) bool { return slices.Contains(modes, s.Word(0)) }

// typedIn are the statements that are typed in within a mode.
var typedIn = map[string][]string{
	"class-map":  {"match", "description"},
	"policy-map": {"description"},
	"class": {"set", "pause", "mtu", "bandwidth", "priority", "random-detect", "queue-limit", "police", "shape", "afd",
		"congestion-control", "multicast-optimize"},
	"system": {"service-policy"},
	"interface": {"priority-flow-control", "service-policy", "speed", "mtu", "shutdown", "no", "flowcontrol",
		"channel-group", "description", "switchport", "ip", "ipv6"},
}

// within tells whether a statement is typed in within a mode. A class that stands beside its policy map is: so is a
// text that is typed in, and show running-config indents it.
func within(mode, s *statements.Statement, flat bool) bool {
	if mode.Begins("policy-map") && s.Begins("class") {
		return true
	}
	return flat && slices.Contains(typedIn[mode.Word(0)], s.Word(0)) && (!mode.Begins("system") || mode.Word(1) == "qos")
}
