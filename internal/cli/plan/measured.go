package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/unit"
)

// This file adds to a plan how much of its headroom was ever used, and what could be given back at which risk. The
// watermarks are those of a switch; each file is one period, after which they were cleared.

// measuredJSON is what watermarks say of a plan.
type measuredJSON struct {
	Periods    int                 `json:"periods"` // files with watermarks
	Groups     []measuredGroupJSON `json:"groups"`
	Pools      []measuredPoolJSON  `json:"headroom_pools,omitempty"`
	Assumption string              `json:"assumption"`
}

// measuredGroupJSON is one lossless group.
type measuredGroupJSON struct {
	Port    string      `json:"port"`
	Group   int         `json:"group"`
	Class   string      `json:"class"`
	Granted cells.Count `json:"granted_cells"`
	// State is unknown (no watermark), full (all was used, or packets were dropped), used, or never used.
	State   string       `json:"state"`
	Periods int          `json:"periods"`                // with a watermark of this group
	Used    *cells.Count `json:"used_cells,omitempty"`   // the largest watermark
	Unused  *cells.Count `json:"unused_cells,omitempty"` // what could be given back; absent: unknown
	// Risk is the probability that the next period needs more than the largest watermark, at most.
	Risk float64 `json:"risk_per_period,omitempty"`
}

// measuredPoolJSON is the shared headroom pool of a slice.
type measuredPoolJSON struct {
	Slice    int         `json:"slice"`
	Cells    cells.Count `json:"cells"`
	Overflow float64     `json:"overflow_probability"` // of the pool as it is planned
	// Together is the cells that all groups bring if their watermarks of one period were at the same time, in the worst
	// period; TogetherRisk that the next period brings more, at most.
	Together     cells.Count      `json:"together_cells"`
	TogetherRisk float64          `json:"together_risk"`
	Smaller      []smallerPoolOut `json:"smaller"`
}

// smallerPoolOut is a pool that is as small as a risk allows.
type smallerPoolOut struct {
	Risk     float64     `json:"risk"`
	Cells    cells.Count `json:"cells"`
	GiveBack cells.Count `json:"give_back_cells"` // 0: nothing
}

// measuredAssumption is on what the risks rest.
const measuredAssumption = "the next period is like those that were measured: of n+1 periods of one kind, each is " +
	"as likely to have the largest watermark, so that the next one exceeds the largest of n with 1/(n+1) at most. Of " +
	"a shared pool, that each group brings one of its watermarks, each equally often, independently of the others; a " +
	"group without one brings its worst case"

// measuredLimit says what few periods cannot show.
const measuredLimit = "With few periods, a risk far below 1/(n+1) rests on these assumptions and not on the " +
	"measurements."

// measuredRisks are the risks for which a smaller pool is computed.
var measuredRisks = []float64{1e-2, 1e-4, 1e-6}

// planMeasured reads the files and compares their watermarks with the plan.
func planMeasured(cmd *cobra.Command, files []string, plan *buffer.Plan, in buffer.Intent) (*measuredJSON, error) {
	grants := cli.GrantsOf(plan, in)
	if len(grants) == 0 {
		return nil, errors.New("--measured: the plan has no lossless group")
	}
	marks, drops := map[string][]cells.Count{}, map[string]bool{}
	periods := make([]map[string]cells.Count, len(files))
	for i, file := range files {
		periods[i] = map[string]cells.Count{}
		name, data, err := cli.ReadInput(cmd, file)
		if err != nil {
			return nil, fmt.Errorf("--measured: %w", err)
		}
		sample, err := diagnosis.ReadCounters(data, diagnosis.CounterOptions{Cell: unit.Bytes(in.Chip.Cell)})
		if err != nil {
			return nil, fmt.Errorf("--measured: %s: %w", name, err)
		}
		for _, g := range sample.Groups {
			key := risk.Key(g.Port, g.Group)
			if mark, known := g.Headroom.Get(); known {
				periods[i][key] = in.Chip.Cell.Holding(mark)
				marks[key] = append(marks[key], periods[i][key])
			}
			drops[key] = drops[key] || g.Drops.Or(0) > 0
		}
	}
	out := &measuredJSON{Periods: len(files), Assumption: measuredAssumption}
	some := false
	for _, g := range grants {
		j := measuredGroup(g, in.Chip.Cell, marks[risk.Key(g.Port, g.Group)], drops[risk.Key(g.Port, g.Group)])
		some = some || j.State != "unknown"
		out.Groups = append(out.Groups, j)
	}
	if !some {
		return nil, errors.New("--measured: no watermark of the headroom of a lossless group of the plan")
	}
	for key := range drops { // a group that dropped needed more than its watermark: its worst case counts
		if drops[key] {
			delete(marks, key)
			for i := range periods {
				delete(periods[i], key)
			}
		}
	}
	return out, out.pools(in, marks, periods)
}

