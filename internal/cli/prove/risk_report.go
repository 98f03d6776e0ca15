package prove

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file prints the answer of risk, as a document and as tables.

// riskScreen is the answer as text. A plan that does not fit has its risk beside its refusal, in the first line: the
// sizes are what the topology asks for.
func riskScreen(d *report.RiskDocument, cell cells.Size) *cli.Screen {
	refused := ""
	if d.Refused > 0 {
		refused = fmt.Sprintf("DOES NOT FIT: %s; ", cli.Plural(d.Refused, "port is refused", "ports are refused"))
	}
	if len(d.Pools) == 0 {
		return &cli.Screen{Head: append([]string{refused + "NO RISK OF THIS KIND: headroom is dedicated, and no pool " +
			"can overflow" + cli.ChangedText(d.Set)}, cli.Prefixed("rests on  ", d.RestsOn)...)}
	}
	s := cli.Table("pools", "Shared headroom pools", "slice", "pool cells", "all groups bring", "groups", "at once",
		"smallest overflow", "may be paused")
	// A pool belongs to the ports of a slice, so its cells have no time.
	amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n)} }
	// Without one the table says how long groups may be paused, and nothing can be called an overflow.
	stated := d.Behaviour != ""
	if stated {
		s.Columns = append(s.Columns, "overflow")
	}
	var foot []string
	for _, p := range d.Pools {
		row := []any{cli.Count(p.Slice), amount(p.PoolCells), amount(p.GroupCells), cli.Count(p.Groups),
			cli.Count(p.AtOnce), cli.Plural(p.Smallest, "group", "groups"), report.Probability(p.MostPaused)}
		// 0: not even all groups together overflow the pool.
		if p.Smallest == 0 {
			row[5] = "none"
		}
		switch {
		case p.Overflow != nil:
			row = append(row, report.Probability(*p.Overflow))
		// A pool for which not even a bound is known keeps its row.
		case stated:
			row = append(row, "not known")
		}
		s.Rows = append(s.Rows, row)
		// Which groups together overflow a pool is what a reader can check on the switch.
		if p.Set != "" {
			foot = append(foot, fmt.Sprintf("- slice %d overflows with %s", p.Slice, p.Set))
		}
		// The interval of the samples is printed beside the exact number that it checks.
		if e := p.Sampled; e != nil {
			foot = append(foot, fmt.Sprintf("- slice %d, sampled: %s, in 95 of 100 runs %s to %s; %s, seed %d", p.Slice,
				report.Probability(e.Probability), report.Probability(e.Low), report.Probability(e.High),
				cli.Plural(e.Trials, "trial", "trials"), e.Seed))
		}
	}
	s.MB("pool cells", "MB")
	r := &cli.Screen{Head: []string{refused + riskHead(d) + cli.ChangedText(d.Set)}, Sections: []cli.Section{s},
		Foot: foot}
	r.Head = append(r.Head, cli.Prefixed("rests on  ", d.RestsOn)...)
	if d.Ratio != nil {
		r.Head = append(r.Head, "ratio     "+ratioText(d))
	}
	// A file of watermarks often has lossy groups as well.
	if m := d.Measured; m != nil && m.NotUsed > 0 {
		r.Foot = append(r.Foot, fmt.Sprintf("- %s of groups without headroom in these pools, and not used",
			cli.Plural(m.NotUsed, "watermark is", "watermarks are")))
	}
	return r
}

