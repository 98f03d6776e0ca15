package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/unit"
)

// sums reads the size of the lossless pool backwards: for which ports it was computed (package internal/pools). A
// folder is often made from another one, and its ports changed without its pools. No finding here is certain: the
// vendors' sums are inferred from what they ship.
func (c *check) sums() {
	pool := c.sw.losslessIngress()
	if pool == nil || !pool.Size.Given || pool.Size.Value <= 0 || c.sw.Dynamic {
		return
	}
	if c.otherChip(pool) || !c.sw.Tables["PORT"] {
		return
	}
	ports := c.kindsOfPorts()
	switch {
	case len(ports) == 0 || !c.Chip.Known():
	case c.Chip.Spectrum():
		c.otherPorts(pool, ports)
	default:
		c.otherBase(pool, ports)
	}
}

// otherChip finds a pool that is another chip's.
func (c *check) otherChip(pool *Pool) bool {
	other, why := pools.Home(c.Chip.Name, pool.Size.Bytes(), pool.XOFF.Bytes())
	if other == "" || !c.Chip.Known() || c.external() {
		return false
	}
	c.suspect("pool-size-other-chip", pool, nil, "copies are inferred from what SONiC's folders ship", "size %d is the "+
		"pool of %s (%s), and the chip is %s of %d bytes", pool.Size.Value, other, why, c.Chip.Name, c.Chip.Most())
	return true
}

// suspect adds a finding about the pool that rests on something.
func (c *check) suspect(code finding.Code, pool *Pool, n numbers, rests, format string, args ...any) *finding.Finding {
	f := c.add(code, pool.Size.At, pool.object(), n, format, args...)
	f.Suspect(rests)
	return f
}

// kindsOfPorts counts the ports by speed, lanes, role and whether four groups are lossless. It returns none if the
// lanes of a port are not known.
func (c *check) kindsOfPorts() (out []pools.Ports) {
	var by grouped.By[pools.Ports, int]
	for _, p := range c.sw.Ports {
		if p.Lanes == 0 {
			return nil
		}
		kind := pools.Ports{Speed: p.Speed, Lanes: p.Lanes, Lossy: p.Role == "Dpc",
			Inside: strings.HasPrefix(p.Name, "Ethernet-")}
		if n := len(p.LosslessGroups()); n > 2 {
			kind.Groups = n
		}
		*by.Of(kind)++
	}
	for kind, n := range by.All() {
		kind.Count = *n
		out = append(out, kind)
	}
	return out
}

// question is what the pools of a Spectrum were computed from.
func (c *check) question(pool *Pool, ports []pools.Ports) *pools.Question {
	q := &pools.Question{Chip: c.Chip.Name, Memory: c.Chip.Memory(), Topology: c.topology, Ports: ports, Table: c.Table}
	if out := c.sw.Pool("egress_lossless_pool"); out != nil && out.Size.Value > 0 && out.Size.Bytes() <= c.Chip.Most() {
		q.Memory = out.Size.Bytes() // SONiC's mmu_size: on Spectrum-6 it lacks the descriptors
	}
	folder := pools.Folder{XOFF: pool.XOFF.Bytes()}
	if lossy := c.sw.Pool("ingress_lossy_pool"); lossy != nil {
		folder.IngressLossy = lossy.Size.Bytes()
	}
	q.Kind = folder.Kind()
	return q
}

const restsOnSum = "NVIDIA's sum is inferred from what SONiC's folders ship"

