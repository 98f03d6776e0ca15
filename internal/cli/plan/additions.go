package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/cli/shipped"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file adds to a plan what other flags ask for. --sonic-pools: the pools that SONiC computes; its buffer manager
// computes them itself, so its sizes can differ from the plan. --measured: how much of its headroom was ever used, and
// what could be given back at which risk; package capacity/risk compares, and each file is one period, after which the
// watermarks were cleared.

// additions adds to a plan what --sonic-pools and --measured ask for, and returns their tables. --sonic-pools has two
// sources, a formula and the sums of shipped folders. A chip of which one is known gets that one, and the error of both
// is that of the first.
func (f *planFlags) additions(cmd *cobra.Command, plan *buffer.Plan, in buffer.Intent, doc *report.PlanDocument) (
	*cli.Screen, error) {
	out := &cli.Screen{}
	if f.sonic {
		// none is why a folder with these ports cannot be computed.
		ships, none := shipped.Pools(&in)
		// A chip that SONiC has no formula for is refused. The terms of the inputs are printed, too.
		from, err := sonic.PoolInputsOf(in)
		if err != nil && none != nil {
			return nil, err
		}
		if err == nil {
			doc.SONiC = shipped.Running(from)
			out = sonicScreen(doc.SONiC, &from)
		}
		if none == nil {
			doc.Shipped = ships
			tables := shipped.Screen(ships)
			out.Sections, out.Foot = append(out.Sections, tables.Sections...), append(out.Foot, tables.Foot...)
		}
	}
	if len(f.measured) > 0 {
		used, err := planMeasured(cmd, f.measured, plan, in)
		if err != nil {
			return nil, err
		}
		// Text has these tables behind those of the plan; JSON has them within the plan's document.
		tables := measuredScreen(used)
		doc.Measured = used
		out.Sections, out.Foot = append(out.Sections, tables.Sections...), append(out.Foot, tables.Foot...)
	}
	return out, nil
}

// sonicScreen lists the terms of SONiC's pool computation. A pool below zero is a
// warning: SONiC refuses no profile for it. A row is a kind of profile with how many groups or queues have it.
func sonicScreen(s *report.SONiCPools, pool *sonic.PoolInputs) *cli.Screen {
	// Bytes and not cells: they are compared with BUFFER_POOL_TABLE of the switch, which has bytes.
	t := cli.Section{Title: "SONiC's pools, in bytes", Columns: []string{"item", "count", "size", "xon", "xoff"}}
	t.Row("memory (mmu_size)", "", cli.Count(s.Memory), "", "")
	// xon and xoff of a lossy profile are 0.
	for _, p := range pool.Profiles {
		name := "profile"
		if p.Lossy {
			name = fmt.Sprintf("lossy profile, and %s of latency each", cli.Count(pool.Latency))
		}
		t.Row(name, cli.Count(p.Count), cli.Count(p.Size), cli.Count(p.XON), cli.Count(p.XOFF))
	}
	t.Row("sum of reserved memory", "", cli.Count(s.Reserved), "", "")
	t.Row("shared headroom pool", "", cli.Count(s.SharedHeadroom), "", "")
	t.Row("ingress_lossless_pool, the only ingress pool", "", cli.Count(s.Pool), "", "")
	t.Row("ingress_lossless_pool, beside an ingress_lossy_pool", "", cli.Count(s.EachOfTwo), "", "")
	r := &cli.Screen{Sections: []cli.Section{t}}
	r.Foot = []string{"SONiC's templates for NVIDIA have one ingress pool (Mellanox-*) or two (ACS-*), which share the " +
		"memory: the plan does not say which the switch has"}
	// This replaces the other remark: the number of pools does not matter where even one does not fit.
	if s.Overcommits {
		r.Foot = []string{fmt.Sprintf("SONiC would compute a size of %v for ingress_lossless_pool, %v below zero. It "+
			"writes the "+
			"profiles before and refuses none of them. The pool keeps its previous size",
			s.Pool, -s.Pool)}
	}
	return r
}

// measuredLimit says what few periods cannot show.
const measuredLimit = "With few periods, a risk far below 1/(n+1) rests on these assumptions and not on the " +
	"measurements."

