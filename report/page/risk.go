package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/report"
)

// Risk is how likely the shared headroom pools of a plan overflow, as the verb risk answers it.
type Risk struct {
	Verdict string // the first line
	Lines   []string
	Tables  []Table
	Points  []RiskPoint // pools of other ratios, by growing ratio; none: headroom is dedicated
	Plan    RiskPoint   // the pool of the plan, with the ratio that it has
	Target  float64     // risk that is accepted
	// Paused: a point's value is the part of the time for which each group may be paused, so that the risk is Target.
	// Else it is the probability of an overflow.
	Paused bool
}

// RiskPoint is a pool by the ratio of what all groups bring to what it has.
type RiskPoint struct {
	Ratio, Value float64
	Fits         bool // the plan fits with it
}

// leastDrawn is the smallest probability that is drawn in its place.
const leastDrawn = 1e-12

// text returns the title of the picture, and how to read it.
func (r *Risk) text() (title, note string) {
	title, note = "Risk of an overflow over the ratio", "the pool overflows by the stated behaviour"
	if r.Paused {
		title, note = "How long the groups may be paused, over the ratio", "each group may be paused, independently of the "+
			"others, so that the pool overflows for "+report.Probability(r.Target)+" of the time"
	}
	return title, "The part of the time for which " + note + ", over the ratio of what all groups bring to what the pool " +
		"has. Large point: the plan. Points: pools of whole ratios, with a cross where the plan does not fit; between them " +
		"the value changes in steps, because a pool holds whole groups. Values below 1e-12 are drawn at the bottom."
}

// risk draws the probability over the ratio.
func (r *Report) risk() (figure, bool) {
	if r.Risk == nil || len(r.Risk.Points) == 0 {
		return figure{}, false
	}
	title, note := r.Risk.text()
	f := figure{ID: "risk", Title: title, Text: note, Tables: r.Risk.Tables}
	all := r.Risk.Points
	last := max(all[len(all)-1].Ratio, r.Risk.Plan.Ratio, 2)
	least := 1.0
	for _, p := range append(all[:len(all):len(all)], r.Risk.Plan, RiskPoint{Value: r.Risk.Target}) {
		if p.Value >= leastDrawn {
			least = min(least, p.Value)
		} else {
			least = leastDrawn
		}
	}
	chart := picture.NewChart(pictureWidth, 340, r.Risk.alternative(),
		picture.Axis{From: min(1, r.Risk.Plan.Ratio), To: last * 1.05, Log: true, Title: "ratio", Ticks: 12,
			Label: ratioText},
		picture.Axis{From: math.Pow10(int(math.Floor(math.Log10(least)))), To: 1, Log: true, Title: "part of the time", Ticks: 14,
			Label: axisText})
	if !r.Risk.Paused {
		chart.Level(r.Risk.Target, "good-line", "want "+report.Probability(r.Risk.Target))
	}
	points := grouped.Each(all, func(p RiskPoint) picture.Point { return picture.Point{X: p.Ratio, Y: p.Value} })
	chart.Curve(points, "l0 thin dots", title)
	for i, p := range all {
		x, y := chart.X.At(points[i].X), chart.Y.At(points[i].Y)
		name := fmt.Sprintf("ratio %s: %s", ratioText(p.Ratio), report.Probability(p.Value))
		if p.Fits {
			chart.Circle(x, y, 3.5, "part f0", name)
			continue
		}
		chart.Path(fmt.Sprintf("M%s %sl8 8m0 -8l-8 8", picture.Pixels(x-4), picture.Pixels(y-4)), "line bad-line",
			name+"; the plan does not fit")
	}
	plan := r.Risk.Plan
	chart.Mark(picture.Point{X: plan.Ratio, Y: plan.Value}, "f1",
		fmt.Sprintf("the plan: %s", report.Probability(plan.Value)),
		fmt.Sprintf("the plan, ratio %s: %s", ratioText(plan.Ratio), report.Probability(plan.Value)))
	f.drawing = chart.Picture
	f.Details = []Table{r.Risk.points()}
	return f, true
}

// alternative says in words what the picture shows.
func (r *Risk) alternative() string {
	title, _ := r.text()
	return fmt.Sprintf("%s: %s with ratio 1, %s with the plan's %s, %s with %s.", title,
		report.Probability(r.Points[0].Value),
		report.Probability(r.Plan.Value), ratioText(r.Plan.Ratio), report.Probability(r.Points[len(r.Points)-1].Value),
		ratioText(r.Points[len(r.Points)-1].Ratio))
}

// points are the numbers of the picture.
func (r *Risk) points() Table {
	value := "overflow"
	if r.Paused {
		value = "may be paused"
	}
	t := Table{Title: "Numbers of the picture", Columns: []string{"ratio", value, "fits"}}
	for _, p := range r.Points {
		fits := "yes"
		if !p.Fits {
			fits = "no"
		}
		t.Rows = append(t.Rows, []string{ratioText(p.Ratio), report.Probability(p.Value), fits})
	}
	return t
}

// axisText is Probability without zeros behind a comma.
func axisText(x float64) string {
	if x < 0.001 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return report.Probability(x)
}

// ratioText prints a ratio with at most two places.
func ratioText(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64) }
