package eos

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads a running configuration, the variables of AVD, or the JSON of OpenConfig. Chip is what the operator says
// of the chip; the zero Chip is known by the product that the first lines name.
func read(name string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	ofAVD := variables(data)
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' && !ofAVD {
		return readJSON(name, data, chip)
	}
	var tree *statements.Tree
	var wrong []error // values of AVD that are left out
	var err error
	if ofAVD {
		tree, wrong, err = readVariables(name, data)
	} else {
		tree, err = statements.Indented(name, data)
	}
	if err != nil {
		return nil, err
	}
	r := &reader{Meaning: audit.NewReading(title, name), profiles: map[string]*settings{}, queueOf: map[int]int{},
		memory: map[string]*memory{}, policies: map[string]map[int]bool{}, dscp: map[int]mapped{}, maps: map[string]bool{},
		ports: map[string]*settings{}}
	if r.Chip = chip; chip.Name == "" {
		r.Chip = identify(tree)
	}
	statements.SpellOut(tree.Root)
	statements.Regroup(tree.Root, opens, within)
	r.Fragment = !ofAVD && !slices.ContainsFunc(tree.Root.Under, func(s *statements.Statement) bool {
		return s.Begins("hostname")
	})
	r.definitions(tree.Root)
	if r.pool != nil {
		r.AddPool(r.pool)
	}
	r.interfaces(tree.Root)
	r.apply()
	r.refused(wrong)
	if r.Portless = ofMemory(tree); r.Portless {
		r.groupsOfMemory()
	}
	counts := tree.Count(about)
	if counts.Subject+len(counts.Unread)+len(wrong) == 0 {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no running configuration of EOS that says anything of QoS: want priority-flow-control, qos map, " +
				"qos profile, tx-queue, platform trident mmu queue profile")}
	}
	r.Count(counts)
	return r.Meaning, nil
}

// ofMemory tells whether all statements are about the memory of the chip, as are the variables of AVD and the commands
// that a rendering has for it.
func ofMemory(tree *statements.Tree) bool {
	return !slices.ContainsFunc(tree.Root.Under, func(s *statements.Statement) bool {
		return !s.Begins("platform", "trident", "mmu")
	})
}

// identify finds the chip by the product in the remark of the first lines: device: leaf1 (DCS-7060CX-32S, EOS-4.28.1F).
func identify(tree *statements.Tree) audit.Chip {
	for _, remark := range tree.Remarks {
		if !strings.HasPrefix(remark.Text, "device:") {
			continue
		}
		how := func(p asic.Product) audit.Chip {
			return audit.Catalogued(p.Chip, fmt.Sprintf("product %s in line %d (%s)", p.Name, remark.Line, p.Source))
		}
		if found := asic.ProductsIn(remark.Text); len(found) > 0 {
			return how(found[0])
		}
		// A product whose source names a family of chips decides nothing where a plan is refused. Here it is what is
		// known, as for a configuration of SONiC.
		_, model, _ := strings.Cut(remark.Text, "(")
		model, _, _ = strings.Cut(model, ",")
		if p, found := asic.ProductOf(model, model); found {
			return how(p)
		}
	}
	return audit.Chip{}
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Meaning
	profiles map[string]*settings    // qos profile
	maps     map[string]bool         // class-map
	policies map[string]map[int]bool // policy-map: the traffic classes that it sets
	queueOf  map[int]int             // traffic class to queue, where a statement says so
	dscp     map[int]mapped          // DSCP to traffic class, where a statement says so
	memory   map[string]*memory      // platform trident mmu queue profile
	active   *memory                 // the one that is applied
	pool     *audit.Pool             // of headroom; nil: the switch's own
	off      int                     // line of priority-flow-control all off; 0: there is none
	ports    map[string]*settings    // by the names of ports and port channels
	order    []string                // of their first statements
}

// mapped is a traffic class, and the statement that maps a code point to it.
type mapped struct{ class, line int }

// about tells whether a statement is about buffers or QoS.
func about(path []*statements.Statement) bool {
	first := path[0]
	if first.Begins("no") || first.Begins("default") {
		first = &statements.Statement{Words: first.Words[1:]}
	}
	switch first.Word(0) {
	case "qos", "priority-flow-control", "tx-queue", "uc-tx-queue", "mc-tx-queue", "service-profile", "random-detect":
		return true // the last five belong into a mode that the text does not open
	case "class-map":
		return first.Word(1) != "type" || first.Word(2) == "qos"
	case "policy-map":
		return first.Word(1) != "type" || first.Word(2) == "qos" || first.Word(2) == "quality-of-service"
	case "platform":
		return strings.Contains(first.Text(), " mmu ") || first.Begins("platform", "sand", "qos")
	case "interface":
		return len(path) > 1 && !strings.HasPrefix(first.Word(1), "Management") && ofInterface(path[1])
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
	case "priority-flow-control", "tx-queue", "uc-tx-queue", "mc-tx-queue", "qos", "service-profile", "shape",
		"flowcontrol":
		return true
	case "service-policy":
		return s.Word(at+1) != "type" || s.Word(at+2) == "qos"
	}
	return false
}

// queues are the words of the statements that open the mode of a queue.
var queues = []string{"tx-queue", "uc-tx-queue", "mc-tx-queue"}

// opens tells whether a statement opens a mode, or ends the one before.
func opens(s *statements.Statement) bool {
	switch s.Word(0) {
	case "class-map", "policy-map", "class", "interface", "hostname", "platform", "vlan", "vrf", "router", "line":
		return true
	case "qos":
		return slices.Contains([]string{"profile", "map", "rewrite", "random-detect"}, s.Word(1))
	case "priority-flow-control":
		return s.Word(1) == "all" || s.Begins("priority-flow-control", "pause", "watchdog", "default")
	}
	return slices.Contains(queues, s.Word(0))
}

