package risk

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// watermarksAssume is the assumption of the risks of watermarks.
const watermarksAssume = "the next period is like those that were measured: of n+1 periods of one kind, each is " +
	"as likely to have the largest watermark, so that the next one exceeds the largest of n with 1/(n+1) at most. Of " +
	"a shared pool, that each group brings one of its watermarks, each equally often, independently of the others; a " +
	"group without one brings its worst case"

// smallerRisks are the risks for which a smaller pool is computed, per period.
var smallerRisks = []float64{1e-2, 1e-4, 1e-6}

// UsedHeadroom compares the headroom that a plan grants with what was used, and says what could be given back at which
// risk. Each sample is one period: the switch cleared its watermarks before.
func UsedHeadroom(in buffer.Intent, grants []diagnosis.Grant, samples []diagnosis.Sample) (*report.MeasuredHeadroom,
	error) {
	m := readWatermarks(in.Chip.Cell, samples)
	out := &report.MeasuredHeadroom{Periods: len(samples), Assumption: watermarksAssume}
	known := false
	for _, g := range grants {
		key := Group{Port: g.Port, Group: g.Group}.Key()
		one := usedByGroup(g, in.Chip.Cell, m.marks[key], m.dropped[key])
		known = known || one.State != "unknown"
		out.Groups = append(out.Groups, one)
	}
	if !known {
		return nil, errors.New("no watermark of the headroom of a lossless group of the plan")
	}
	m.forgetDropped()
	pools, err := Pools(in)
	if err != nil {
		return nil, err
	}
	for i := range pools {
		one, err := m.pool(&pools[i])
		if err != nil {
			return nil, err
		}
		out.Pools = append(out.Pools, one)
	}
	return out, nil
}

// watermarks are the watermarks of all periods, by the key of the group.
type watermarks struct {
	marks   map[string][]cells.Count
	dropped map[string]bool
	periods []map[string]cells.Count
}

func readWatermarks(cell cells.Size, samples []diagnosis.Sample) watermarks {
	m := watermarks{map[string][]cells.Count{}, map[string]bool{}, make([]map[string]cells.Count, len(samples))}
	for i, sample := range samples {
		m.periods[i] = map[string]cells.Count{}
		for _, g := range sample.Groups {
			key := Group{Port: g.Port, Group: g.Group}.Key()
			if mark, known := g.Headroom.Get(); known {
				m.periods[i][key] = cell.Holding(mark)
				m.marks[key] = append(m.marks[key], m.periods[i][key])
			}
			m.dropped[key] = m.dropped[key] || g.Drops.Or(0) > 0
		}
	}
	return m
}

// forgetDropped removes the watermarks of groups that dropped packets: they needed more than their watermark, so their
// worst case counts.
func (m *watermarks) forgetDropped() {
	for key, dropped := range m.dropped {
		if !dropped {
			continue
		}
		delete(m.marks, key)
		for _, period := range m.periods {
			delete(period, key)
		}
	}
}

// usedByGroup compares the watermarks of a group with its grant.
func usedByGroup(g diagnosis.Grant, cell cells.Size, marks []cells.Count, dropped bool) report.MeasuredGroup {
	granted := cell.Within(g.Headroom)
	out := report.MeasuredGroup{Port: g.Port, Group: g.Group, Class: g.Class, Granted: granted, State: "unknown",
		Periods: len(marks)}
	if len(marks) == 0 {
		return out
	}
	used := slices.Max(marks)
	unused := max(granted-used, 0)
	switch {
	case dropped || used >= granted:
		out.State, unused = "full", 0
	case used == 0:
		out.State = "never used"
	default:
		out.State = "used"
	}
	out.Used, out.Unused = &used, &unused
	if unused > 0 {
		out.Risk = 1 / float64(len(marks)+1)
	}
	return out
}

// pool computes the risk of a shared headroom pool, and how small it could be.
func (m *watermarks) pool(p *Pool) (report.MeasuredPool, error) {
	over, err := p.Measured(m.marks)
	if err != nil {
		return report.MeasuredPool{}, err
	}
	out := report.MeasuredPool{Slice: p.Slice, Cells: p.Cells, Overflow: over,
		TogetherRisk: 1 / float64(len(m.periods)+1), Groups: len(p.Groups)}
	for _, g := range p.Groups {
		if len(m.marks[g.Key()]) > 0 {
			out.Measured++
		}
	}
	for _, period := range m.periods {
		var sum cells.Count
		for _, g := range p.Groups {
			if mark, known := period[g.Key()]; known {
				sum += mark
			} else {
				sum += g.Cells
			}
		}
		out.Together = max(out.Together, sum)
	}
	smaller := unnamed.List(&out.Smaller, len(smallerRisks))
	for i, target := range smallerRisks {
		n, err := smallestPool(*p, m.marks, target)
		if err != nil {
			return out, err
		}
		smaller[i].Risk, smaller[i].Cells, smaller[i].GiveBack = target, n, max(p.Cells-n, 0)
	}
	return out, nil
}

// smallestPool returns the fewest cells with which a pool overflows with this probability at most. They can be more
// than it has. More cells never overflow more often, so the search halves the range.
func smallestPool(p Pool, marks map[string][]cells.Count, target float64) (cells.Count, error) {
	most := p.All()
	for _, all := range marks {
		most += slices.Max(all)
	}
	var bad error
	return cells.Count(sort.Search(int(most), func(n int) bool {
		p.Cells = cells.Count(n)
		over, err := p.Measured(marks)
		bad = cmp.Or(bad, err)
		return over <= target
	})), bad
}
