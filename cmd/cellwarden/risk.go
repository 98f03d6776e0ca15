package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// risk says how likely it is that a shared headroom pool overflows. Package capacity/risk computes it.

const riskLong = `risk says of a shared headroom pool which groups may pause together, which smallest set of them overflows it, and how
likely an overflow is for a stated behaviour: the part of the time in which the groups that are paused bring more than
the pool has, each at the worst case of its link. It also says which ratio keeps that below --target.

The behaviours:
  --paused 0.1%                      each group is paused for this part of the time, independently of the others
  --pauses 100 --pause-time 20us     the same, from pauses in a second and their length
  --congested 1% --fan-in 8          egress ports are congested for this part of the time, independently; each then pauses
                                     its senders, so many at a time, whose groups are paused together
  --watermarks FILE                  CSV with the columns port, group and cells: each group brings one of its measured
                                     headroom watermarks, each equally often; a group without one its worst case

Without a behaviour, risk says for how much of the time the groups may be paused. Results are exact up to rounding;
--trials checks that of --paused by importance sampling, with an interval.

`

// riskFlags are the flags of the risk command.
type riskFlags struct {
	format                   output
	paused, congested        string
	pauses                   float64
	pauseTime                string
	fanIn, trials            int
	seed                     uint64
	watermarks               string
	target                   float64
	measured                 map[string][]cells.Count
	behaviour                string // in a sentence; empty: none is stated
	pausedPart, congestedFor float64
}

func riskCommand() *cobra.Command {
	f := &riskFlags{}
	c := &cobra.Command{
		Use:   "risk FILE",
		Short: "How likely a shared headroom pool overflows, and which ratio a target risk allows",
		Long:  riskLong + exitCodes,
		Example: "  cellwarden risk examples/arista-7060cx-32s.yaml --paused 0.1%\n" +
			"  cellwarden risk leaf.yaml --congested 1% --fan-in 8 --target 1e-9",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	setFlag(c)
	confineFlag(c)
	outputFlag(c, &f.format)
	c.Flags().StringVar(&f.paused, "paused", "", "part of the time for which each group is paused: 0.1%, 0.001")
	c.Flags().Float64Var(&f.pauses, "pauses", 0, "pauses of a group in a second, with --pause-time")
	c.Flags().StringVar(&f.pauseTime, "pause-time", "", "length of a pause, with --pauses: 20us")
	c.Flags().StringVar(&f.congested, "congested", "", "part of the time for which each egress port is congested")
	c.Flags().IntVar(&f.fanIn, "fan-in", 0, "senders of a congested egress port, with --congested")
	c.Flags().StringVar(&f.watermarks, "watermarks", "", "CSV of measured headroom watermarks: port, group, cells")
	c.Flags().Float64Var(&f.target, "target", 1e-6, "risk that is accepted")
	c.Flags().IntVar(&f.trials, "trials", 0, "also sample the risk of --paused in so many trials")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of --trials: the same seed gives the same estimate")
	return c
}

// riskJSON is the answer as a document.
type riskJSON struct {
	Schema    string         `json:"schema"`
	Set       []string       `json:"set,omitempty"`
	Behaviour string         `json:"behaviour"` // in a sentence; empty: none was stated
	Target    float64        `json:"target"`
	Pools     []riskPoolJSON `json:"pools"`           // one for each slice; []: headroom is dedicated
	Ratio     *riskRatioJSON `json:"ratio,omitempty"` // for the target; absent without a behaviour
}

// riskPoolJSON is the pool of a slice.
type riskPoolJSON struct {
	Slice      int         `json:"slice"`
	PoolCells  cells.Count `json:"pool_cells"`
	GroupCells cells.Count `json:"groups_cells"` // all groups at their worst case
	Groups     int         `json:"groups"`
	AtOnce     int         `json:"groups_at_once"`           // any so many can pause together
	Smallest   int         `json:"smallest_overflow_groups"` // groups of a smallest set that overflows; 0: none does
	Set        string      `json:"smallest_overflow_set"`    // its groups
	// MostPaused is the part of the time for which each group may be paused, independently, within the target.
	MostPaused float64          `json:"most_paused_for_target"`
	Overflow   *float64         `json:"overflow_probability,omitempty"` // by the behaviour
	Sampled    *riskSampledJSON `json:"sampled,omitempty"`
}

// riskSampledJSON is an estimate with the interval of 95 %.
type riskSampledJSON struct {
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Trials      int     `json:"trials"`
	Seed        uint64  `json:"seed"`
}

// riskRatioJSON is the largest ratio for the target.
type riskRatioJSON struct {
	Ratio  int     `json:"ratio"`              // 0: not even 1 is within the target
	Risk   float64 `json:"risk"`               // with it
	Beyond float64 `json:"risk_of_next_ratio"` // 0: there is none
	Fits   bool    `json:"fits"`
	Least  int     `json:"least_ratio_that_fits"` // 0: none
}

func (f *riskFlags) run(cmd *cobra.Command, name string) error {
	behaves, err := f.behaves(cmd)
	if err := errors.Join(err, checkFormat(f.format)); err != nil {
		return exit{exitUsage, err}
	}
	file, changes, err := readTopology(cmd, name)
	if err != nil {
		return err
	}
	in := file.Intent
	pools, err := risk.Pools(in)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("%s: %w", name, err)}
	}
	doc := riskJSON{Schema: "cellwarden.risk/v1", Set: changes, Behaviour: f.behaviour, Target: f.target,
		Pools: []riskPoolJSON{}}
	bound := func(p *risk.Pool) (float64, error) { return behaves(p, len(in.Ports)) }
	for i := range pools {
		one, err := f.pool(&pools[i], bound)
		if err != nil {
			return exit{exitUsage, err}
		}
		doc.Pools = append(doc.Pools, one)
	}
	if f.behaviour != "" && len(pools) > 0 {
		r, err := risk.RatioFor(in, f.target, bound)
		if err != nil {
			return exit{exitUsage, err}
		}
		doc.Ratio = &riskRatioJSON{r.Ratio, r.Risk, r.Beyond, r.Fits, r.Least}
	}
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return exit{exitUsage, err}
	}
	if err := f.report(&doc, a).write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return failure(err)
	}
	if !a.Fits() {
		return silent(exitNoFit)
	}
	return nil
}

