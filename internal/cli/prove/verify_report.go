package prove

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Screen returns the tables: the groups alone, with equal rows of several ports
// folded, the headroom pools, the egress pools, and what the headroom is enough for. Each table is left out where there
// is nothing of its kind.
func (f *VerifyFlags) Screen(v *report.Verification, plan *buffer.Plan) *cli.Screen {
	r := &cli.Screen{Head: f.head(v), Foot: verifyFoot(v, plan), Sections: []cli.Section{groupRuns(v, plan.Chip.Cell),
		creditCounts(v), poolRuns(v, plan.Chip.Cell), egressRuns(v), sufficientSection(v)}}
	r = r.WithoutEmpty()
	// The decision is that of all lines before, so it is taken last.
	r.Decision, r.Verdict = new(r.Lines()), string(v.Verdict)
	return r
}

// groupRuns lists the groups, each filled alone. Peak is the most headroom in use at one time, and frame the size that
// most of the frames have. Margin m is the metres of cable that the rest of the headroom covers.
func groupRuns(v *report.Verification, cell cells.Size) cli.Section {
	s := cli.Table("groups", "Worst case of a group, in cells", "ports", "groups", "class", "speed", "cable", "frame",
		"granted", "peak", "first drop below", "margin", "margin m", "drops each")
	for f, ports := range foldVerified(v.Groups).All() {
		g := f.like
		amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n), Rate: g.Speed} }
		s.Row(buffer.FoldPorts(*ports), f.groups, g.Class, g.Speed.String(), cmp.Or(g.Path, g.Cable.String()),
			cli.Count(g.Frame), amount(g.Granted), amount(g.Peak), amount(g.FirstDropBelow), amount(g.Margin),
			cli.Count(g.MarginMetres), cli.Count(g.Drops))
	}
	// These columns are those of --units both alone.
	s.MB("granted", "MB")
	s.Time("granted", "time")
	return s
}

// creditCounts lists the virtual channels with credits, which are counted and not simulated. Ports alike share a row.
// Backed says that each credit has its cell in the layout, and mapped that the layout has the traffic classes of the
// plan in the channel.
func creditCounts(v *report.Verification) cli.Section {
	s := cli.Table("channels", "Virtual channels (CBFC): counted, not simulated", "ports", "channel", "class", "credits",
		"cells", "shared of port", "cells of these", "each credit has its cell", "map as planned", "full rate alone")
	// A NO in capitals is what a reader looks for in a long column.
	yes := map[bool]string{true: "yes", false: "NO"}
	// The credits of a channel are those of its plan: nothing of them is simulated. Ports with equal counts share a row:
	// the text has every field but the port, and so tells them apart.
	for _, alike := range grouped.Lists(v.Credits, func(c report.VerifiedCredits) string {
		c.Port = ""
		return fmt.Sprint(c)
	}) {
		c := &alike[0]
		ports := grouped.Each(alike, func(c report.VerifiedCredits) string { return c.Port })
		// 0: the round trip of the link is not known, so nothing says how many credits fill it.
		full := "not known"
		if c.FullRate > 0 {
			full = strings.ToLower(yes[c.Alone >= c.FullRate])
		}
		s.Row(buffer.FoldPorts(ports), cli.Count(c.Channel), c.Class, cli.Count(c.Credits), cli.Count(c.Reserved),
			cli.Count(c.Shared), cli.Count(c.Backing), yes[c.Backed], yes[c.Mapped], full)
	}
	return s
}

// poolRuns lists the headroom pools, each with all of its groups filled at once. Groups at once is how many of the
// groups can pause at the same time, whichever they are.
func poolRuns(v *report.Verification, cell cells.Size) cli.Section {
	// A pool is of ports of several speeds: its cells have no time.
	amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n)} }
	s := cli.Table("pools", "All groups of a headroom pool at once, in cells", "slice", "groups", "granted", "peak",
		"first drop below", "margin", "drops", "groups at once")
	for _, p := range v.Pools {
		s.Row(cli.Count(p.Slice), cli.Count(p.Groups), amount(p.Granted), amount(p.Peak), amount(p.FirstDropBelow),
			amount(p.Margin), cli.Count(p.Drops), cli.Count(p.AtOnce))
	}
	s.MB("granted", "MB")
	return s
}

