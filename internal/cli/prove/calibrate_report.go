package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// CalibrateJSON is what measurements say, as a document.
type CalibrateJSON struct {
	Schema         string              `json:"schema"`
	Agrees         bool                `json:"agrees"` // all measurements and assumptions can be true together
	Exact          int                 `json:"exact"`
	Intervals      int                 `json:"intervals"`
	Assumed        int                 `json:"assumed"` // not contradicted, and not measured
	Unknown        int                 `json:"unknown"`
	Parameters     []parameterJSON     `json:"parameters"`
	Contradictions []contradictionJSON `json:"contradictions"`
	Next           *nextJSON           `json:"next,omitempty"`
	LeftOut        []predictionJSON    `json:"left_out,omitempty"` // with --leave-one-out
}

// parameterJSON is one number of the chip or of its configuration. Its unit is at the end of its name.
type parameterJSON struct {
	Name  string `json:"name"`
	Of    string `json:"of,omitempty"` // profile or speed
	State string `json:"state"`        // exact, interval, assumed (not measured), unknown
	// Lowest and Highest are absent if unknown; Highest too if there is no upper bound.
	Lowest  *int64   `json:"lowest,omitempty"`
	Highest *int64   `json:"highest,omitempty"`
	Values  []int64  `json:"values,omitempty"` // if few are possible
	Value   string   `json:"value"`
	Outer   bool     `json:"outer_bound,omitempty"` // the search ended early: the interval could be narrower
	RestsOn []string `json:"rests_on"`
	Assumes []string `json:"assumes"`
}

// contradictionJSON is an assumption or a measurement without which the rest agrees.
type contradictionJSON struct {
	What  string `json:"what"` // empty: no single one
	Kind  string `json:"kind"` // assumption, measurement, unknown
	Shows string `json:"shows,omitempty"`
}

// nextJSON is the measurement that would tell the most.
type nextJSON struct {
	Parameter string `json:"parameter"`
	Of        string `json:"of,omitempty"`
	Probe     string `json:"probe"`
	Width     *int64 `json:"width,omitempty"` // of the interval after it, at most
}

// predictionJSON is what the other measurements say of a group.
type predictionJSON struct {
	From      string `json:"from"`
	Group     string `json:"group"`
	What      string `json:"what"`
	Measured  string `json:"measured"`
	Predicted string `json:"predicted"`
	State     string `json:"state"` // matches, differs, unknown
}

// calibrateDocument converts a result.
func calibrateDocument(r *calibrate.Result) *CalibrateJSON {
	d := &CalibrateJSON{Schema: "cellwarden.calibrate/v1", Agrees: r.Agrees, Parameters: []parameterJSON{},
		Contradictions: []contradictionJSON{}}
	for i := range r.Parameters {
		d.Parameters = append(d.Parameters, d.parameter(&r.Parameters[i]))
	}
	for _, c := range r.Contradictions {
		j := contradictionJSON{What: c.What, Kind: "measurement", Shows: c.Shows}
		switch {
		case c.What == "":
			j.Kind = "unknown"
		case c.Assumption:
			j.Kind = "assumption"
		}
		d.Contradictions = append(d.Contradictions, j)
	}
	if n, ok := r.Next(); ok && r.Agrees {
		d.Next = &nextJSON{Parameter: n.Parameter.Name, Of: n.Parameter.Of, Probe: n.Probe}
		if n.Width != calibrate.NoBound {
			d.Next.Width = &n.Width
		}
	}
	return d
}

