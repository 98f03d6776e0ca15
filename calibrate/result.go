package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Parameter is what the measurements say of one number of the chip or its configuration.
type Parameter struct {
	Name string
	Of   string // profile, or speed; "" if there is one for the whole switch
	Is   Range
	// Values are the numbers that are possible, where few are: cells, alphas, rules. nil: every number of the range may
	// be.
	Values []int64
	// Known is false if nothing that was measured or assumed bounds the parameter. Is then has the range of all chips.
	Known bool
	// Assumption says that the interval is that of an assumption: the measurements agree with it, and would leave more
	// without it.
	Assumption bool
	// Outer says that the search was ended by its bound: the interval holds the truth, and could be narrower.
	Outer   bool
	Basis   []string // measurements that it rests on
	Assumed []string // assumptions that it rests on
}

// Exact tells whether one value is left.
func (p *Parameter) Exact() bool { return p.Known && p.Is.IsPoint() }

// Measured tells whether the interval is the result of measurements, and not of an assumption about the parameter.
func (p *Parameter) Measured() bool { return p.Known && !p.Assumption && len(p.Basis) > 0 }

// Value prints what is known: "unknown", "20,029", "6 to 8", "before or after".
func (p Parameter) Value() string {
	if names, ok := ruleNames[p.Name]; ok {
		if p.Is.IsPoint() && p.Is.Lo >= 0 && p.Is.Lo <= 1 {
			return names[p.Is.Lo]
		}
		return names[0] + " or " + names[1]
	}
	show := func(n int64) string { return unit.Thousands(n) }
	if p.Name == DynamicTh {
		show = func(n int64) string { return fmt.Sprintf("%d (alpha %v)", n, thresholds.Alpha(n)) }
	}
	if n := len(p.Values); n > 1 && n <= 8 {
		all := grouped.Each(p.Values, show)
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	if p.Is.IsPoint() {
		return show(p.Is.Lo)
	}
	if p.Name == DynamicTh {
		return show(p.Is.Lo) + " to " + show(p.Is.Hi)
	}
	return p.Is.String()
}

// Contradiction is something that cannot be true together with the rest.
type Contradiction struct {
	// What is the assumption, or the measurement, without which the rest agrees; "" if no single one resolves it.
	What string
	// Assumption tells whether What is an assumption.
	Assumption bool
	// Shows is what the measurements give for the parameter of the assumption, without it; "" for a measurement.
	Shows string
}

// Result is what measurements say of a switch.
type Result struct {
	Parameters     []Parameter // in a fixed order; those that are not known are among them
	Contradictions []Contradiction
	// Agrees tells whether all measurements and assumptions can be true together. If not, the parameters are those
	// that result without one of the contradictions, and unknown if no single one resolves it.
	Agrees     bool
	candidates []candidate // some of what is possible, to compare measurements that could come next
	problem    *problem
}

// Parameter returns the parameter with a name and profile or speed; false if the result has none.
func (r *Result) Parameter(name, of string) (Parameter, bool) {
	i := slices.IndexFunc(r.Parameters, func(p Parameter) bool { return p.Name == name && p.Of == of })
	if i < 0 {
		return Parameter{}, false
	}
	return r.Parameters[i], true
}

// doubt orders parameters by how little is known of them: the width of the interval in thousandths of its upper end.
func (p *Parameter) doubt() int64 {
	switch {
	case !p.Known:
		return NoBound
	case p.Is.IsPoint():
		return 0
	case p.Is.Hi == NoBound:
		return NoBound - 1
	}
	high := max(p.Is.Hi, -p.Is.Lo, 1)
	return 1 + p.Is.Width()*1000/high
}