// egressRuns lists the slices, each with all groups filled towards one blocked egress port. A lossless frame that the
// egress drops is lost although the ingress had room for it.
func egressRuns(v *report.Verification) cli.Section {
	s := cli.Table("egress", "All groups to one egress port that sends nothing", "slice", "groups", "drops")
	for _, e := range v.Egress {
		s.Row(cli.Count(e.Slice), cli.Count(e.Groups), cli.Count(e.Drops))
	}
	return s
}

// sufficientSection lists, for the groups and pools that lose frames in the worst
// case, the frame sizes and the delays for which their headroom is enough. The numbers answer what a reader can change:
// which frames the senders use, or how fast the ends are known to be.
func sufficientSection(v *report.Verification) cli.Section {
	s := cli.Table("enough", "What the headroom is enough for", "of", "frames from bytes", "or ends take",
		"in the worst case", "by the vendor's delays")
	for f, ports := range foldVerified(v.Groups).All() {
		// What holds needs no further conditions.
		if g := f.like; g.Drops > 0 {
			s.Row(fmt.Sprintf("%s %s alone", buffer.FoldPorts(*ports), f.groups), framesFrom(g.Sufficient),
				delaysWithin(g.Sufficient), thresholds.Cut(g.Assumed).String(), byVendor(g.Vendor))
		}
	}
	for _, p := range v.Pools {
		// A pool has links of several speeds, and so no single worst case of their ends.
		if p.Drops > 0 {
			s.Row(fmt.Sprintf("slice %d: %d groups at once", p.Slice, p.Groups), framesFrom(p.Sufficient),
				delaysWithin(p.Sufficient), "-", "-")
		}
	}
	return s
}

// byVendor says for which frames a headroom is enough with the delays of the vendor's formula. A vendor's formula
// counts delays that are shorter than the standard's, so a headroom of it is enough for those.
func byVendor(v *report.VendorSufficiency) string {
	switch {
	case v == nil:
		return "-"
	case v.Frames == 0:
		return "no frames"
	case v.Frames == thresholds.MinFrame:
		return "all frames"
	}
	return fmt.Sprintf("frames from %v", v.Frames)
}

// framesFrom returns the smallest frame size for which the headroom is enough. The unit is bytes of a frame with its
// check sequence.
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
	return "up to " + thresholds.Cut(s.Delays).String()
}

// head returns the verdict, the plan, the worst case, and the frames and delays for
// which the plan is enough. The case and the rule are printed with every verdict, since both decide it: another rule
// can cost a frame.
func (f *VerifyFlags) head(v *report.Verification) []string {
	first := headline(v)
	// A group that holds its worst case holds it by either rule; one that does not could take what others leave.
	if v.HeadroomOf == "port" && v.Verdict != report.NothingToProve {
		first += "; headroom is counted by group, though the port owns it"
		if v.Verdict == report.NotLossless {
			first += ": a group could take what others of its port leave"
		}
	}
	out := []string{first, fmt.Sprintf("plan      chip %s, headroom sized by method %s", v.Chip, v.Method)}
	out = append(out, cli.Prefixed("rests on  ", v.RestsOn)...)
	// Nothing was simulated, so there is no case and no rule.
	if v.Verdict == report.NothingToProve {
		return out
	}
	// With dedicated headroom groups share no cells, so each alone is also all at once.
	how := "each group alone: headroom is dedicated, so all groups at once need no more"
	switch {
	case len(v.Pools) > 0:
		how = "each group alone, then all groups of each slice's headroom pool at once"
	case f.o.Alone:
		how = "each group alone"
	case v.HeadroomOf == "port":
		how = "each group alone, with its own part of the headroom of its port, so all groups at once need no more"
	}
	egress := "the egress accepts every packet: the plan has no egress pool"
	if len(v.Egress) > 0 {
		egress = "then all groups to one egress port that sends nothing"
	}
	out = append(out, fmt.Sprintf("case      %s, %s; %s", v.Delays, how, egress),
		fmt.Sprintf("rule      %s: %s (%s)", v.Behaviour, v.Rule, v.RuleSource))
	return out
}