// typedIn are the statements that are typed in within a mode.
var typedIn = map[string][]string{
	"class-map":  {"match"},
	"policy-map": {"class"},
	"class":      {"set", "police"},
	"tx-queue":   {"bandwidth", "priority", "shape", "random-detect", "no", "comment"},
	"qos": {"qos", "priority-flow-control", "service-policy", "shape", "tx-queue", "uc-tx-queue", "mc-tx-queue",
		"no"},
	"interface": {"qos", "priority-flow-control", "service-policy", "service-profile", "shape", "tx-queue", "uc-tx-queue",
		"mc-tx-queue", "no", "speed", "mtu", "channel-group", "shutdown", "description", "switchport", "ip"},
	"platform": {"ingress", "egress"},
}

// within tells whether a statement is typed in within a mode.
func within(mode, s *statements.Statement, flat bool) bool {
	word := mode.Word(0)
	switch {
	case word == "policy-map" && s.Begins("class"):
		return true
	case word == "qos" && mode.Word(1) != "profile":
		return false
	case slices.Contains(queues, word):
		if word = "tx-queue"; s.Begins("no") && !slices.Contains(typedIn[word], s.Word(1)) {
			return false
		}
	case opens(s) && !slices.Contains(queues, s.Word(0)):
		return false
	}
	return flat && slices.Contains(typedIn[word], s.Word(0))
}

// definitions reads the statements outside interfaces. What others name comes first.
func (r *reader) definitions(root *statements.Statement) {
	for _, s := range root.Under {
		switch {
		case s.Begins("class-map"):
			r.classMap(s)
		case s.Begins("platform"):
			r.platform(s)
		}
	}
	for _, s := range root.Under {
		if s.Begins("policy-map") {
			r.policyMap(s)
		}
	}
	for _, s := range root.Under {
		words := s.After(1)
		switch {
		case s.Begins("hostname") && len(s.Words) == 2:
			r.Switch.Hostname = s.Read().Word(1)
		case s.Begins("qos", "profile") && len(s.Words) == 3:
			r.profile(s.Read())
		case s.Begins("qos", "map"):
			r.qosMap(s)
		case s.Begins("qos", "rewrite"):
			words.Next()
			if words.Any("cos", "dscp") != "" {
				words.End()
			}
		case s.Begins("qos", "random-detect", "ecn", "allow", "non-ect"):
			s.Read()
		case s.Begins("priority-flow-control", "all", "off"):
			r.off = s.Read().Line
		case s.Begins("priority-flow-control", "pause", "watchdog"), s.Begins("no", "priority-flow-control"),
			s.Begins("no", "qos"), s.Begins("default", "qos"):
			s.Read()
		}
	}
	r.activate(root)
}

// platform reads a statement about the memory of the chip.
func (r *reader) platform(s *statements.Statement) {
	switch {
	case s.Begins("platform", "trident", "mmu", "headroom-pool", "limit"):
		r.headroomPool(s)
	case s.Begins("platform", "trident", "mmu", "queue", "profile") && len(s.Words) == 6:
		r.memoryProfile(s)
	case s.Begins("platform", "sand", "qos", "map") && len(s.Words) > 4:
		s.Read()
	}
}

// activate finds the profile of the memory that is applied.
func (r *reader) activate(root *statements.Statement) {
	for _, s := range root.Under {
		if s.Begins("platform", "trident", "mmu", "queue", "profile") && s.Word(6) == "apply" && len(s.Words) == 7 {
			name := s.Read().Word(5)
			if r.active = r.memory[name]; r.active == nil {
				r.Missing(s.Line, "platform trident mmu", name, "queue profile")
			}
		}
	}
}

// readJSON reads the priorities without drops of OpenConfig with Arista's augmentations (arista-qos-augments):
// /qos/interfaces/interface/output/pfc/config/priorities-no-drop, a bit for each priority in hexadecimal digits.
func readJSON(name string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	tree, err := statements.JSON(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{Meaning: audit.NewReading(title, name)}
	r.Chip = chip
	interfaces := tree.Root.Path("openconfig-qos:qos", "interfaces", "interface")
	if interfaces == nil {
		return nil, &fielderr.Located{File: name, Err: errors.New("no QoS of OpenConfig: want an object with " +
			"openconfig-qos:qos and its interfaces")}
	}
	for _, s := range interfaces.Under {
		id := s.Find("interface-id")
		if id == nil {
			continue
		}
		p := r.Port(id.Word(1), id.Line)
		s.Path("config", "interface-id")
		if bits := s.Path("output", "arista-qos-augments:pfc", "config", "priorities-no-drop"); bits != nil {
			p.HasPFC, p.MapAt = true, r.At(bits.Line)
			mask, err := strconv.ParseUint(bits.Word(1), 16, 8)
			if err != nil {
				r.Find("number-format", bits.Line, "interface "+p.Name, "priorities-no-drop is %s: want a bit for each "+
					"priority, in hexadecimal digits, 00 to ff", fielderr.Quote(bits.Word(1)))
			}
			p.PFC = uint16(mask)
		}
	}
	r.Unknown = append(r.Unknown, "whether PFC is on is not in OpenConfig: the groups of priorities without drops are "+
		"not known")
	r.Count(tree.Count(func([]*statements.Statement) bool { return true }))
	return r.Meaning, nil
}