// behaves returns the behaviour that the flags state; it never asks for one if none is stated.
func (f *riskFlags) behaves(cmd *cobra.Command) (func(p *risk.Pool, ports int) (float64, error), error) {
	stated := 0
	for _, is := range []bool{f.paused != "", f.pauses != 0 || f.pauseTime != "", f.congested != "" || f.fanIn != 0,
		f.watermarks != ""} {
		if is {
			stated++
		}
	}
	switch {
	case stated > 1:
		return nil, errors.New("--paused, --pauses, --congested and --watermarks: accepted: one behaviour")
	case !(f.target > 0 && f.target < 1):
		return nil, fmt.Errorf("--target %v: accepted: above 0 and below 1", f.target)
	case f.trials != 0 && f.paused == "" && f.pauses == 0:
		return nil, errors.New("--trials: accepted with --paused or --pauses")
	}
	var err error
	switch {
	case f.paused != "":
		f.pausedPart, err = parseFraction("--paused", f.paused)
		f.behaviour = "each group is paused for " + f.paused + " of the time, independently"
	case f.pauses != 0 || f.pauseTime != "":
		var length unit.Time
		length, err = unit.ParseTime(f.pauseTime)
		switch {
		case err != nil:
			err = fmt.Errorf("--pause-time: %w", err)
		case !(f.pauses > 0) || math.IsInf(f.pauses, 0):
			err = fmt.Errorf("--pauses %v: accepted: more than 0 in a second", f.pauses)
		}
		f.pausedPart = risk.Fraction(f.pauses, float64(length)/float64(unit.Second))
		f.behaviour = fmt.Sprintf(
			"each group pauses %v times in a second for %v, independently: %s of the time",
			f.pauses,
			length,
			probability(f.pausedPart),
		)
	case f.congested != "" || f.fanIn != 0:
		f.congestedFor, err = parseFraction("--congested", f.congested)
		if f.fanIn < 1 {
			err = errors.Join(err, fmt.Errorf("--fan-in %d: accepted: 1 or more senders", f.fanIn))
		}
		f.behaviour = fmt.Sprintf(
			"each egress port is congested for %s of the time, with %d senders at a time",
			f.congested,
			f.fanIn,
		)
		return func(p *risk.Pool, ports int) (float64, error) { return p.CommonEgress(ports, f.congestedFor, f.fanIn) }, err
	case f.watermarks != "":
		f.measured, err = readWatermarks(cmd, f.watermarks)
		f.behaviour = "each group brings one of its watermarks of " + f.watermarks
		return func(p *risk.Pool, _ int) (float64, error) { return p.Measured(f.measured) }, err
	}
	return func(p *risk.Pool, _ int) (float64, error) { return p.Independent(f.pausedPart) }, err
}

