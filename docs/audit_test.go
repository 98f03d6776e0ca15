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
	pubBegin   = "<!-- public: made by go test ./docs -rewrite -->\n"
	pubEnd     = "<!-- public end -->"
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

// TestAuditPublic compares the tables of public configurations with the numbers that the test of package nos/registry
// counts.
func TestAuditPublic(t *testing.T) {
	data, err := os.ReadFile("../nos/registry/testdata/public.json")
	require.NoError(t, err)
	var systems []auditedSystem
	require.NoError(t, json.Unmarshal(data, &systems))
	keepPart(t, "audit.md", pubBegin, publicTables(systems), pubEnd)
}

// auditedSystem is what the audit of the public configurations of a system gave.
type auditedSystem struct {
	System                                 string
	Repositories                           []string
	Files, Read, Understood, NotUnderstood int
	Codes                                  []struct {
		Code                             finding.Code
		Errors, Warnings, Notes, Certain int
	}
	Drawn []struct {
		Certain bool
		Right   string
	}
}

// publicTables writes the numbers by system, and the findings by code.
func publicTables(systems []auditedSystem) string {
	var b strings.Builder
	b.WriteString("\n| system | files | read | statements about QoS | understood | drawn and certain: right | drawn " +
		"and not certain: right | sources |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range systems {
		var drawn, right [2]int
		for _, d := range s.Drawn {
			n := 0
			if !d.Certain {
				n = 1
			}
			if drawn[n]++; d.Right == "yes" {
				right[n]++
			}
		}
		all := s.Understood + s.NotUnderstood
		fmt.Fprintf(&b, "| %s | %d | %d (%s) | %d | %s | %d of %d | %d of %d | %s |\n", s.System, s.Files, s.Read,
			share(s.Read, s.Files), all, share(s.Understood, all), right[0], drawn[0], right[1], drawn[1],
			strings.Join(s.Repositories, ", "))
	}
	b.WriteString("\n| system | code | errors | warnings | notes | certain |\n|---|---|---|---|---|---|\n")
	for _, s := range systems {
		for _, c := range s.Codes {
			fmt.Fprintf(&b, "| %s | [%s](#%[2]s) | %d | %d | %d | %d |\n", s.System, c.Code, c.Errors, c.Warnings, c.Notes,
				c.Certain)
		}
	}
	return b.String() + "\n"
}

// share prints a part in percent, rounded down: 100 % is all of it.
func share(part, of int) string {
	return fmt.Sprintf("%d.%d %%", 100*part/max(of, 1), 1000*part/max(of, 1)%10)
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
