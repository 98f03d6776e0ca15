package finding

import (
	"fmt"
	"slices"
	"strings"
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
