package answers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// PageQuestion is what the page asks: the state that a reader has made.
type PageQuestion struct {
	Question
	Verify bool `json:"verify"`
	// Full asks also what is planned many times over. The page leaves it out while a reader changes something.
	Full bool `json:"full"`
}

// pageAnswer is what the page shows: the answer as HTML, and what can be changed.
type pageAnswer struct {
	Title    string    `json:"title"`
	Verdict  string    `json:"verdict"`
	Number   string    `json:"number"` // beside the verdict
	Tone     string    `json:"tone"`   // of the verdict: good, if, bad
	HTML     string    `json:"html"`
	Controls []control `json:"controls"`
	Port     string    `json:"port"` // the first one
	// Errors say why the question is refused; nothing but these and the fields is in the answer then.
	Errors []string `json:"errors,omitempty"`
	Fields []field  `json:"fields,omitempty"`
}

// field is what is wrong with one field of the page.
type field struct {
	Path string `json:"path"` // of the change; "": the topology
	Text string `json:"text"`
}

// control is a value that the page lets a reader change.
type control struct {
	Path    string   `json:"path"` // of the change
	Label   string   `json:"label"`
	Kind    string   `json:"kind"`  // cable, choice or text
	Value   string   `json:"value"` // now
	Metres  float64  `json:"metres,omitempty"`
	Choices []choice `json:"choices,omitempty"`
}

// choice is a value to choose, and the text of the change.
type choice struct {
	Label string `json:"label"`
	Set   string `json:"set"`
}

// ofPage reads a question of the page. One with another key is refused. What is planned many times over, or simulated,
// or large, may take long.
func ofPage(answer func(*PageQuestion, context.Context) (any, error),
	refuse func(*PageQuestion, error) Reply) func([]byte) (Asked, error) {
	return func(question []byte) (Asked, error) {
		q := &PageQuestion{}
		err := Decode(question, q)
		return Asked{q.Verify || q.Full || q.Large(),
			func(ctx context.Context) (any, error) { return answer(q, ctx) },
			func(err error) Reply { return refuse(q, err) }}, err
	}
}

// Answer answers with what the page shows.
func (q *PageQuestion) Answer(ctx context.Context) (any, error) {
	var b bytes.Buffer
	report, p, err := q.report(ctx)
	if err == nil {
		err = report.Answer(&b)
	}
	if err != nil {
		return nil, err
	}
	return written(ok, pageAnswer{Title: report.Verdict(), Verdict: report.Short(), Number: report.Number(),
		Tone: report.Tone(), HTML: b.String(), Controls: controls(p), Port: p.File.Intent.Ports[0].Name}), nil
}

// refused says on the page why a question has no answer.
func (q *PageQuestion) refused(err error) Reply {
	texts := Complaints(err)
	return written(statusOf(err), pageAnswer{Errors: texts, Fields: q.fields(texts)})
}

// Report answers with the whole page of a plan, as a file to keep.
func (q *PageQuestion) Report(ctx context.Context) (any, error) {
	var b bytes.Buffer
	report, _, err := q.report(ctx)
	if err == nil {
		err = report.Write(&b)
	}
	return Reply{ok, "text/html; charset=utf-8", b.Bytes()}, err
}

// unmade says in place of a page of a plan why there is none.
func (q *PageQuestion) unmade(err error) Reply {
	return plain(statusOf(err), strings.Join(Complaints(err), "\n"))
}

// fields finds the fields that complaints are about: a change by its text, or by its path if it was read as a part of
// the topology. A complaint about no field, such as that the server is busy, has none.
func (q *PageQuestion) fields(texts []string) (out []field) {
	for _, text := range texts {
		one, known := field{Text: text}, false
		if rest, of := strings.CutPrefix(text, "topology:"); of {
			line, message, _ := strings.Cut(rest, ": ")
			one.Text, known = "line "+line+": "+message, true
			text = strings.ReplaceAll(message, ": ", ".") // "headroom: frame" is headroom.frame
		}
		for _, set := range q.Set {
			path, _, _ := strings.Cut(set, "=")
			path = cmp.Or(path, set)
			if rest, of := strings.CutPrefix(text, "--set "+set+": "); of {
				one, known = field{path, rest}, true
			} else if known && (strings.HasPrefix(text, path+" ") || strings.HasPrefix(text, path+".")) {
				_, one.Text, _ = strings.Cut(one.Text, ": ") // without its line
				one.Path = path
			} else if strings.HasPrefix(text, fmt.Sprintf("set: %q: ", set)) {
				one.Path, known = path, true
			}
		}
		if known {
			out = append(out, one)
		}
	}
	return out
}