// headline is the first line: what was proved and how much is left, or for what the headroom is enough, or what is
// short. LOSSLESS is printed without a condition only if none was found. A condition that is an assumption about the
// chip counts as one.
func headline(v *report.Verification) string {
	switch v.Verdict {
	case report.NothingToProve:
		return "NOTHING TO PROVE: no port has a lossless group"
	case report.LosslessFrames:
		return "LOSSLESS for " + holds(v)
	case report.NotLossless:
		// The layout lacks lossless groups there that the intent has, so nothing of them was simulated.
		if len(v.NotVerified) > 0 {
			return "NOT LOSSLESS: not lossless on the device are " + buffer.FoldPorts(v.NotVerified)
		}
		// A plan can be refused for a condition alone, without any frame that was lost in the simulation.
		if text := lost(v); text != "" {
			return "NOT LOSSLESS: " + text
		}
		return "NOT LOSSLESS: " + strings.Join(v.Conditions[:min(len(v.Conditions), 1)], "") // memory beside the chip
	case report.LosslessIf:
		return "LOSSLESS IF " + strings.Join(v.Conditions, ", and ")
	}
	// What was proven then are channels with credits, which are counted.
	if len(v.Groups) == 0 {
		return "LOSSLESS"
	}
	// The least margin is the number of cells that the plan can lose before it is not lossless any more.
	least := slices.MinFunc(v.Groups, func(a, b report.VerifiedGroup) int { return cmp.Compare(a.Margin, b.Margin) })
	return fmt.Sprintf("LOSSLESS: every group holds the most that its link can bring; the least margin is %s",
		cli.Plural(int(least.Margin), "cell", "cells"))
}

// lost says what is short: the headroom of a group for which no size of frames holds, then a headroom pool with all
// of its groups at once, then the egress. Several causes are joined, because mending one of them leaves the others.
func lost(v *report.Verification) string {
	var out []string
	// Frames of 0 say that not even the longest are held.
	if i := slices.IndexFunc(v.Groups, func(g report.VerifiedGroup) bool { return g.Sufficient.Frames == 0 }); i >= 0 {
		g := &v.Groups[i]
		text := fmt.Sprintf("%s group %d needs %s cells and has %s, too few for frames of every size", g.Port, g.Group,
			cli.Count(g.FirstDropBelow), cli.Count(g.Granted))
		if within := endsWithin(g, g.Sufficient.Delays); within != "" {
			text += "; they hold " + within
		}
		out = append(out, text)
	}
	var worst *report.VerifiedPool // the one that holds the fewest groups at once
	for i := range v.Pools {
		if p := &v.Pools[i]; p.Drops > 0 && (worst == nil || p.AtOnce < worst.AtOnce) {
			worst = p
		}
	}
	if worst != nil {
		out = append(out, fmt.Sprintf("slice %d has room for %d of %s at once: they need %s cells and the headroom pool "+
			"has %s", worst.Slice, worst.AtOnce, cli.Plural(worst.Groups, "group", "groups"), cli.Count(worst.FirstDropBelow),
			cli.Count(worst.Granted)))
	}
	// Frames that the egress drops are counted over all slices.
	egress := int64(0)
	for i := range v.Egress {
		egress += v.Egress[i].Drops
	}
	if egress > 0 {
		out = append(out, cli.Plural(int(egress), "frame is lost", "frames are lost")+" at the egress")
	}
	return strings.Join(out, "; ")
}

// holds returns the frame sizes and the delays for which no frame is lost in any group or headroom pool, and under
// which conditions. The worst group is the one that holds the fewest sizes of frames, and of several with one size the
// one whose ends have the least time.
func holds(v *report.Verification) string {
	text := fmt.Sprintf("frames of %v and more", v.Sufficient.Frames)
	worst := slices.MaxFunc(v.Groups, func(a, b report.VerifiedGroup) int {
		return cmp.Or(cmp.Compare(a.Sufficient.Frames, b.Sufficient.Frames),
			-cmp.Compare(a.Sufficient.Delays-a.Assumed, b.Sufficient.Delays-b.Assumed))
	})
	if within := endsWithin(&worst, v.Sufficient.Delays); within != "" {
		text += ", or for " + within
	}
	if len(v.Conditions) > 0 {
		text += "; this holds if " + strings.Join(v.Conditions, ", and ")
	}
	return text
}

// endsWithin says with which delays of both ends a headroom holds all frames, and what it holds with those of the
// vendor's formula; empty if frames and cable alone are too much. The time is that of both ends together, cut and not
// rounded: a longer one would lose a frame.
func endsWithin(g *report.VerifiedGroup, within unit.Time) string {
	if within < 0 {
		return ""
	}
	// With other delays than both ends' maximum the standard is not who allows them.
	allows := "the standard allows"
	if g.Delays != thresholds.SumOfEnds {
		allows = g.Delays.String() + " has"
	}
	text := fmt.Sprintf("all frames if the ends take at most %v (%s %v at %v)", thresholds.Cut(within), allows,
		thresholds.Cut(g.Assumed), g.Speed)
	if g.Vendor != nil {
		text += fmt.Sprintf("; with %v as the vendor's formula has them, %s", thresholds.Cut(g.Vendor.Allowed),
			byVendor(g.Vendor))
	}
	return text
}

