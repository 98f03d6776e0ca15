package readertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
)

// Planted is a mistake in the configuration of a role: a file, the code of its finding, a text on the line of the
// finding after the edits, and the edits.
type Planted struct {
	File  string
	Code  finding.Code
	At    string
	Edits []string
}

// Plant is a planted mistake, of edits that replace texts, the first occurrence of each.
func Plant(file string, code finding.Code, at string, edits ...string) Planted {
	return Planted{file, code, at, edits}
}

// Roles audits the configurations of roles, by their file names: as they are, nothing is found and every statement is
// understood; with one mistake each, the finding has its code and its line. Each file has mistakes.
func Roles(t *testing.T, read Reader, files map[string]string, planted []Planted) {
	t.Helper()
	for name, text := range files {
		r := Run(t, read, text, "")
		require.Empty(t, r.Findings, name)
		require.Zero(t, r.What().Statements.Unread, name)
		require.Empty(t, r.What().TooLittle, name)
		require.NotEmpty(t, r.What().Lossless, name)
		require.True(t, slices.ContainsFunc(planted, func(p Planted) bool { return p.File == name }), name)
	}
	for _, p := range planted {
		t.Run(p.File+" "+string(p.Code)+" "+p.At, func(t *testing.T) {
			text := Replace(t, files[p.File], p.Edits...)
			before, _, found := strings.Cut(text, p.At)
			require.True(t, found, "the text of the line is in the edited file")
			line := 1 + strings.Count(before, "\n")
			var at []string
			reading, err := read("f", []byte(text), audit.Chip{})
			require.NoError(t, err)
			for _, f := range audit.Run(audit.Source{File: "f", Reading: reading}).Findings {
				if f.Code == p.Code && f.Line == line {
					return
				}
				at = append(at, string(f.Code)+" "+f.Place()+" "+f.Message)
			}
			require.Fail(t, "not found", "want %s at line %d: %s", p.Code, line, strings.Join(at, "\n"))
		})
	}
}