// riskHead is the first line: what is known of the switch. "At most" is printed where a group has no watermark and is
// taken at its worst case. "Not known" is printed where even that gives no bound.
func riskHead(d *report.RiskDocument) string {
	measured := ""
	if m := d.Measured; m != nil {
		measured = fmt.Sprintf("; measured %s of %s", cli.Count(m.Of), cli.Plural(m.Groups, "group", "groups"))
	}
	// With one slice, the slice is not named.
	any := map[bool]string{true: " in any of " + cli.Plural(len(d.Pools), "slice", "slices")}[len(d.Pools) > 1]
	switch d.Verdict {
	case "never":
		return "NO OVERFLOW: the pools hold the worst case of all groups at once"
	case "no behaviour":
		return fmt.Sprintf("no behaviour is stated: each group may be paused for %s of the time, independently, so "+
			"that the risk of the switch is %s", report.Probability(d.MostPaused), report.Probability(d.Target))
	case "not known":
		return "NOT KNOWN how likely an overflow is" + measured + ": the others could be paused at any time"
	case "at most":
		return "overflow" + any + " at " + report.Probability(*d.Overflow) + " of all moments at most, if " +
			d.Behaviour + measured + map[bool]string{true: ", the others at their worst case"}[d.Measured != nil]
	}
	return "overflow" + any + " at " + report.Probability(*d.Overflow) + " of all moments, if " + d.Behaviour + measured
}

// ratioText says which ratio the target allows. The ratio is that of the sum of all headrooms to the pool: SONiC's
// over_subscribe_ratio.
func ratioText(d *report.RiskDocument) string {
	x := d.Ratio
	// 0: not even a ratio of 1 is within the target.
	if x.Ratio == 0 {
		return fmt.Sprintf("no ratio is within %s", report.Probability(d.Target))
	}
	text := fmt.Sprintf("up to %d the risk is at most %s: %s", x.Ratio, report.Probability(d.Target),
		report.Probability(x.Risk))
	// The next ratio shows how fast the risk grows.
	if x.Beyond > 0 {
		text += fmt.Sprintf("; with %d it is %s", x.Ratio+1, report.Probability(x.Beyond))
	}
	switch {
	// 0: no ratio at all makes the plan fit, so the pool is not what is missing.
	case x.Least == 0:
		text += "; the plan fits with no ratio"
	// Least is the smallest ratio with which the plan fits, and may be more than the risk allows.
	case !x.Fits:
		text += fmt.Sprintf("; the plan DOES NOT FIT with it: it needs %d or more", x.Least)
	}
	return text
}

// OfPlan is the answer for a plan as a part of a page, with the pools of other ratios as a picture. in has the sizes
// that were asked for, and plan what was granted of them.
func (f *RiskFlags) OfPlan(ctx context.Context, plan *buffer.Plan, in buffer.Intent,
	q *risk.Question) (*page.Risk, error) {
	d, err := q.Answer(ctx, in)
	if err != nil {
		return nil, err
	}
	r := riskScreen(&d, in.Chip.Cell)
	out := &page.Risk{Verdict: r.Head[0], Lines: append(r.Head[1:], r.Foot...), Tables: cli.PageTables(r.Sections),
		Target: d.Target, Paused: d.Behaviour == ""}
	// No picture of what is not known.
	if len(d.Pools) == 0 || d.Verdict == "not known" {
		return out, nil
	}
	bound, err := q.On(&in)
	if err != nil {
		return nil, err
	}
	// By a ratio above the number of its groups a pool is no smaller: it holds one group at least.
	groups := 0
	for _, p := range d.Pools {
		groups = max(groups, p.Groups)
	}
	curve := func(ratios []int) ([]risk.Point, error) { return risk.Curve(in, ratios, bound) }
	// Without a behaviour the picture shows the other side: for how much of the time groups may be paused at each
	// ratio.
	if out.Paused {
		curve = func(ratios []int) ([]risk.Point, error) { return risk.PausedCurve(in, ratios, d.Target) }
	}
	// A ratio with which the plan does not fit has its point, too, which says so.
	points, err := curve(risk.Ratios(groups))
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		out.Points = append(out.Points, page.RiskPoint{Ratio: float64(p.Ratio), Value: p.Value, Fits: p.Fits})
	}
	// The plan's own point is the switch's, at the largest ratio of its slices.
	out.Plan = page.RiskPoint{Fits: plan.Fits, Value: d.MostPaused}
	for _, p := range d.Pools {
		out.Plan.Ratio = max(out.Plan.Ratio, float64(p.GroupCells)/float64(p.PoolCells))
	}
	// An overflow that is not known has returned above.
	if !out.Paused {
		out.Plan.Value = *d.Overflow
	}
	return out, nil
}
