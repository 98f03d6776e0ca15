package prove

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Screen returns the tables: the groups alone, with equal rows of several ports
// folded, the headroom pools, the egress pools, and what the headroom is enough for.
func (f *VerifyFlags) Screen(v *report.Verification, plan *buffer.Plan) *cli.Screen {
	r := &cli.Screen{Head: f.head(v)}
	if len(v.Groups) > 0 {
		r.Sections = append(r.Sections, groupRuns(v))
	}
	if len(v.Credits) > 0 {
		r.Sections = append(r.Sections, creditCounts(v))
	}
	if len(v.Pools) > 0 {
		r.Sections = append(r.Sections, poolRuns(v))
	}
	if len(v.Egress) > 0 {
		r.Sections = append(r.Sections, egressRuns(v))
	}
	if s := sufficientSection(v); len(s.Rows) > 0 {
		r.Sections = append(r.Sections, s)
	}
	r.Foot = verifyFoot(v, plan)
	// The decision is that of all lines before, so it is taken last.
	r.Decision, r.Verdict = new(r.Lines()), string(v.Verdict)
	return r
}

// groupRuns lists the groups, each filled alone.
func groupRuns(v *report.Verification) cli.Section {
	s := cli.Section{Name: "groups", Title: "Worst case of a group, in cells",
		Columns: []string{"ports", "groups", "class", "speed",
			"cable", "frame", "granted", "peak", "first drop below",
			"margin", "margin m", "drops each", "with gaps: frame", "first drop below", "margin"}}
	for _, f := range foldVerified(v.Groups) {
		g := f.like
		s.Row(buffer.FoldPorts(f.ports), f.groups, g.Class, g.Speed.String(), cmp.Or(g.Path, g.Cable.String()),
			cli.Count(g.Frame),
			cli.Count(g.Granted), cli.Count(g.Peak), cli.Count(g.FirstDropBelow),
			cli.Count(g.Margin), cli.Count(g.MarginMetres), cli.Count(g.Drops), cli.Count(g.WithGaps.Frame),
			cli.Count(g.WithGaps.FirstDropBelow), cli.Count(g.WithGaps.Margin))
	}
	return s
}

// creditCounts lists the virtual channels with credits, which are counted and not simulated. Ports alike share a row.
func creditCounts(v *report.Verification) cli.Section {
	s := cli.Section{Name: "channels", Title: "Virtual channels (CBFC): counted, not simulated",
		Columns: []string{"ports", "channel", "class", "credits", "cells", "shared of port", "cells of these",
			"each credit has its cell", "map as planned", "full rate alone"}}
	// A NO in capitals is what a reader looks for in a long column.
	yes := map[bool]string{true: "yes", false: "NO"}
	var order []string
	ports, rows := map[string][]string{}, map[string]report.VerifiedCredits{}
	for _, c := range v.Credits {
		port := c.Port
		c.Port = ""
		key := fmt.Sprint(c)
		if ports[key] == nil {
			order = append(order, key)
		}
		ports[key], rows[key] = append(ports[key], port), c
	}
	for _, key := range order {
		c := rows[key]
		// 0: the round trip of the link is not known, so nothing says how many credits fill it.
		full := "not known"
		if c.FullRate > 0 {
			full = strings.ToLower(yes[c.Alone >= c.FullRate])
		}
		s.Row(buffer.FoldPorts(ports[key]), cli.Count(c.Channel), c.Class, cli.Count(c.Credits), cli.Count(c.Reserved),
			cli.Count(c.Shared), cli.Count(c.Backing), yes[c.Backed], yes[c.Mapped], full)
	}
	return s
}

// poolRuns lists the headroom pools, each with all of its groups filled at once.
func poolRuns(v *report.Verification) cli.Section {
	s := cli.Section{Name: "pools", Title: "All groups of a headroom pool at once, in cells",
		Columns: []string{"slice", "groups", "granted", "peak", "first drop below", "margin", "drops",
			"groups at once"}}
	for _, p := range v.Pools {
		s.Row(cli.Count(p.Slice), cli.Count(p.Groups), cli.Count(p.Granted), cli.Count(p.Peak), cli.Count(p.FirstDropBelow),
			cli.Count(p.Margin), cli.Count(p.Drops), cli.Count(p.AtOnce))
	}
	return s
}

// egressRuns lists the slices, each with all groups filled towards one blocked egress port.
func egressRuns(v *report.Verification) cli.Section {
	s := cli.Section{Name: "egress", Title: "All groups to one egress port that sends nothing",
		Columns: []string{"slice", "groups", "drops"}}
	for _, e := range v.Egress {
		s.Row(cli.Count(e.Slice), cli.Count(e.Groups), cli.Count(e.Drops))
	}
	return s
}

