//go:build !js

package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the operation that asks about a configuration. The page does not ask it, and its module does not have
// the readers of all systems.

func init() { Questions["/v1/audit"] = typed(Audit, long) }

// AuditQuestion is the configuration of a switch.
type AuditQuestion struct {
	Configuration string `json:"configuration" minLength:"1"`
	Table         string `json:"headroom_table,omitempty"`
	Peer          string `json:"peer,omitempty"`
	System        string `json:"system,omitempty" doc:"sonic, fboss, nxos, eos, junos; by default known by the text"`
	Chip          string `json:"chip,omitempty" example:"tomahawk"`
	Cable         string `json:"cable,omitempty" example:"40m"`
	Certain       bool   `json:"certain,omitempty" doc:"list only findings that are certain"`
}

// Audit audits a configuration, or a headroom table.
func Audit(_ context.Context, q *AuditQuestion) (report.AuditDocument, error) {
	doc := report.AuditDocument{Schema: report.Schema("audit"), What: []audit.What{}, Findings: []finding.Finding{}}
	s, err := q.source()
	if err != nil {
		return doc, err
	}
	if q.Table != "" {
		rows, bad := table.Scan("headroom_table", strings.NewReader(q.Table))
		s.Table = rows
		doc.Findings = append(doc.Findings, table.Lint(rows, bad, cellOf(&s.Chip))...)
	}
	reading, err := q.reading("configuration", q.Configuration, s.Chip)
	rows, bad := table.Scan("configuration", strings.NewReader(q.Configuration))
	switch {
	case errors.Is(err, registry.ErrUnknown) && len(rows.Rows) > 0:
		doc.Checked.Tables++
		doc.Findings = append(doc.Findings, table.Lint(rows, bad, cellOf(&s.Chip))...)
	case err != nil:
		return doc, err
	default:
		s.File, s.Reading, s.Part = reading.File, reading, reading.Part()
		if err := q.run(&doc, s); err != nil {
			return doc, err
		}
	}
	finding.Sort(doc.Findings)
	if q.Certain {
		doc.Findings = slices.DeleteFunc(doc.Findings, func(f finding.Finding) bool { return !f.Certain })
	}
	if more := len(doc.Findings) - audit.MaxFindings; more > 0 { // those of headroom tables have no bound of their own
		doc.Findings, doc.Checked.NotListed = doc.Findings[:audit.MaxFindings], doc.Checked.NotListed+more
	}
	return doc, nil
}

// source reads what the question says beside the configuration.
func (q *AuditQuestion) source() (s audit.Source, err error) {
	var bad []error
	if q.Chip != "" {
		chip, err := asic.Load(q.Chip)
		if err == nil && chip.Cell == 0 {
			err = fmt.Errorf("%s: the size of its cells is not sourced (want a chip with cells)", q.Chip)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("chip: %w", err))
		}
		s.Chip = audit.Named(chip, "the question's chip")
	}
	if q.Cable != "" {
		length, err := unit.ParseLength(q.Cable)
		if err != nil {
			bad = append(bad, fmt.Errorf("cable: %w", err))
		}
		s.Cable = unit.Given(length)
	}
	return s, errors.Join(bad...)
}

// cellOf is the cell by which the rows of a table are checked; 0: not known, or a chip whose switch rounds by itself.
func cellOf(c *audit.Chip) (cell cells.Size) {
	if !c.Spectrum() {
		cell = c.Cell()
	}
	return cell
}

// reading reads a configuration, of the system that the question names or that the text shows.
func (q *AuditQuestion) reading(name, text string, chip audit.Chip) (*audit.Meaning, error) {
	system, err := registry.Choose(q.System, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return system.Read(name, []byte(text), chip)
}

// run audits a configuration, and compares it with that of the other end of its links.
func (q *AuditQuestion) run(doc *report.AuditDocument, s audit.Source) error {
	r := audit.Run(s)
	doc.Checked.Configurations, doc.Checked.NotListed = 1, r.Rest
	doc.Findings = append(doc.Findings, r.Findings...)
	doc.What = append(doc.What, r.What())
	if q.Peer == "" {
		return nil
	}
	reading, err := q.reading("peer", q.Peer, audit.Chip{})
	if err != nil {
		return err
	}
	var found []finding.Finding
	doc.Checked.Links, doc.Checked.Unlinked, found = audit.Peers(r, audit.Run(audit.Source{File: reading.File,
		Reading: reading}))
	doc.Findings = append(doc.Findings, found...)
	return nil
}