// parseFraction reads a part of the time: 0.1%, 0.001, 1e-4.
func parseFraction(name, text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%s %q: accepted: a part of the time, such as 0.1%% or 0.001", name, text)
	}
	return x, nil
}

// readWatermarks reads CSV with the columns port, group and cells.
func readWatermarks(cmd *cobra.Command, file string) (map[string][]cells.Count, error) {
	name, data, err := readInput(cmd, file)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(string(data)))
	r.FieldsPerRecord = 3
	out := map[string][]cells.Count{}
	for n := 1; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (accepted: the columns port, group, cells)", name, err)
		}
		if n == 1 {
			if strings.Join(row, ",") != "port,group,cells" {
				return nil, fmt.Errorf(
					"%s:1: %.200q (accepted: a first line port,group,cells)",
					name,
					strings.Join(row, ","),
				)
			}
			continue
		}
		group, err1 := strconv.Atoi(row[1])
		count, err2 := strconv.ParseInt(row[2], 10, 64)
		if err1 != nil || err2 != nil || group < 0 || group > 7 || count < 0 || count > int64(buffer.MaxCells) {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf(
				"%s:%d: group %.20q, cells %.20q (accepted: a group of 0 to 7, and cells from 0 on)",
				name,
				line,
				row[1],
				row[2],
			)
		}
		key := risk.Key(row[0], group)
		out[key] = append(out[key], cells.Count(count))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no watermark", name)
	}
	return out, nil
}

// pool answers for the pool of one slice.
func (f *riskFlags) pool(p *risk.Pool, behaves risk.Behaviour) (riskPoolJSON, error) {
	set := p.Smallest()
	out := riskPoolJSON{
		Slice:      p.Slice,
		PoolCells:  p.Cells,
		GroupCells: p.All(),
		Groups:     len(p.Groups),
		AtOnce:     p.AtOnce(),
		Smallest:   len(set),
		Set:        groupNames(set),
	}
	var err error
	if out.MostPaused, err = p.MostPaused(f.target); err != nil || f.behaviour == "" {
		return out, err
	}
	over, err := behaves(p)
	if err != nil {
		return out, err
	}
	out.Overflow = &over
	if f.trials != 0 {
		e, err := p.Sample(f.pausedPart, f.seed, f.trials)
		if err != nil {
			return out, fmt.Errorf("--trials: %w", err)
		}
		out.Sampled = &riskSampledJSON{e.Probability, e.Low, e.High, e.Trials, f.seed}
	}
	return out, nil
}

