package nos

import (
	"math"

	"github.com/cellwarden/cellwarden/buffer"
)

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
	leafWeight   = "/qos/scheduler-policies/scheduler-policy[name=*]/schedulers/scheduler[sequence=*]" +
		"/inputs/input[id=*]/config/weight"
	leafDSCP = "/qos/classifiers/classifier[name=*]/terms/term[id=*]/conditions/ipv4/config/dscp-set"
)

// modelRules are the rules of the published model, from which every profile starts.
func modelRules() []Rule {
	out := make([]Rule, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = Rule{Kind: k, Register: k.String(), Quantum: 1, Round: RoundExact, Evidence: From(sourceModel)}
	}
	leaf := func(k buffer.Kind, path string, u LeafUnit) {
		out[k].Path, out[k].Unit = path, u
	}
	leaf(buffer.GroupReserved, leafReserved, LeafBytes)
	leaf(buffer.GroupAlpha, leafAlpha, LeafExponent)
	leaf(buffer.GroupStatic, leafStatic, LeafBytes)
	out[buffer.GroupStatic].Most = math.MaxUint32 // the leaf is a uint32
	leaf(buffer.QueueECNMin, leafMin, LeafBytes)
	leaf(buffer.QueueECNMax, leafMax, LeafBytes)
	leaf(buffer.QueueECNPMax, leafPercent, LeafPercent)
	leaf(buffer.QueueReserved, leafReserved, LeafBytes)
	leaf(buffer.QueueWeight, leafWeight, LeafWeight)
	leaf(buffer.PriorityDSCP, leafDSCP, LeafDSCP)
	percents := &out[buffer.QueueECNPMax]
	percents.Quantum, percents.Round, percents.Most = 100, RoundNearest, 10000
	const (
		native  = "set it with the switch's native model"
		noPools = ": openconfig-qos models no pools"
		noPFC   = ": openconfig-qos models no priority flow control"
		// openconfig-qos-elements: output/child-scheduler names a policy, and input-type is QUEUE, IN_PROFILE or
		// OUT_PROFILE.
		noGroup = ": an input of a scheduler names a queue, and not another scheduler; the weight of each queue has " +
			"the share of its group in it"
	)
	for k, why := range map[buffer.Kind]string{
		buffer.PoolShared:     "OpenConfig has no leaf for the size of a buffer pool" + noPools,
		buffer.PoolHeadroom:   "OpenConfig has no leaf for the shared headroom pool" + noPools,
		buffer.PortMinimum:    "OpenConfig has no leaf for the minimum of a port: dedicated-buffer belongs to a queue",
		buffer.GroupLossless:  "OpenConfig has no leaf that enables PFC for a priority" + noPFC,
		buffer.GroupHeadroom:  "OpenConfig has no leaf for headroom (xoff)" + noPFC,
		buffer.QueueClass:     "OpenConfig has no leaf for the group of a queue" + noGroup,
		buffer.QueueShare:     "OpenConfig has no leaf for the share of a queue in a group" + noGroup,
		buffer.ClassBandwidth: "OpenConfig has no leaf for the bandwidth of a group of queues" + noGroup,
		buffer.ClassIdleSlope: "OpenConfig has no leaf for a credit-based shaper: the rates of its schedulers are " +
			"token buckets",
		buffer.GroupXONOffset: "OpenConfig has no leaf for xon or the xon offset" + noPFC,
	} {
		out[k].Why, out[k].Where = why, native
	}
	for _, k := range buffer.Kinds() {
		if k.OfCredits() {
			out[k].Why = "openconfig-qos models no credit-based flow control (CBFC)"
		}
	}
	return out
}
