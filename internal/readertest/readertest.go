// Package readertest tests readers of configurations: a good configuration, one mistake in it at a time, and any bytes.
package readertest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/unit"
)

// Reader reads the configuration of a system.
type Reader func(name string, data []byte, chip audit.Chip) (*audit.Meaning, error)

// Mistake is a mistake in a configuration, and what an audit says of it.
type Mistake struct {
	name    string
	code    finding.Code
	message string
	edits   []string
}

// Wrong is a mistake that is made by replacing texts, the first occurrence of each. The message is a part of the
// finding's.
func Wrong(name string, code finding.Code, message string, edits ...string) Mistake {
	return Mistake{name: name, code: code, message: message, edits: edits}
}

// Replace replaces texts, the first occurrence of each.
func Replace(t *testing.T, text string, edits ...string) string {
	t.Helper()
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, text, edits[i])
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	return text
}

// Run reads a configuration after edits and audits it with cables of a length; "": not known.
func Run(t *testing.T, read Reader, text, cable string, edits ...string) *audit.Result {
	t.Helper()
	reading, err := read("f", []byte(Replace(t, text, edits...)), audit.Chip{})
	require.NoError(t, err)
	s := audit.Source{File: "f", Reading: reading}
	if cable != "" {
		length, err := unit.ParseLength(cable)
		require.NoError(t, err)
		s.Cable = unit.Given(length)
	}
	return audit.Run(s)
}

// Mistakes makes one mistake at a time and looks for its finding, with cables of 1 km.
func Mistakes(t *testing.T, read Reader, text string, mistakes []Mistake) {
	t.Helper()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			var messages []string
			for _, f := range Run(t, read, text, "1km", m.edits...).Findings {
				if f.Code == m.code {
					require.Positive(t, f.Line)
					messages = append(messages, f.Message)
				}
			}
			require.Contains(t, strings.Join(messages, "\n"), m.message, m.code)
		})
	}
}

// Fuzz reads any bytes, beginning with the texts: the reader ends, an error is one line, and what was read
// can be audited.
func Fuzz(f *testing.F, read Reader, texts ...string) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reading, err := read("f", data, audit.Chip{})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		result := audit.Run(audit.Source{File: "f", Reading: reading, Cable: unit.Given(100 * unit.Metre)})
		_ = result.What()
		for _, n := range result.Findings {
			require.True(t, audit.Codes().Known(n.Code))
			require.NotContains(t, n.Message, "\n")
		}
		require.Equal(t, len(result.Findings), len(audit.Run(result.Source).Findings))
	})
}

// LineOf returns the number of the line on which a text begins, the first time.
func LineOf(t *testing.T, text, part string) int {
	t.Helper()
	before, _, found := strings.Cut(text, part)
	require.True(t, found, part)
	return 1 + strings.Count(before, "\n")
}

// Flat is a text without its indentation, as it is pasted.
func Flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " "))
	}
	return b.String()
}
