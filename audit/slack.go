package audit

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// tenMetres is the change of cables that slack counts.
const tenMetres = 10 * unit.Metre

// Slack adds to what a configuration means how many cells are left until it is refused, and what one more port and 10 m
// of cable take of them. Nothing is added where the cells cannot be counted.
func (r *Result) Slack(w *What) {
	c := &check{collector: &collector{}, Source: &r.Source, sw: r.Switch}
	c.topology = r.Source.Topology
	if c.slackOfLimit(w) {
		return
	}
	pool := c.sw.losslessIngress()
	if pool == nil || !pool.Size.Given || pool.Size.Value <= 0 || c.sw.Dynamic || !c.Chip.Sourced() {
		return
	}
	if ports := c.kindsOfPorts(); len(ports) > 0 && c.sw.Tables["PORT"] {
		if c.Chip.Spectrum() {
			c.slackOfSum(w, pool, ports)
			return
		}
		if c.slackOfBase(w, pool, ports) {
			return
		}
	}
	if r.Bill != nil && r.Bill.Undecided == "" {
		slackOfPlan(w, r.Bill)
	}
}

// slackOfLimit is what the ingress pool of a switch without lossless groups leaves of the largest that its SDK takes.
func (c *check) slackOfLimit(w *What) bool {
	limit, by := pools.Limit(c.sw.HwSKU)
	if limit == 0 || !c.Chip.Sourced() {
		return false
	}
	for _, p := range c.sw.Pools {
		if p.Type == "ingress" && p.Size.Given && p.Size.Value > 0 {
			cell := unit.Bytes(c.Chip.Cell()) * unit.Bytes(len(c.Chip.Data.Slices))
			s := unnamed.New(&w.Slack)
			s.Left, s.By = int64((limit-p.Size.Bytes())/cell), by
			return true
		}
	}
	return false
}

// slackOfSum is what NVIDIA's sum for all ports leaves of what the folder reserves.
func (c *check) slackOfSum(w *What, pool *Pool, ports []pools.Ports) {
	q := c.question(pool, ports)
	r := pools.Find(q, pool.Size.Bytes(), pool.XOFF.Bytes())
	if r.Declared == 0 {
		return
	}
	cell := unit.Bytes(c.Chip.Cell())
	s := unnamed.New(&w.Slack)
	s.Left, s.By = int64((r.Reserved-r.Declared)/cell), "NVIDIA's sum of all ports: "+r.Workbook
	if r.Each > 0 {
		s.Port = new(int64((r.Each + cell - 1) / cell))
	}
	if q.Kind == pools.Shared {
		var bytes unit.Bytes
		for _, p := range c.sw.Ports {
			bytes += unit.Bytes(len(p.LosslessGroups())) * table.InFlight(p.Speed, tenMetres)
		}
		s.TenMetres = new(int64((bytes/unit.Bytes(cmp.Or(r.Ratio, 2)) + cell - 1) / cell))
	}
}

// slackOfBase is what a pool of Tomahawk 5 leaves beside the base that the other folders of the board have.
func (c *check) slackOfBase(w *What, pool *Pool, ports []pools.Ports) bool {
	base, known := pools.Base(c.Chip.Name, ports, pool.Size.Bytes())
	should, _ := pools.BaseOf(pools.Known(), c.sw.Platform, "", 0)
	if !known || should == 0 {
		return false
	}
	parts := int64(len(c.Chip.Data.Slices))
	s := unnamed.New(&w.Slack)
	s.Left, s.By = int64(base-should)/parts, "the base of the platform's other folders"
	s.Port = new((pools.BasePort + parts - 1) / parts)
	return true
}

// slackOfPlan is what the plan of the configuration leaves in the fullest slice.
func slackOfPlan(w *What, b *Bill) {
	s := unnamed.New(&w.Slack)
	left := leftOf(b.Plan)
	s.Left, s.By = int64(left), "the plan: the fullest slice"
	if len(b.Intent.Ports) == 0 || !b.Plan.Fits {
		return
	}
	longer := cells.Count(0) // a pool of headroom that all groups share is as large with longer cables
	if b.Intent.Pool.SharedHeadroom == 0 {
		longer = longerBy(b)
	}
	s.TenMetres = new(int64(longer))
	in := b.Intent
	more := slices.MaxFunc(in.Ports, func(a, b buffer.Port) int { return cmp.Compare(a.Rate, b.Rate) })
	more.Name = "Ethernet100000" // of no switch
	in.Ports = append(slices.Clone(in.Ports), more)
	if plan, err := buffer.New(in); err == nil {
		s.Port = new(int64(left - leftOf(plan)))
	}
}

// longerBy returns the cells that are in flight on 10 m of all lossless cables, of the slice with the most.
func longerBy(b *Bill) (most cells.Count) {
	rates := map[string]unit.BitRate{}
	for i := range b.Intent.Ports {
		rates[b.Intent.Ports[i].Name] = b.Intent.Ports[i].Rate
	}
	of := map[int]cells.Count{}
	for i := range b.Plan.Groups {
		if g := &b.Plan.Groups[i]; g.Headroom > 0 {
			of[g.Slice] += b.Intent.Chip.Cell.Holding(table.InFlight(rates[g.Port], tenMetres))
			most = max(most, of[g.Slice])
		}
	}
	return most
}

// leftOf returns the unused cells of the fullest slice; of a plan that does not fit, less the cells that are missing.
func leftOf(p *buffer.Plan) cells.Count {
	if !p.Fits {
		missing := cells.Count(0)
		for i := range p.Refusals {
			missing = max(missing, p.Refusals[i].Short)
		}
		return -missing
	}
	return slices.MinFunc(p.Slices, func(a, b buffer.SliceBill) int { return cmp.Compare(a.Unused, b.Unused) }).Unused
}
