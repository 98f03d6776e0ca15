package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
)

// Marks around the part of audit.md that is made from the registry of codes.
const (
	codesBegin = "<!-- codes: made by go test ./docs -rewrite -->\n"
	codesEnd   = "<!-- codes end -->"
)

// TestAuditCodes compares the page of the codes with the registry.
func TestAuditCodes(t *testing.T) {
	page, err := os.ReadFile("audit.md")
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), codesBegin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, codesEnd)
	require.True(t, found)
	keep(t, "audit.md", before+codesBegin+codesOfAudit()+codesEnd+after)
}

// codesOfAudit writes the table of all codes, and what each means.
func codesOfAudit() string {
	var b strings.Builder
	b.WriteString("\n| code | severity | certain |\n|---|---|---|\n")
	for _, m := range audit.All() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", m.Code, m.Severity,
			map[bool]string{true: "yes", false: "no"}[m.Certain])
	}
	for _, m := range audit.All() {
		fmt.Fprintf(&b, "\n### %s\n\n", m.Code)
		b.WriteString(wrapped(m.Rule + " " + m.Effect + " Repair: " + m.Repair + "."))
		for i, n := range m.Mistakes {
			if i == 0 {
				b.WriteString("\nIt would have caught:\n\n")
			}
			b.WriteString(wrapped(fmt.Sprintf("- sonic-buildimage %s (%s), \"%s\": %s", n.Commit, n.Date, n.Subject, n.Found)))
		}
	}
	b.WriteString("\n")
	return b.String()
}

// wrapped wraps a paragraph or an item of a list at 120 columns.
func wrapped(text string) string {
	var b strings.Builder
	indent, column := "", 0
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 118:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
