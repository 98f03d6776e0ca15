package report

import (
	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/unnamed"
)

// CalibrateDocument is what measurements say of a chip: an interval for each of its numbers.
type CalibrateDocument struct {
	Schema     string                `json:"schema"`
	Agrees     bool                  `json:"agrees"` // all measurements and assumptions can be true together
	Exact      int                   `json:"exact"`
	Intervals  int                   `json:"intervals"`
	Assumed    int                   `json:"assumed"` // not contradicted, and not measured
	Unknown    int                   `json:"unknown"`
	Parameters []CalibratedParameter `json:"parameters"`
	// Contradictions are the assumptions and measurements without which the rest agrees.
	Contradictions []struct {
		What  string `json:"what"` // empty: no single one
		Kind  string `json:"kind"` // assumption, measurement, unknown
		Shows string `json:"shows,omitempty"`
	} `json:"contradictions"`
	// Next is the measurement that would tell the most.
	Next *struct {
		Parameter string `json:"parameter"`
		Of        string `json:"of,omitempty"`
		Probe     string `json:"probe"`
		Width     *int64 `json:"width,omitempty"` // of the interval after it, at most
	} `json:"next,omitempty"`
	// LeftOut is what the other measurements say of each group, with --leave-one-out.
	LeftOut []struct {
		From      string `json:"from"`
		Group     string `json:"group"`
		What      string `json:"what"`
		Measured  string `json:"measured"`
		Predicted string `json:"predicted"`
		State     string `json:"state"` // matches, differs, unknown
	} `json:"left_out,omitempty"`
}

// CalibratedParameter is one number of the chip or of its configuration. Its unit is at the end of its name.
type CalibratedParameter struct {
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

// Calibration returns the document of a calibration. left is what each group would be by all others; nil without
// --leave-one-out.
func Calibration(r *calibrate.Result, left []calibrate.Prediction) CalibrateDocument {
	d := CalibrateDocument{Schema: Schema("calibrate"), Agrees: r.Agrees, Parameters: []CalibratedParameter{}}
	for i := range r.Parameters {
		d.Parameters = append(d.Parameters, d.parameter(&r.Parameters[i]))
	}
	list := unnamed.List(&d.Contradictions, len(r.Contradictions))
	for i, c := range r.Contradictions {
		to := &list[i]
		to.What, to.Kind, to.Shows = c.What, "measurement", c.Shows
		switch {
		case c.What == "":
			to.Kind = "unknown"
		case c.Assumption:
			to.Kind = "assumption"
		}
	}
	if n, ok := r.Next(); ok && r.Agrees {
		next := unnamed.New(&d.Next)
		next.Parameter, next.Of, next.Probe = n.Parameter.Name, n.Parameter.Of, n.Probe
		if n.Width != calibrate.NoBound {
			next.Width = &n.Width
		}
	}
	for _, p := range left {
		to := unnamed.Add(&d.LeftOut)
		to.From, to.Group, to.What, to.Measured = p.From, p.Group, p.What, p.Measured.String()
		to.Predicted, to.State = "unknown", "unknown"
		if p.Known {
			to.Predicted, to.State = p.Predicted.String(), "differs"
		}
		if p.Agrees {
			to.State = "matches"
		}
	}
	return d
}

// parameter converts one parameter, and counts it.
func (d *CalibrateDocument) parameter(p *calibrate.Parameter) CalibratedParameter {
	to := CalibratedParameter{Name: p.Name, Of: p.Of, State: "unknown", Value: "unknown", RestsOn: []string{},
		Assumes: []string{}}
	switch {
	case !p.Known:
		d.Unknown++
		return to
	case p.Assumption || len(p.Basis) == 0:
		d.Assumed++
		to.State = "assumed"
	case p.Exact():
		d.Exact++
		to.State = "exact"
	default:
		d.Intervals++
		to.State = "interval"
	}
	is := p.Is
	to.Lowest, to.Values, to.Value, to.Outer = &is.Lo, p.Values, p.Value(), p.Outer
	if is.Hi != calibrate.NoBound {
		to.Highest = &is.Hi
	}
	to.RestsOn, to.Assumes = append(to.RestsOn, p.Basis...), append(to.Assumes, p.Assumed...)
	return to
}
