package main

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
)

// verifyReport returns the tables: one row per group, with equal rows of
// several ports folded, and one per headroom pool.
func verifyReport(v *sim.Verification, plan *buffer.Plan, together bool) *report {
	r := &report{head: verifyHead(v, plan, together)}
	s := section{title: "Worst case of a group, in cells", columns: []string{"ports", "groups", "class", "speed",
		"cable", "frame", "granted", "peak", "first drop below",
		"margin", "margin m", "drops each", "with gaps: frame", "first drop below", "margin"}}
	for _, f := range foldVerified(v.Groups) {
		g := f.like
		s.row(buffer.FoldPorts(f.ports), f.groups, g.Class, g.Speed.String(), g.Cable.String(), count(g.Frame),
			count(g.Granted), count(g.Peak), count(g.FirstDropBelow),
			count(g.Margin), count(g.MarginMetres), count(g.Drops), count(g.WithGaps.Frame),
			count(g.WithGaps.FirstDropBelow), count(g.WithGaps.Margin))
	}
	r.sections = append(r.sections, s)
	if len(v.Pools) > 0 {
		s := section{title: "All groups of a headroom pool at once, in cells",
			columns: []string{"slice", "groups", "granted", "peak", "first drop below", "margin", "drops"}}
		for _, p := range v.Pools {
			s.row(count(p.Slice), count(p.Groups), count(p.Granted), count(p.Peak), count(p.FirstDropBelow),
				count(p.Margin), count(p.Drops))
		}
		r.sections = append(r.sections, s)
	}
	r.foot = verifyFoot(v, plan, together)
	return r
}

// verifyHead is the verdict, and what was assumed.
func verifyHead(v *sim.Verification, plan *buffer.Plan, together bool) []string {
	verdict := "LOSSLESS"
	switch {
	case v.Drops > 0:
		verdict = "NOT LOSSLESS: " + plural(int(v.Drops), "frame is lost", "frames are lost")
	case !v.Lossless:
		verdict = "NOT LOSSLESS: not lossless on the device are " + buffer.FoldPorts(v.NotVerified)
	}
	alone := "alone"
	if together && len(v.Pools) > 0 {
		alone = "alone, then together with all of its headroom pool"
	}
	return []string{verdict,
		fmt.Sprintf("plan      chip %s, headroom sized by method %s", v.Chip, v.Method),
		fmt.Sprintf("case      %s, behaviour %s, each group %s", v.Delays, v.Behaviour, alone)}
}

// verifyFoot explains missing cells, and what was not verified.
func verifyFoot(v *sim.Verification, plan *buffer.Plan, together bool) (out []string) {
	short, saved := 0, 0
	for i := range v.Groups {
		if v.Groups[i].Margin < 0 {
			short++
			if v.Groups[i].WithGaps.Margin >= 0 {
				saved++
			}
		}
	}
	if short > 0 {
		out = append(out, fmt.Sprintf("- %s less headroom than the worst case needs.%s",
			plural(short, "group has", "groups have"), assumed(v, plan)))
	}
	if saved > 0 {
		out = append(out, fmt.Sprintf("- On a link with preamble and gap between the frames %s enough: the sizing "+
			"methods give no credit for them.", plural(saved, "of these groups has", "of these groups have")))
	}
	switch {
	case plan.Shared == nil && together:
		out = append(out, "- Headroom is dedicated: all groups at once need no more than each alone.")
	case plan.Shared != nil && !together:
		out = append(out, fmt.Sprintf(
			"- The headroom pool is oversubscribed %v, worst slice %v: --together fills all groups at once.",
			plan.Shared.Ratio, plan.Shared.Worst))
	}
	if len(out) > 0 {
		out = append([]string{"Notes"}, out...)
	}
	return out
}

// assumed returns what the plan's method assumes and the worst case does not.
func assumed(v *sim.Verification, plan *buffer.Plan) string {
	worst := v.Groups[0].Frame
	sum := ""
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Margin < 0 && v.PlanDelays != "" && v.PlanDelays != g.Delays.String() &&
			v.PlanDelays != thresholds.LargerSum.String() {
			sum = fmt.Sprintf(" The plan adds up the delays of both ends by %s, at %v %v is more: headroom with delays: "+
				"larger has both.", v.PlanDelays, g.Speed, g.Delays)
		}
	}
	switch {
	case sum != "":
		return sum
	case plan.Sizing.Mix.String() == "":
		return fmt.Sprintf(" Method %s does not say which delays and frames its numbers are for.", v.Method)
	case plan.Sizing.Mix.Frame() != worst:
		return fmt.Sprintf(" Method %s was told of frames of %s; frames of %v take more cells in the same time.",
			v.Method, plan.Sizing.Mix, worst)
	}
	return ""
}

// verified is the common result of several ports.
type verified struct {
	like   sim.VerifiedGroup
	groups string
	ports  []string
}

// foldVerified folds rows, which are sorted by port: first the rows of a port
// that differ only in the group, then those of ports with equal results.
func foldVerified(rows []sim.VerifiedGroup) (out []verified) {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && rows[n].Port == rows[0].Port {
			n++
		}
		for _, f := range foldVerifiedPort(rows[:n]) {
			k := slices.IndexFunc(out, func(o verified) bool { return o.like == f.like && o.groups == f.groups })
			if k < 0 {
				out = append(out, f)
			} else {
				out[k].ports = append(out[k].ports, f.ports...)
			}
		}
		rows = rows[n:]
	}
	return out
}

// foldVerifiedPort folds the rows of one port.
func foldVerifiedPort(rows []sim.VerifiedGroup) (out []verified) {
	numbers := map[int][]int{}
	for _, g := range rows {
		like := g
		like.Port, like.Group = "", 0
		k := slices.IndexFunc(out, func(o verified) bool { return o.like == like })
		if k < 0 {
			k = len(out)
			out = append(out, verified{like: like, ports: []string{g.Port}})
		}
		numbers[k] = append(numbers[k], g.Group)
	}
	for k := range out {
		out[k].groups = join(numbers[k])
	}
	return out
}
