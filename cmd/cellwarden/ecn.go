package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// ecnFlags are the flags of the ecn command; quantities are text.
type ecnFlags struct {
	pool, cell, chip, alpha, reserved    string
	kmin, kmax, pmax, queueLimit         string
	rate, delay, format                  string
	slices, dynamicTh, feeding, n, flows int
}

func ecnCommand() *cobra.Command {
	var f ecnFlags
	c := &cobra.Command{
		Use:   "ecn",
		Short: "Does the switch mark (ECN) before it pauses (PFC)? For how many congested groups?",
		Long: "ecn answers for a pool under a dynamic threshold whether a queue starts to mark before its groups " +
			"send XOFF, for how many\n" +
			"congested groups that holds, and which kmin would make it hold. With --kmax and --pmax it adds the " +
			"marking probability;\n" +
			"with --rate and --flows as well, where DCQCN's senders settle.\n\n" + exitCodes,
		Example: "  cellwarden ecn --pool 10875072B --slices 4 --cell 208B --alpha 1 --reserved 1248B --kmin " +
			"250000B --feeding 1\n" +
			"  cellwarden ecn --pool 10875072B --chip tomahawk --reserved 1248B --kmin 5000B --kmax 200000B --pmax " +
			"1% --rate 40G --flows 8 --delay 4us",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.pool, "pool", "", "shared pool of the whole chip, such as 10875072B")
	c.Flags().IntVar(&f.slices, "slices", 1, "parts of the memory that the pool is divided into")
	c.Flags().StringVar(&f.cell, "cell", "", "size of a cell, such as 208B (or --chip)")
	c.Flags().StringVar(&f.chip, "chip", "", "take cell size and slices from this chip: a name or a chip file")
	c.Flags().StringVar(&f.alpha, "alpha", "1", "factor of the dynamic threshold: 8, 1, 1/8")
	c.Flags().IntVar(&f.dynamicTh, "dynamic-th", 0, "the same as SAI and SONiC write it, n of 2^n")
	c.Flags().StringVar(&f.reserved, "reserved", "0B", "reserved part (PG-min) of each group")
	c.Flags().StringVar(&f.kmin, "kmin", "",
		"queue depth above which marking begins; a fill level such as 10% with --queue-limit")
	c.Flags().StringVar(&f.queueLimit, "queue-limit", "", "what the queue may hold, for a kmin in percent")
	c.Flags().StringVar(&f.kmax, "kmax", "", "queue depth above which everything is marked")
	c.Flags().StringVar(&f.pmax, "pmax", "", "marking probability at kmax, such as 1%")
	c.Flags().IntVar(&f.feeding, "feeding", 1, "congested groups that feed the queue")
	c.Flags().IntVar(&f.n, "groups", 1, "congested groups in all; at least those that feed the queue")
	c.Flags().StringVar(&f.rate, "rate", "", "speed of the bottleneck, for DCQCN")
	c.Flags().IntVar(&f.flows, "flows", 0, "flows through the bottleneck, for DCQCN")
	c.Flags().StringVar(&f.delay, "delay", "", "loop delay from mark to reaction, for DCQCN's stability")
	outputFlag(c, &f.format)
	return c
}

// ecnQuestion is what the flags ask.
type ecnQuestion struct {
	check  ecn.Check
	curve  ecn.Thresholds // KMax 0: no curve given
	slices int
	groups int
	dcqcn  *dcqcnJSON // nil: not asked
}

func (f *ecnFlags) run(cmd *cobra.Command) error {
	q, err := f.parse(cmd)
	if err = errors.Join(err, checkFormat(f.format)); err != nil {
		return err
	}
	d := q.document()
	return failure(d.report(&q).write(cmd.OutOrStdout(), f.format, d))
}

// parse makes quantities of the flags, with all complaints at once.
func (f *ecnFlags) parse(cmd *cobra.Command) (ecnQuestion, error) {
	var bad []error
	q := ecnQuestion{groups: max(f.n, f.feeding), slices: f.slices}
	c := &q.check
	c.Feeding = f.feeding
	c.Cell, q.slices = f.memory(cmd, &bad)
	c.Alpha = f.factor(cmd, &bad)
	pool := flagValue(&bad, "pool", f.pool, unit.ParseBytes)
	reserved := flagValue(&bad, "reserved", f.reserved, unit.ParseBytes)
	c.KMin = f.fill(&bad)
	if f.n < 1 || f.n > thresholds.MaxGroups {
		bad = append(bad, fmt.Errorf("--groups %d: accepted: 1 to %d", f.n, thresholds.MaxGroups))
	}
	if f.feeding < 1 {
		bad = append(bad, fmt.Errorf("--feeding %d: accepted: 1 to %d", f.feeding, thresholds.MaxGroups))
	}
	if f.kmax != "" || f.pmax != "" {
		q.curve = ecn.Thresholds{KMin: c.KMin, KMax: flagValue(&bad, "kmax", f.kmax, unit.ParseBytes),
			PMax: flagValue(&bad, "pmax", f.pmax, unit.ParsePercent)}
	}
	if len(bad) > 0 {
		return q, errors.Join(bad...)
	}
	c.Pool, c.Reserved = c.Cell.Within(pool/unit.Bytes(q.slices)), c.Cell.Holding(reserved)
	if err := errors.Join(c.Validate(), q.curve.Validate()); err != nil {
		return q, err
	}
	var err error
	q.dcqcn, err = f.senders(q.curve)
	return q, err
}

