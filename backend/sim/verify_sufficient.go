package sim

import (
	"cmp"
	"strings"

	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// sufficient is what the whole plan is enough for; zero without groups.
func (v *verifier) sufficient() (all report.Sufficiency) {
	for i := range v.out.Groups {
		if i == 0 {
			all = v.out.Groups[i].Sufficient
		}
		all = all.And(v.out.Groups[i].Sufficient)
	}
	for i := range v.out.Pools {
		all = all.And(v.out.Pools[i].Sufficient)
	}
	return all
}

// shortest is the shortest frame that the worst case has.
func (v *verifier) shortest() unit.Bytes { return cmp.Or(v.o.Frame, thresholds.MinFrame) }

// worstCaseOf returns the worst case of a link, and an error for a speed whose delays are not known.
func (v *verifier) worstCaseOf(l thresholds.Link) (thresholds.WorstCase, error) {
	w := v.delays.WorstCase(l, v.in.Chip.Memory())
	if !w.Known {
		_, err := v.delays.LinkDelays(l)
		return w, err
	}
	v.inferred[l.Rate] = v.inferred[l.Rate] || w.Inferred
	return w, nil
}

// vendorDelays returns the delays that the formula of a chip's vendor has for both ends; false if they are those of the
// worst case, or not known.
func (v *verifier) vendorDelays() (thresholds.DelaySum, bool) {
	chip, known := method.LookupSONiCChip(v.in.Chip.Name)
	switch {
	case !known || !strings.HasPrefix(chip.Name, "spectrum") || v.o.Delays.IsGiven():
		return 0, false
	case chip.NewTables:
		return thresholds.SumOfNVIDIAQuanta, true
	}
	return thresholds.SumOfNVIDIA, true
}
