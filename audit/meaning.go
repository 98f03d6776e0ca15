package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// Meaning is what the configuration of a system means. A reader of that system fills it: package nos/sonic and others.
// What the system cannot say, such as the length of a cable, is left as not known.
type Meaning struct {
	System string // "SONiC", "FBOSS", "NX-OS", "EOS", "Junos"
	File   string
	// Manager says that a buffer manager on the switch makes the lossless groups, from PFC, cables and a headroom table,
	// as SONiC's does. The configurations of other systems name their groups themselves.
	Manager bool
	Switch  *Switch
	Unknown []string // what the configuration does not say, and what is therefore not checked
	Chip    Chip     // that the configuration names; the zero Chip: it names none
	// Statements counts what was read. The statements that were not understood are findings too.
	Statements Statements
	// Fragment says that the text may be a part of a configuration: names that lead nowhere may be on the switch already.
	Fragment bool
	// Portless says that a text of this form has no ports, such as the variables of a tool for one part of a switch.
	Portless bool

	collector     // of findings about names and numbers
	ports         map[string]*Port
	atPorts       map[string]*ofPorts
	missing, more map[string]int // by kind and name: the index of the finding, and how many more there are
}

// Statements counts the statements of a configuration. Its fields are published: cellwarden.audit/v1.
type Statements struct {
	Read   int `json:"read"`
	Unread int `json:"not_understood"` // about buffers or QoS
	Other  int `json:"about_something_else"`
	// Subject is how many of those that were read are about buffers or QoS.
	Subject int `json:"-"`
}

// NewReading returns an empty reading.
func NewReading(system, file string) *Meaning {
	return &Meaning{System: system, File: file, ports: map[string]*Port{}, Switch: &Switch{
		poolOf: map[string]*Pool{}, profileOf: map[string]*Profile{},
		Tables: map[string]bool{"BUFFER_POOL": true, "PORT": true}}}
}

// At is a place in the configuration.
func (r *Meaning) At(line int) finding.Place { return finding.Place{File: r.File, Line: line} }

// Find adds a finding about an object, and returns it, so that the reader can say what it rests on. Findings beyond
// [MaxFindings] are counted and not kept: a configuration of 16 MB has 262,144 statements, and each can be wrong.
func (r *Meaning) Find(code finding.Code, line int, object, format string, args ...any) *finding.Finding {
	return r.FindAt(code, r.At(line), object, format, args...)
}

// FindAt is Find, at a place that may be in another file of the configuration.
func (r *Meaning) FindAt(code finding.Code, at finding.Place, object, format string, args ...any) *finding.Finding {
	return r.add(code, at, object, nil, format, args...)
}

// Missing adds a finding about a name that leads nowhere. A name that many statements of the text have is one finding.
func (r *Meaning) Missing(line int, object, name, kind string) {
	key := kind + " " + name
	if at, found := r.missing[key]; found && at < len(r.Findings) {
		f := &r.Findings[at]
		r.more[key]++
		f.Message, _, _ = strings.Cut(f.Message, "; it is named ")
		f.Message += fmt.Sprintf("; it is named %d times", r.more[key]+1)
		return
	}
	f := r.Find("name-missing", line, object, "it names %s, and there is no %s of this name", fielderr.Quote(name), kind)
	if r.missing == nil {
		r.missing, r.more = map[string]int{}, map[string]int{}
	}
	r.missing[key] = len(r.Findings) - 1
	if r.Fragment {
		f.Suspect("the text may be a part of the configuration, and the switch may have it")
	}
}

// AddPool adds a pool. The first pool of the ingress is that of lossless groups, unless another one is marked.
func (r *Meaning) AddPool(p *Pool) {
	r.Switch.Pools = append(r.Switch.Pools, p)
	r.Switch.poolOf[p.Name] = p
	if p.Lossless {
		r.Switch.lossless = p
	}
}

// AddProfile adds a profile that groups or queues can have. Where there is a buffer manager, the reader says which are
// used.
func (r *Meaning) AddProfile(p *Profile) {
	p.Used = p.Used || !r.Manager
	r.Switch.Profiles = append(r.Switch.Profiles, p)
	r.Switch.profileOf[p.Name] = p
}

// Port returns a port by its name, and makes it at its first use.
func (r *Meaning) Port(name string, line int) *Port {
	return r.PortAt(name, r.At(line))
}

// PortAt is Port, at a place that may be in another file of the configuration.
func (r *Meaning) PortAt(name string, at finding.Place) *Port {
	if p := r.ports[name]; p != nil {
		return p
	}
	p := &Port{Name: name, At: at, Maps: map[string]*CodeMap{}}
	r.ports[name] = p
	r.Switch.Ports = append(r.Switch.Ports, p)
	return p
}

// KnownPort returns a port that was named before; nil: it was not.
func (r *Meaning) KnownPort(name string) *Port { return r.ports[name] }

// AddMarking adds the thresholds from which on the packets of a queue are marked or dropped early.
func (r *Meaning) AddMarking(object string, line int, low, high Number) {
	r.Switch.Marking = append(r.Switch.Marking, &Marking{Name: object, Object: object, At: r.At(line), ECN: "ecn_all",
		Colours: [3]Colour{{Min: low, Max: high}}, Used: true})
}

