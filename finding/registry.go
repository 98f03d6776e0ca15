package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
)

// Meaning is the meaning of a code. The documents of the codes and --explain are made from it.
type Meaning struct {
	Code     Code
	Severity Severity
	// Milder is the severity of some findings of the code; empty: all have Severity.
	Milder  Severity
	Certain bool   // unless a finding says that it is not
	Rule    string // when there is such a finding
	Effect  string // what happens then
	Repair  string
	// Shown are the names of simulations that show the effect, and NotShown says why the list is empty, or in which cases.
	Shown    []string
	NotShown string
	// Mistakes are public changes of SONiC's device files that mended such a mistake; empty: none is known.
	Mistakes []Mistake
}

// Mistake is a change of sonic-buildimage that mended a mistake, which a check finds in the parent of the commit.
type Mistake struct {
	Commit  string // of sonic-buildimage
	Date    string
	Subject string
	Found   string // what the check says of the parent
}

// Registry is the codes of one check, in the order in which they are documented.
type Registry struct {
	command string
	table   func() table
}

// table is made when a code is first asked about: most commands ask about none.
type table struct {
	meanings []Meaning
	byCode   map[Code]*Meaning
}

// NewRegistry returns the registry of the codes that cellwarden COMMAND --explain prints. Their meanings are a text,
// often an embedded file:
//
//	# A comment.
//	lossless-mtu error or warning certain
//	  rule: A line of four blanks
//	    continues the one above.
//	  effect: Frames are dropped.
//	  repair: set one length
//	  shown: a.yaml, b.yaml
//	  not shown: with credits
//	  mistake: 0d5dc775de5d 2018-04-11 the subject of a commit
//	  found: 25G over 40m: too little
//
// A code is certain if the word is there, and has one severity or two. A code alone in its line is one of the others.
//
// The text is read when a code is first asked about. It is a part of the program, so that a wrong one panics then, and
// so does a code that is there twice.
func NewRegistry(command, text string, others ...*Registry) *Registry {
	return &Registry{command: command, table: once.Value(func() table {
		t := table{meanings: readMeanings(text, others), byCode: map[Code]*Meaning{}}
		for i := range t.meanings {
			m := &t.meanings[i]
			if t.byCode[m.Code] != nil {
				panic("finding: two meanings of one code: " + string(m.Code))
			}
			t.byCode[m.Code] = m
		}
		return t
	})}
}

// All lists what the codes mean.
func (r *Registry) All() []Meaning { return slices.Clone(r.table().meanings) }

// Codes lists the codes as texts, in alphabetical order.
func (r *Registry) Codes() []string {
	meanings := r.table().meanings
	out := make([]string, len(meanings))
	for i := range meanings {
		out[i] = string(meanings[i].Code)
	}
	slices.Sort(out)
	return out
}

// Known tells whether a text is a code.
func (r *Registry) Known(code Code) bool { return r.table().byCode[code] != nil }

// About returns the meaning of a code. It panics for a text that is no code: [Registry.Known] tells.
func (r *Registry) About(code Code) *Meaning {
	m := r.table().byCode[code]
	if m == nil {
		panic("finding: " + r.command + " has no such code: " + string(code))
	}
	return m
}

// New returns a finding about an object at a place, with the severity and the repair of its code.
func (r *Registry) New(code Code, at Place, object, message string) Finding {
	m := r.About(code)
	return Finding{Code: code, Severity: m.Severity, Certain: m.Certain, File: at.File, Line: at.Line, Object: object,
		Message: message, Repair: m.Repair}
}

// Explain says what a code means, or what every code means if the text is "all".
func (r *Registry) Explain(code string) (string, error) {
	all := r.table().meanings
	if code != "all" {
		if !r.Known(Code(code)) {
			return "", fmt.Errorf("%q (want all, %s)", code, strings.Join(r.Codes(), ", "))
		}
		all = []Meaning{*r.About(Code(code))}
	}
	var text strings.Builder
	for i := range all {
		if i > 0 {
			text.WriteByte('\n')
		}
		all[i].explain(&text)
	}
	return text.String(), nil
}

// explain writes the meaning of a code.
func (m *Meaning) explain(w *strings.Builder) {
	certain := "not certain"
	if m.Certain {
		certain = "certain"
	}
	severity := string(m.Severity)
	if m.Milder != "" {
		severity += " or " + string(m.Milder)
	}
	fmt.Fprintf(w, "%s (%s, %s)\n  when:   %s\n  effect: %s\n  repair: %s\n", m.Code, severity, certain, m.Rule, m.Effect,
		m.Repair)
	for _, name := range m.Shown {
		fmt.Fprintf(w, "  shown:  %s\n", name)
	}
	if m.NotShown != "" {
		fmt.Fprintf(w, "  not shown: %s\n", m.NotShown)
	}
	for _, n := range m.Mistakes {
		fmt.Fprintf(w, "  it was: sonic-buildimage %s (%s), %s\n          %s\n", n.Commit, n.Date, n.Subject, n.Found)
	}
}
