package audit

import (
	"slices"
	"strings"
)

// Meaning is what a code stands for. The document of the codes and --explain are made from it.
type Meaning struct {
	Code     Code
	Severity Severity
	Certain  bool   // unless a finding says that it is not
	Rule     string // when there is such a finding
	Effect   string // what the switch does then
	Repair   string
	// Mistakes are public changes of SONiC's device files that mended such a mistake; empty: none is known.
	Mistakes []Mistake
}

// Mistake is a change of sonic-buildimage that mended a mistake, which the audit finds in the parent of the commit.
type Mistake struct {
	Commit  string // of sonic-buildimage
	Date    string
	Subject string
	Found   string // what the audit says of the parent
}

// All lists every code, by theme.
func All() []Meaning {
	return slices.Concat(unreadable, ofPools, ofProfiles, ofHeadroom, ofPFC, ofMaps, ofSystems, ofPeers)
}

// byCode has every code.
var byCode = func() map[Code]*Meaning {
	out := map[Code]*Meaning{}
	for _, m := range All() {
		out[m.Code] = &m
	}
	return out
}()

// About returns what a code stands for. It panics for a text that is no code: [Known] tells.
func About(code Code) *Meaning {
	m := byCode[code]
	if m == nil {
		panic("audit: no such code: " + string(code))
	}
	return m
}

// Known tells whether a text is a code.
func Known(code Code) bool { return byCode[code] != nil }

// Codes lists the codes as texts, in alphabetical order.
func Codes() []string {
	var out []string
	for _, m := range All() {
		out = append(out, string(m.Code))
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

// SystemCodes lists the codes that only configurations of other systems than SONiC have.
func SystemCodes() []Code {
	var out []Code
	for _, m := range ofSystems {
		out = append(out, m.Code)
	}
	return out
}
