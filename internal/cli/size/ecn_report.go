package size

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// row answers for n congested groups.
func (q *ecnQuestion) row(n int) report.ECNRow {
	c := &q.check
	r := report.ECNRow{Groups: n, Threshold: c.PauseThreshold(n), Cells: cells.Count(c.Together(n).Floor()),
		Queue: c.QueueAtPause(n), First: c.MarksFirst(n), KMin: c.KMinFor(n)}
	if q.curve.KMax > 0 {
		p := q.curve.Marking(r.Queue)
		p.Num *= 100
		r.Marking = new(p.Decimal(4))
	}
	return r
}

// document answers for the given number of groups, and for the numbers near the
// largest for which marking begins first.
func (q *ecnQuestion) document() report.ECNDocument {
	c := &q.check
	most := c.MaxCongested()
	// Marking precedes XOFF for any number of groups if kmin is below what the feeding groups have reserved: no
	// limit, however low, takes that away.
	d := report.ECNDocument{
		Schema: report.Schema("ecn"), PoolCells: c.Pool, Slices: q.slices, CellBytes: c.Cell, Alpha: c.Alpha.String(),
		DynamicTh: c.Alpha.DynamicTh(),
		Reserved:  c.Reserved, KMin: c.KMin, Feeding: c.Feeding, ECNRow: q.row(q.groups), MaxGroups: most,
		AnyNumber: c.KMin < c.Cell.Bytes(c.Reserved)*unit.Bytes(c.Feeding), DCQCN: q.dcqcn,
	}
	for _, n := range tabled(c.Feeding, q.groups, most) {
		d.Table = append(d.Table, q.row(n))
	}
	return d
}

// tabled returns the numbers of groups in the table: from m to two beyond the
// largest that holds and the one that was asked for. If they are many, those
// far from both are left out.
func tabled(m, asked, most int) []int {
	// Two rows beyond the largest number show where the answer changes. Up to 24 rows are printed whole.
	const beyond, all = 2, 24
	end := min(max(most, m, asked)+beyond, thresholds.MaxGroups)
	// No number of groups is the last one then, so there is no end to show.
	if most == thresholds.MaxGroups {
		end = min(max(m, asked)+beyond, thresholds.MaxGroups)
	}
	var out []int
	for n := m; n <= end; n++ {
		near := func(x int) bool { return n >= x-1 && n <= x+beyond }
		if end-m < all || n < m+8 || near(asked) || near(most) || n == end {
			out = append(out, n)
		}
	}
	return out
}

// ecnScreen returns the tables.
func ecnScreen(d *report.ECNDocument) *cli.Screen {
	s := cli.Section{Title: "Congested groups", Columns: []string{"groups", "XOFF at", "queue at XOFF", "kmin",
		"marks first", "largest kmin"}}
	if d.Marking != nil {
		s.Columns = append(s.Columns, "marked at XOFF")
	}
	for _, r := range d.Table {
		row := []any{cli.Count(r.Groups), cli.Count(r.Threshold), cli.Count(r.Queue), cli.Count(d.KMin), verdict(r.First),
			cli.Count(r.KMin)}
		if r.Marking != nil {
			row = append(row, cli.Number(*r.Marking+" %"))
		}
		s.Row(row...)
	}
	out := &cli.Screen{
		Head: []string{
			fmt.Sprintf("pool of %s cells per slice, %s, cells of %d bytes, alpha %s, %s cells reserved per group, "+
				"%s the queue, kmin %s bytes%s",
				cli.Count(d.PoolCells), cli.Plural(d.Slices, "slice", "slices"), d.CellBytes, d.Alpha, cli.Count(d.Reserved),
				cli.Plural(d.Feeding, "group feeds", "groups feed"), cli.Count(d.KMin), cli.ChangedText(d.Set)),
			ecnSentence(d),
		},
		Sections: []cli.Section{s},
		Foot: []string{
			"in bytes; a group pauses at reserved + alpha*B/(1 + alpha*n) (Choudhury and Hahne 1998); the queue then " +
				"holds this amount of each group that feeds it",
			"not modelled: limits of the queue, averaging of its depth, other traffic in pool and queue",
		},
	}
	if d.DCQCN != nil {
		out.Sections = append(out.Sections, dcqcnSection(d.DCQCN))
		out.Foot = append(out.Foot, "DCQCN: fluid model (SIGCOMM 2015, CoNEXT 2016) with the papers' parameters, "+
			"packets of 1000 bytes, equal flows")
	}
	return out
}

// verdict is the cell of the table that answers the question.
func verdict(first bool) string {
	if first {
		return "yes"
	}
	return "NO: XOFF first"
}

// ecnSentence is the answer in one line.
func ecnSentence(d *report.ECNDocument) string {
	asked := fmt.Sprintf("with %s: ", cli.Plural(d.Groups, "congested group", "congested groups"))
	if d.First {
		asked += "the queue marks before its groups send XOFF"
	} else {
		asked += fmt.Sprintf(
			"a group sends XOFF before the queue marks; with a kmin of %s bytes the queue marks first",
			cli.Count(d.ECNRow.KMin))
	}
	switch {
	case d.AnyNumber:
		return asked + "; the queue marks first for any number of groups"
	case d.MaxGroups == 0:
		return asked + "; the queue marks first for no number of groups"
	}
	return asked + "; the queue marks first for up to " + cli.Plural(d.MaxGroups, "group", "groups")
}

// dcqcnSection is the table of DCQCN.
func dcqcnSection(j *report.DCQCN) cli.Section {
	s := cli.Section{Title: "DCQCN", Columns: []string{"what", "value", "note"}}
	s.Row("flows", fmt.Sprintf("%d at %v", j.Flows, unit.BitRate(j.Rate)),
		fmt.Sprintf("the marking curve supports up to %d", j.MaxFlows))
	s.Row("rate of each flow", unit.BitRate(j.FlowRate).String(), "")
	s.Row("marking probability", fmt.Sprintf("%.4f %%", 100*j.Probability), fmt.Sprintf(
		"exact root; the closed-form approximation gives %.4f %%", 100*j.Approximate))
	// Above pmax the curve has no point at which the senders could settle.
	if j.Valid {
		s.Row("queue", string(cli.Count(j.Queue))+" bytes", "")
	} else {
		s.Row("queue", "none", "the probability is above pmax: the queue exceeds kmax and does not settle")
	}
	if l := j.Loop; l != nil {
		state := "oscillates"
		if l.Stable {
			state = "stable"
		}
		s.Row("feedback loop of "+l.Delay.String(), state, fmt.Sprintf(
			"queue %s +- %s bytes, at most %s; utilisation %.4f; integrated in steps of %v",
			cli.Count(l.Mean), cli.Count(l.Deviation), cli.Count(l.Max), l.Utilisation, l.Step))
	}
	return s
}
