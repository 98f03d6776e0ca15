package audit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// Reading is what the configuration of another system than SONiC means. A reader of that system fills it: package
// nos/fboss and others. What the system cannot say, such as the length of a cable, is left as not known.
type Reading struct {
	System   string // "FBOSS", "NX-OS", "EOS", "Junos"
	File     string
	Switch   *Switch
	Findings []finding.Finding // about names and numbers, found while reading
	Unknown  []string          // what the configuration does not say, and what is therefore not checked
	Chip     Chip              // that the configuration names; the zero Chip: it names none
	// Statements counts what was read. The statements that were not understood are findings too.
	Statements Statements
	ports      map[string]*Port
	rest       int // findings beyond MaxFindings
}

// Statements counts the statements of a configuration. Its fields are published: cellwarden.audit/v1.
type Statements struct {
	Read   int `json:"read"`
	Unread int `json:"not_understood"` // about buffers or QoS
	Other  int `json:"about_something_else"`
}

// NewReading returns an empty reading.
func NewReading(system, file string) *Reading {
	return &Reading{System: system, File: file, ports: map[string]*Port{}, Switch: &Switch{
		poolOf: map[string]*Pool{}, profileOf: map[string]*Profile{}, maps: map[string]map[string]*codeMap{},
		tables: map[string]bool{"BUFFER_POOL": true, "PORT": true}}}
}

// At is a place in the configuration.
func (r *Reading) At(line int) configdb.Place { return configdb.Place{File: r.File, Line: line} }

// Find adds a finding about an object, and returns it, so that the reader can say what it rests on. Findings beyond
// [MaxFindings] are counted and not kept: a configuration of 16 MB has 262,144 statements, and each can be wrong.
func (r *Reading) Find(code finding.Code, line int, object, message string) *finding.Finding {
	if len(r.Findings) >= MaxFindings {
		r.rest++
		return &finding.Finding{}
	}
	r.Findings = append(r.Findings, codes.New(code, r.File, line, object, message))
	return &r.Findings[len(r.Findings)-1]
}

// Missing adds a finding about a name that leads nowhere.
func (r *Reading) Missing(line int, object, name, kind string) {
	r.Find(nameMissing, line, object, "it names "+fielderr.Quote(name)+", and there is no "+kind+" of this name")
}

// AddPool adds a pool. The first pool of the ingress is that of lossless groups, unless another one is marked.
func (r *Reading) AddPool(p *Pool) {
	r.Switch.Pools = append(r.Switch.Pools, p)
	r.Switch.poolOf[p.Name] = p
	if p.Lossless {
		r.Switch.lossless = p
	}
}

// AddProfile adds a profile that groups or queues can have.
func (r *Reading) AddProfile(p *Profile) {
	p.used = true
	r.Switch.Profiles = append(r.Switch.Profiles, p)
	r.Switch.profileOf[p.Name] = p
}

// Port returns a port by its name, and makes it at its first use.
func (r *Reading) Port(name string, line int) *Port {
	if p := r.ports[name]; p != nil {
		return p
	}
	p := &Port{Name: name, At: r.At(line), Maps: map[string]string{}}
	r.ports[name] = p
	r.Switch.Ports = append(r.Switch.Ports, p)
	return p
}

// AddMarking adds the thresholds from which on the packets of a queue are marked or dropped early.
func (r *Reading) AddMarking(object string, line int, low, high Number) {
	r.Switch.wred = append(r.Switch.wred, &wredProfile{name: object, object: object, at: r.At(line), ecn: "ecn_all",
		min: map[string]Number{"green": low}, max: map[string]Number{"green": high}, drop: map[string]Number{},
		enable: map[string]string{}, used: true})
}

// Mapping is a map of code points, traffic classes or priorities to numbers.
type Mapping struct{ m *codeMap }

// Put maps a number to another one.
func (c Mapping) Put(from, to, line int) {
	c.m.to[from] = to
	c.m.line[from] = configdb.Place{File: c.m.at.File, Line: line}
}

// Kinds of maps, by the fields of PORT_QOS_MAP that name them.
const (
	DSCPToClass     = "dscp_to_tc_map"
	ClassToGroup    = "tc_to_pg_map"
	ClassToQueue    = "tc_to_queue_map"
	PriorityToQueue = "pfc_to_queue_map"
	PriorityToGroup = "pfc_to_pg_map"
)

// AddMapping adds a map of a kind. Object names it in findings.
func (r *Reading) AddMapping(kind, name, object string, line int) Mapping {
	table := ""
	for _, f := range mapFields {
		if f.field == kind {
			table = f.table
		}
	}
	m := &codeMap{name: name, object: object, at: r.At(line), to: map[int]int{}, line: map[int]configdb.Place{},
		used: true}
	if r.Switch.maps[table] == nil {
		r.Switch.maps[table] = map[string]*codeMap{}
	}
	r.Switch.maps[table][name] = m
	return Mapping{m}
}

// read takes the meaning from a reading in place of CONFIG_DB.
func (r *Reading) read(c *collector, s *Source) *Switch {
	c.found, c.rest = append(c.found, r.Findings...), c.rest+r.rest
	if s.Chip.Name == "" && s.Chip.How == "" {
		if s.Chip = r.Chip; s.Chip.How == "" {
			s.Chip.How = "not known: the configuration does not name it (--chip NAME says it)"
		}
	}
	sw := *r.Switch
	sw.Ports = slices.Clone(r.Switch.Ports)
	slices.SortStableFunc(sw.Ports, func(a, b *Port) int { return buffer.ComparePorts(a.Name, b.Name) })
	return &sw
}

// Int reads a whole number within bounds. A text that is none is a finding about the object.
func (r *Reading) Int(text string, line int, object, what string, low, high int64) Number {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < low || v > high {
		r.Find(NumberFormat, line, object, fmt.Sprintf("%s is %s: accepted is a whole number, %d to %d", what,
			fielderr.Quote(text), low, high))
		return Number{}
	}
	return Number{v, true, r.At(line)}
}

// Count takes over how many statements were understood, and lists those that were not.
func (r *Reading) Count(c statements.Counts) {
	r.Statements.Read, r.Statements.Other = c.Read, c.Other
	for _, u := range c.Unread {
		r.Find(statementUnread, u.Line, "statement", "not understood: "+u.Text)
	}
	r.Statements.Unread = len(c.Unread) + c.More
}
