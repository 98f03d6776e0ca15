package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file prints the answer of risk, as a document and as tables.

// groupNames names groups: "group 3 of Ethernet1/1-4".
func groupNames(groups []risk.Group) string {
	ports := map[int][]string{}
	for _, g := range groups {
		ports[g.Group] = append(ports[g.Group], g.Port)
	}
	var out []string
	// Groups of one number fold into ranges of ports; a set of groups usually has one number or two.
	for g := range 8 {
		if len(ports[g]) > 0 {
			out = append(out, fmt.Sprintf("group %d of %s", g, buffer.FoldPorts(ports[g])))
		}
	}
	return strings.Join(out, ", ")
}

// screen is the answer as text.
func (f *RiskFlags) screen(d *report.RiskDocument, a *buffer.Admission) *cli.Screen {
	refused := ""
	if !a.Fits() {
		refused = fmt.Sprintf("; DOES NOT FIT: %s", cli.Plural(len(a.Denied()), "port is refused", "ports are refused"))
	}
	if len(d.Pools) == 0 {
		return &cli.Screen{Head: []string{"NO RISK OF THIS KIND: headroom is dedicated, and no pool can overflow" +
			cli.ChangedText(d.Set) + refused}}
	}
	s := cli.Section{
		Name:  "pools",
		Title: "Shared headroom pools",
		Columns: []string{"slice", "pool cells", "all groups bring",
			"groups", "at once", "smallest overflow", "may be paused"},
	}
	stated := d.Behaviour != ""
	if stated {
		s.Columns = append(s.Columns, "overflow")
	}
	// The slices overflow by themselves, so the first line has that of the worst one and not a sum.
	worst, never := 0.0, true
	var foot []string
	for _, p := range d.Pools {
		row := []any{cli.Count(p.Slice), cli.Count(p.PoolCells), cli.Count(p.GroupCells), cli.Count(p.Groups),
			cli.Count(p.AtOnce), cli.Plural(p.Smallest, "group", "groups"), page.Probability(p.MostPaused)}
		// 0: not even all groups together overflow the pool.
		if p.Smallest == 0 {
			row[5] = "none"
		} else {
			never = false
		}
		if p.Overflow != nil {
			row, worst = append(row, page.Probability(*p.Overflow)), max(worst, *p.Overflow)
		}
		s.Rows = append(s.Rows, row)
		if p.Set != "" {
			foot = append(foot, fmt.Sprintf("- slice %d overflows with %s", p.Slice, p.Set))
		}
		if e := p.Sampled; e != nil {
			foot = append(foot, fmt.Sprintf(
				"- slice %d, sampled: %s, in 95 of 100 runs %s to %s; %s, seed %d",
				p.Slice,
				page.Probability(
					e.Probability,
				),
				page.Probability(e.Low),
				page.Probability(e.High),
				cli.Plural(e.Trials, "trial", "trials"),
				e.Seed,
			))
		}
	}
	head := "no behaviour is stated: the groups may be paused for so much of the time that the risk is " +
		page.Probability(d.Target)
	switch {
	case never:
		head = "NO OVERFLOW: the pools hold the worst case of all groups at once"
	case stated:
		head = "overflow at " + page.Probability(worst) + " of all moments, if " + d.Behaviour
	}
	r := &cli.Screen{Head: []string{head + cli.ChangedText(d.Set) + refused}, Sections: []cli.Section{s}, Foot: foot}
	if d.Ratio != nil {
		r.Head = append(r.Head, "ratio     "+ratioText(d))
	}
	return r
}

// ratioText says which ratio the target allows.
func ratioText(d *report.RiskDocument) string {
	x := d.Ratio
	// 0: not even a ratio of 1 is within the target.
	if x.Ratio == 0 {
		return fmt.Sprintf("no ratio is within %s", page.Probability(d.Target))
	}
	text := fmt.Sprintf("up to %d the risk is at most %s: %s", x.Ratio, page.Probability(d.Target),
		page.Probability(x.Risk))
	if x.Beyond > 0 {
		text += fmt.Sprintf("; with %d it is %s", x.Ratio+1, page.Probability(x.Beyond))
	}
	switch {
	// 0: no ratio at all makes the plan fit, so the pool is not what is missing.
	case x.Least == 0:
		text += "; the plan fits with no ratio"
	case !x.Fits:
		text += fmt.Sprintf("; the plan DOES NOT FIT with it: it needs %d or more", x.Least)
	}
	return text
}

// OfPlan is the answer for a plan as a part of a page, with the pools of other ratios as a picture.
func (f *RiskFlags) OfPlan(plan *buffer.Plan, in buffer.Intent, behaves portsBehaviour) (*page.Risk, error) {
	d, err := f.answer(in, behaves)
	if err != nil {
		return nil, err
	}
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return nil, err
	}
	r := f.screen(&d, a)
	out := &page.Risk{Verdict: r.Head[0], Lines: append(r.Head[1:], r.Foot...), Tables: cli.PageTables(r.Sections),
		Target: d.Target, Paused: d.Behaviour == ""}
	if len(d.Pools) == 0 {
		return out, nil
	}
	groups := 0
	for _, p := range d.Pools {
		groups = max(groups, p.Groups)
	}
	curve := func(ratios []int) ([]risk.Point, error) { return risk.Curve(in, ratios, behaves.of(in)) }
	// Without a behaviour the picture shows the other side: for how much of the time groups may be paused at each
	// ratio.
	if out.Paused {
		curve = func(ratios []int) ([]risk.Point, error) { return risk.PausedCurve(in, ratios, d.Target) }
	}
	points, err := curve(risk.Ratios(groups))
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		out.Points = append(out.Points, page.RiskPoint{Ratio: float64(p.Ratio), Value: p.Value, Fits: p.Fits})
	}
	// The plan's own point is that of its worst slice: the largest ratio, and the least paused part or the largest
	// risk.
	out.Plan = page.RiskPoint{Fits: plan.Fits, Value: d.Pools[0].MostPaused}
	for _, p := range d.Pools {
		if ratio := float64(p.GroupCells) / float64(p.PoolCells); ratio > out.Plan.Ratio {
			out.Plan.Ratio = ratio
		}
		if out.Paused {
			out.Plan.Value = min(out.Plan.Value, p.MostPaused)
		}
	}
	if !out.Paused {
		out.Plan.Value = 0
		for _, p := range d.Pools {
			out.Plan.Value = max(out.Plan.Value, *p.Overflow)
		}
	}
	return out, nil
}
