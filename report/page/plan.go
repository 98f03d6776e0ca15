package page

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// Report is the page of a plan.
type Report struct {
	Name    string // of the topology, such as its file's
	Changes []string
	Intent  buffer.Intent
	Plan    *buffer.Plan // of the intent
	// WhatIf adds the answers to questions that are planned many times over: the longest cables that fit, how far the
	// switch goes, and what other methods say of it.
	WhatIf  bool
	Proof   *Proof   // what a simulation of the plan found; nil: none was made
	Risk    *Risk    // how likely its shared headroom pools overflow; nil: not asked
	Remarks []string // beside the plan's warnings
	Tables  []Table  // further tables, behind everything else
	// Stop, if not nil, is asked all the time while the page is made: Write and Answer end with its error.
	Stop func() error
}

// Proof is what a simulation of a plan found.
type Proof struct {
	Verdict string // the first line: LOSSLESS, and under which conditions
	Good    bool   // the verdict is the one that the user wants
	Lines   []string
	Tables  []Table
}

// Write writes the whole page.
func (r *Report) Write(w io.Writer) error {
	c, err := r.content()
	if err != nil {
		return err
	}
	title := r.Verdict()
	if r.Name != "" {
		title += " - " + r.Name
	}
	return write(stopped{w, r.stop}, "plan", title, c)
}

// Answer writes the contents of the page, for a page of the caller's that has [Style].
func (r *Report) Answer(w io.Writer) error {
	c, err := r.content()
	if err != nil {
		return err
	}
	return templates().ExecuteTemplate(stopped{w, r.stop}, "answer", c)
}

// stop is Stop.
func (r *Report) stop() error {
	if r.Stop == nil {
		return nil
	}
	return r.Stop()
}

// stopped writes until it is stopped. A template writes often.
type stopped struct {
	io.Writer
	stop func() error
}

func (s stopped) Write(b []byte) (int, error) {
	if err := s.stop(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}

// Verdict returns the first line of the page: the verdict, with the changes for which it holds.
func (r *Report) Verdict() string {
	if len(r.Changes) == 0 {
		return r.Short()
	}
	return r.Short() + ", with " + strings.Join(r.Changes, ", ")
}

// Short returns the verdict without the changes.
func (r *Report) Short() string { return report.PlanHead(r.Plan)[0].Text }

// Number returns the number that stays in sight with the verdict: the cells that are left to share where there are the
// fewest, or what is missing.
func (r *Report) Number() string {
	if n := len(r.Plan.Refusals); n > 0 {
		if short := r.Plan.Refusals[0].Short; short > 0 {
			return fmt.Sprintf("%s cells (%s) short", unit.Thousands(short), megabytes(r.Plan.Chip.Cell.Bytes(short)))
		}
		return fmt.Sprintf("%s of %s ports refused", unit.Thousands(n), unit.Thousands(len(r.Intent.Ports)))
	}
	if len(r.Plan.Slices) == 0 {
		return ""
	}
	least := slices.MinFunc(r.Plan.Slices, func(a, b buffer.SliceBill) int { return cmp.Compare(a.Shared, b.Shared) }).Shared
	text := fmt.Sprintf("%s cells (%s) shared", unit.Thousands(least), megabytes(r.Plan.Chip.Cell.Bytes(least)))
	if len(r.Plan.Slices) > 1 {
		text += " in the slice with the fewest"
	}
	return text
}

// Tone returns what the verdict means to its reader, as a class of [Style]: good, if, bad.
func (r *Report) Tone() string {
	switch report.PlanVerdict(r.Plan) {
	case report.DoesNotFit:
		return "bad"
	case report.FitsAsPlaced:
		return "if"
	}
	if r.Proof != nil && !r.Proof.Good {
		return "if" // the plan fits, and that is not all that was asked
	}
	return "good"
}

// content is what the template shows beside the report.
type content struct {
	*Report
	Head    []report.HeadLine // without the verdict
	Refusal *refusal
	Figures []figure
	// RiskFigure is the picture of Risk; nil: headroom is dedicated.
	RiskFigure *figure
	Warnings   []string
	WhatIf     []Table
	NotAsked   string // why answers are left out of WhatIf; "": none are
	Sizes      []Table
	Chip       Table // where the chip's numbers come from
}

// content gathers what the page shows. The error is that of Stop.
func (r *Report) content() (content, error) {
	c := content{Report: r, Head: report.PlanHead(r.Plan)[1:], Refusal: refusalOf(r.Plan), Sizes: r.sizes(),
		Warnings: slices.Concat(r.Plan.Warnings, r.Remarks), Chip: chipSources(&r.Intent.Chip)}
	for _, f := range []func() (figure, bool){r.memory, r.cables, r.panel, r.credits, r.schedules} {
		if err := r.stop(); err != nil {
			return c, err
		}
		if x, ok := f(); ok {
			c.Figures = append(c.Figures, x)
		}
	}
	c.Figures = append(c.Figures, r.thresholds()...)
	if f, ok := r.risk(); ok {
		c.RiskFigure = &f
	}
	if r.WhatIf {
		c.WhatIf, c.NotAsked = r.whatIf(), r.notAsked()
	}
	return c, r.stop()
}

// refusal is why a plan does not fit, and what would make it fit.
type refusal struct {
	First     *buffer.Refusal
	Title     string // of the consumers
	Consumers []consumer
	All       []string // the texts of all refusals; one is First's
}

// consumer is what takes cells of a slice, and its ports.
type consumer struct {
	Text  string
	Ports []string // runs: Ethernet5-12
}

// refusalOf returns the refusal of a plan; nil of a plan that fits.
func refusalOf(p *buffer.Plan) *refusal {
	if len(p.Refusals) == 0 {
		return nil
	}
	out := &refusal{First: p.Refusals[0], Title: "Largest consumers of slice "}
	if out.First.Reason == buffer.PoolTooLarge || out.First.Reason == buffer.HeadroomPool {
		out.Title = "Demand on slice "
	}
	for _, c := range out.First.Consumers {
		one := consumer{Text: c.Item + ": " + unit.Thousands(c.Cells) + " cells"}
		if c.Ports != "" {
			one.Ports = strings.Split(c.Ports, ",")
		}
		out.Consumers = append(out.Consumers, one)
	}
	for _, x := range p.Refusals {
		out.All = append(out.All, x.Error())
	}
	return out
}
