package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Bill is the configuration in the cells of the chip.
type Bill struct {
	Intent buffer.Intent // that the configuration amounts to
	Plan   *buffer.Plan
	// Assumed says what the bill rests on that the configuration does not say.
	Assumed []string
	// Undecided says why it is not known whether all ports fit; empty: the plan says it.
	Undecided string
}

// fit admits the configuration into the cells of the chip, slice by slice, as a plan is.
func (c *check) fit(out *Result) {
	in, assumed, why := c.intent()
	if why != "" {
		if why != silent {
			out.Unknown = append(out.Unknown, "the cells are not counted: "+why)
		}
		return
	}
	plan, err := buffer.New(in)
	if err != nil {
		out.Unknown = append(out.Unknown, "the cells are not counted: "+strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	out.Bill = &Bill{Intent: in, Plan: plan, Assumed: assumed}
	if c.Chip.Disputed() {
		c.bySources(out.Bill)
		if why := out.Bill.Undecided; why != "" {
			out.Unknown = append(out.Unknown, why)
			return
		}
	}
	c.refusals(out.Bill.Plan, out.Bill.Assumed)
}

// bySources decides about a chip whose sources give different numbers of cells. What fits into the smallest fits by
// all of them, and what does not fit into the largest by none. In between it is not known, and the cells of the bill
// are those of the largest.
func (c *check) bySources(b *Bill) {
	smallest, largest := b.Intent.Chip.TotalCells(), disputed[c.Chip.Name].most
	text := fmt.Sprintf("sources give %s %d to %d cells (%s)", c.Chip.Name, smallest, largest,
		disputed[c.Chip.Name].source)
	if b.Plan.Fits {
		b.Assumed = append(b.Assumed, text+": the bill is that of the smallest, so all ports fit by every source")
		return
	}
	in := b.Intent
	in.Chip.Slices = slices.Clone(in.Chip.Slices)
	for i := range in.Chip.Slices {
		in.Chip.Slices[i].Cells = largest / cells.Count(len(in.Chip.Slices))
	}
	plan, err := buffer.New(in)
	if err != nil {
		return // it was accepted with fewer cells
	}
	b.Intent, b.Plan = in, plan
	if !plan.Fits {
		b.Assumed = append(b.Assumed, text+": the bill is that of the largest, so not all ports fit by any source")
		return
	}
	b.Assumed = append(b.Assumed, text+": the bill is that of the largest")
	b.Undecided = "whether all ports fit is not known: " + text + ", and they fit into the largest alone"
}

// silent is the reason of what was said elsewhere.
const silent = "-"

// intent returns what the configuration amounts to, or why the cells cannot be counted.
func (c *check) intent() (in buffer.Intent, assumed []string, why string) {
	pool := c.sw.losslessIngress()
	switch {
	case pool == nil || !c.Chip.Sourced():
		return in, nil, silent
	case c.external():
		return in, nil, "packets of " + c.Chip.Name + " are also stored outside the chip"
	case !pool.Size.Given:
		return in, nil, "the buffer manager computes the size of " + pool.Name
	}
	in = buffer.Intent{Chip: *c.Chip.Data, Pool: buffer.Pool{Size: pool.Size.Bytes(), SharedHeadroom: pool.XOFF.Bytes()}}
	if c.poolIncludes() == includesYes {
		in.Pool.SizeIncludesHeadroom, in.Pool.SizeIncludesReserved = true, true
		why := "inferred for " + c.Chip.Name
		if c.SizeIncludesHeadroom.IsGiven() {
			why = "stated"
		}
		assumed = append(assumed, "the size of the pool includes headroom and minima ("+why+")")
	}
	if in.Pool.SizeIncludesHeadroom && in.Pool.SharedHeadroom >= in.Pool.Size {
		return in, nil, silent
	}
	assumed = append(assumed, "minima of lossy groups and of egress queues are not counted")
	rows, lossless, why := c.rows()
	if why != "" {
		return in, nil, why
	}
	in.Sizing = &table.Table{Name: c.File, Rows: rows}
	why = c.carried(&in, lossless)
	return in, assumed, why
}

// rows returns the profiles of the lossless groups as the rows of a table, and which groups are lossless on which port.
func (c *check) rows() (rows []table.Row, lossless map[*Port]uint16, why string) {
	lossless = map[*Port]uint16{}
	of := map[link]*Profile{}
	for _, p := range c.sw.Ports {
		for _, n := range p.LosslessGroups() {
			profile := p.Groups[n].Profile
			l := link{p.Speed, p.Cable}
			switch other := of[l]; {
			case profile == nil:
				return nil, nil, "the buffer manager computes the headroom"
			case p.Speed == 0 || !p.CableGiven:
				return nil, nil, "the speed or the cable of " + p.Name + " is not known"
			case profile.Pool == nil || profile.Pool != c.sw.losslessIngress():
				return nil, nil, "lossless groups of " + p.Name + " are in another pool"
			case other == nil:
				of[l] = profile
				rows = append(rows, rowFor(l, profile))
			case !sameHeadroom(other, profile):
				return nil, nil, fmt.Sprintf("%s and %s are two profiles for %v", other.Name, profile.Name, l)
			}
			lossless[p] |= 1 << n
		}
	}
	if len(rows) == 0 {
		return nil, nil, "there are no lossless groups"
	}
	return rows, lossless, ""
}

// rowFor is a profile as the row of a table.
func rowFor(l link, p *Profile) table.Row {
	row := table.Row{Rate: l.speed, Cable: l.cable, Size: p.Size.Bytes(), XON: p.XON.Bytes(), XOFF: p.XOFF.Bytes()}
	row.Alpha, _ = alphaOf(p)
	if p.XONOffset.Given {
		row.XONOffset = unit.Given(p.XONOffset.Bytes())
	}
	return row
}

// sameHeadroom tells whether two profiles charge the same cells.
func sameHeadroom(a, b *Profile) bool {
	return a.Size.Value == b.Size.Value && a.XOFF.Value == b.XOFF.Value && a.DynamicTh.Value == b.DynamicTh.Value
}

// defaultMTU is the MTU of a port whose PORT entry has none (sonic-port.yang; DEFAULT_PORT_MTU of buffermgrdyn).
const defaultMTU = 9100

// carried gives the intent a class for each lossless group, one for all others, and the ports.
func (c *check) carried(in *buffer.Intent, lossless map[*Port]uint16) (why string) {
	all := uint16(0)
	for _, mask := range lossless {
		all |= mask
	}
	var lossy []int
	classOf := map[int]int{}
	for n := range groupsPerPort {
		if all>>n&1 == 0 {
			lossy = append(lossy, n)
			continue
		}
		classOf[n] = len(in.Classes)
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprintf("priority %d", n), Priorities: []int{n},
			Lossless: true})
	}
	if len(lossy) > 0 {
		in.Classes = append(in.Classes, buffer.Class{Name: "lossy", Priorities: lossy})
	}
	for _, p := range c.sw.Ports {
		mask := lossless[p]
		if mask == 0 {
			continue // nothing is charged for it
		}
		port := buffer.Port{Name: p.Name, Rate: p.Speed, Cable: p.Cable, MTU: cmp.Or(p.MTU, defaultMTU)}
		if mask != all {
			for n, i := range classOf {
				if mask>>n&1 == 1 {
					port.Classes |= 1 << i
				}
			}
		}
		in.Ports = append(in.Ports, port)
	}
	if len(in.Ports) > buffer.MaxPorts {
		return fmt.Sprintf("%d ports: want at most %d", len(in.Ports), buffer.MaxPorts)
	}
	return ""
}

