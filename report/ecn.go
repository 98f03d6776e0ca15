package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// ECNQuestion asks whether a queue marks (ECN) before its groups send XOFF (PFC). Rate, RTT and LoopDelay are texts as
// a person writes them; empty: not given.
type ECNQuestion struct {
	Check  ecn.Check
	Curve  ecn.Thresholds // KMax 0: no curve is given
	Slices int
	// Pool is what the question is about in place of a plan: texts as a person writes them, by the names pool, slices,
	// cell, chip, alpha, dynamic-th, reserved, kmin, kmax, pmax, queue-limit, static and junos. One that is not given has
	// no text.
	Pool map[string]string
	// Groups are all congested groups, and those that feed the queue at least. Absent: all lossless groups of the slice
	// that pauses first, of a plan; else 1.
	Groups     unit.Optional[int]
	EveryAlpha bool   // the answer holds for every alpha
	Class      string // of a plan; empty: the only one that marks
	Notes      []string
	Rate       string // speed of the bottleneck; empty with RTT: of the fastest port of the class
	Flows      int    // through the bottleneck; 0: one of each congested group
	RTT        string // round-trip time of the senders, for advice
	LoopDelay  string // from a mark to the reaction of the senders, for the stability of DCQCN
	// Named returns the name of an option in messages, for "loop-delay" and others; nil: as it is.
	Named func(option string) string

	groups  int
	all     string       // what the groups are all of; empty: Groups says their number
	fastest unit.BitRate // of the ports of the class; 0: not known
	dcqcn   *DCQCN       // nil: DCQCN is not asked for
	advice  *ecn.Advice
	none    error // why there is no advice
}

// OfPlan takes Check, Curve and Slices of a plan that fits, for one class that marks, in the slice in which the class
// pauses first. The groups that feed the queue stay. A class that does not mark is refused, and so is no class where
// several mark: the answers differ, and the first is not more likely to be meant.
func (q *ECNQuestion) OfPlan(plan *buffer.Plan, in *buffer.Intent) error {
	m, err := q.chosen(plan.MarksFirst())
	if err != nil {
		return err
	}
	feeding := q.Check.Feeding
	q.Check, q.Curve, q.Slices, q.Class = m.Check, m.Curve, len(in.Chip.Slices), m.Class
	q.Check.Feeding, q.fastest = feeding, fastest(in, m.Class)
	// By default all lossless groups of the slice are congested: the limit of each is then the lowest.
	if !q.Groups.IsGiven() {
		q.Groups, q.all = unit.Given(m.Groups), fmt.Sprintf("all lossless groups of slice %d", m.Slice)
	}
	return nil
}

// Answer answers for the given number of groups, and for the numbers near the largest for which marking begins first.
// A question that names senders has DCQCN and advice, too.
func (q *ECNQuestion) Answer() (ECNDocument, error) {
	groups, feeding := q.Groups.Or(1), q.Check.Feeding
	if groups < 1 || groups > thresholds.MaxGroups || feeding < 1 || feeding > thresholds.MaxGroups {
		return ECNDocument{}, fmt.Errorf("%s %d, %s %d (want 1 to %d)", q.name("groups"), groups, q.name("feeding"),
			feeding, thresholds.MaxGroups)
	}
	q.groups = max(groups, feeding)
	if err := errors.Join(q.Check.Validate(), q.Curve.Validate()); err != nil {
		return ECNDocument{}, err
	}
	if err := q.further(); err != nil {
		return ECNDocument{}, err
	}
	return q.document(), nil
}

// name is the name of an option in messages.
func (q *ECNQuestion) name(option string) string {
	if q.Named == nil {
		return option
	}
	return q.Named(option)
}

// value reads the text of an option.
func value[T any](q *ECNQuestion, bad *[]error, option, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("%s: %w", q.name(option), err))
	}
	return v
}

