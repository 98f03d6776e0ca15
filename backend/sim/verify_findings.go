package sim

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/report"
)

// The codes of findings.
const (
	groupDrops     finding.Code = "group-drops"
	poolDrops      finding.Code = "headroom-pool-drops"
	egressDrops    finding.Code = "egress-drops"
	offloadTooSlow finding.Code = "offload-too-slow"
	notLossless    finding.Code = "not-lossless-on-device"
	nothingToProve finding.Code = "nothing-to-prove"
)

// codes says what the codes mean.
var codes = finding.NewRegistry("verify", []finding.Meaning{
	{Code: groupDrops, Severity: finding.Error, Certain: true,
		Rule:   "A lossless group that is filled alone loses frames in the worst case.",
		Effect: "Frames of a lossless class are dropped when the port pauses a sender at line rate.",
		Repair: "plan more headroom for the group, or a shorter cable"},
	{Code: poolDrops, Severity: finding.Error, Certain: true,
		Rule:   "The headroom pool of a slice loses frames when all of its groups pause at the same time.",
		Effect: "Frames of lossless classes are dropped when more ports are congested than the pool has room for.",
		Repair: "plan a larger headroom pool, or fewer lossless ports in the slice"},
	{Code: egressDrops, Severity: finding.Error, Certain: true,
		Rule:   "The egress of a slice refuses frames when all groups send to one port that sends nothing.",
		Effect: "Frames of lossless classes are dropped although the ingress has admitted them.",
		Repair: "plan an egress pool as large as the ingress pool, and queues of lossless classes without a limit"},
	{Code: offloadTooSlow, Severity: finding.Error, Certain: true,
		Rule:   "Packets leave the memory on the chip too slowly: it is full before the headroom in the memory beside it.",
		Effect: "Frames of lossless classes are dropped when all groups pause at once, although the pool has room.",
		Repair: "plan fewer lossless ports, or shorter cables"},
	{Code: notLossless, Severity: finding.Error, Certain: true,
		Rule:   "A port that is up has lossless groups or credits in the topology, and not in the registers of the plan.",
		Effect: "Frames of the class are dropped as those of others are, or there are credits without a cell.",
		Repair: "plan the port for the classes that it carries"},
	{Code: nothingToProve, Severity: finding.Warning, Certain: true,
		Rule:   "No port has a lossless group.",
		Effect: "Nothing is simulated, so nothing is shown.",
		Repair: "give a topology with lossless classes"},
})

// Codes returns the registry of the codes of a verification.
func Codes() *finding.Registry { return codes }

// Findings lists why the verdict of a topology's file is not [report.Lossless], and nothing else. The numbers are part
// of what identifies a finding: a simulation of the same plan gives the same.
func Findings(v *report.Verification, file string) []finding.Finding {
	var out []finding.Finding
	add := func(code finding.Code, object, message string, numbers ...finding.Number) *finding.Finding {
		f := codes.New(code, finding.Place{File: file}, object, message)
		f.Evidence, f.Values = numbers, finding.Texts(numbers)
		out = append(out, f)
		return &out[len(out)-1]
	}
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Drops > 0 {
			f := add(groupDrops, fmt.Sprintf("%s group %d", g.Port, g.Group), fmt.Sprintf("%d frames are lost: the worst case "+
				"needs %d cells and the group has %d", g.Drops, g.FirstDropBelow, g.Granted), lost(g.Drops),
				finding.Number{Name: "margin", Value: int64(g.Margin), Unit: "cells"})
			f.Port, f.Class = g.Port, g.Group
		}
	}
	for i := range v.Pools {
		if p := &v.Pools[i]; p.Drops > 0 {
			add(poolDrops, fmt.Sprintf("headroom pool of slice %d", p.Slice), fmt.Sprintf("%d frames are lost: %d groups "+
				"need %d cells together and the pool has %d; it holds %d groups at once", p.Drops, p.Groups,
				p.FirstDropBelow, p.Granted, p.AtOnce), lost(p.Drops), finding.Number{Name: "margin", Value: int64(p.Margin), Unit: "cells"})
		}
	}
	for _, e := range v.Egress {
		if e.Drops > 0 {
			add(egressDrops, fmt.Sprintf("egress of slice %d", e.Slice), fmt.Sprintf("%d frames of %d groups are refused",
				e.Drops, e.Groups), lost(e.Drops))
		}
	}
	if v.Verdict == report.NotLossless && v.Drops == 0 && len(v.NotVerified) == 0 {
		add(offloadTooSlow, "plan", strings.Join(v.Conditions, ", "))
	}
	for _, port := range v.NotVerified {
		add(notLossless, port, "the registers of the plan do not have what the topology says of the port").Port = port
	}
	if v.Verdict == report.NothingToProve {
		add(nothingToProve, "plan", "no port has a lossless group")
	}
	return out
}

// lost is the number of frames that are lost.
func lost(frames int64) finding.Number {
	return finding.Number{Name: "drops", Value: frames, Unit: "frames"}
}