// otherPorts finds a pool of a Spectrum that was computed for other ports.
func (c *check) otherPorts(pool *Pool, ports []pools.Ports) {
	q := c.question(pool, ports)
	size, xoff := pool.Size.Bytes(), pool.XOFF.Bytes()
	r := pools.Find(q, size, xoff)
	all := pools.Number(ports)
	n := numbers{"size": int64(size), "reserved": int64(r.Reserved)}
	arithmetic := fmt.Sprintf("%v of memory less size %d and xoff %d leave %s", q.Memory, size, xoff, kib(r.Reserved))
	if q.Kind == pools.Two {
		arithmetic = fmt.Sprintf("%v of memory less twice the size %d leave %s", q.Memory, size, kib(r.Reserved))
	}
	switch {
	case r.All || r.Declared == 0: // of two pools, a table without the rows says nothing
		c.withoutDropOverMax(pool, &r)
	case r.Ports > 0:
		f := c.suspect("pool-size-other-ports", pool, n, restsOnSum, "sized for %d of %d ports: %s, which is the sum of %d "+
			"ports (%s); all %d take %s", r.Ports, all, arithmetic, r.Ports, r.Workbook, all, kib(r.Declared))
		if r.Declared < r.Reserved {
			f.Severity = finding.Note
			f.Message = strings.Replace(f.Message, fmt.Sprintf("sized for %d of %d ports", r.Ports, all),
				fmt.Sprintf("sized for %d ports, and there are %d", r.Ports, all), 1)
		}
	default:
		f := c.suspect("pool-size-other-ports", pool, n, restsOnSum, "%s, which is the sum of no number of ports; all %d "+
			"take %s (%s)%s", arithmetic, all, kib(r.Declared), r.Workbook, c.alike(&r))
		f.Severity = finding.Note
	}
	if q.Kind == pools.Shared && c.Table != nil {
		c.otherRoles(pool, &r)
	}
}

// kib prints bytes as KiB, which NVIDIA's sums count in.
func kib(b unit.Bytes) string { return fmt.Sprintf("%d KiB", b/unit.KiB) }

// alike names a folder with other ports that reserves as much.
func (c *check) alike(r *pools.Origin) string {
	for i := range pools.Known() {
		f := &pools.Known()[i]
		if f.HwSKU != c.sw.HwSKU && f.Reserved()/unit.KiB == r.Reserved/unit.KiB {
			return fmt.Sprintf("; %s, with %d ports, has the same", f.HwSKU, pools.Number(f.Ports))
		}
	}
	return ""
}

// withoutDropOverMax finds a pool that does not keep the memory for packets over the maximum, though sai.profile has
// the value for which other folders do.
func (c *check) withoutDropOverMax(pool *Pool, r *pools.Origin) {
	if drop, known := c.DropOverMax.Get(); !known || !drop || r.Kept || !r.All {
		return
	}
	f := c.suspect("pool-size-other-ports", pool, numbers{"size": pool.Size.Value, "reserved": int64(r.Reserved)},
		restsOnSum, "%s are the sum of all ports, without the 10240 KiB that folders with "+
			"SAI_DROP_OVER_MAX_VALUE_LIST=307200 keep", kib(r.Reserved))
	f.Severity = finding.Note
}

// otherRoles finds an xoff that no roles of the declared ports give.
func (c *check) otherRoles(pool *Pool, r *pools.Origin) {
	if r.Roles != nil && r.Spoken {
		return
	}
	about := "of no roles of the ports that the table has rows for"
	if r.Roles != nil {
		var roles []string
		for _, p := range r.Roles {
			roles = append(roles, p.String())
		}
		about = fmt.Sprintf("of %s by the ratio %d, and no port has one of these speeds", strings.Join(roles, " and "),
			r.Ratio)
	}
	f := c.add("pool-size-other-ports", pool.XOFF.At, pool.object()+" xoff", numbers{"xoff": pool.XOFF.Value},
		"xoff %d is the headroom %s", pool.XOFF.Value, about)
	f.SuspectAs(finding.Note, restsOnSum)
}

// otherBase finds a pool of Tomahawk 5 whose remainder is not that of the other folders of its board.
func (c *check) otherBase(pool *Pool, ports []pools.Ports) {
	base, known := pools.Base(c.Chip.Name, ports, pool.Size.Bytes())
	if !known {
		return
	}
	should, many := pools.BaseOf(pools.Known(), c.sw.Platform, c.sw.HwSKU, pool.Size.Bytes())
	if many < 2 || should == base || !pools.IsBase(pools.Known(), c.sw.HwSKU, base) {
		return
	}
	n := pools.Number(ports)
	f := c.suspect("pool-size-other-ports", pool, numbers{"size": pool.Size.Value}, "the sum is inferred from what "+
		"Arista's folders ship", "%d of %d cells less %d cells for each of %d ports leave %d, and %d other pools of the "+
		"platform leave %d: the base of the board before it was corrected, or of another board",
		pool.Size.Value/int64(c.Chip.Cell()), c.Chip.Data.TotalCells(), pools.BasePort, n, base, many, should)
	f.Severity = finding.Note
}
