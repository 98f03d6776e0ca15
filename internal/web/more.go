package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the operations that ask more of a topology than its plan, and the one that asks about a configuration.

// BurstQuestion is a topology, and incasts that it is to absorb.
type BurstQuestion struct {
	Question
	Incast []int  `json:"incast,omitempty" maxItems:"64"`
	Frame  string `json:"frame,omitempty" doc:"size of the frames; by default the longest of the class" example:"1500B"`
}

// ExplainQuestion is a port of a topology.
type ExplainQuestion struct {
	Question
	Port  string   `json:"port" minLength:"1" maxLength:"200" example:"Ethernet1"`
	Items []string `json:"items,omitempty" maxItems:"20"`
}

// SweepQuestion is a topology, and a grid of values of its keys.
type SweepQuestion struct {
	Question
	Vary []string `json:"vary" minItems:"1" maxItems:"8" example:"[\"cable=5m..10km:12\"]"`
}

// SweepAnswers are the points of a grid, in its order: the lines of `sweep -o jsonl`.
type SweepAnswers struct {
	Set     []string        `json:"set,omitempty" doc:"changes of the topology for which all points hold"`
	Answers []report.Answer `json:"answers"`
}

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

// more registers the operations.
func (s *server) more(api huma.API) {
	register(s, api, "burst", "How long incasts are absorbed", "The document cellwarden.burst/v1: until the ports pause, "+
		"until ECN marks, until the headroom is full. A plan that does not fit is refused: its pool is not known.", askBurst)
	register(s, api, "explain", "Where the numbers of a port come from", "The document cellwarden.explain/v1: terms, "+
		"sources, lines of the topology, and what was rounded.", explain)
	register(s, api, "sweep", "Plan a topology at every point of a grid", "The documents cellwarden.answer/v1, one for "+
		"each point in the order of the grid. More than 1,000 points are refused, and a grid without a point that can be "+
		"planned.", askSweep)
	register(s, api, "audit", "What a switch's configuration means in cells, and what is wrong with it",
		"The document cellwarden.audit/v1. The configuration is a text in the question.", askAudit)
}

// mostBursts is the largest number of bursts of an answer, which then has some megabytes.
const mostBursts = 10_000

// askBurst answers how long a switch absorbs incasts.
func askBurst(_ context.Context, q *BurstQuestion) (report.BurstDocument, error) {
	frame, wrong := q.check()
	file, err := q.read()
	if err := errors.Join(wrong, err); err != nil {
		return report.BurstDocument{}, err
	}
	senders, entries := q.Incast, entriesOf(file)
	if len(senders) == 0 {
		senders = []int{2, 4, 8, 16, 32, 0} // 0: all ports of an entry
	}
	if n := len(entries) * len(senders) * lossless(&file.Intent); n > mostBursts {
		return report.BurstDocument{}, fmt.Errorf("incast: %d bursts of all entries and classes (want at most %d)", n,
			mostBursts)
	}
	bursts, err := capacity.Bursts(file.Intent, entries, senders, frame)
	if errors.Is(err, buffer.ErrNoFit) {
		err = fmt.Errorf("the plan does not fit, so its pool is not known: %w", err)
	}
	if err != nil {
		return report.BurstDocument{}, err
	}
	doc := report.Bursts(bursts)
	doc.Set = q.Set
	doc.LeaveOut(&file.Intent, entries, q.Incast)
	return doc, nil
}

// check reads the frame of a question, and refuses numbers of senders that no switch has.
func (q *BurstQuestion) check() (frame unit.Bytes, err error) {
	var bad []error
	for _, n := range q.Incast {
		if n < 1 || n > buffer.MaxPorts {
			bad = append(bad, fmt.Errorf("incast: %d senders (want 1 to %d)", n, buffer.MaxPorts))
		}
	}
	if q.Frame != "" {
		if frame, err = unit.ParseBytes(q.Frame); err != nil {
			bad = append(bad, fmt.Errorf("frame: %w", err))
		} else if frame < thresholds.MinFrame || frame > thresholds.MaxFrameSize {
			bad = append(bad, fmt.Errorf("frame: %v (want %v to %v)", frame, thresholds.MinFrame, thresholds.MaxFrameSize))
		}
	}
	return frame, errors.Join(bad...)
}