// parameter converts one parameter, and counts it.
func (d *CalibrateJSON) parameter(p *calibrate.Parameter) parameterJSON {
	j := parameterJSON{Name: p.Name, Of: p.Of, State: "unknown", Value: "unknown", RestsOn: []string{},
		Assumes: []string{}}
	switch {
	case !p.Known:
		d.Unknown++
		return j
	case p.Assumption || len(p.Basis) == 0:
		d.Assumed++
		j.State = "assumed"
	case p.Exact():
		d.Exact++
		j.State = "exact"
	default:
		d.Intervals++
		j.State = "interval"
	}
	is := p.Is
	j.Lowest, j.Values, j.Value, j.Outer = &is.Lo, p.Values, p.Value(), p.Outer
	if is.Hi != calibrate.NoBound {
		j.Highest = &is.Hi
	}
	j.RestsOn, j.Assumes = append(j.RestsOn, p.Basis...), append(j.Assumes, p.Assumed...)
	return j
}

// leftOut adds predictions.
func (d *CalibrateJSON) leftOut(all []calibrate.Prediction) {
	for _, p := range all {
		j := predictionJSON{From: p.From, Group: p.Group, What: p.What, Measured: p.Measured.String(),
			Predicted: "unknown", State: "unknown"}
		if p.Known {
			j.Predicted, j.State = p.Predicted.String(), "differs"
		}
		if p.Agrees {
			j.State = "matches"
		}
		d.LeftOut = append(d.LeftOut, j)
	}
}

// headline is the first line: whether everything agrees, and how much is known.
func (d *CalibrateJSON) headline() string {
	verdict := "AGREES"
	if !d.Agrees {
		verdict = "CONTRADICTION"
	}
	return fmt.Sprintf("%s: of %d parameters the measurements give %d exactly, %d as intervals; assumed: %d, "+
		"unknown: %d", verdict, len(d.Parameters), d.Exact, d.Intervals, d.Assumed, d.Unknown)
}

// report returns the tables.
func (d *CalibrateJSON) report() *cli.Screen {
	r := &cli.Screen{Head: []string{d.headline()}, Verdict: strings.ToLower(d.headline()[:strings.Index(d.headline(), ":")])}
	for _, c := range d.Contradictions {
		switch {
		case c.What == "":
			r.Head = append(r.Head, "no single assumption or measurement explains the contradiction")
		case c.Shows != "":
			r.Head = append(r.Head, fmt.Sprintf("contradicted: %s; without it the measurements give %s", c.What, c.Shows))
		default:
			r.Head = append(r.Head, fmt.Sprintf("contradicted: %s; the rest agrees without it", c.What))
		}
	}
	s := cli.Section{Name: "parameters", Title: "Parameters", Columns: []string{"parameter", "of", "value", "state",
		"rests on", "assumes"}}
	outer := false
	for _, p := range d.Parameters {
		state := p.State
		if p.Outer {
			state += ", outer bound"
			outer = true
		}
		s.Row(p.Name, p.Of, p.Value, state, shortList(p.RestsOn), strings.Join(p.Assumes, "; "))
	}
	r.Sections = append(r.Sections, s)
	if d.LeftOut != nil {
		r.Sections = append(r.Sections, d.leftOutSection())
	}
	if outer {
		r.Foot = append(r.Foot, "An outer bound holds the truth; the search for its end was ended early.")
	}
	if n := d.Next; n != nil {
		r.Foot = append(r.Foot, n.text())
	}
	return r
}

// text says which measurement would tell the most.
func (n *nextJSON) text() string {
	what := strings.TrimSpace(n.Parameter + " " + n.Of)
	if n.Width == nil {
		return fmt.Sprintf("Next, for %s: %s.", what, n.Probe)
	}
	return fmt.Sprintf("Next, for %s: %s. Its interval is then at most %s wide.", what, n.Probe, cli.Count(*n.Width))
}

// leftOutSection is the table of the predictions.
func (d *CalibrateJSON) leftOutSection() cli.Section {
	s := cli.Section{Name: "left-out", Title: "Left out, and predicted from the rest",
		Columns: []string{"measurement", "group",
			"what", "measured", "predicted", "state"}}
	for _, p := range d.LeftOut {
		s.Row(p.From, p.Group, p.What, p.Measured, p.Predicted, p.State)
	}
	return s
}

// shortList joins names; of many only the first ones.
func shortList(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