// groupNames names groups: "group 3 of Ethernet1/1-4".
func groupNames(groups []risk.Group) string {
	ports := map[int][]string{}
	for _, g := range groups {
		ports[g.Group] = append(ports[g.Group], g.Port)
	}
	var out []string
	for g := range 8 {
		if len(ports[g]) > 0 {
			out = append(out, fmt.Sprintf("group %d of %s", g, buffer.FoldPorts(ports[g])))
		}
	}
	return strings.Join(out, ", ")
}

// report is the answer as text.
func (f *riskFlags) report(d *riskJSON, a *buffer.Admission) *report {
	refused := ""
	if !a.Fits() {
		refused = fmt.Sprintf("; DOES NOT FIT: %s", plural(len(a.Denied()), "port is refused", "ports are refused"))
	}
	if len(d.Pools) == 0 {
		return &report{head: []string{"NO RISK OF THIS KIND: headroom is dedicated, and no pool can overflow" +
			changedText(d.Set) + refused}}
	}
	s := section{
		name:  "pools",
		title: "Shared headroom pools",
		columns: []string{"slice", "pool cells", "all groups bring",
			"groups", "at once", "smallest overflow", "may be paused"},
	}
	stated := d.Behaviour != ""
	if stated {
		s.columns = append(s.columns, "overflow")
	}
	worst, never := 0.0, true
	var foot []string
	for _, p := range d.Pools {
		row := []any{count(p.Slice), count(p.PoolCells), count(p.GroupCells), count(p.Groups), count(p.AtOnce),
			plural(p.Smallest, "group", "groups"), probability(p.MostPaused)}
		if p.Smallest == 0 {
			row[5] = "none"
		} else {
			never = false
		}
		if p.Overflow != nil {
			row, worst = append(row, probability(*p.Overflow)), max(worst, *p.Overflow)
		}
		s.rows = append(s.rows, row)
		if p.Set != "" {
			foot = append(foot, fmt.Sprintf("- slice %d overflows with %s", p.Slice, p.Set))
		}
		if e := p.Sampled; e != nil {
			foot = append(foot, fmt.Sprintf(
				"- slice %d, sampled: %s, in 95 of 100 runs %s to %s; %s, seed %d",
				p.Slice,
				probability(
					e.Probability,
				),
				probability(e.Low),
				probability(e.High),
				plural(e.Trials, "trial", "trials"),
				e.Seed,
			))
		}
	}
	head := "no behaviour is stated: the groups may be paused for so much of the time that the risk is " +
		probability(d.Target)
	switch {
	case never:
		head = "NO OVERFLOW: the pools hold the worst case of all groups at once"
	case stated:
		head = "overflow at " + probability(worst) + " of all moments, if " + d.Behaviour
	}
	r := &report{head: []string{head + changedText(d.Set) + refused}, sections: []section{s}, foot: foot}
	if d.Ratio != nil {
		r.head = append(r.head, "ratio     "+ratioText(d))
	}
	return r
}

// ratioText says which ratio the target allows.
func ratioText(d *riskJSON) string {
	x := d.Ratio
	if x.Ratio == 0 {
		return fmt.Sprintf("no ratio is within %s", probability(d.Target))
	}
	text := fmt.Sprintf("up to %d the risk is at most %s: %s", x.Ratio, probability(d.Target), probability(x.Risk))
	if x.Beyond > 0 {
		text += fmt.Sprintf("; with %d it is %s", x.Ratio+1, probability(x.Beyond))
	}
	switch {
	case x.Least == 0:
		text += "; the plan fits with no ratio"
	case !x.Fits:
		text += fmt.Sprintf("; the plan DOES NOT FIT with it: it needs %d or more", x.Least)
	}
	return text
}

// probability prints a part of the time with three digits.
func probability(x float64) string {
	if x == 0 {
		return "0"
	}
	if x >= 0.001 {
		return strconv.FormatFloat(100*x, 'g', 3, 64) + "%"
	}
	return strconv.FormatFloat(x, 'e', 2, 64)
}
