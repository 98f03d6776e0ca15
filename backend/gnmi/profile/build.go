package profile

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// without takes the words for some registers away.
func (p *Profile) without(why string, e Evidence, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		r := &p.Rules[k]
		r.Path, r.Unit, r.Quantum, r.Round, r.Most, r.Why, r.Evidence = "", "", 1, Exact, 0, why, e
	}
	return p
}

// goes says where registers that there are no words for could go.
func (p *Profile) goes(where string, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		p.Rules[k].Where = where
	}
	return p
}

func (p *Profile) quirk(id QuirkID, value int64, text string, e Evidence) *Profile {
	p.Quirks = append(p.Quirks, Quirk{ID: id, Value: value, Text: text, Evidence: e})
	slices.SortFunc(p.Quirks, func(a, b Quirk) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// phasesApart says that no source proves a Set to be all or nothing there.
func (p *Profile) phasesApart() *Profile {
	return p.quirk(PhasesApart, 0, "each phase is a Set of its own and is read back before the next: that a Set is all or nothing there, and in which order it is made, is not proved", inferred(sourceNone))
}

func (p *Profile) change(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Change{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}

// gentle is said of the changes that no vendor calls disruptive: all of which
// nothing else was said.
func (p *Profile) gentle() *Profile {
	var rest []buffer.Kind
	for _, k := range buffer.Kinds() {
		if !slices.ContainsFunc(p.Changes, func(c Change) bool { return slices.Contains(c.Kinds, k) }) {
			rest = append(rest, k)
		}
	}
	return p.change(buffer.DisruptsNothing, "no source says that it stops traffic", inferred(sourceNone), rest...)
}

// worst is said of changes of which a vendor's own documents say nothing.
func (p *Profile) worst() *Profile {
	return p.change(buffer.DisruptsSwitch, "not documented; the worst that other vendors say", inferred(sourceJunosOwn), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "not documented; the worst that other vendors say", inferred(sourceJunosOwn), buffer.GroupLossless).gentle()
}

var (
	marking = []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax}
	queuing = []buffer.Kind{buffer.QueueWeight, buffer.PriorityDSCP}
)

const bySlice = "static-shared-buffer-limit is what a group may hold in each slice of the memory: cellwarden's convention, the model knows no slices"

const byQueue = "priority n is the forwarding group whose output-queue is queue n: cellwarden's convention, the model knows no priorities"
