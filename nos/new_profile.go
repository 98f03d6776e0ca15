package nos

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

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

// AddEffect adds what a change of some registers does to traffic.
func (p *Profile) AddEffect(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Effect{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}
