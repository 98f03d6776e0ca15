package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// Severity is how bad a finding is.
type Severity string

// The severities. An error is a configuration that does not do what it says: traffic is dropped, or the switch refuses
// it. A warning should be looked at. A note is common in good configurations.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Severities lists the severities, the worst first.
func Severities() []Severity { return []Severity{Error, Warning, Note} }

// AtLeast tells whether a severity is as bad as another one, or worse.
func (s Severity) AtLeast(o Severity) bool {
	return slices.Index(Severities(), s) <= slices.Index(Severities(), o)
}

// Finding is what is wrong, or may be, with one object of a configuration. Its fields are published:
// cellwarden.audit/v1.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Certain says that no reading of the configuration makes it right: the chip cannot hold it, or a name is missing.
	// A finding that is not certain rests on something that the configuration does not say.
	Certain bool `json:"certain"`
	// Folder is the hwsku folder that a finding is about, where a folder was audited. Many folders can have links to one
	// file. It is empty for a finding about a headroom table alone.
	Folder string `json:"folder,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"` // 0: the whole file; of a template: the line of the text that it renders
	// Template and TemplateLine are the line of a template that printed the line of File. Empty: File is not rendered, or
	// the line is not known.
	Template     string `json:"template,omitempty"`
	TemplateLine int    `json:"template_line,omitempty"`
	Topology     string `json:"topology,omitempty"`
	Object       string `json:"object"` // such as BUFFER_POOL|ingress_lossless_pool
	Message      string `json:"message"`
	Repair       string `json:"repair"`
	// Bytes are the numbers that were compared, in bytes.
	Bytes map[string]int64 `json:"bytes,omitempty"`
}

// compare orders findings by file, line, code, object and message.
func (f *Finding) compare(o *Finding) int {
	return cmp.Or(strings.Compare(f.File, o.File), strings.Compare(f.Topology, o.Topology), f.Line-o.Line,
		strings.Compare(string(f.Code), string(o.Code)), strings.Compare(f.Object, o.Object),
		strings.Compare(f.Message, o.Message), strings.Compare(f.Folder, o.Folder))
}

// Sort sorts findings by file, topology and line.
func Sort(f []Finding) { slices.SortStableFunc(f, func(a, b Finding) int { return a.compare(&b) }) }

// Numbers names the numbers of a finding in a fixed order: "size 11213696, xoff 8356608".
func (f *Finding) Numbers() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f.Bytes)) {
		out = append(out, fmt.Sprintf("%s %d", name, f.Bytes[name]))
	}
	return strings.Join(out, ", ")
}

// Key identifies a finding in a baseline: what it is about, and not the line, which moves when a file changes. The
// numbers are part of it, so that a finding with other numbers is a new one.
func (f *Finding) Key() string {
	return strings.Join([]string{string(f.Code), f.Folder, f.File, f.Topology, f.Object, f.Numbers()}, "\t")
}

// Find returns a finding with the severity and the repair of its code, for what is found before a configuration can be
// read: a template that does not render.
func Find(code Code, at Place, topology, object, message string) Finding {
	c := collector{topology: topology}
	return *c.add(code, at, object, nil, "%s", message)
}

// Place is where something stands. Line 0 is the file as a whole.
type Place struct {
	File string
	Line int // from 1
}

// String prints "file:line", or the file alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Compare orders places by file and line.
func (p Place) Compare(o Place) int { return cmp.Or(strings.Compare(p.File, o.File), p.Line-o.Line) }

// numbers are the bytes of a finding.
type numbers = map[string]int64

// collector collects findings of one configuration.
type collector struct {
	topology string
	found    []Finding
	rest     int // findings beyond MaxFindings
}

// MaxFindings is the largest number of findings of one configuration that is listed. The others are counted. The worst
// that SONiC ships has 60.
const MaxFindings = 2000

// add adds a finding with the severity of its code. The repair is the code's own.
func (c *collector) add(code Code, at Place, object string, n numbers, format string, args ...any) *Finding {
	about := About(code)
	return c.keep(Finding{Code: code, Severity: about.Severity, Certain: about.Certain, File: at.File, Line: at.Line,
		Topology: c.topology, Object: object, Message: fmt.Sprintf(format, args...), Repair: about.Repair, Bytes: n})
}

// keep adds a finding, if there are not too many.
func (c *collector) keep(f Finding) *Finding {
	if len(c.found) >= MaxFindings {
		c.rest++
		return &Finding{}
	}
	c.found = append(c.found, f)
	return &c.found[len(c.found)-1]
}

// suspect says that a finding is not certain, and why.
func (f *Finding) suspect(why string) {
	f.Certain = false
	f.Message += "; " + why
}

// ports folds the names of ports for a message: "Ethernet0-124 (32 ports)".
func ports(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	names = slices.Clone(names)
	slices.SortFunc(names, buffer.ComparePorts)
	text := buffer.FoldPorts(names)
	if len(text) > 60 {
		text = names[0] + " … " + names[len(names)-1]
	}
	return fmt.Sprintf("%s (%d ports)", text, len(names))
}
