package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Code is the kind of a finding, such as "pool-over-chip".
type Code string

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

// Finding is what is wrong, or may be, with one object. The fields with names of JSON are published:
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

	// Port and Class are the port and the number of its class that a finding is about. An empty port: the finding is not
	// about one.
	Port  string `json:"-"`
	Class int    `json:"-"`
	// Effect is what happens, where a finding says more than its code.
	Effect string `json:"-"`
	// Shown is the name of a simulation that shows the effect, or "".
	Shown string `json:"-"`
	// Values are what was compared, where it is not bytes.
	Values string `json:"-"`
	// Evidence is what was measured. It differs from one reading to the next, so it does not identify the finding.
	Evidence []Number `json:"-"`
}

// Number is a measured number: the increase of a counter between two readings, or a share.
type Number struct {
	Name  string
	Value int64
	Unit  string // "frames", "packets", "bytes", "cells", "storms", "ps", or "bp": hundredths of a percent
}

// String returns "drops 12 frames" or "use_in 45.20%".
func (n Number) String() string {
	if n.Unit == "bp" {
		return fmt.Sprintf("%s %d.%02d%%", n.Name, n.Value/100, n.Value%100)
	}
	return fmt.Sprintf("%s %d %s", n.Name, n.Value, n.Unit)
}

// Texts joins numbers: "drops 12 frames, use_in 45.20%".
func Texts(numbers []Number) string {
	return strings.Join(grouped.Each(numbers, Number.String), ", ")
}

// String returns the finding in one line: "Ethernet0 class 3: headroom (drops 12 frames): raise the headroom".
func (f *Finding) String() string {
	return fmt.Sprintf("%s: %s (%s): %s", f.Object, f.Code, f.Message, f.Repair)
}

// Suspect makes a finding not certain, and adds the reason to its message.
func (f *Finding) Suspect(why string) {
	f.Certain = false
	f.Message += "; " + why
}

// SuspectAs is Suspect of a finding that has another severity for the reason.
func (f *Finding) SuspectAs(as Severity, why string) {
	f.Severity = as
	f.Suspect(why)
}

// Numbers names the bytes of a finding in a fixed order: "size 11213696, xoff 8356608".
func (f *Finding) Numbers() string {
	return strings.Join(grouped.Each(slices.Sorted(maps.Keys(f.Bytes)), func(name string) string {
		return fmt.Sprintf("%s %d", name, f.Bytes[name])
	}), ", ")
}

// Key identifies a finding in a baseline: what it is about, and not the line, which moves when a file changes. The
// values that were compared are part of it, so that a finding with other values is a new one.
func (f *Finding) Key() string {
	parts := []string{string(f.Code), f.Folder, f.File, f.Topology, f.Object, f.Numbers()}
	if f.Values != "" {
		parts = append(parts, f.Values)
	}
	return strings.Join(parts, "\t")
}

// Place names the file and the line. The line of a rendered text is in no file, so the line of the template that
// printed it follows, and the hwsku folder if the file is in another one.
func (f *Finding) Place() string {
	place := Place{f.File, f.Line}.String()
	if f.Line != 0 && f.Template != "" {
		place += fmt.Sprintf(" (%s:%d)", f.Template, f.TemplateLine)
	}
	if f.Folder != "" && !strings.HasPrefix(f.File+"/", f.Folder+"/") {
		place += " of " + f.Folder
	}
	return place
}

// compare orders findings by file, topology, line, code, object and message.
func (f *Finding) compare(o *Finding) int {
	return cmp.Or(strings.Compare(f.File, o.File), strings.Compare(f.Topology, o.Topology), f.Line-o.Line,
		strings.Compare(string(f.Code), string(o.Code)), strings.Compare(f.Object, o.Object),
		strings.Compare(f.Message, o.Message), strings.Compare(f.Folder, o.Folder))
}

// Sort sorts findings by file, topology and line.
func Sort(all []Finding) { slices.SortStableFunc(all, func(a, b Finding) int { return a.compare(&b) }) }

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

// Level says which findings make a check fail: a severity and those above it, certain findings above a note, or none.
type Level string

// The levels that are no severity.
const (
	certainLevel Level = "certain"
	neverLevel   Level = "never"
)

// Levels lists the levels, the severities first.
func Levels() []string {
	return []string{string(Error), string(Warning), string(Note), string(certainLevel), string(neverLevel)}
}

// Validate refuses a text that is no level.
func (l Level) Validate() error {
	if slices.Contains(Levels(), string(l)) {
		return nil
	}
	return fmt.Errorf("%q (want %s)", string(l), strings.Join(Levels(), ", "))
}

// Fails tells whether one of the findings is of the level.
func (l Level) Fails(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool {
		switch l {
		case neverLevel:
			return false
		case certainLevel:
			return f.Certain && f.Severity != Note
		}
		return f.Severity.AtLeast(Severity(l))
	})
}