// memory returns the cell and the slices: the chip's, or the flag's where it
// is given.
func (f *ecnFlags) memory(cmd *cobra.Command, bad *[]error) (cells.Size, int) {
	cell, slices := cells.Size(0), f.slices
	if f.chip != "" {
		load := loadCells
		if f.cell != "" {
			load = loadChip
		}
		c, err := load(f.chip)
		if err != nil {
			*bad = append(*bad, fmt.Errorf("--chip: %w", err))
			return 0, 1
		}
		cell = c.Cell
		if !cmd.Flags().Changed("slices") {
			slices = len(c.Slices)
		}
	}
	if f.cell != "" {
		cell = cells.Size(flagValue(bad, "cell", f.cell, unit.ParseBytes))
	} else if f.chip == "" {
		*bad = append(*bad, errors.New("--cell or --chip: one of them says how large a cell is"))
	}
	if slices < 1 || slices > 64 {
		*bad = append(*bad, fmt.Errorf("--slices %d: accepted: 1 to 64", slices))
	}
	if f.cell != "" && cell < 1 {
		*bad = append(*bad, fmt.Errorf("--cell %q: a cell has at least one byte", f.cell))
	}
	return cell, slices
}

func (f *ecnFlags) factor(cmd *cobra.Command, bad *[]error) thresholds.Alpha {
	if !cmd.Flags().Changed("dynamic-th") {
		return flagValue(bad, "alpha", f.alpha, thresholds.ParseAlpha)
	}
	if cmd.Flags().Changed("alpha") {
		*bad = append(*bad, errors.New("--alpha and --dynamic-th: one of them, not both"))
	}
	if f.dynamicTh < int(thresholds.MinAlpha) || f.dynamicTh > int(thresholds.MaxAlpha) {
		*bad = append(*bad, fmt.Errorf("--dynamic-th %d: accepted: %d to %d", f.dynamicTh, thresholds.MinAlpha,
			thresholds.MaxAlpha))
		return 0
	}
	return thresholds.Alpha(f.dynamicTh)
}

// fill reads kmin: bytes, or a share of the queue's limit.
func (f *ecnFlags) fill(bad *[]error) unit.Bytes {
	if !strings.HasSuffix(f.kmin, "%") {
		return flagValue(bad, "kmin", f.kmin, unit.ParseBytes)
	}
	fill := flagValue(bad, "kmin", f.kmin, unit.ParsePercent)
	if fill < 0 || fill > unit.Whole {
		*bad = append(*bad, fmt.Errorf("--kmin %v: a fill level is 0%% to 100%%", fill))
	}
	return ecn.FillLevel(flagValue(bad, "queue-limit", f.queueLimit, unit.ParseBytes), fill)
}

// senders works out DCQCN's fixed point, if it is asked for.
func (f *ecnFlags) senders(curve ecn.Thresholds) (*dcqcnJSON, error) {
	if f.rate == "" && f.flows == 0 && f.delay == "" {
		return nil, nil
	}
	if f.rate == "" || f.flows == 0 || curve.KMax == 0 {
		return nil, errors.New("DCQCN needs --rate, --flows, --kmax and --pmax")
	}
	var bad []error
	rate := flagValue(&bad, "rate", f.rate, unit.ParseBitRate)
	delay := unit.Time(0)
	if f.delay != "" {
		delay = flagValue(&bad, "delay", f.delay, unit.ParseTime)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	d := ecn.DefaultDCQCN(rate, f.flows)
	point, err := d.FixedPoint(curve)
	if err != nil {
		return nil, err
	}
	most, err := d.MaxFlows(curve)
	j := &dcqcnJSON{
		Rate: int64(rate), Flows: f.flows, FlowRate: int64(point.Rate), Probability: rounded(point.Probability),
		Approximate: rounded(point.Approximate),
		Queue:       point.Queue, Valid: point.Valid, MaxFlows: most,
	}
	if err != nil || f.delay == "" {
		return j, err
	}
	s, err := d.Stability(curve, delay)
	j.Loop = &loopJSON{s.Delay, s.Step, s.Mean, s.Deviation, s.Max, rounded(s.Utilisation), s.Stable}
	return j, err
}

// rounded keeps six significant digits: the last bits differ between machines.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // of its own output
	}
	return short
}