// NewMap returns an empty map of code points, which a statement on the line begins. Object names it in findings.
func (r *Meaning) NewMap(object string, line int) *CodeMap {
	return &CodeMap{Object: object, At: r.At(line), To: map[int]int{}, Lines: map[int]finding.Place{}}
}

// Part tells whether the configuration is a part of a switch's: it has no pools, or no maps of ports.
func (r *Meaning) Part() bool {
	_, pools := r.Switch.Tables["BUFFER_POOL"]
	_, maps := r.Switch.Tables["PORT_QOS_MAP"]
	return r.Manager && (!pools || !maps)
}

// read returns the meaning, and adds the findings of the reader. The ports are copies: an audit gives them groups and
// cables, and one reading may be audited several times.
func (r *Meaning) read(c *collector, s *Source) *Switch {
	r.namePorts()
	for _, f := range r.Findings {
		if r.Manager {
			f.Topology = c.topology
		}
		c.keep(f)
	}
	c.rest += r.rest
	if s.Chip.Name == "" && s.Chip.How == "" {
		if s.Chip = r.Chip; s.Chip.How == "" {
			s.Chip.How = "not known: the configuration does not name it (--chip NAME says it)"
		}
	}
	sw := *r.Switch
	sw.Profiles = slices.Clone(r.Switch.Profiles)
	sw.Ports = make([]*Port, len(r.Switch.Ports))
	for i, p := range r.Switch.Ports {
		sw.Ports[i] = new(*p)
	}
	slices.SortStableFunc(sw.Ports, func(a, b *Port) int { return buffer.ComparePorts(a.Name, b.Name) })
	return &sw
}

// Int reads a whole number within bounds. Another text is a finding about the object.
func (r *Meaning) Int(text string, line int, object, what string, low, high int64) Number {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < low || v > high {
		r.Find("number-format", line, object, "%s is %s: want a whole number, %d to %d", what,
			fielderr.Quote(text), low, high)
		return Number{}
	}
	return Number{v, true, r.At(line)}
}

// AtMostAll adds a finding if the percentages of all are more than 100 together. Unit is printed behind their sum.
func (r *Meaning) AtMostAll(line int, object, what string, sum int64, unit string) {
	if sum > 100 {
		r.Find("bandwidth-sum", line, object, "%s is %d%s together", what, sum, unit)
	}
}

// Codes reads a list of the code points of a statement; see [statements.Codes]. What is none is a finding.
func (r *Meaning) Codes(words []string, at *statements.Statement, object, what string, most int) []int {
	out, bad, want := statements.Codes(what, words, most)
	for _, part := range bad {
		r.Find("number-format", at.Line, object, "%s is %s: want %s", what, fielderr.Quote(part), want)
	}
	return out
}

// Count takes over how many statements were understood, and lists those that were not.
func (r *Meaning) Count(c statements.Counts) {
	r.Statements.Read, r.Statements.Other = c.Read, c.Other
	for _, u := range c.Unread {
		r.Find("statement-unread", u.Line, "statement", "not understood: %s", u.Text)
	}
	r.Statements.Unread = len(c.Unread) + c.More
	r.Statements.Subject = c.Subject
}

// tooLittle says why too little was read to find nothing wrong: the text says something of buffers or QoS, and no port
// of it was read. "": enough was read.
func (r *Meaning) tooLittle() string {
	if r.Manager || r.Portless || len(r.Switch.Ports) > 0 || r.Statements.Subject+r.Statements.Unread == 0 {
		return ""
	}
	return fmt.Sprintf("no port was read, and %s about buffers or QoS", counted(r.Statements.Subject+r.Statements.Unread,
		"statement"))
}

// ofPorts is a finding about several ports, which the reader finds one after another.
type ofPorts struct {
	index   int // among the findings of the reading
	message string
	names   []string
}

// FindAtPort adds a finding about a port. Those that differ in the port alone are one finding, whose message ends with
// the ports. Rests is what it rests on; "": it is as certain as its code.
func (r *Meaning) FindAtPort(code finding.Code, line int, port, object, rests, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	key := fmt.Sprintf("%s %d %s", code, line, message)
	if r.atPorts == nil {
		r.atPorts = map[string]*ofPorts{}
	}
	at := r.atPorts[key]
	if at == nil {
		if len(r.Findings) >= MaxFindings {
			r.rest++
			return
		}
		f := r.Find(code, line, object, "%s", message)
		at = &ofPorts{index: len(r.Findings) - 1, message: message}
		if rests != "" {
			f.Certain = false
			at.message += " (" + rests + ")"
		}
		r.atPorts[key] = at
	}
	if n := len(at.names); n == 0 || at.names[n-1] != port {
		at.names = append(at.names, port)
	}
}

// namePorts completes the messages of the findings about ports.
func (r *Meaning) namePorts() {
	for _, at := range r.atPorts {
		r.Findings[at.index].Message = at.message + ": " + ports(at.names)
	}
}
