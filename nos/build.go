package nos

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// without removes the leaves of some registers.
func (p *Profile) without(why string, e Evidence, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		r := &p.Rules[k]
		r.Path, r.Unit, r.Quantum, r.Round, r.Most, r.Why, r.Evidence = "", "", 1, RoundExact, 0, why, e
	}
	return p
}

// elsewhere says where registers without a leaf can be configured.
func (p *Profile) elsewhere(where string, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		p.Rules[k].Where = where
	}
	return p
}

// quirk adds a quirk.
func (p *Profile) quirk(id QuirkID, value int64, text string, e Evidence) *Profile {
	p.Quirks = append(p.Quirks, Quirk{ID: id, Value: value, Text: text, Evidence: e})
	slices.SortFunc(p.Quirks, func(a, b Quirk) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// phasesApart adds the quirk of switches for which no source proves that a Set is made as
// a whole or not at all.
func (p *Profile) phasesApart() *Profile {
	return p.quirk(PhasesApart, 0, "each phase is one Set and is read back before the next: no source proves that a Set "+
		"is atomic on this switch, or its internal order", inferred(sourceNone))
}

// change adds what a change of some registers does to traffic.
func (p *Profile) change(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Effect{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}

// restDisruptsNothing adds the changes of all other registers, which no vendor calls
// disruptive.
func (p *Profile) restDisruptsNothing() *Profile {
	var rest []buffer.Kind
	for _, k := range buffer.Kinds() {
		if !slices.ContainsFunc(p.Changes, func(c Effect) bool { return slices.Contains(c.Kinds, k) }) {
			rest = append(rest, k)
		}
	}
	return p.change(buffer.DisruptsNothing, "no source says that it stops traffic", inferred(sourceNone), rest...)
}

// assumeWorst adds all changes for a vendor whose documents do not mention disruption: the
// worst that other vendors document.
func (p *Profile) assumeWorst() *Profile {
	const text = "not documented; the worst case of other vendors"
	p.change(buffer.DisruptsSwitch, text, inferred(sourceJunosOwn), buffer.PoolShared, buffer.PoolHeadroom)
	p.change(buffer.DisruptsPort, text, inferred(sourceJunosOwn), buffer.GroupLossless)
	return p.restDisruptsNothing()
}

// Families of registers that vendors support together.
var (
	marking = []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax}
	queuing = []buffer.Kind{buffer.QueueWeight, buffer.PriorityDSCP}
)

// The conventions of cellwarden, where the model leaves the meaning open.
const (
	bySlice = "static-shared-buffer-limit is the limit of a group in each slice of the memory: cellwarden's " +
		"convention, because the model has no slices"
	byQueue = "priority n is the forwarding group whose output-queue is queue n: cellwarden's convention, because " +
		"the model has no priorities"
	byInputQueue = "priority group n is queue n of the input's profile: cellwarden's convention, because the model does " +
		"not define it"
)
