// Package profiles makes the profiles of switches: the published model of OpenConfig, from which each starts, and the
// sources and quirks that more than one has.
package profiles

import (
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// The quirks that are reported and change nothing in what is written or read.
const (
	WeightLimit       nos.QuirkID = "weights-to"            // scheduler weights are at most Value
	WeightUnset       nos.QuirkID = "weight-unset"          // the weight leaf of wred is refused
	NoState           nos.QuirkID = "no-state"              // the state containers are not filled in
	NoInterfaceRef    nos.QuirkID = "no-interface-ref"      // interface-ref/config is refused
	JSONOnly          nos.QuirkID = "json-ietf-only"        // values other than JSON_IETF are refused
	PoolsRefused      nos.QuirkID = "pools-refused"         // pools cannot be changed over gNMI at all
	NeedsFeature      nos.QuirkID = "feature-flags"         // leaves depend on features of the platform
	MaxBurstNoAlpha   nos.QuirkID = "maximum-burst-size"    // a static limit turns alpha off
	HeadroomByCable   nos.QuirkID = "headroom-from-cable"   // the switch computes the headroom from cable-length and mru
	CommitUnknown     nos.QuirkID = "commit-not-known"      // whether it implements Commit-confirmed is not known
	PriorityIsQueue   nos.QuirkID = "priority-is-queue"     // convention: priority n is the forwarding group of output queue n
	TwoSchedulers     nos.QuirkID = "two-schedulers"        // the sequence of a scheduler is at most Value
	GroupIsInputQueue nos.QuirkID = "group-is-input-queue"  // convention: priority group n is queue n of the input
	StaticBySlice     nos.QuirkID = "static-limit-by-slice" // convention: a static limit is for each slice
)

// New returns a profile that accepts what the published model of OpenConfig accepts, with the names of p. The
// folder of a system takes from it what its switches refuse, with the source of each entry.
func New(p nos.Profile) *nos.Profile {
	p.Rules = modelRules()
	return &p
}

// PhasesApart adds the quirk of switches for which no source proves that a Set is made as a whole or not at all.
func PhasesApart(p *nos.Profile) *nos.Profile {
	return p.AddQuirk(nos.PhasesApart, 0, "each phase is one Set and is read back before the next: no source proves "+
		"that a Set is atomic on this switch, or its internal order", Inferred(sourceNone))
}

// RestDisruptsNothing adds the changes of all other registers, which no vendor calls disruptive.
func RestDisruptsNothing(p *nos.Profile) *nos.Profile {
	var rest []buffer.Kind
	for _, k := range buffer.Kinds() {
		if !slices.ContainsFunc(p.Changes, func(c nos.Effect) bool { return slices.Contains(c.Kinds, k) }) {
			rest = append(rest, k)
		}
	}
	return p.AddEffect(buffer.DisruptsNothing, "no source says that it stops traffic", Inferred(sourceNone), rest...)
}

// AssumeWorst adds all changes for a vendor whose documents do not mention disruption: the
// worst that other vendors document.
func AssumeWorst(p *nos.Profile) *nos.Profile {
	const text = "not documented; the worst case of other vendors"
	p.AddEffect(buffer.DisruptsSwitch, text, Inferred(JuniperGuide.Source), buffer.PoolShared, buffer.PoolHeadroom)
	p.AddEffect(buffer.DisruptsPort, text, Inferred(JuniperGuide.Source), buffer.GroupLossless)
	return RestDisruptsNothing(p)
}

// The conventions of cellwarden, where the model leaves the meaning open.
const (
	bySlice = "static-shared-buffer-limit is the limit of a group in each slice of the memory: cellwarden's " +
		"convention, because the model has no slices"
	byQueue = "priority n is the forwarding group whose output-queue is queue n: cellwarden's convention, because " +
		"the model has no priorities"
	byInputQueue = "priority group n is queue n of the input's profile: cellwarden's convention, because the model does " +
		"not define it"
)

// OpenConfig is the profile of a switch that accepts every leaf of the published model, as the model
// has it. It is the profile of switches about which nothing else is known.
func OpenConfig() *nos.Profile {
	p := New(nos.Profile{Name: "openconfig",
		Title: "OpenConfig: a target that accepts all of openconfig-qos"})
	p.AddQuirk(StaticBySlice, 0, bySlice, Inferred(sourceModel))
	p.AddQuirk(GroupIsInputQueue, 0, byInputQueue, Inferred(sourceModel))
	p.AddQuirk(PriorityIsQueue, 0, byQueue, Inferred(sourceModel))
	p.AddQuirk(CommitUnknown, 0, "the gNMI version does not show whether a target implements Commit-confirmed",
		From("openconfig/reference, gnmi-commit-confirmed"))
	return AssumeWorst(p)
}

// Simulated is the profile of the switch that package server serves in front of the simulated ASIC.
func Simulated() *nos.Profile {
	p := New(nos.Profile{Name: "simulated", Title: "the simulated ASIC, served by cellwarden target",
		Models: []string{"cellwarden"}, Organizations: []string{"cellwarden"}})
	p.Elsewhere("apply --sim writes it to a simulated ASIC in this process", buffer.PoolShared, buffer.PoolHeadroom,
		buffer.PortMinimum, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset,
		buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth, buffer.ClassIdleSlope,
		buffer.PortCredits, buffer.ChannelTraffic, buffer.ChannelReserved, buffer.ChannelAlpha, buffer.ChannelStatic)
	p.AddQuirk(StaticBySlice, 0, bySlice, From(sourceSim))
	p.AddQuirk(GroupIsInputQueue, 0, byInputQueue, From(sourceSim))
	p.AddQuirk(PriorityIsQueue, 0, byQueue, From(sourceSim))
	const text = "registers change at once and no traffic stops"
	return p.AddEffect(buffer.DisruptsNothing, text, From(sourceSim), buffer.Kinds()...)
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
func modelRules() []nos.Rule {
	out := make([]nos.Rule, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = nos.Rule{Kind: k, Register: k.String(), Quantum: 1, Round: nos.RoundExact, Evidence: From(sourceModel)}
	}
	leaf := func(k buffer.Kind, path string, u nos.LeafUnit) {
		out[k].Path, out[k].Unit = path, u
	}
	leaf(buffer.GroupReserved, leafReserved, nos.LeafBytes)
	leaf(buffer.GroupAlpha, leafAlpha, nos.LeafExponent)
	leaf(buffer.GroupStatic, leafStatic, nos.LeafBytes)
	out[buffer.GroupStatic].Most = math.MaxUint32 // the leaf is a uint32
	leaf(buffer.QueueECNMin, leafMin, nos.LeafBytes)
	leaf(buffer.QueueECNMax, leafMax, nos.LeafBytes)
	leaf(buffer.QueueECNPMax, leafPercent, nos.LeafPercent)
	leaf(buffer.QueueReserved, leafReserved, nos.LeafBytes)
	leaf(buffer.QueueWeight, leafWeight, nos.LeafWeight)
	leaf(buffer.PriorityDSCP, leafDSCP, nos.LeafDSCP)
	percents := &out[buffer.QueueECNPMax]
	percents.Quantum, percents.Round, percents.Most = 100, nos.RoundNearest, 10000
	const (
		native  = "set it with the switch's native model"
		noPools = ": openconfig-qos models no pools"
		noPFC   = ": openconfig-qos models no priority flow control"
		// openconfig-qos-elements: output/child-scheduler names a policy, and input-type is QUEUE, IN_PROFILE or OUT_PROFILE.
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

// The evidence of more than one profile. That of one vendor is in the profile of the vendor's system.
var (
	Tests        = From("openconfig/featureprofiles 598f5a7, deviations and metadata")
	QoSTests     = From("openconfig/featureprofiles 598f5a7, mixed_sp_wrr_traffic_test and qos_policy_config_test")
	JuniperGuide = From("Juniper traffic management guide for QFX")
)

const (
	sourceModel = "openconfig-qos 2.2.0 (openconfig/public)"
	sourceSim   = "cellwarden, backend/sim"
	sourceNone  = "no source was found"
)

// From marks an entry that a source states.
func From(source string) nos.Evidence { return nos.Evidence{Source: source} }

// Inferred marks an entry that follows from a source and is stated by none.
func Inferred(source string) nos.Evidence { return nos.Evidence{Source: source, Inferred: true} }
