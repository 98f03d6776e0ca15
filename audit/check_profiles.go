package audit

import (
	"fmt"
	"math"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/thresholds"
)

// profiles checks the profiles against their pools.
func (c *check) profiles() {
	for _, p := range c.sw.Profiles {
		c.staticTh(p)
		c.alpha(p)
		if p.Row == nil { // rows of the table are checked as such
			c.headroomOf(p)
		}
	}
	c.directions()
}

// staticTh compares a static limit with the pool. A limit of the whole memory means no limit.
func (c *check) staticTh(p *Profile) {
	if p.Pool == nil || !p.Pool.Size.Given || p.StaticTh.Value <= p.Pool.Size.Value || c.Chip.noLimit(p.StaticTh.Value) {
		return
	}
	c.add("static-th-over-pool", p.StaticTh.At, p.object(), numbers{"static_th": p.StaticTh.Value,
		"size": p.Pool.Size.Value}, "static_th %d is larger than %s, size %d", p.StaticTh.Value, p.Pool.Name,
		p.Pool.Size.Value)
}

// noLimit tells whether a static limit is the memory of the chip.
func (c *Chip) noLimit(bytes int64) bool { return c.Sourced() && bytes == int64(c.Memory()) }

// alpha compares dynamic_th with the alphas of the chip. -8 is what SONiC's zero profiles have: no shared cells. 7 is
// what all of NVIDIA's profiles have: no limit.
func (c *check) alpha(p *Profile) {
	if th := p.DynamicTh.Value; c.Reading.Manager && p.Row == nil && (th < -8 || th > 7) {
		return // SONiC's model refuses it on every chip: a finding of the reader
	} else if th > math.MaxInt8 || th < math.MinInt8 {
		c.add("alpha-outside-chip", p.DynamicTh.At, p.object(), nil,
			"dynamic_th %d is no exponent: it does not fit in SAI's 8 bits; it may be meant for a pool in static mode", th)
		return
	}
	if !c.Chip.Known() || !p.DynamicTh.Given || c.Chip.Data.MinAlpha == c.Chip.Data.MaxAlpha || p.DynamicTh.Value == -8 ||
		c.Chip.Spectrum() && p.DynamicTh.Value == 7 {
		return
	}
	th := p.DynamicTh.Value
	if th >= int64(c.Chip.Data.MinAlpha.DynamicTh()) && th <= int64(c.Chip.Data.MaxAlpha.DynamicTh()) {
		return
	}
	c.add("alpha-outside-chip", p.DynamicTh.At, p.object(), nil, "dynamic_th %d is outside %d to %d, the alphas of %s", th,
		c.Chip.Data.MinAlpha.DynamicTh(), c.Chip.Data.MaxAlpha.DynamicTh(), c.Chip.Name)
}

// headroomOf checks the headroom of a profile of BUFFER_PROFILE against its pool.
func (c *check) headroomOf(p *Profile) {
	if !p.XOFF.Given || p.XOFF.Value == 0 || p.Pool == nil {
		return
	}
	row := headroomRow{size: p.Size.Value, xon: p.XON.Value, xoff: p.XOFF.Value, sized: p.Size.Given}
	c.headroomInPool(row, p.Pool, p.XOFF.At, p.object())
}

// headroomRow is what a profile or a row says of a group.
type headroomRow struct {
	what            string // "100G over 300m: ", or ""
	size, xon, xoff int64
	sized           bool
}

// headroomInPool checks size, xon and xoff of a group against its pool.
func (c *check) headroomInPool(r headroomRow, pool *Pool, at finding.Place, object string) {
	switch shared := pool.XOFF.Value; {
	case shared > 0 && r.xoff > shared:
		c.add("profile-xoff-over-pool-xoff", at, object, numbers{"xoff": r.xoff, "pool_xoff": shared},
			"%sxoff %d is larger than the pool of all groups, xoff %d of %s", r.what, r.xoff, shared, pool.Name)
	case shared > 0 || c.sw.Dynamic || !r.sized || !c.Reading.Manager: // other systems give headroom beside the minimum
	case r.size < r.xoff:
		f := c.add("size-below-xoff", at, object, numbers{"size": r.size, "xoff": r.xoff},
			"%ssize %d is below xoff %d, and %s has no xoff: size then includes it", r.what, r.size, r.xoff, pool.Name)
		if !c.Chip.Known() {
			f.SuspectAs(finding.Warning, "whether size includes xoff on the unknown chip is not known")
		}
	case c.Chip.Spectrum() && r.xon+r.xoff > r.size:
		c.add("xon-xoff-over-size", at, object, numbers{"size": r.size, "xon": r.xon, "xoff": r.xoff},
			"%sxon %d and xoff %d together are larger than size %d", r.what, r.xon, r.xoff, r.size)
	}
}

