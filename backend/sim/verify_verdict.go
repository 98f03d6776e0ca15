package sim

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// conclude sums the drops and decides the verdict. Groups that were not verified are not called lossless.
func (v *verifier) conclude() {
	out := v.out
	var together int64 // refused by headroom pools and the egress, with all groups at once
	for i := range out.Pools {
		together += out.Pools[i].Drops
	}
	for i := range out.Egress {
		together += out.Egress[i].Drops
	}
	out.Drops = together
	for i := range out.Groups {
		out.Drops += out.Groups[i].Drops
	}
	offload, loses := v.offload()
	out.Sufficient, out.Delays = v.sufficient(), v.delaysText()
	switch {
	case len(out.NotVerified) > 0 || out.Drops > 0 && (out.Sufficient.Frames == 0 || together > 0):
		out.Verdict = report.NotLossless
		return
	case loses:
		out.Verdict, out.Conditions = report.NotLossless, append(out.Conditions, offload)
		return
	case out.Drops == 0 && len(out.Groups)+len(out.Credits) == 0:
		out.Verdict = report.NothingToProve
		return
	}
	out.Conditions = v.conditions(offload)
	switch {
	case out.Drops > 0:
		out.Verdict = report.LosslessFrames
	case len(out.Conditions) > 0:
		out.Verdict = report.LosslessIf
	default:
		out.Verdict, out.Lossless = report.Lossless, true
	}
}

// conditions lists what a verdict without losses rests on, beside the frames of [report.LosslessFrames].
func (v *verifier) conditions(offload string) []string {
	out := []string{}
	for _, c := range []string{offload, v.queueDepth(), v.creditCondition()} {
		if c != "" {
			out = append(out, c)
		}
	}
	if v.o.Frame > 0 && v.out.Drops == 0 {
		out = append(out, fmt.Sprintf("frames of the lossless classes have %v or more", v.o.Frame))
	}
	if sum, given := v.o.Delays.Get(); given && sum != thresholds.SumOfEnds && sum != thresholds.LargerSum {
		out = append(out, fmt.Sprintf("the delays of both ends are those of %v", sum))
	}
	if v.o.Alone && v.pooled() {
		out = append(out, "one group at a time uses the headroom pool")
	}
	if !v.o.Alone && v.placementMatters() {
		out = append(out, "the ports are on the pipes that the plan assumes")
	}
	return out
}

// placementMatters tells whether a headroom pool may be too small for the groups of its slice if ports are on other
// pipes than the plan assumes: whether the groups of all ports together need more than a slice's pool has.
func (v *verifier) placementMatters() bool {
	chip := &v.in.Chip
	assumed := chip.PipeCount() > 1 && slices.ContainsFunc(v.in.Ports, func(p buffer.Port) bool { return p.Pipe == nil })
	if !assumed || !v.pooled() {
		return false
	}
	var need cells.Count
	for i := range v.out.Groups {
		need += v.out.Groups[i].FirstDropBelow
	}
	for s := range chip.Slices {
		if need > headroomPool(v.values, s) {
			return true
		}
	}
	return false
}

// pooled tells whether any slice has a headroom pool.
func (v *verifier) pooled() bool {
	for s := range v.in.Chip.Slices {
		if headroomPool(v.values, s) < unlimited {
			return true
		}
	}
	return false
}
