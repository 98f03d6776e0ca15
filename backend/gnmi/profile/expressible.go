package profile

import (
	"math"

	"github.com/cellwarden/cellwarden/buffer"
)

// The units of leaves.
const (
	Bytes    Unit = "bytes"
	Exponent Unit = "exponent" // n of 2^n
	Percent  Unit = "percent"
	Weight   Unit = "weight" // of a queue; strict, where it has none
	DSCP     Unit = "dscp"
)

// Unit is in what a leaf counts.
type Unit string

// Direction is where a value goes that a leaf cannot hold.
type Direction string

// The directions of rounding.
const (
	Exact   Direction = "exact" // every value can be held
	Up      Direction = "up"
	Nearest Direction = "nearest" // but not to 0
)

// Rule is how a target takes one kind of register over OpenConfig.
type Rule struct {
	Kind     buffer.Kind `json:"-"`
	Register string      `json:"register"`
	Path     string      `json:"path"`    // empty: it has no words for it
	Unit     Unit        `json:"unit"`    // of the leaf
	Quantum  int64       `json:"quantum"` // the leaf holds multiples of it, in bytes, exponents or hundredths of a percent; 1: all
	Round    Direction   `json:"round"`
	Most     int64       `json:"most"`  // largest value of the leaf, in the same; 0: no limit that is known
	Why      string      `json:"why"`   // it has no words
	Where    string      `json:"where"` // it could go instead; empty: nowhere that is known
	Evidence
}

// Expressible tells whether the target has words.
func (r *Rule) Expressible() bool { return r.Path != "" }

// Fit returns what of a value the leaf can hold. A value above the leaf's
// largest becomes that.
func (r *Rule) Fit(v int64) int64 {
	if q := r.Quantum; q > 1 && v > 0 {
		switch whole, rest := v/q*q, v%q; {
		case rest == 0:
		case r.Round == Up, rest*2 >= q, whole == 0:
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

// Reason says why there are no words and where the value could go.
func (r *Rule) Reason() string {
	if r.Where == "" {
		return r.Why
	}
	return r.Why + "; " + r.Where
}

// The leaves of openconfig-qos that cellwarden writes.
const (
	allocation = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=*]/queues/queue[name=*]/config/"
	wred       = "/qos/queue-management-profiles/queue-management-profile[name=*]/wred/uniform/config/"

	leafReserved = allocation + "dedicated-buffer"
	leafStatic   = allocation + "static-shared-buffer-limit"
	leafAlpha    = allocation + "dynamic-limit-scaling-factor"
	leafMin      = wred + "min-threshold"
	leafMax      = wred + "max-threshold"
	leafPercent  = wred + "max-drop-probability-percent"
	leafWeight   = "/qos/scheduler-policies/scheduler-policy[name=*]/schedulers/scheduler[sequence=*]/inputs/input[id=*]/config/weight"
	leafDSCP     = "/qos/classifiers/classifier[name=*]/terms/term[id=*]/conditions/ipv4/config/dscp-set"
)

// rules starts from what the published model can say.
func rules() []Rule {
	out := make([]Rule, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = Rule{Kind: k, Register: k.String(), Quantum: 1, Round: Exact, Evidence: Evidence{Source: sourceModel}}
	}
	words := func(k buffer.Kind, path string, u Unit) {
		out[k].Path, out[k].Unit = path, u
	}
	words(buffer.GroupReserved, leafReserved, Bytes)
	words(buffer.GroupAlpha, leafAlpha, Exponent)
	words(buffer.GroupStatic, leafStatic, Bytes)
	out[buffer.GroupStatic].Most = math.MaxUint32 // the leaf is a uint32
	words(buffer.QueueECNMin, leafMin, Bytes)
	words(buffer.QueueECNMax, leafMax, Bytes)
	words(buffer.QueueECNPMax, leafPercent, Percent)
	words(buffer.QueueReserved, leafReserved, Bytes)
	words(buffer.QueueWeight, leafWeight, Weight)
	words(buffer.PriorityDSCP, leafDSCP, DSCP)
	percents := &out[buffer.QueueECNPMax]
	percents.Quantum, percents.Round, percents.Most = 100, Nearest, 10000
	const native = "set it with the switch's native model"
	for k, why := range map[buffer.Kind]string{
		buffer.PoolShared:     "OpenConfig has no leaf for the size of a buffer pool: openconfig-qos models no pools",
		buffer.PoolHeadroom:   "OpenConfig has no leaf for the shared headroom pool: openconfig-qos models no pools",
		buffer.PortMinimum:    "OpenConfig has no leaf for the minimum of a port: dedicated-buffer belongs to a queue",
		buffer.GroupLossless:  "OpenConfig has no leaf that enables PFC for a priority: openconfig-qos models no priority flow control",
		buffer.GroupHeadroom:  "OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control",
		buffer.GroupXONOffset: "OpenConfig has no leaf for xon or the xon offset: openconfig-qos models no priority flow control",
	} {
		out[k].Why, out[k].Where = why, native
	}
	return out
}