// lossless counts the lossless classes.
func lossless(in *buffer.Intent) (n int) {
	for i := range in.Classes {
		if in.Classes[i].Lossless {
			n++
		}
	}
	return n
}

// explain explains the numbers of a port.
func explain(_ context.Context, q *ExplainQuestion) (report.ExplainDocument, error) {
	for _, item := range q.Items {
		if !slices.Contains(report.ExplainItems(), item) {
			return report.ExplainDocument{}, fmt.Errorf("items: %.200q (want %s)", item,
				strings.Join(report.ExplainItems(), ", "))
		}
	}
	file, err := q.read()
	if err != nil {
		return report.ExplainDocument{}, err
	}
	i, err := file.PortNamed(q.Port)
	if err != nil {
		return report.ExplainDocument{}, fmt.Errorf("port: %w", err)
	}
	a, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return report.ExplainDocument{}, err
	}
	doc := report.Explain(&file.Intent, a, i, file.EntryOf(i).Path, file.Place, q.Items...)
	doc.Set = q.Set
	return doc, nil
}

// mostPoints is the largest number of points of a grid. A switch with hundreds of ports is planned in milliseconds, so
// the points of most questions are planned within the time of a request.
const mostPoints = 1000

// askSweep plans every point of a grid.
func askSweep(ctx context.Context, q *SweepQuestion) (SweepAnswers, error) {
	out := SweepAnswers{Set: q.Set}
	g, err := sweep.Parse(q.Vary...)
	if err != nil {
		return out, fmt.Errorf("vary: %w", err)
	}
	if g.Len() > mostPoints {
		return out, fmt.Errorf("vary: %d points (want at most %d)", g.Len(), mostPoints)
	}
	file, err := q.read() // without the values of the grid: a fault of the topology is told once
	if err != nil {
		return out, err
	}
	failed := 0
	for i := range g.Len() {
		if ctx.Err() != nil {
			return SweepAnswers{}, errBusy
		}
		a := q.point(g, i, len(file.Entries))
		if a.Error != "" {
			failed++
		}
		out.Answers = append(out.Answers, a)
	}
	if failed == g.Len() {
		return out, fmt.Errorf("vary: no point can be planned; the last: %s", out.Answers[failed-1].Error)
	}
	return out, nil
}

// point plans a point of a grid. One that the topology does not accept is an answer of its own.
func (q *SweepQuestion) point(g sweep.Grid, i, entries int) report.Answer {
	file, err := q.read(g.Changes(i, entries)...)
	var a *buffer.Admission
	if err == nil {
		a, err = buffer.NewAdmission(file.Intent)
	}
	var out report.Answer
	if err == nil {
		out = report.AnswerOf(a)
	} else {
		out = report.AnswerError(err)
	}
	var vary []string // a map would lose the order of the axes
	for k, value := range g.At(i) {
		vary = append(vary, text(g.Axes[k].Name)+":"+text(value))
	}
	out.Line, out.Vary = i+1, json.RawMessage("{"+strings.Join(vary, ",")+"}")
	return out
}

// text writes a text as JSON.
func text(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // every text has a JSON form
	}
	return string(data)
}

// askAudit audits a configuration, or a headroom table.
func askAudit(_ context.Context, q *AuditQuestion) (report.AuditDocument, error) {
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
func (q *AuditQuestion) reading(name, text string, chip audit.Chip) (*audit.Reading, error) {
	var system *nos.System
	var err error
	if q.System != "" {
		system, err = registry.Reader(q.System)
	} else {
		system, err = registry.Of([]byte(text))
	}
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
