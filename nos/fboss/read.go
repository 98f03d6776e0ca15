package fboss

import (
	"errors"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads the configuration of an agent: agent.conf, whose part "sw" is the configuration of the switch, or that
// part alone. Chip is what the operator says of the chip; the zero Chip is known by asicType.
func read(name string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	tree, err := statements.JSON(name, data)
	if err != nil {
		return nil, err
	}
	root := tree.Root
	if sw := root.Find("sw"); sw != nil {
		root = sw
	}
	if !isAgent(tree) {
		return nil, &fielderr.Located{File: name, Err: errors.New("no configuration of FBOSS' agent: want an object with " +
			"ports and portPgConfigs, bufferPoolConfigs or qosPolicies, or one with such an object as sw")}
	}
	r := &reader{Meaning: audit.NewReading(title, name), root: root, pools: map[string]*audit.Pool{},
		shared: map[string]int64{}, lists: map[string][]queue{}, groups: map[string]*groups{}, policies: map[string]*policy{},
		ofGroups: map[string]bool{}, ofQueues: map[string]bool{}}
	for _, s := range tree.Twice {
		r.Find("duplicate-key", s.Line, s.Word(0), "the key %s is given twice in one object; the last one counts",
			fielderr.Quote(s.Word(0)))
	}
	r.Chip, r.buffers = chip, 0
	r.switchInfo()
	r.bufferPools()
	r.groupConfigs()
	r.queueConfigs()
	r.addPools()
	r.qosPolicies()
	r.ports()
	r.count(tree)
	return r.Meaning, nil
}

// isAgent tells whether a document is the configuration of an agent.
func isAgent(tree *statements.Tree) bool {
	root := tree.Root
	if sw := root.Member("sw"); sw != nil {
		root = sw
	}
	ports := root.Member("ports")
	if ports == nil {
		return false
	}
	if len(ports.Under) > 0 && ports.Under[0].Member("logicalID") != nil {
		return true // it says nothing of QoS
	}
	for _, key := range []string{"portPgConfigs", "bufferPoolConfigs", "qosPolicies", "portQueueConfigs",
		"switchSettings", "defaultPortQueues", "dataPlaneTrafficPolicy"} {
		if root.Member(key) != nil {
			return true
		}
	}
	return false
}

// reader turns the document into a reading.
type reader struct {
	*audit.Meaning
	root     *statements.Statement
	buffers  int64 // memory buffers of the chip
	excludes bool  // the size of a pool excludes headroom
	pools    map[string]*audit.Pool
	shared   map[string]int64 // bytes that the groups of a pool share
	groups   map[string]*groups
	policies map[string]*policy
	lists    map[string][]queue // of portQueueConfigs, by name; "": of defaultPortQueues
	// Which pools groups and queues name.
	ofGroups, ofQueues map[string]bool
}

// asics are the chips by the numbers of AsicType (switch_config.thrift), with the memory buffers that the agent
// multiplies a pool with (fboss/agent/hw/switch_asics/*Asic.h, getNumMemoryBuffers).
var asics = map[string]struct {
	name, chip string
	buffers    int64
}{
	"3":  {"ASIC_TYPE_TRIDENT2", "trident2", 1},
	"4":  {"ASIC_TYPE_TOMAHAWK", "tomahawk", 4},
	"5":  {"ASIC_TYPE_TOMAHAWK3", "tomahawk3", 2},
	"6":  {"ASIC_TYPE_TOMAHAWK4", "tomahawk4", 2},
	"11": {"ASIC_TYPE_JERICHO2", "jericho2", 2},
	"13": {"ASIC_TYPE_TOMAHAWK5", "tomahawk5", 2},
	"14": {"ASIC_TYPE_JERICHO3", "jericho3", 3},
	"18": {"ASIC_TYPE_TOMAHAWK6", "tomahawk6", 1},
	"8":  {"ASIC_TYPE_EBRO", "silicon-one-q200", 1},
	"15": {"ASIC_TYPE_YUBA", "silicon-one-g200", 1},
	"20": {"ASIC_TYPE_G202X", "silicon-one-g202x", 1},
	"22": {"ASIC_TYPE_TOMAHAWKULTRA1", "tomahawk-ultra", 2},
	"24": {"ASIC_TYPE_JERICHO4", "jericho4", 3},
	"26": {"ASIC_TYPE_P200", "silicon-one-p200", 1},
}

// switchInfo finds the chip. A switch with several chips of one type has one configuration for all.
func (r *reader) switchInfo() {
	r.Switch.Hostname = r.root.Find("hostname").Word(1)
	types := map[string]int{}
	for _, s := range r.root.Member("switchSettings", "switchIdToSwitchInfo").Active() {
		if t := s.Member("asicType"); t != nil {
			types[t.Read().Word(1)] = t.Line
		}
	}
	if r.Chip.Name == "" && len(types) == 1 {
		number := slices.Collect(maps.Keys(types))[0]
		if a, known := asics[number]; known {
			r.Chip = audit.Catalogued(a.chip, "asicType "+number+" ("+a.name+" of FBOSS' switch_config.thrift)")
		} else {
			r.Chip.How = "not known: asicType " + fielderr.Quote(number) + " is not in the tables (--chip NAME says it)"
		}
	}
	if len(types) > 1 {
		r.Chip.How = "not known: the switch has chips of several types (--chip NAME says one for all)"
	}
	for _, a := range asics {
		if a.chip == r.Chip.Name {
			r.buffers = a.buffers
		}
	}
	r.excludes = r.Chip.Spectrum() // INGRESS_BUFFER_POOL_SIZE_EXCLUDES_HEADROOM is a feature of Chenab alone
	if r.buffers == 0 {
		r.buffers = 1
		if r.root.Member("bufferPoolConfigs") != nil {
			r.Unknown = append(r.Unknown, "how many memory buffers the agent counts is not known of this chip: "+
				"the bytes of pools are those of one buffer")
		}
	}
}

// number reads a whole number of an object within bounds. A member with another value is a finding.
func (r *reader) number(in *statements.Statement, key, object string, low, high int64) audit.Number {
	s := in.Find(key)
	if s == nil {
		return audit.Number{}
	}
	return r.Int(s.Word(1), s.Line, object, key, low, high)
}

// truth reads a truth value; what is not there is false, as in thrift.
func truth(s *statements.Statement) bool { return s.Word(1) == "true" || s.Word(1) == "1" }