// planMeasured reads the files and compares their watermarks with the plan. Each file is the watermarks of one period.
// A group that a file does not have was not measured in it.
func planMeasured(cmd *cobra.Command, files []string, plan *buffer.Plan, in buffer.Intent) (*report.MeasuredHeadroom,
	error) {
	// A plan that does not fit grants nothing to the ports that were refused.
	grants := diagnosis.Grants(plan, in)
	if len(grants) == 0 {
		return nil, errors.New("--measured: the plan has no lossless group")
	}
	samples, err := inputs.ReadCounters(cmd, "measured", files, unit.Bytes(in.Chip.Cell))
	if err != nil {
		return nil, err
	}
	used, err := risk.UsedHeadroom(in, grants, samples)
	if err != nil {
		return nil, fmt.Errorf("--measured: %w", err)
	}
	return used, nil
}

// measuredScreen returns the tables. Cells are those of the plan's chip. The assumption of the risks is printed with
// them, because it decides them.
func measuredScreen(m *report.MeasuredHeadroom) *cli.Screen {
	r := &cli.Screen{Sections: []cli.Section{measuredGroups(m)}}
	if len(m.Pools) > 0 {
		r.Sections = append(r.Sections, measuredPools(m))
	}
	r.Foot = append(r.Foot, "The risks assume that "+m.Assumption+". "+measuredLimit)
	// A group without a watermark has no risk to add. It is counted, so that silence is not taken for headroom that
	// was never used. together is the sum of the risks of the groups, which bounds the probability that any of them
	// drops.
	unknown, together := 0, 0.0
	for _, g := range m.Groups {
		if together += g.Risk; g.Used == nil {
			unknown++
		}
	}
	if together > 0 {
		// The probability that one of several things happens is at most the sum of theirs.
		r.Foot = append(r.Foot, fmt.Sprintf("If all these groups give back what they have not used, the probability that "+
			"one of them drops in the next period is %.2g at most.", math.Min(together, 1)))
	}
	if unknown > 0 {
		r.Foot = append(r.Foot, fmt.Sprintf("%d of %d groups have no watermark: nothing is known of their headroom.", unknown,
			len(m.Groups)))
	}
	return r
}

// measuredGroups lists the headroom of each group: granted, the highest watermark, and the difference, in cells.
// Unknown is printed where no period has the group.
func measuredGroups(m *report.MeasuredHeadroom) cli.Section {
	s := cli.Table("measured", "Headroom that was used", "port", "group", "class", "granted", "used at most", "periods",
		"could be given back", "risk per period", "state")
	for _, g := range m.Groups {
		used, unused, chance := any("unknown"), any("unknown"), ""
		if g.Used != nil {
			used, unused = cli.Count(*g.Used), cli.Count(*g.Unused)
		}
		// Of n periods and the next one, each is equally likely to have the highest watermark, if they are alike: the
		// next one exceeds all others with at most 1/(n+1).
		if g.Risk > 0 {
			chance = fmt.Sprintf("1 in %d at most", g.Periods+1)
		}
		s.Row(g.Port, cli.Count(g.Group), g.Class, cli.Count(g.Granted), used, cli.Count(g.Periods), unused, chance, g.State)
	}
	return s
}

// measuredPools lists the headroom pools: with what probability the measured watermarks overflow each, and how many
// cells would be enough for a stated risk.
func measuredPools(m *report.MeasuredHeadroom) cli.Section {
	s := cli.Table("measured-pools", "Shared headroom by these watermarks", "slice", "cells", "overflows with", "risk",
		"cells for that risk", "could be given back")
	for _, p := range m.Pools {
		// A probability is known to two digits at best, because the watermarks are few.
		over := fmt.Sprintf("%.2g", p.Overflow)
		// The worst case of groups without a watermark, all the time, is a bound, or says nothing.
		if p.Measured < p.Groups && p.Overflow >= 1 {
			over = fmt.Sprintf("not known: %d of %d groups measured", p.Measured, p.Groups)
		} else if p.Measured < p.Groups {
			over += " at most"
		}
		s.Row(cli.Count(p.Slice), cli.Count(p.Cells), over, fmt.Sprintf("1 in %d at most, all watermarks of a period at once",
			m.Periods+1), cli.Count(p.Together), cli.Count(max(p.Cells-p.Together, 0)))
		// Further rows are the same pool for smaller risks, with the cells that each needs.
		for _, x := range p.Smaller {
			s.Row(cli.Count(p.Slice), cli.Count(p.Cells), over, fmt.Sprintf("%g", x.Risk), cli.Count(x.Cells),
				cli.Count(x.GiveBack))
		}
	}
	return s
}
