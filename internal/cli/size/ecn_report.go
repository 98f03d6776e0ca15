package size

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ecnJSON is the answer as a document.
type ecnJSON struct {
	Schema    string      `json:"schema"`
	Set       []string    `json:"set,omitempty"` // changes of the topology
	PoolCells cells.Count `json:"pool_cells_per_slice"`
	Slices    int         `json:"slices"`
	CellBytes cells.Size  `json:"cell_bytes"`
	Alpha     string      `json:"alpha"`
	DynamicTh int         `json:"dynamic_th"`
	Reserved  cells.Count `json:"reserved_cells"`
	KMin      unit.Bytes  `json:"kmin_bytes"`
	Feeding   int         `json:"feeding_groups"`
	ecnRow
	MaxGroups int `json:"max_congested_groups"`
	// AnyNumber says that the reserved cells alone exceed kmin.
	// max_congested_groups is then the end of the range.
	AnyNumber bool       `json:"any_number_of_groups"`
	Table     []ecnRow   `json:"table"`
	DCQCN     *dcqcnJSON `json:"dcqcn,omitempty"`
}

// ecnRow is the answer for one number of congested groups.
type ecnRow struct {
	Groups    int         `json:"congested_groups"`
	Threshold unit.Bytes  `json:"pfc_threshold_bytes"` // of one group, rounded down
	Cells     cells.Count `json:"pfc_threshold_cells"` // in cells, rounded down
	Queue     unit.Bytes  `json:"queue_at_pause_bytes"`
	First     bool        `json:"ecn_before_pfc"`
	KMin      unit.Bytes  `json:"kmin_that_marks_first_bytes"` // the largest; -1: none
	Marking   *string     `json:"marking_at_pause_percent,omitempty"`
}

// dcqcnJSON is the state in which the senders settle.
type dcqcnJSON struct {
	Rate        int64      `json:"rate_bps"`
	Flows       int        `json:"flows"`
	FlowRate    int64      `json:"flow_rate_bps"`
	Probability float64    `json:"marking_probability"`
	Approximate float64    `json:"marking_probability_approximate"`
	Queue       unit.Bytes `json:"queue_bytes"` // 0 if not valid
	Valid       bool       `json:"valid"`       // the probability is not above pmax
	MaxFlows    int        `json:"max_flows"`
	Loop        *loopJSON  `json:"loop,omitempty"`
}

// loopJSON is the stability of the fluid model.
type loopJSON struct {
	Delay       unit.Time  `json:"delay_ps"`
	Step        unit.Time  `json:"step_ps"`
	Mean        unit.Bytes `json:"queue_mean_bytes"`
	Deviation   unit.Bytes `json:"queue_deviation_bytes"`
	Max         unit.Bytes `json:"queue_max_bytes"`
	Utilisation float64    `json:"utilisation"`
	Stable      bool       `json:"stable"`
}

// row answers for n congested groups.
func (q *ecnQuestion) row(n int) ecnRow {
	c := &q.check
	r := ecnRow{n, c.PauseThreshold(n), cells.Count(c.Together(n).Floor()), c.QueueAtPause(n), c.MarksFirst(n),
		c.KMinFor(n), nil}
	if q.curve.KMax > 0 {
		p := q.curve.Marking(r.Queue)
		p.Num *= 100
		r.Marking = new(p.Decimal(4))
	}
	return r
}

// document answers for the given number of groups, and for the numbers near the
// largest for which marking begins first.
func (q *ecnQuestion) document() ecnJSON {
	c := &q.check
	most := c.MaxCongested()
	d := ecnJSON{
		Schema: "cellwarden.ecn/v1", PoolCells: c.Pool, Slices: q.slices, CellBytes: c.Cell, Alpha: c.Alpha.String(),
		DynamicTh: c.Alpha.DynamicTh(),
		Reserved:  c.Reserved, KMin: c.KMin, Feeding: c.Feeding, ecnRow: q.row(q.groups), MaxGroups: most,
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
	const beyond, all = 2, 24
	end := min(max(most, m, asked)+beyond, thresholds.MaxGroups)
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

// report returns the tables.
func (d *ecnJSON) report(q *ecnQuestion) *cli.Screen {
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
			d.sentence(),
		},
		Sections: []cli.Section{s},
		Foot: []string{
			"in bytes; a group pauses at reserved + alpha*B/(1 + alpha*n) (Choudhury and Hahne 1998); the queue then " +
				"holds this amount of each group that feeds it",
			"not modelled: limits of the queue, averaging of its depth, other traffic in pool and queue",
		},
	}
	if d.DCQCN != nil {
		out.Sections = append(out.Sections, d.DCQCN.section())
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

// sentence is the answer in one line.
func (d *ecnJSON) sentence() string {
	asked := fmt.Sprintf("with %s: ", cli.Plural(d.Groups, "congested group", "congested groups"))
	if d.First {
		asked += "the queue marks before its groups send XOFF"
	} else {
		asked += fmt.Sprintf(
			"a group sends XOFF before the queue marks; with a kmin of %s bytes the queue marks first",
			cli.Count(d.ecnRow.KMin))
	}
	switch {
	case d.AnyNumber:
		return asked + "; the queue marks first for any number of groups"
	case d.MaxGroups == 0:
		return asked + "; the queue marks first for no number of groups"
	}
	return asked + "; the queue marks first for up to " + cli.Plural(d.MaxGroups, "group", "groups")
}

// section is the table of DCQCN.
func (j *dcqcnJSON) section() cli.Section {
	s := cli.Section{Title: "DCQCN", Columns: []string{"what", "value", "note"}}
	s.Row("flows", fmt.Sprintf("%d at %v", j.Flows, unit.BitRate(j.Rate)),
		fmt.Sprintf("the marking curve supports up to %d", j.MaxFlows))
	s.Row("rate of each flow", unit.BitRate(j.FlowRate).String(), "")
	s.Row("marking probability", fmt.Sprintf("%.4f %%", 100*j.Probability), fmt.Sprintf(
		"exact root; the closed-form approximation gives %.4f %%", 100*j.Approximate))
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