// directions checks that groups have ingress profiles, and queues egress ones: one finding for all ports and
// entries with the same profile.
func (c *check) directions() {
	told := map[string]bool{}
	say := func(b *Bound, table, is, wants string) {
		key := fmt.Sprint(table, b.Name)
		if !told[key] {
			told[key] = true
			f := c.add("profile-direction", b.At, entryOf(b.Object), nil,
				"%s is a profile of %s, which is %s: want a profile of an %s pool", b.Name, b.Profile.PoolName, is, wants)
			switch {
			case strings.HasPrefix(b.Name, wants):
				f.SuspectAs(finding.Note, "the switches of some vendors count lossy packets in a pool of the other side alone")
			case !c.Chip.Known():
				f.SuspectAs(finding.Warning, "what the unknown chip does with it is not known")
			}
		}
	}
	for _, p := range c.sw.Ports {
		for _, b := range p.Groups {
			if b != nil && b.Profile != nil && b.Profile.Pool != nil && !b.Profile.ingress() {
				say(b, "group", b.Profile.Pool.Type, "ingress")
			}
		}
		for _, b := range p.Queues {
			if b != nil && b.Profile != nil && b.Profile.Pool != nil && !b.Profile.egress() {
				say(b, "queue", b.Profile.Pool.Type, "egress")
			}
		}
	}
}

// entryOf shortens the key of an entry that names many ports.
func entryOf(object string) string {
	table, key, _ := strings.Cut(object, "|")
	names, numbers, _ := strings.Cut(key, "|")
	if list := strings.Split(names, ","); len(list) > 1 {
		return table + "|" + list[0] + ",…|" + numbers
	}
	return object
}

// alphaOf returns the alpha of a profile, and whether it has one.
func alphaOf(p *Profile) (thresholds.Alpha, bool) {
	th := p.DynamicTh.Value
	if !p.DynamicTh.Given || th < int64(thresholds.MinAlpha) || th > int64(thresholds.MaxAlpha) {
		return 0, false
	}
	return thresholds.Alpha(th), true
}

// tableInPools checks all rows of the table against the pool that the manager puts their profiles in, also those that
// no port uses: a change of a cable is all that it takes. Rows with the same fault are one finding.
func (c *check) tableInPools() {
	pool := c.sw.losslessIngress()
	if c.Table == nil || pool == nil || c.sw.Dynamic {
		return
	}
	rows := &check{collector: &collector{topology: c.topology}, Source: c.Source, sw: c.sw}
	for i := range c.Table.Rows {
		row := &c.Table.Rows[i]
		l := link{row.Rate, row.Cable}
		if lastRow(c.Table, l) != row {
			continue
		}
		rows.headroomInPool(headroomRow{l.String() + ": ", int64(row.Size), int64(row.XON), int64(row.XOFF), true}, pool,
			finding.Place{File: c.Table.Name, Line: row.Line}, l.String())
	}
	for _, code := range []finding.Code{"profile-xoff-over-pool-xoff", "size-below-xoff", "xon-xoff-over-size"} {
		var of []finding.Finding
		for _, f := range rows.Findings {
			if f.Code == code {
				of = append(of, f)
			}
		}
		c.foldRows(of)
	}
}

// unused says of a finding about rows that no port has a group of the table: the rows have no effect today.
func (c *check) unused(f *finding.Finding) {
	for _, p := range c.sw.Profiles {
		if p.Row != nil {
			return
		}
	}
	f.SuspectAs(finding.Warning, "no port has a lossless group of the table")
}

// mostRows is the largest number of rows that one finding lists.
const mostRows = 64

// foldRows adds the findings about rows as one: with the numbers of the first, and a list of all.
func (c *check) foldRows(rows []finding.Finding) {
	if len(rows) == 0 {
		return
	}
	f := rows[0]
	if len(rows) > 1 {
		var list []string
		for _, r := range rows[1:min(len(rows), mostRows)] {
			list = append(list, r.Object+": "+r.Numbers())
		}
		if len(rows) > mostRows {
			list = append(list, fmt.Sprintf("%d more", len(rows)-mostRows))
		}
		f.Message += fmt.Sprintf("; %d rows in all (%s)", len(rows), strings.Join(list, "; "))
	}
	c.unused(&f)
	c.Findings = append(c.Findings, f)
}
