package nos

import "github.com/cellwarden/cellwarden/buffer"

// The units of leaves.
const (
	LeafBytes    LeafUnit = "bytes"
	LeafExponent LeafUnit = "exponent" // n of 2^n
	LeafPercent  LeafUnit = "percent"
	LeafWeight   LeafUnit = "weight" // of a queue, or strict
	LeafDSCP     LeafUnit = "dscp"
)

// LeafUnit is the unit of a leaf's value.
type LeafUnit string

// Rounding is how a value is rounded that a leaf cannot hold.
type Rounding string

// The directions of rounding.
const (
	RoundExact   Rounding = "exact"   // the leaf can hold every value
	RoundUp      Rounding = "up"      // to the next multiple
	RoundNearest Rounding = "nearest" // to the nearest multiple other than 0
)

// Rule is how a kind of switch takes one kind of register over OpenConfig.
type Rule struct {
	Kind     buffer.Kind `json:"-"`
	Register string      `json:"register"` // the name of Kind
	Path     string      `json:"path"`     // of the leaf, with a star for each key; empty: there is no leaf
	Unit     LeafUnit    `json:"unit"`     // of the leaf

	// Quantum: the leaf holds multiples of it, in the unit of the leaf; percents are in
	// hundredths. 1: the leaf holds every value.
	Quantum int64    `json:"quantum"`
	Round   Rounding `json:"round"`
	Most    int64    `json:"most"` // the largest value of the leaf, in the unit of Quantum; 0: no known limit

	Why   string `json:"why"`   // why there is no leaf
	Where string `json:"where"` // where it can be configured instead; empty: not known
	Evidence
}

// Expressible tells whether the switch has a leaf for the register.
func (r *Rule) Expressible() bool { return r.Path != "" }

// Fit returns the value of the leaf for a value: rounded to a multiple of the quantum, and
// at most the largest.
func (r *Rule) Fit(v int64) int64 {
	if q := r.Quantum; q > 1 && v > 0 {
		switch whole, rest := v/q*q, v%q; {
		case rest == 0:
		case r.Round == RoundUp, rest*2 >= q, whole == 0:
			v = whole + q
		default:
			v = whole
		}
	}
	if r.Most > 0 && v > r.Most {
		v = r.Most - r.Most%max(r.Quantum, 1)
	}
	return v
}

// Reason says why there is no leaf, and where the register can be configured instead.
func (r *Rule) Reason() string {
	if r.Where == "" {
		return r.Why
	}
	return r.Why + "; " + r.Where
}