// groupOverShared tells whether one group has more headroom than the pool that all groups share.
func (c *check) groupOverShared(pool *Pool) bool {
	return pool.XOFF.Value > 0 && slices.ContainsFunc(c.sw.Profiles, func(p *Profile) bool {
		return p.Used && p.Pool == pool && p.XOFF.Value > pool.XOFF.Value
	})
}

// refusals adds a finding if not all ports fit. Where the placement of the ports is assumed, or size may include xoff,
// the finding is not certain.
func (c *check) refusals(plan *buffer.Plan, assumed []string) {
	pool := c.sw.losslessIngress()
	separate := c.poolIncludes() == includesNo && c.overMemory(pool.Size.Bytes()+pool.XOFF.Bytes())
	if plan.Fits || separate || c.overMemory(pool.Size.Bytes()) || c.groupOverShared(pool) {
		return // or the pool, or one group, does not fit, which is a finding already
	}
	first := plan.Refusals[0]
	f := c.add("over-commitment", pool.At, pool.object(), numbers{
		"short":     int64(c.Chip.Data.Cell.Bytes(first.Short)),
		"available": int64(c.Chip.Data.Cell.Bytes(first.Available)),
	}, "%s is not admitted, and %d of %d ports in all: %s; %d cells are missing in slice %d", first.Subject(),
		len(plan.Refusals), plan.PortCount, first.Detail, first.Short, first.Slice)
	if len(plan.Placements) > 0 {
		f.Suspect("which ports are on which pipe is assumed")
	}
	for _, a := range assumed {
		if strings.Contains(a, "inferred") {
			f.Suspect(a)
		}
	}
}

// PoolIncludes tells whether the size of the pool includes headroom and minima. It is inferred for the
// chip, unless it is stated.
func (r *Result) PoolIncludes() bool { return r.Source.poolIncludes() == includesYes }