// verifyFoot returns the reasons of missing cells. The note about frames has the flag that states them, with the size
// that is enough.
func verifyFoot(v *report.Verification, plan *buffer.Plan) (out []string) {
	// A negative margin is a headroom that is short, also where a baseline accepts it.
	short := 0
	for i := range v.Groups {
		if v.Groups[i].Margin < 0 {
			short++
		}
	}
	if short > 0 {
		text := fmt.Sprintf("- %s less headroom than the worst case needs.%s",
			cli.Plural(short, "group has", "groups have"), assumed(v, plan))
		if v.Verdict == report.LosslessFrames {
			text += fmt.Sprintf(" --frame %v states that the lossless classes have no shorter frames.", v.Sufficient.Frames)
		}
		out = append(out, text)
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

// assumed returns the assumption of the plan's method that the worst case does not make. v.PlanDelays is empty for a
// method that states none.
func assumed(v *report.Verification, plan *buffer.Plan) string {
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Margin < 0 && v.PlanDelays != "" && v.PlanDelays != g.Delays.String() {
			return fmt.Sprintf(" The plan has the delays of %s; \"delays: %v\" has those of the worst case.", v.PlanDelays,
				g.Delays)
		}
	}
	// Without other delays, the frames explain most.
	if plan.Sizing.Mix.String() == "" {
		return fmt.Sprintf(" Method %s does not state for which delays and frames its numbers are.", v.Method)
	}
	return fmt.Sprintf(" Method %s is for %s.", v.Method, plan.Sizing.Mix.Words())
}

// verified is the common result of several ports. like has no port and no group. groups are numbers with commas.
type verified struct {
	like   report.VerifiedGroup
	groups string
}

// foldVerified folds rows, which are sorted by port: first the rows of a port that differ only in the group, then those
// of ports with equal results. Rows are compared as a whole, so two that are folded print alike in every column.
func foldVerified(rows []report.VerifiedGroup) *grouped.By[verified, []string] {
	port := func(g report.VerifiedGroup) string { return g.Port }
	return grouped.Lines(rows, port, func(rows []report.VerifiedGroup) (out []verified) {
		var numbers grouped.By[report.VerifiedGroup, []int]
		for _, like := range rows {
			group := like.Group
			like.Port, like.Group = "", 0
			of := numbers.Of(like)
			*of = append(*of, group)
		}
		for like, of := range numbers.All() {
			out = append(out, verified{like, cli.Join(*of)})
		}
		return out
	})
}

// firstVerify gives the tables of verify a first screen: what each group has and needs, what the headroom pools have
// and need, and what short headroom is enough for. Channels with credits are in no first screen: they are counted and
// not simulated, so nothing in them was proven.
func firstVerify(r *cli.Screen, v *report.Verification, plan *buffer.Plan) *cli.Screen {
	var shown []cli.Section
	for _, s := range r.Sections {
		switch s.TableName() {
		case "groups":
			// The table of the whole report has the frames and the peak as well.
			s = firstGroups(v, plan.Chip.Cell)
		case "channels":
			continue // counted, and as planned
		}
		shown = append(shown, s)
	}
	// It is printed also where the whole report would fit a screen, because it has the columns that a reader needs
	// first.
	return r.Short(shown...)
}

// firstGroups lists what each group has and needs. Needs is the number of cells below which the first frame is lost,
// and margin what is granted beyond that, which is negative where it is less.
func firstGroups(v *report.Verification, cell cells.Size) cli.Section {
	s := cli.Table("groups", "Worst case of a group, in cells", "ports", "groups", "class", "link", "has", "needs",
		"margin", "margin m", "drops")
	for f, ports := range foldVerified(v.Groups).All() {
		g := &f.like
		// The ports of a row have one speed, so their cells have a time.
		amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n), Rate: g.Speed} }
		s.Row(buffer.FoldPorts(*ports), f.groups, g.Class, g.Speed.String()+" "+cmp.Or(g.Path, g.Cable.String()),
			amount(g.Granted), amount(g.FirstDropBelow), amount(g.Margin), cli.Count(g.MarginMetres), cli.Count(g.Drops))
	}
	s.MB("has", "MB")
	s.Time("has", "time")
	return s
}