// sufficientSection lists, for the groups and pools that lose frames in the worst
// case, the frame sizes and the delays for which their headroom is enough.
func sufficientSection(v *report.Verification) cli.Section {
	s := cli.Section{Name: "enough", Title: "What the headroom is enough for", Columns: []string{"of", "frames from bytes",
		"interfaces and response", "in the worst case", "with gaps: frames from bytes", "interfaces and response"}}
	for _, f := range foldVerified(v.Groups) {
		// What holds needs no further conditions.
		if g := f.like; g.Drops > 0 {
			s.Row(fmt.Sprintf("%s %s alone", buffer.FoldPorts(f.ports), f.groups), framesFrom(g.Sufficient),
				delaysWithin(g.Sufficient), g.Assumed.String(), framesFrom(g.WithGaps.Sufficient),
				delaysWithin(g.WithGaps.Sufficient))
		}
	}
	for _, p := range v.Pools {
		if p.Drops > 0 {
			s.Row(fmt.Sprintf("slice %d: %d groups at once", p.Slice, p.Groups), framesFrom(p.Sufficient),
				delaysWithin(p.Sufficient), "-", "-", "-")
		}
	}
	return s
}

// framesFrom returns the smallest frame size for which the headroom is enough.
func framesFrom(s report.Sufficiency) any {
	// 0: not even the longest frames.
	if s.Frames == 0 {
		return "none"
	}
	return cli.Count(s.Frames)
}

// delaysWithin returns the largest delay for which the headroom is enough.
func delaysWithin(s report.Sufficiency) string {
	// Below 0: the frames and the cable alone take more than there is. 0 is an answer: ends that take no time.
	if s.Delays < 0 {
		return "none"
	}
	return "up to " + s.Delays.String()
}

// head returns the verdict, the plan, the worst case, and the frames and delays for
// which the plan is enough.
func (f *VerifyFlags) head(v *report.Verification) []string {
	out := []string{headline(v),
		fmt.Sprintf("plan      chip %s, headroom sized by method %s", v.Chip, v.Method)}
	if v.Verdict == report.NothingToProve {
		return out
	}
	// With dedicated headroom groups share no cells, so each alone is also all at once.
	how := "each group alone: headroom is dedicated, so all groups at once need no more"
	switch {
	case len(v.Pools) > 0:
		how = "each group alone, then all groups of each slice's headroom pool at once"
	case f.alone:
		how = "each group alone"
	}
	egress := "the egress accepts every packet: the plan has no egress pool"
	if len(v.Egress) > 0 {
		egress = "then all groups to one egress port that sends nothing"
	}
	out = append(out, fmt.Sprintf("case      %s, %s; %s", v.Delays, how, egress),
		fmt.Sprintf("rule      %s: %s (%s)", v.Behaviour, v.Rule, v.RuleSource))
	if alone, together, _ := drops(v); alone+together > 0 {
		out = append(out, "holds     "+holds(v))
	}
	return out
}

// headline is the first line: what was proved, or what is lost.
func headline(v *report.Verification) string {
	switch {
	case v.Verdict == report.NothingToProve:
		return "NOTHING TO PROVE: no port has a lossless group"
	case v.Drops > 0:
		return "NOT LOSSLESS: " + lost(v)
	case v.Verdict == report.NotLossless:
		return "NOT LOSSLESS: not lossless on the device are " + buffer.FoldPorts(v.NotVerified)
	}
	if v.Verdict == report.LosslessIf {
		return "LOSSLESS IF " + strings.Join(v.Conditions, ", and ")
	}
	return "LOSSLESS"
}

// lost returns the number of lost frames of each kind of run.
func lost(v *report.Verification) string {
	alone, together, egress := drops(v)
	var out []string
	if alone > 0 {
		out = append(out, cli.Plural(int(alone), "frame is lost", "frames are lost")+" with each group alone")
	}
	if together > 0 {
		out = append(out, cli.Plural(int(together), "frame is lost", "frames are lost")+
			" with all groups of the headroom pool at once")
	}
	if egress > 0 {
		out = append(out, cli.Plural(int(egress), "frame is lost", "frames are lost")+" at the egress")
	}
	return strings.Join(out, ", ")
}

// drops sums the frames that are lost by each group alone, by all groups of
// headroom pools at once, and at the egress.
func drops(v *report.Verification) (alone, together, egress int64) {
	for i := range v.Groups {
		alone += v.Groups[i].Drops
	}
	for i := range v.Pools {
		together += v.Pools[i].Drops
	}
	for i := range v.Egress {
		egress += v.Egress[i].Drops
	}
	return alone, together, egress
}