// further adds DCQCN, if the question names senders, and advice, if it has a round-trip time.
func (q *ECNQuestion) further() (err error) {
	if q.dcqcn, err = q.senders(); err != nil || q.RTT == "" {
		return err
	}
	var bad []error
	rate := q.fastest
	rtt := value(q, &bad, "rtt", q.RTT, unit.ParseTime)
	if q.Rate != "" {
		rate = value(q, &bad, "rate", q.Rate, unit.ParseBitRate)
	} else if rate == 0 {
		bad = append(bad, fmt.Errorf("%s: needed with %s", q.name("rate"), q.name("rtt")))
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	// At least one flow of each congested group, unless Flows says how many.
	flows := q.Flows
	if flows == 0 {
		flows = q.groups
	}
	a, err := q.Check.Advise(q.groups, rate, flows, rtt)
	if err != nil && a.Bound == 0 {
		return fmt.Errorf("%s: %w", q.name("rtt"), err)
	}
	q.advice, q.none = &a, err
	return nil
}

// senders computes DCQCN's fixed point and stability, if they are asked for.
func (q *ECNQuestion) senders() (*DCQCN, error) {
	// With RTT, rate and flows are those of the advice.
	if (q.RTT != "" || q.Rate == "" && q.Flows == 0) && q.LoopDelay == "" {
		return nil, nil
	}
	if q.Rate == "" || q.Flows == 0 || q.Curve.KMax == 0 {
		return nil, fmt.Errorf("DCQCN needs %s, %s, %s and %s", q.name("rate"), q.name("flows"), q.name("kmax"),
			q.name("pmax"))
	}
	var bad []error
	rate := value(q, &bad, "rate", q.Rate, unit.ParseBitRate)
	delay := unit.Time(0)
	if q.LoopDelay != "" {
		delay = value(q, &bad, "loop-delay", q.LoopDelay, unit.ParseTime)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	// The parameters of the senders are those of the papers (SIGCOMM 2015, CoNEXT 2016), with packets of 1000 bytes.
	d := ecn.DefaultDCQCN(rate, q.Flows)
	point, err := d.FixedPoint(q.Curve)
	if err != nil {
		return nil, err
	}
	most, err := d.MaxFlows(q.Curve)
	j := &DCQCN{Rate: int64(rate), Flows: q.Flows, FlowRate: int64(point.Rate), Probability: rounded(point.Probability),
		Approximate: rounded(point.Approximate), Queue: point.Queue, Valid: point.Valid, MaxFlows: most}
	// The fixed point needs no delay. Whether the loop settles there depends on it, so without one nothing is said of
	// that.
	if err != nil || q.LoopDelay == "" {
		return j, err
	}
	s, err := d.Stability(q.Curve, delay)
	loop := unnamed.New(&j.Loop)
	loop.Delay, loop.Step, loop.Mean, loop.Deviation, loop.Max = s.Delay, s.Step, s.Mean, s.Deviation, s.Max
	loop.Utilisation, loop.Stable = rounded(s.Utilisation), s.Stable
	return j, err
}

// fastest returns the speed of the fastest port that carries a class: its bandwidth-delay product is the largest.
func fastest(in *buffer.Intent, class string) (rate unit.BitRate) {
	k := slices.IndexFunc(in.Classes, func(c buffer.Class) bool { return c.Name == class })
	for i := range in.Ports {
		if p := &in.Ports[i]; p.Classes.Has(k) {
			rate = max(rate, p.Rate)
		}
	}
	return rate
}

// chosen returns the class that the question names, or the only one.
func (q *ECNQuestion) chosen(all []buffer.MarksFirst) (buffer.MarksFirst, error) {
	names := grouped.Each(all, func(m buffer.MarksFirst) string { return m.Class })
	i := slices.Index(names, q.Class)
	switch {
	case len(all) == 0:
		return buffer.MarksFirst{}, errors.New("no lossless class marks packets (want one with ecn)")
	// With several classes a choice is needed: the answers differ, and the first one is not more likely to be meant.
	case q.Class == "" && len(all) == 1:
		return all[0], nil
	case i < 0:
		return buffer.MarksFirst{}, fmt.Errorf("%s %.200q (want %s)", q.name("class"), q.Class, strings.Join(names, ", "))
	}
	return all[i], nil
}

// row answers for n congested groups.
func (q *ECNQuestion) row(n int) ECNRow {
	c := &q.Check
	r := ECNRow{Groups: n, Threshold: c.PauseThreshold(n), Cells: cells.Count(c.Together(n).Floor()),
		Queue: c.QueueAtPause(n), First: c.MarksFirst(n), KMin: c.KMinFor(n)}
	if q.Curve.KMax > 0 {
		p := q.Curve.Marking(r.Queue).Times(100*10_000, 1).Plus(exact.Of(1, 2)).Floor() // rounded half up
		r.Marking = new(fmt.Sprintf("%d.%04d", p/10_000, p%10_000))
	}
	return r
}

// document answers for the given number of groups, and for the numbers near the largest for which marking begins first.
func (q *ECNQuestion) document() ECNDocument {
	c := &q.Check
	most := c.MaxCongested()
	// Marking precedes XOFF for any number of groups if kmin is below what the feeding groups have reserved: no
	// limit, however low, takes that away.
	d := ECNDocument{Schema: Schema("ecn"), PoolCells: c.Pool, Slices: q.Slices, CellBytes: c.Cell,
		Alpha: c.Alpha.String(), DynamicTh: c.Alpha.DynamicTh(), Reserved: c.Reserved, KMin: c.KMin, Feeding: c.Feeding,
		ECNRow: q.row(q.groups), MaxGroups: most, AnyNumber: c.KMin < c.Cell.Bytes(c.Reserved)*unit.Bytes(c.Feeding),
		DCQCN: q.dcqcn, Class: q.Class, All: q.all, EveryAlpha: q.EveryAlpha, Notes: append([]string{}, q.Notes...)}
	if limit, given := c.Static.Get(); given {
		d.Alpha, d.Static = "", &limit
	}
	if d.Verdict = "pfc first"; d.First {
		d.Verdict = "ecn first"
	}
	if a := q.advice; a != nil {
		to := unnamed.New(&d.Advice)
		to.Bound, to.BDP = a.Bound, a.BDP
		if q.none != nil {
			to.None = q.none.Error()
		} else {
			to.KMin, to.KMax, to.PMax = a.KMin, a.KMax, a.PMax.String()
			to.WhyKMin, to.WhyKMax, to.WhyPMax = a.WhyKMin, a.WhyKMax, a.WhyPMax
		}
	}
	for _, n := range tabled(c.Feeding, q.groups, most) {
		d.Table = append(d.Table, q.row(n))
	}
	return d
}

// tabled returns the numbers of groups in the table: from m to two beyond the largest that holds and the one that was
// asked for. If they are many, those far from both are left out.
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

// rounded keeps six significant digits: the last bits of a floating-point result differ between machines.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // of its own output
	}
	return short
}

