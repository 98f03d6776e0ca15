package nos

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// NewProfile returns a profile that accepts what the published model of OpenConfig accepts, with the names of p. The
// folder of a system takes from it what its switches refuse, with the source of each entry.
func NewProfile(p Profile) *Profile {
	p.Rules = modelRules()
	return &p
}

// Without removes the leaves of some registers.
func (p *Profile) Without(why string, e Evidence, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		r := &p.Rules[k]
		r.Path, r.Unit, r.Quantum, r.Round, r.Most, r.Why, r.Evidence = "", "", 1, RoundExact, 0, why, e
	}
	return p
}

// Elsewhere says where registers without a leaf can be configured.
func (p *Profile) Elsewhere(where string, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		p.Rules[k].Where = where
	}
	return p
}

// MarkingFrom says where it is from that the switch takes the leaves of marking.
func (p *Profile) MarkingFrom(e Evidence) {
	p.from(e, buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

// QueuingFrom says where it is from that the switch takes the leaves of weights and of DSCPs.
func (p *Profile) QueuingFrom(e Evidence) { p.from(e, buffer.QueueWeight, buffer.PriorityDSCP) }

func (p *Profile) from(e Evidence, kinds ...buffer.Kind) {
	for _, k := range kinds {
		p.Rules[k].Evidence = e
	}
}

// AddQuirk adds a quirk.
func (p *Profile) AddQuirk(id QuirkID, value int64, text string, e Evidence) *Profile {
	p.Quirks = append(p.Quirks, Quirk{ID: id, Value: value, Text: text, Evidence: e})
	slices.SortFunc(p.Quirks, func(a, b Quirk) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// PhasesApart adds the quirk of switches for which no source proves that a Set is made as
// a whole or not at all.
func (p *Profile) PhasesApart() *Profile {
	return p.AddQuirk(PhasesApart, 0, "each phase is one Set and is read back before the next: no source proves that a "+
		"Set is atomic on this switch, or its internal order", Inferred(sourceNone))
}

// AddEffect adds what a change of some registers does to traffic.
func (p *Profile) AddEffect(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Effect{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}

// RestDisruptsNothing adds the changes of all other registers, which no vendor calls
// disruptive.
func (p *Profile) RestDisruptsNothing() *Profile {
	var rest []buffer.Kind
	for _, k := range buffer.Kinds() {
		if !slices.ContainsFunc(p.Changes, func(c Effect) bool { return slices.Contains(c.Kinds, k) }) {
			rest = append(rest, k)
		}
	}
	return p.AddEffect(buffer.DisruptsNothing, "no source says that it stops traffic", Inferred(sourceNone), rest...)
}

// AssumeWorst adds all changes for a vendor whose documents do not mention disruption: the
// worst that other vendors document.
func (p *Profile) AssumeWorst() *Profile {
	const text = "not documented; the worst case of other vendors"
	p.AddEffect(buffer.DisruptsSwitch, text, Inferred(SourceJuniperGuide), buffer.PoolShared, buffer.PoolHeadroom)
	p.AddEffect(buffer.DisruptsPort, text, Inferred(SourceJuniperGuide), buffer.GroupLossless)
	return p.RestDisruptsNothing()
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
func OpenConfig() *Profile {
	p := NewProfile(Profile{Name: "openconfig",
		Title: "OpenConfig: a target that accepts all of openconfig-qos"})
	p.AddQuirk(StaticBySlice, 0, bySlice, Inferred(sourceModel))
	p.AddQuirk(GroupIsInputQueue, 0, byInputQueue, Inferred(sourceModel))
	p.AddQuirk(PriorityIsQueue, 0, byQueue, Inferred(sourceModel))
	p.AddQuirk(CommitUnknown, 0, "the gNMI version does not show whether a target implements Commit-confirmed",
		From("openconfig/reference, gnmi-commit-confirmed"))
	return p.AssumeWorst()
}

// Simulated is the profile of the switch that package server serves in front of the simulated ASIC.
func Simulated() *Profile {
	p := NewProfile(Profile{Name: "simulated", Title: "the simulated ASIC, served by cellwarden target",
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