// measuredGroup compares the watermarks of a group with its grant.
func measuredGroup(g diagnosis.Grant, cell cells.Size, marks []cells.Count, dropped bool) measuredGroupJSON {
	granted := cell.Within(g.Headroom)
	j := measuredGroupJSON{Port: g.Port, Group: g.Group, Class: g.Class, Granted: granted, State: "unknown",
		Periods: len(marks)}
	if len(marks) == 0 {
		return j
	}
	used := slices.Max(marks)
	j.Used = &used
	unused := max(granted-used, 0)
	switch {
	case dropped || used >= granted:
		j.State, unused = "full", 0
	case used == 0:
		j.State = "never used"
	default:
		j.State = "used"
	}
	j.Unused = &unused
	if unused > 0 {
		j.Risk = 1 / float64(len(marks)+1)
	}
	return j
}

// pools computes the risk of the shared headroom pools, and how small they could be.
func (m *measuredJSON) pools(in buffer.Intent, marks map[string][]cells.Count, periods []map[string]cells.Count) error {
	pools, err := risk.Pools(in)
	if err != nil {
		return err
	}
	for i := range pools {
		p := &pools[i]
		over, err := p.Measured(marks)
		if err != nil {
			return err
		}
		j := measuredPoolJSON{Slice: p.Slice, Cells: p.Cells, Overflow: over, TogetherRisk: 1 / float64(len(periods)+1),
			Smaller: []smallerPoolOut{}}
		for _, period := range periods {
			var sum cells.Count
			for _, g := range p.Groups {
				if mark, known := period[risk.Key(g.Port, g.Group)]; known {
					sum += mark
				} else {
					sum += g.Cells
				}
			}
			j.Together = max(j.Together, sum)
		}
		for _, target := range measuredRisks {
			n, err := smallestPool(*p, marks, target)
			if err != nil {
				return err
			}
			j.Smaller = append(j.Smaller, smallerPoolOut{target, n, max(p.Cells-n, 0)})
		}
		m.Pools = append(m.Pools, j)
	}
	return nil
}

// smallestPool returns the fewest cells with which a pool overflows with this probability at most. They can be more
// than it has.
func smallestPool(p risk.Pool, marks map[string][]cells.Count, target float64) (cells.Count, error) {
	low, high := cells.Count(0), p.All()
	for _, all := range marks {
		high += slices.Max(all)
	}
	for low < high {
		p.Cells = low + (high-low)/2
		over, err := p.Measured(marks)
		if err != nil {
			return 0, err
		}
		if over <= target {
			high = p.Cells
		} else {
			low = p.Cells + 1
		}
	}
	return low, nil
}

// report returns the tables.
func (m *measuredJSON) report() *cli.Screen {
	s := cli.Section{Name: "measured", Title: "Headroom that was used", Columns: []string{"port", "group", "class", "granted",
		"used at most", "periods", "could be given back", "risk per period", "state"}}
	unknown := 0
	worst := 0.0
	for _, g := range m.Groups {
		used, unused, chance := any("unknown"), any("unknown"), ""
		if g.Used != nil {
			used, unused = cli.Count(*g.Used), cli.Count(*g.Unused)
		} else {
			unknown++
		}
		if g.Risk > 0 {
			chance = fmt.Sprintf("1 in %d at most", g.Periods+1)
			worst += g.Risk
		}
		s.Row(g.Port, cli.Count(g.Group), g.Class, cli.Count(g.Granted), used, cli.Count(g.Periods), unused, chance, g.State)
	}
	r := &cli.Screen{Sections: []cli.Section{s}}
	if len(m.Pools) > 0 {
		t := cli.Section{Name: "measured-pools", Title: "Shared headroom by these watermarks", Columns: []string{"slice", "cells",
			"overflows with", "risk", "cells for that risk", "could be given back"}}
		for _, p := range m.Pools {
			t.Row(cli.Count(p.Slice), cli.Count(p.Cells), fmt.Sprintf("%.2g", p.Overflow),
				fmt.Sprintf("1 in %d at most, all watermarks "+
					"of a period at once", m.Periods+1), cli.Count(p.Together), cli.Count(max(p.Cells-p.Together, 0)))
			for _, x := range p.Smaller {
				t.Row(cli.Count(p.Slice), cli.Count(p.Cells), fmt.Sprintf("%.2g", p.Overflow), fmt.Sprintf("%g", x.Risk), cli.Count(x.Cells),
					cli.Count(x.GiveBack))
			}
		}
		r.Sections = append(r.Sections, t)
	}
	r.Foot = append(r.Foot, "The risks assume that "+m.Assumption+". "+measuredLimit)
	if worst > 0 {
		r.Foot = append(r.Foot, fmt.Sprintf("If all these groups give back what they have not used, the probability that "+
			"one of them drops in the next period is %.2g at most.", math.Min(worst, 1)))
	}
	if unknown > 0 {
		r.Foot = append(r.Foot, fmt.Sprintf("%d of %d groups have no watermark: nothing is known of their headroom.", unknown,
			len(m.Groups)))
	}
	return r
}