// ECNDocument says whether a queue marks (ECN) before its groups send XOFF (PFC). The row of the number of groups that
// was asked for is among its own keys.
type ECNDocument struct {
	Schema string   `json:"schema"`
	Set    []string `json:"set,omitempty"` // changes of the topology
	// Verdict is "ecn first" or "pfc first", for the number of congested groups.
	Verdict string `json:"verdict"`
	Class   string `json:"class,omitempty"` // of the topology
	// All says what the congested groups are all of, where no number of them was asked for.
	All       string      `json:"congested,omitempty"`
	PoolCells cells.Count `json:"pool_cells_per_slice"`
	Slices    int         `json:"slices"`
	CellBytes cells.Size  `json:"cell_bytes"`
	Alpha     string      `json:"alpha"` // empty: a static limit
	DynamicTh int         `json:"dynamic_th"`
	// EveryAlpha says that the verdict is the same for every alpha; the numbers are those of the largest.
	EveryAlpha bool         `json:"for_every_alpha"`
	Static     *cells.Count `json:"static_limit_cells,omitempty"`
	Reserved   cells.Count  `json:"reserved_cells"`
	KMin       unit.Bytes   `json:"kmin_bytes"`
	Feeding    int          `json:"feeding_groups"`
	ECNRow
	MaxGroups int `json:"max_congested_groups"`
	// AnyNumber says that the reserved cells alone exceed kmin. max_congested_groups is then the end of the range.
	AnyNumber bool     `json:"any_number_of_groups"`
	Table     []ECNRow `json:"table"`
	DCQCN     *DCQCN   `json:"dcqcn,omitempty"`
	// Advice is a marking profile for this congestion; absent: not asked for.
	Advice *struct {
		Bound   unit.Bytes `json:"largest_kmin_bytes"`
		BDP     unit.Bytes `json:"bandwidth_delay_bytes"`
		KMin    unit.Bytes `json:"kmin_bytes"`
		KMax    unit.Bytes `json:"kmax_bytes"`
		PMax    string     `json:"pmax"`
		WhyKMin string     `json:"kmin_reason"`
		WhyKMax string     `json:"kmax_reason"`
		WhyPMax string     `json:"pmax_reason"`
		None    string     `json:"none_because"` // empty: there is one
	} `json:"advice,omitempty"`
	Notes []string `json:"notes"` // where values come from, and what is assumed
}

// ECNRow is the answer for one number of congested groups.
type ECNRow struct {
	Groups    int         `json:"congested_groups"`
	Threshold unit.Bytes  `json:"pfc_threshold_bytes"` // of one group, rounded down
	Cells     cells.Count `json:"pfc_threshold_cells"` // in cells, rounded down
	Queue     unit.Bytes  `json:"queue_at_pause_bytes"`
	First     bool        `json:"ecn_before_pfc"`
	KMin      unit.Bytes  `json:"kmin_that_marks_first_bytes"` // the largest; -1: none
	Marking   *string     `json:"marking_at_pause_percent,omitempty"`
}

// DCQCN is the state in which DCQCN senders settle.
type DCQCN struct {
	Rate        int64      `json:"rate_bps"`
	Flows       int        `json:"flows"`
	FlowRate    int64      `json:"flow_rate_bps"`
	Probability float64    `json:"marking_probability"`
	Approximate float64    `json:"marking_probability_approximate"`
	Queue       unit.Bytes `json:"queue_bytes"` // 0 if not valid
	Valid       bool       `json:"valid"`       // the probability is not above pmax
	MaxFlows    int        `json:"max_flows"`
	// Loop is the stability of the fluid model.
	Loop *struct {
		Delay       unit.Time  `json:"delay_ps"`
		Step        unit.Time  `json:"step_ps"`
		Mean        unit.Bytes `json:"queue_mean_bytes"`
		Deviation   unit.Bytes `json:"queue_deviation_bytes"`
		Max         unit.Bytes `json:"queue_max_bytes"`
		Utilisation float64    `json:"utilisation"`
		Stable      bool       `json:"stable"`
	} `json:"loop,omitempty"`
}
