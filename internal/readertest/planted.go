package readertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
)

// Planted is a mistake in the configuration of a role: the name of the configuration, the code of its finding, a text
// on the line of the finding after the edits, a part of the finding's message, and the edits.
type Planted struct {
	role    string
	code    finding.Code
	at      string
	message string
	edits   []string
}

// Plant is a planted mistake, of edits that replace texts, the first occurrence of each.
func Plant(role string, code finding.Code, at string, edits ...string) Planted {
	return Planted{role: role, code: code, at: at, edits: edits}
}

// Says returns the mistake with a part of the message of its finding.
func (p Planted) Says(message string) Planted {
	p.message = message
	return p
}

// Roles audits the configurations of roles, by their names, with cables of 100 m: as they are, nothing is found and
// every statement is understood; with one mistake each, the finding has its code, line and message. Each configuration
// has mistakes.
func Roles(t *testing.T, read Reader, roles map[string]string, planted []Planted) {
	t.Helper()
	for name, text := range roles {
		r := Run(t, read, text, "100m")
		require.Empty(t, r.Findings, name)
		require.Zero(t, r.What().Statements.Unread, name)
		require.Empty(t, r.What().TooLittle, name)
		require.NotEmpty(t, r.What().Lossless, name)
		require.True(t, slices.ContainsFunc(planted, func(p Planted) bool { return p.role == name }), name)
	}
	for _, p := range planted {
		t.Run(strings.Join([]string{p.role, string(p.code), p.at, p.message}, " "), func(t *testing.T) {
			line := LineOf(t, Replace(t, roles[p.role], p.edits...), p.at)
			r := Run(t, read, roles[p.role], "100m", p.edits...)
			require.True(t, slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
				return f.Code == p.code && f.Line == line && strings.Contains(f.Message, p.message)
			}), "want %s in line %d, have %v", p.code, line, r.Findings)
		})
	}
}
