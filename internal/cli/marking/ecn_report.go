package marking

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// ecnScreen returns the tables. Each row is a number of congested groups, with what a group holds at XOFF and what the
// queue holds then, in bytes, and the largest kmin that would still mark first. A negative one says that no kmin would.
func ecnScreen(d *report.ECNDocument) *cli.Screen {
	s := cli.Table("", "Congested groups", "groups", "XOFF at", "queue at XOFF", "kmin", "marks first", "largest kmin")
	// The probability is known only with a kmax and a pmax, that is of a whole curve.
	if d.Marking != nil {
		s.Columns = append(s.Columns, "marked at XOFF")
	}
	for _, r := range d.Table {
		// Threshold, queue and kmin are bytes. The columns have no unit in their names, and a note below says it.
		row := []any{cli.Count(r.Groups), cli.Count(r.Threshold), cli.Count(r.Queue), cli.Count(d.KMin),
			verdict(r.First), cli.Count(r.KMin)}
		// It is a percentage with four decimals already.
		if r.Marking != nil {
			row = append(row, cli.Number(*r.Marking+" %"))
		}
		s.Row(row...)
	}
	out := &cli.Screen{
		Mood: cli.MoodOf(d.First),
		Head: []string{
			ecnSentence(d) + cli.ChangedText(d.Set),
			fmt.Sprintf("pool of %s cells per slice, %s, cells of %s, %s, %s cells reserved per group, "+
				"%s the queue, kmin %s bytes",
				cli.Count(d.PoolCells), cli.Plural(d.Slices, "slice", "slices"), cli.Plural(int(d.CellBytes), "byte", "bytes"),
				limitText(d), cli.Count(d.Reserved), cli.Plural(d.Feeding, "group feeds", "groups feed"), cli.Count(d.KMin)),
		},
		Sections: []cli.Section{s},
		// What is not in the model is said with every answer: a queue with a limit of its own marks at other depths.
		Foot: append(d.Notes,
			"in bytes; a group pauses at reserved + "+pausesAt(d)+"; the queue then holds this amount of each group "+
				"that feeds it",
			"not modelled: limits of the queue, averaging of its depth, other traffic in pool and queue",
		),
	}
	// Advice is for the congestion of the first line, and only with --rtt.
	if a := d.Advice; a != nil {
		out.Sections = append(out.Sections, adviceSection(d))
	}
	// The papers' parameters are named, since the queue at which senders settle depends on them.
	if d.DCQCN != nil {
		out.Sections = append(out.Sections, dcqcnSection(d.DCQCN))
		out.Foot = append(out.Foot, "DCQCN: fluid model (SIGCOMM 2015, CoNEXT 2016) with the papers' parameters, "+
			"packets of 1000 bytes, equal flows")
	}
	return out
}

// verdict is the cell of the table that answers the question. The bad answer is in capitals, because the table has one
// column of them and no colours.
func verdict(first bool) string {
	if first {
		return "yes"
	}
	return "NO: XOFF first"
}

// ecnSentence is the answer in one line. The verdict is about the congestion that was asked for; the largest number of
// groups follows, since a pool that does not mark first for one number may do so for a smaller one.
func ecnSentence(d *report.ECNDocument) string {
	asked := "PFC FIRST"
	if d.First {
		asked = "ECN FIRST"
	}
	if d.EveryAlpha {
		asked += " for every alpha"
	}
	asked += ": "
	if d.Class != "" {
		asked += "class " + d.Class + ", "
	}
	asked += "with " + cli.Plural(d.Groups, "congested group", "congested groups")
	// All says what the groups are all of where no number was given, such as all lossless groups of slice 0.
	if d.All != "" {
		asked += " (" + d.All + ")"
	}
	switch {
	case d.First:
		asked += " the queue marks before its groups send XOFF"
	// No kmin is below the point of XOFF of this congestion, so the advice is not to lower it.
	case d.ECNRow.KMin < 0:
		asked += " a group sends XOFF before the queue marks, whatever kmin is"
	default:
		asked += fmt.Sprintf(" a group sends XOFF before the queue marks; with a kmin of %s bytes the queue marks first",
			cli.Count(d.ECNRow.KMin))
	}
	// The numbers are those of the largest alpha, so that nothing is said for others.
	if d.EveryAlpha {
		return asked + map[bool]string{false: " if alpha is the largest"}[d.First]
	}
	switch {
	// What the feeding groups have reserved exceeds kmin by itself, so the queue marks however many there are.
	case d.AnyNumber:
		return asked + "; the queue marks first for any number of groups"
	case d.MaxGroups == 0:
		return asked + "; the queue marks first for no number of groups"
	}
	return asked + "; the queue marks first for up to " + cli.Plural(d.MaxGroups, "group", "groups")
}

// limitText is the limit of a group. With every alpha the numbers are those of one, which is named.
func limitText(d *report.ECNDocument) string {
	switch {
	case d.Static != nil:
		return "static limit of " + string(cli.Count(*d.Static)) + " cells"
	case d.EveryAlpha:
		return "any alpha (shown: " + d.Alpha + ")"
	}
	return "alpha " + d.Alpha
}

// pausesAt is what a group holds of the shared pool when it pauses. B is what the pool has for n groups, and a group
// stops at alpha times what is free then.
func pausesAt(d *report.ECNDocument) string {
	if d.Static != nil {
		return "its limit, and at most the n-th part of the pool"
	}
	return "alpha*B/(1 + alpha*n) (Choudhury and Hahne 1998)"
}

// adviceSection is the advice as a table. Without an advice the one row has the reason, so that -o csv has it too.
func adviceSection(d *report.ECNDocument) cli.Section {
	a := d.Advice
	s := cli.Table("advice", "Advice, for this congestion", "what", "value", "reason")
	if a.None != "" {
		s.Row("none", "", a.None)
		return s
	}
	s.Row("kmin", a.KMin.String(), a.WhyKMin)
	s.Row("kmax", a.KMax.String(), a.WhyKMax)
	s.Row("pmax", a.PMax, a.WhyPMax)
	return s
}

// dcqcnSection is the table of DCQCN. Rates are bit/s, queues bytes, times picoseconds in the document and text here.
func dcqcnSection(j *report.DCQCN) cli.Section {
	s := cli.Table("", "DCQCN", "what", "value", "note")
	s.Row("flows", fmt.Sprintf("%d at %v", j.Flows, unit.BitRate(j.Rate)),
		fmt.Sprintf("the marking curve supports up to %d", j.MaxFlows))
	s.Row("rate of each flow", unit.BitRate(j.FlowRate).String(), "")
	// The document has probabilities as parts of 1, and the screen as percentages.
	s.Row("marking probability", fmt.Sprintf("%.4f %%", 100*j.Probability), fmt.Sprintf(
		"exact root; the closed-form approximation gives %.4f %%", 100*j.Approximate))
	// Above pmax the curve has no point at which the senders could settle.
	if j.Valid {
		s.Row("queue", string(cli.Count(j.Queue))+" bytes", "")
	} else {
		s.Row("queue", "none", "the probability is above pmax: the queue exceeds kmax and does not settle")
	}
	// Whether the loop settles depends on its delay, so nothing is said of it without --loop-delay.
	if l := j.Loop; l != nil {
		state := "oscillates"
		if l.Stable {
			state = "stable"
		}
		s.Row("feedback loop of "+l.Delay.String(), state, fmt.Sprintf("queue %s +- %s bytes, at most %s; utilisation %.4f; "+
			"integrated in steps of %v", cli.Count(l.Mean), cli.Count(l.Deviation), cli.Count(l.Max), l.Utilisation, l.Step))
	}
	return s
}
