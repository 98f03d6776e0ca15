package sim

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/report"
)

// meanings says what the codes mean.
//
//go:embed verify_codes.txt
var meanings string

var codes = finding.NewRegistry("verify", meanings)

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
			f := add("group-drops", fmt.Sprintf("%s group %d", g.Port, g.Group), fmt.Sprintf("%d frames are lost: the worst "+
				"case needs %d cells and the group has %d", g.Drops, g.FirstDropBelow, g.Granted), lost(g.Drops),
				finding.Number{Name: "margin", Value: int64(g.Margin), Unit: "cells"})
			f.Port, f.Class = g.Port, g.Group
		}
	}
	for i := range v.Pools {
		if p := &v.Pools[i]; p.Drops > 0 {
			add("headroom-pool-drops", fmt.Sprintf("headroom pool of slice %d", p.Slice), fmt.Sprintf("%d frames are lost: %d "+
				"groups need %d cells together and the pool has %d; it holds %d groups at once", p.Drops, p.Groups,
				p.FirstDropBelow, p.Granted, p.AtOnce), lost(p.Drops),
				finding.Number{Name: "margin", Value: int64(p.Margin), Unit: "cells"})
		}
	}
	for _, e := range v.Egress {
		if e.Drops > 0 {
			add("egress-drops", fmt.Sprintf("egress of slice %d", e.Slice), fmt.Sprintf("%d frames of %d groups are refused",
				e.Drops, e.Groups), lost(e.Drops))
		}
	}
	if v.Verdict == report.NotLossless && v.Drops == 0 && len(v.NotVerified) == 0 {
		add("offload-too-slow", "plan", strings.Join(v.Conditions, ", "))
	}
	for _, port := range v.NotVerified {
		f := add("not-lossless-on-device", port, "the registers of the plan do not have what the topology says of the port")
		f.Port = port
	}
	if v.Verdict == report.NothingToProve {
		add("nothing-to-prove", "plan", "no port has a lossless group")
	}
	return out
}

// lost is the number of frames that are lost.
func lost(frames int64) finding.Number {
	return finding.Number{Name: "drops", Value: frames, Unit: "frames"}
}