// ecnJSON is the answer as a document.
type ecnJSON struct {
	Schema    string      `json:"schema"`
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
	// the reserved cells alone exceed kmin; max_congested_groups is then the end of the
	// range
	AnyNumber bool       `json:"any_number_of_groups"`
	Table     []ecnRow   `json:"table"`
	DCQCN     *dcqcnJSON `json:"dcqcn,omitempty"`
}

// ecnRow is the answer for one number of congested groups.
type ecnRow struct {
	Groups    int         `json:"congested_groups"`
	Threshold unit.Bytes  `json:"pfc_threshold_bytes"` // of one group, rounded down
	Cells     cells.Count `json:"pfc_threshold_cells"` // the same in cells, rounded down
	Queue     unit.Bytes  `json:"queue_at_pause_bytes"`
	First     bool        `json:"ecn_before_pfc"`
	KMin      unit.Bytes  `json:"kmin_that_marks_first_bytes"` // the largest; -1: none
	Marking   *string     `json:"marking_at_pause_percent,omitempty"`
}

// dcqcnJSON is where the senders settle.
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

// loopJSON is what the fluid model does with a delay.
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

// document answers for the groups asked for and tables the numbers around the
// largest that holds.
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

// tabled returns the numbers of groups to show: from m on, up to two beyond the
// largest that holds and the number asked for, some left out if there are many.
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

func (d *ecnJSON) report(q *ecnQuestion) *report {
	s := section{title: "Congested groups", columns: []string{"groups", "one pauses at", "queue then", "kmin",
		"marks first", "largest kmin"}}
	if d.Marking != nil {
		s.columns = append(s.columns, "marked then")
	}
	for _, r := range d.Table {
		row := []any{count(r.Groups), count(r.Threshold), count(r.Queue), count(d.KMin), verdict(r.First),
			count(r.KMin)}
		if r.Marking != nil {
			row = append(row, number(*r.Marking+" %"))
		}
		s.row(row...)
	}
	out := &report{
		head: []string{
			fmt.Sprintf("pool of %s cells in each slice (%d), cells of %d bytes, alpha %s, %s cells reserved, %d "+
				"feeding the queue, kmin %s bytes",
				count(d.PoolCells), d.Slices, d.CellBytes, d.Alpha, count(d.Reserved), d.Feeding, count(d.KMin)),
			d.sentence(),
		},
		sections: []section{s},
		foot: []string{
			"bytes; a group pauses at reserved + alpha*B/(1 + alpha*n) (Choudhury and Hahne 1998), the queue then " +
				"holds as much of each that feeds it",
			"not modelled: limits of the queue, averaging of its depth, other traffic in pool and queue",
		},
	}
	if d.DCQCN != nil {
		out.sections = append(out.sections, d.DCQCN.section())
		out.foot = append(out.foot, "DCQCN: fluid model (SIGCOMM 2015, CoNEXT 2016) with the papers' parameters, "+
			"packets of 1000 bytes, all flows alike")
	}
	return out
}

func verdict(first bool) string {
	if first {
		return "yes"
	}
	return "NO: pauses first"
}

// sentence is the answer in one line.
func (d *ecnJSON) sentence() string {
	asked := fmt.Sprintf("with %d congested: ", d.Groups)
	if d.First {
		asked += "marks before it pauses"
	} else {
		asked += fmt.Sprintf("pauses before it marks; a kmin of %s bytes would mark first", count(d.ecnRow.KMin))
	}
	switch {
	case d.AnyNumber:
		return asked + "; holds for any number of groups"
	case d.MaxGroups == 0:
		return asked + "; holds for no number of groups"
	}
	return asked + fmt.Sprintf("; holds for up to %d", d.MaxGroups)
}

func (j *dcqcnJSON) section() section {
	s := section{title: "DCQCN", columns: []string{"what", "value", "note"}}
	s.row("flows", fmt.Sprintf("%d at %v", j.Flows, unit.BitRate(j.Rate)),
		fmt.Sprintf("the curve holds up to %d", j.MaxFlows))
	s.row("rate of each", unit.BitRate(j.FlowRate).String(), "")
	s.row("marking probability", fmt.Sprintf("%.4f %%", 100*j.Probability), fmt.Sprintf(
		"exact root; the closed approximation gives %.4f %%", 100*j.Approximate))
	if j.Valid {
		s.row("queue", string(count(j.Queue))+" bytes", "")
	} else {
		s.row("queue", "none", "the probability is above pmax: the queue runs past kmax and does not settle")
	}
	if l := j.Loop; l != nil {
		state := "oscillates"
		if l.Stable {
			state = "stable"
		}
		s.row("loop of "+l.Delay.String(), state, fmt.Sprintf(
			"queue %s +- %s bytes, at most %s; utilisation %.4f; integrated in steps of %v",
			count(l.Mean), count(l.Deviation), count(l.Max), l.Utilisation, l.Step))
	}
	return s
}
