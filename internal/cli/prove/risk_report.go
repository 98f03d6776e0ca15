package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file prints the answer of risk, as a document and as tables.

// RiskJSON is the answer as a document.
type RiskJSON struct {
	Schema    string         `json:"schema"`
	Set       []string       `json:"set,omitempty"`
	Behaviour string         `json:"behaviour"` // in a sentence; empty: none was stated
	Target    float64        `json:"target"`
	Pools     []riskPoolJSON `json:"pools"`           // one for each slice; []: headroom is dedicated
	Ratio     *riskRatioJSON `json:"ratio,omitempty"` // for the target; absent without a behaviour
}

// riskPoolJSON is the pool of a slice.
type riskPoolJSON struct {
	Slice      int         `json:"slice"`
	PoolCells  cells.Count `json:"pool_cells"`
	GroupCells cells.Count `json:"groups_cells"` // all groups at their worst case
	Groups     int         `json:"groups"`
	AtOnce     int         `json:"groups_at_once"`           // any so many can pause together
	Smallest   int         `json:"smallest_overflow_groups"` // groups of a smallest set that overflows; 0: none does
	Set        string      `json:"smallest_overflow_set"`    // its groups
	// MostPaused is the part of the time for which each group may be paused, independently, within the target.
	MostPaused float64          `json:"most_paused_for_target"`
	Overflow   *float64         `json:"overflow_probability,omitempty"` // by the behaviour
	Sampled    *riskSampledJSON `json:"sampled,omitempty"`
}

// riskSampledJSON is an estimate with the interval of 95 %.
type riskSampledJSON struct {
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Trials      int     `json:"trials"`
	Seed        uint64  `json:"seed"`
}

// riskRatioJSON is the largest ratio for the target.
type riskRatioJSON struct {
	Ratio  int     `json:"ratio"`              // 0: not even 1 is within the target
	Risk   float64 `json:"risk"`               // with it
	Beyond float64 `json:"risk_of_next_ratio"` // 0: there is none
	Fits   bool    `json:"fits"`
	Least  int     `json:"least_ratio_that_fits"` // 0: none
}

// groupNames names groups: "group 3 of Ethernet1/1-4".
func groupNames(groups []risk.Group) string {
	ports := map[int][]string{}
	for _, g := range groups {
		ports[g.Group] = append(ports[g.Group], g.Port)
	}
	var out []string
	for g := range 8 {
		if len(ports[g]) > 0 {
			out = append(out, fmt.Sprintf("group %d of %s", g, buffer.FoldPorts(ports[g])))
		}
	}
	return strings.Join(out, ", ")
}

// report is the answer as text.
func (f *RiskFlags) report(d *RiskJSON, a *buffer.Admission) *cli.Screen {
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
	worst, never := 0.0, true
	var foot []string
	for _, p := range d.Pools {
		row := []any{cli.Count(p.Slice), cli.Count(p.PoolCells), cli.Count(p.GroupCells), cli.Count(p.Groups), cli.Count(p.AtOnce),
			cli.Plural(p.Smallest, "group", "groups"), page.Probability(p.MostPaused)}
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
func ratioText(d *RiskJSON) string {
	x := d.Ratio
	if x.Ratio == 0 {
		return fmt.Sprintf("no ratio is within %s", page.Probability(d.Target))
	}
	text := fmt.Sprintf("up to %d the risk is at most %s: %s", x.Ratio, page.Probability(d.Target),
		page.Probability(x.Risk))
	if x.Beyond > 0 {
		text += fmt.Sprintf("; with %d it is %s", x.Ratio+1, page.Probability(x.Beyond))
	}
	switch {
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
	r := f.report(&d, a)
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