// report plans the question, and verifies the plan if the page asks for it.
func (q *PageQuestion) report(ctx context.Context) (*page.Report, Planned, error) {
	p, err := q.Planned(ctx)
	if err != nil {
		return nil, p, err
	}
	out := &page.Report{Changes: q.Set, Intent: p.File.Intent, Plan: p.Plan, WhatIf: q.Full, Stop: func() error {
		return inTime(ctx, nil)
	}}
	switch {
	case !q.Verify:
	case !p.Plan.Fits:
		out.Proof = &page.Proof{Verdict: "NOT VERIFIED: the plan does not fit"}
	default:
		v, err := sim.Verify(ctx, p.File.Intent, p.Plan.Layout(), sim.VerifyOptions{})
		if err := inTime(ctx, err); err != nil {
			return nil, p, err
		}
		out.Proof = proof(v, p.Plan.Chip.Cell)
	}
	return out, p, nil
}

// proof says what a verification found.
func proof(v *report.Verification, cell cells.Size) *page.Proof {
	text := strings.ToUpper(strings.ReplaceAll(string(v.Verdict), "-", " "))
	if v.Drops > 0 {
		text += fmt.Sprintf(": %s frames are lost", unit.Thousands(v.Drops))
	}
	t := page.Table{Title: "Groups, in cells", Columns: []string{"ports", "group", "class", "granted", "peak",
		"first drop below", "drops each"}}
	t.Cells.Columns, t.Cells.Size = []int{3, 4, 5}, cell
	var ports grouped.By[[6]string, []string] // by what is equal of several ports
	for _, g := range v.Groups {
		names := ports.Of([6]string{fmt.Sprint(g.Group), g.Class, unit.Thousands(g.Granted), unit.Thousands(g.Peak),
			unit.Thousands(g.FirstDropBelow), unit.Thousands(g.Drops)})
		*names = append(*names, g.Port)
	}
	for row, names := range ports.All() {
		t.Rows = append(t.Rows, append([]string{buffer.FoldPorts(*names)}, row[:]...))
	}
	return &page.Proof{Verdict: text, Good: v.Verdict == report.Lossless, Tables: []page.Table{t},
		Lines: []string{fmt.Sprintf("Delays: %s; behaviour %s.", v.Delays, v.Behaviour)}}
}

// controls lists what the page lets a reader change: the cable of each entry of the ports, the chip, the method, the
// frame that fills the headroom, and the pools.
func controls(p Planned) (out []control) {
	in := &p.File.Intent
	for _, e := range p.File.Entries {
		port := &in.Ports[e.First]
		if port.Delay.IsGiven() {
			continue
		}
		out = append(out, control{Path: e.Path + ".cable", Kind: "cable", Value: port.Cable.String(),
			Label:  fmt.Sprintf("Cable of %s, %v", e.Text, port.Rate),
			Metres: float64(port.Cable) / float64(unit.Metre)})
	}
	chips := control{Path: "chip", Kind: "choice", Label: "Chip", Value: in.Chip.Name}
	for _, c := range asic.All() {
		if c.TotalCells() > 0 && c.Name != in.Chip.Name {
			chips.Choices = append(chips.Choices, choice{c.Name, c.Name})
		}
	}
	out = append(out, chips)
	now := in.Sizing.Method()
	methods := control{Path: "headroom", Kind: "choice", Label: "Method", Value: now}
	for _, fit := range []method.Fit{method.FitsChip, method.FitUnknown} {
		for _, name := range method.Methods() {
			if method.MadeFor(name, in.Chip.Name) == fit && name != now && name != (&table.Table{}).Method() {
				methods.Choices = append(methods.Choices, choice{name, "{method: " + name + "}"})
			}
		}
	}
	out = append(out, methods)
	text := func(path, label, value string) {
		out = append(out, control{Path: path, Kind: "text", Label: label, Value: value})
	}
	text("headroom.frame", "Frame that fills the headroom", p.Plan.Sizing.Mix.String())
	text("pool.size", "Pool", orNone(in.Pool.Size))
	text("pool.shared_headroom", "Shared headroom pool", orNone(in.Pool.SharedHeadroom))
	text("pool.shared_headroom_ratio", "Ratio of the headroom pool", orNone(in.Pool.SharedHeadroomRatio))
	return out
}

// orNone prints a value; "" for 0, which is none.
func orNone[T comparable](value T) (text string) {
	if value != *new(T) {
		text = fmt.Sprint(value)
	}
	return text
}
