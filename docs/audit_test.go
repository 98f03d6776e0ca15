package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
)

// Marks around the parts of audit.md that are made from the registry of codes, and from what a whole tree gave.
const (
	codesBegin = "<!-- codes: made by go test ./docs -rewrite -->\n"
	codesEnd   = "<!-- codes end -->"
	treeBegin  = "<!-- tree: made by go test ./docs -rewrite -->\n"
	treeEnd    = "<!-- tree end -->"
)

// TestAuditCodes compares the page of the codes with the registry.
func TestAuditCodes(t *testing.T) { keepPart(t, "audit.md", codesBegin, codesOfAudit(), codesEnd) }

// TestAuditTree compares the table of what a whole tree gave with the numbers that the test of package
// internal/devicetree counts.
func TestAuditTree(t *testing.T) {
	data, err := os.ReadFile("../internal/devicetree/testdata/tree.json")
	require.NoError(t, err)
	var tree auditedTree
	require.NoError(t, json.Unmarshal(data, &tree))
	keepPart(t, "audit.md", treeBegin, tree.table(), treeEnd)
}

// auditedTree is what the audit of a whole tree gave, by code.
type auditedTree struct {
	Commit                  string
	Folders, Configurations int
	Codes                   []struct {
		Code                                      finding.Code
		Errors, Warnings, Notes, Certain, Folders int
		Judgement                                 []string // the lines of a sentence
	}
}

// table writes the numbers and the judgements.
func (a *auditedTree) table() string {
	var b strings.Builder
	b.WriteString("\n| code | errors | warnings | notes | certain | folders | judgement " +
		"|\n|---|---|---|---|---|---|---|\n")
	var all [4]int
	for _, c := range a.Codes {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %d | %d | %d | %d | %d | %s |\n", c.Code, c.Errors, c.Warnings, c.Notes, c.Certain,
			c.Folders, strings.Join(c.Judgement, " "))
		for i, n := range []int{c.Errors, c.Warnings, c.Notes, c.Certain} {
			all[i] += n
		}
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d | %d | in %d configurations of sonic-buildimage %.8s |\n\n", all[0], all[1],
		all[2], all[3], a.Folders, a.Configurations, a.Commit)
	return b.String()
}

// keepPart compares the part of a page between two marks with what it has to be.
func keepPart(t *testing.T, name, begin, want, end string) {
	t.Helper()
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	keep(t, name, before+begin+want+end+after)
}

// codesOfAudit writes the table of all codes, and what each means.
func codesOfAudit() string {
	var b strings.Builder
	b.WriteString("\n| code | severity | certain |\n|---|---|---|\n")
	for _, m := range audit.Codes().All() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", m.Code, m.Severity,
			map[bool]string{true: "yes", false: "no"}[m.Certain])
	}
	for _, m := range audit.Codes().All() {
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