// holds returns the frame sizes and the delays for which no frame is lost.
func holds(v *report.Verification) string {
	of := func(frames, gaps report.Sufficiency) string {
		// The shortest frame of Ethernet, 64 bytes.
		if frames.Frames == thresholds.MinFrame {
			return "for frames of every size"
		}
		parts := []string{}
		if frames.Frames > 0 {
			parts = append(parts, fmt.Sprintf("frames of %v and more", frames.Frames))
		}
		// A link has 20 bytes of preamble and gap between frames. The verdict does not count on them, since the
		// sizing methods do not (docs/headroom.md).
		if gaps.Frames > 0 && gaps.Frames != frames.Frames {
			parts = append(parts, fmt.Sprintf("frames of %v and more with preamble and gap between them", gaps.Frames))
		}
		if frames.Delays >= 0 {
			parts = append(parts, fmt.Sprintf("all frames if interfaces and response take at most %v", frames.Delays))
		}
		if len(parts) == 0 {
			return "for no frames and no delays"
		}
		return "for " + strings.Join(parts, ", or for ")
	}
	groups, gaps := v.Groups[0].Sufficient, v.Groups[0].WithGaps.Sufficient
	for i := range v.Groups {
		groups, gaps = groups.And(v.Groups[i].Sufficient), gaps.And(v.Groups[i].WithGaps.Sufficient)
	}
	out := of(groups, gaps)
	if len(v.Pools) == 0 {
		return out
	}
	// Of the pools that lose frames, the one that holds the fewest groups at once.
	least := v.Pools[0]
	for _, p := range v.Pools {
		if p.Drops > 0 && (least.Drops == 0 || p.AtOnce < least.AtOnce) {
			least = p
		}
	}
	if least.Drops == 0 {
		return out
	}
	return fmt.Sprintf("each group alone %s; all at once %s; slice %d holds %d of %d groups at once", out,
		of(v.Sufficient, v.Sufficient), least.Slice, least.AtOnce, least.Groups)
}

// verifyFoot returns the reasons of missing cells.
func verifyFoot(v *report.Verification, plan *buffer.Plan) (out []string) {
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
			cli.Plural(short, "group has", "groups have"), assumed(v, plan)))
	}
	if saved > 0 {
		out = append(out, fmt.Sprintf("- With preamble and gap between the frames, %s enough headroom; the sizing "+
			"methods do not count them.", cli.Plural(saved, "of these groups has", "of these groups have")))
	}
	// An oversubscribed pool is no error of the plan: how likely it overflows is for risk.
	if s := plan.Shared; s != nil && s.GroupCells > s.PoolCells {
		out = append(out, fmt.Sprintf("- The headroom pool is oversubscribed %v, worst slice %v.", s.Ratio, s.Worst))
	}
	if len(out) > 0 {
		out = append([]string{"Notes"}, out...)
	}
	return out
}

// assumed returns the assumption of the plan's method that the worst case does not make.
func assumed(v *report.Verification, plan *buffer.Plan) string {
	worst := v.Groups[0].Frame
	sum := ""
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Margin < 0 && v.PlanDelays != "" && v.PlanDelays != g.Delays.String() &&
			v.PlanDelays != thresholds.LargerSum.String() {
			sum = fmt.Sprintf(" The plan adds up the delays of both ends by %s; at %v the sum %v is larger. "+
				"A plan with \"delays: larger\" uses the larger one.", v.PlanDelays, g.Speed, g.Delays)
		}
	}
	// The reason that explains most comes first: a smaller sum of delays, then a method without a stated case, then
	// other frames than the worst ones.
	switch {
	case sum != "":
		return sum
	case plan.Sizing.Mix.String() == "":
		return fmt.Sprintf(" Method %s does not state for which delays and frames its numbers are.", v.Method)
	case plan.Sizing.Mix.Frame() != worst:
		return fmt.Sprintf(" Method %s assumes frames of %s; frames of %v take more cells in the same time.",
			v.Method, plan.Sizing.Mix, worst)
	}
	return ""
}

// verified is the common result of several ports.
type verified struct {
	like   report.VerifiedGroup
	groups string
	ports  []string
}

// foldVerified folds rows, which are sorted by port: first the rows of a port
// that differ only in the group, then those of ports with equal results.
func foldVerified(rows []report.VerifiedGroup) (out []verified) {
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
func foldVerifiedPort(rows []report.VerifiedGroup) (out []verified) {
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
		out[k].groups = cli.Join(numbers[k])
	}
	return out
}
