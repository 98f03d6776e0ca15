package prove

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads how the groups of a headroom pool pause, from the flags of risk and of report --risk.

// RiskFlags are the flags of the risk command.
type RiskFlags struct {
	format                   cli.Output
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

// Register adds the flags of the behaviour.
func (f *RiskFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.paused, "paused", "", "part of the time for which each group is paused: 0.1%, 0.001")
	c.Flags().Float64Var(&f.pauses, "pauses", 0, "pauses of a group in a second, with --pause-time")
	c.Flags().StringVar(&f.pauseTime, "pause-time", "", "length of a pause, with --pauses: 20us")
	c.Flags().StringVar(&f.congested, "congested", "", "part of the time for which each egress port is congested")
	c.Flags().IntVar(&f.fanIn, "fan-in", 0, "senders of a congested egress port, with --congested")
	c.Flags().StringVar(&f.watermarks, "watermarks", "", "CSV of measured headroom watermarks: port, group, cells")
	c.Flags().Float64Var(&f.target, "target", 1e-6, "risk that is accepted")
	c.Flags().IntVar(&f.trials, "trials", 0, "also sample the risk of --paused in so many trials")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of --trials: the same seed gives the same estimate")
}

// RiskNames are the flags that register adds.
var RiskNames = []string{"paused", "pauses", "pause-time", "congested", "fan-in", "watermarks", "target", "trials",
	"seed"}

// portsBehaviour is a behaviour that depends on the number of the switch's ports.
type portsBehaviour func(p *risk.Pool, ports int) (float64, error)

// of is the behaviour on a switch.
func (b portsBehaviour) of(in buffer.Intent) risk.Behaviour {
	return func(p *risk.Pool) (float64, error) { return b(p, len(in.Ports)) }
}

// Behaves returns the behaviour that the flags state; it never asks for one if none is stated.
func (f *RiskFlags) Behaves(cmd *cobra.Command) (portsBehaviour, error) {
	// One behaviour at a time: they are models of one thing, and adding them up would count pauses twice.
	stated := 0
	is := func(names ...string) bool { return slices.ContainsFunc(names, cmd.Flags().Changed) }
	byPart, byPauses, byEgress, byMarks := is("paused"), is("pauses", "pause-time"), is("congested", "fan-in"),
		is("watermarks")
	for _, given := range []bool{byPart, byPauses, byEgress, byMarks} {
		if given {
			stated++
		}
	}
	switch {
	case stated > 1:
		return nil, errors.New("--paused, --pauses, --congested and --watermarks: want one behaviour")
	// Written so that NaN is refused too. 0 would need a pool for all groups at once, which is no risk, and 1 accepts
	// everything.
	case !(f.target > 0 && f.target < 1):
		return nil, fmt.Errorf("--target %v: want above 0 and below 1", f.target)
	// The sampler draws groups independently, so it checks the two behaviours that are independent.
	case f.trials != 0 && !byPart && !byPauses:
		return nil, errors.New("--trials: accepted with --paused or --pauses")
	}
	// The sentence of the behaviour repeats the text of the flag, so that a reader finds what was typed.
	var err error
	switch {
	case byPart:
		f.pausedPart, err = parseFraction("--paused", f.paused)
		f.behaviour = "each group is paused for " + f.paused + " of the time, independently"
	case byPauses:
		var length unit.Time
		length, err = unit.ParseTime(f.pauseTime)
		switch {
		case err != nil:
			err = fmt.Errorf("--pause-time: %w", err)
		case !(f.pauses >= 0) || math.IsInf(f.pauses, 0):
			err = fmt.Errorf("--pauses %v: want 0 or more in a second", f.pauses)
		}
		// Pauses are counted in a second of the time in which the group is not paused, so that the part stays below 1
		// whatever their length is.
		f.pausedPart = risk.Fraction(f.pauses, float64(length)/float64(unit.Second))
		f.behaviour = fmt.Sprintf(
			"each group pauses %v times in a second for %v, independently: %s of the time",
			f.pauses,
			length,
			page.Probability(f.pausedPart),
		)
	case byEgress:
		f.congestedFor, err = parseFraction("--congested", f.congested)
		if f.fanIn < 1 {
			err = errors.Join(err, fmt.Errorf("--fan-in %d: want 1 or more senders", f.fanIn))
		}
		f.behaviour = fmt.Sprintf(
			"each egress port is congested for %s of the time, with %d senders at a time",
			f.congested,
			f.fanIn,
		)
		return func(p *risk.Pool, ports int) (float64, error) { return p.CommonEgress(ports, f.congestedFor, f.fanIn) }, err
	case byMarks:
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
	// Written so that NaN is refused. 0 and 1 are accepted: never and always are answers that can be checked by hand.
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%s %q: want a part of the time, such as 0.1%% or 0.001", name, text)
	}
	return x, nil
}

// readWatermarks reads CSV with the columns port, group and cells.
func readWatermarks(cmd *cobra.Command, file string) (map[string][]cells.Count, error) {
	name, data, err := cli.ReadInput(cmd, file)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(string(data)))
	// port, group, cells; one row for each watermark, and many rows for one group are many periods.
	r.FieldsPerRecord = 3
	out := map[string][]cells.Count{}
	for n := 1; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (want the columns port, group, cells)", name, err)
		}
		if n == 1 {
			if strings.Join(row, ",") != "port,group,cells" {
				return nil, fmt.Errorf(
					"%s:1: %.200q (want a first line port,group,cells)",
					name,
					strings.Join(row, ","),
				)
			}
			continue
		}
		// A port has eight groups. 0 cells is a period in which the group used no headroom, and counts as one.
		group, err1 := strconv.Atoi(row[1])
		count, err2 := strconv.ParseInt(row[2], 10, 64)
		if err1 != nil || err2 != nil || group < 0 || group > 7 || count < 0 || count > int64(buffer.MaxCells) {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf(
				"%s:%d: group %.20q, cells %.20q (want a group of 0 to 7, and cells from 0 on)",
				name,
				line,
				row[1],
				row[2],
			)
		}
		key := risk.Key(row[0], group)
		out[key] = append(out[key], cells.Count(count))
	}
	// Every group would have its worst case then, which is another behaviour than the one that was asked for.
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no watermark", name)
	}
	return out, nil
}
