package audit

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// numbers are the bytes of a finding.
type numbers = map[string]int64

// collector collects findings of one configuration.
type collector struct {
	topology string
	Findings []finding.Finding
	rest     int // findings beyond MaxFindings
}

// MaxFindings is the largest number of findings of one configuration that is listed. The others are counted. The worst
// that SONiC ships has 60.
const MaxFindings = 2000

// add adds a finding with the severity of its code. The repair is the code's own.
func (c *collector) add(code finding.Code, at finding.Place, object string, n numbers, format string,
	args ...any) *finding.Finding {
	f := codes.New(code, at, object, fmt.Sprintf(format, args...))
	f.Topology, f.Bytes = c.topology, n
	return c.keep(f)
}

// keep adds a finding, if there are not too many.
func (c *collector) keep(f finding.Finding) *finding.Finding {
	if len(c.Findings) >= MaxFindings {
		c.rest++
		return &finding.Finding{}
	}
	c.Findings = append(c.Findings, f)
	return &c.Findings[len(c.Findings)-1]
}

// ports folds the names of ports for a message: "Ethernet0-124 (32 ports)".
func ports(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	names = slices.Clone(names)
	slices.SortFunc(names, buffer.ComparePorts)
	text := buffer.FoldPorts(names)
	if len(text) > 60 {
		text = names[0] + " … " + names[len(names)-1]
	}
	return fmt.Sprintf("%s (%d ports)", text, len(names))
}

// meanings says what the codes mean, in a form that its first lines describe.
//
//go:embed codes.txt
var meanings string

// mistakes has the public changes of SONiC's device files that mended such mistakes: code, commit of sonic-buildimage,
// date, subject, and what the audit says of its parent.
//
//go:embed mistakes.csv
var mistakes string

// codes is made of the two files. A test reads all of it, so that what is wrong with them is a fault of the program.
var codes = finding.LateRegistry("audit", func() (all []finding.Meaning) {
	for entry := range strings.SplitSeq(strings.ReplaceAll(meanings, "\n    ", " "), "\n\n") {
		if !strings.HasPrefix(entry, "#") {
			all = append(all, meaningOf(strings.Split(strings.TrimSpace(entry), "\n")))
		}
	}
	rows := csvcell.Rows(mistakes)
	for i := range all {
		for _, r := range rows {
			if m := &all[i]; r[0] == string(m.Code) {
				m.Mistakes = append(m.Mistakes, finding.Mistake{Commit: r[1], Date: r[2], Subject: r[3], Found: r[4]})
			}
		}
	}
	return all
})

// meaningOf reads an entry of codes.txt.
func meaningOf(lines []string) finding.Meaning {
	head := strings.Fields(lines[0])
	m := finding.Meaning{Code: finding.Code(head[0])}
	if len(head) == 1 {
		return *table.Codes().About(m.Code)
	}
	m.Severity, m.Certain = finding.Severity(head[1]), slices.Contains(head[2:], "certain")
	of := map[string]*string{"rule": &m.Rule, "effect": &m.Effect, "repair": &m.Repair}
	for _, line := range lines[1:] {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		*of[name] = text
	}
	return m
}

// Codes returns the registry of the codes, those of headroom tables included.
func Codes() *finding.Registry { return codes }
