package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// ports takes the ports that have a group with a buffer.
func (b *builder) ports() {
	all := buffer.ClassSet(1)<<len(b.Intent.Classes) - 1
	for _, p := range b.sw.Ports {
		set := b.carried[p]
		if set == 0 {
			b.note("%s: none of its groups has a buffer: it has no part in the plan", p.Name)
			continue
		}
		if set == all {
			set = 0 // which stands for all
		}
		b.kept = append(b.kept, p)
		// Without an MTU it is SONiC's default (sonic-port.yang; DEFAULT_PORT_MTU of buffermgrdyn).
		port := buffer.Port{Name: p.Name, Rate: p.Speed, Cable: p.Cable, MTU: cmp.Or(p.MTU, 9100), Classes: set,
			PFCWithoutHeadroom: b.pauses[p]}
		if p.Down {
			port.State = buffer.PortAdminDown
		}
		// The pipes of a chip with memory beside it are its cores.
		if chip := &b.Intent.Chip; chip.Deep() && p.Core.IsGiven() && p.Core.Or(0) < chip.PipeCount() {
			port.Pipe = new(p.Core.Or(0))
		}
		b.Intent.Ports = append(b.Intent.Ports, port)
		for n := pg.PerPort; n < len(p.Queues); n++ {
			if p.Queues[n] != nil {
				b.differs(p, fmt.Sprintf("queue %d", n), p.Queues[n].At, "a topology has queues 0 to %d", pg.PerPort-1)
			}
		}
	}
}

// link is a speed and a cable.
type link struct {
	rate  unit.BitRate
	cable unit.Length
}

// headroom takes the headroom of lossless groups: the profile of each speed and cable as a row of a table, or the
// formula of the dynamic buffer manager.
func (b *builder) headroom() {
	rows, of := &table.Table{Name: b.reading.Source.File}, map[link]*audit.Profile{}
	computed := b.sw.Dynamic
	for _, p := range b.kept {
		for _, n := range p.LosslessGroups() {
			bound, l := p.Groups[n], link{p.Speed, p.Cable}
			switch {
			case b.roles[p][n].kind != lossless:
			case computed && bound.Profile != nil:
				b.differs(p, bound.Object, bound.At, "it has the profile %s: the headroom of a topology is the formula of the "+
					"dynamic buffer manager", bound.Name)
			case bound.Profile == nil:
				b.source("headroom", "BUFFER_PG %v: the dynamic buffer manager computes the headroom", bound.At)
			case of[l] == nil:
				of[l] = bound.Profile
				b.row(rows, l, bound.Profile)
			case !sameHeadroom(of[l], bound.Profile):
				b.differs(p, bound.Object, bound.At, "it has %s, and others of %v over %v have %s: a topology has one row for a "+
					"speed and a cable", bound.Profile.Name, l.rate, l.cable, of[l].Name)
			}
		}
	}
	switch {
	case computed && b.formula():
	case len(rows.Rows) > 0:
		b.Intent.Sizing = rows
	default:
		b.source("headroom", "no group is lossless: no headroom is sized")
		b.Intent.Sizing = thresholds.IEEE{}
	}
}

// formula sizes as the dynamic buffer manager does; false: it has no numbers for the chip.
func (b *builder) formula() bool {
	name := b.Intent.Chip.Name
	if _, known := method.LookupSONiCChip(name); !known {
		b.differs(nil, "DEVICE_METADATA|buffer_model", b.reading.Source.Place(), "the buffer manager computes the "+
			"headroom, and its numbers for %s are not known: the topology has the sum of IEEE 802.1Q", name)
		return false
	}
	options := method.Options{}
	if b.Intent.Pool.SharesHeadroom() {
		options["shared_headroom"] = "true"
	}
	if small := b.sw.Computed.SmallPackets; small.Given {
		options["small_packets"] = fmt.Sprintf("%d%%", small.Value)
		b.source("headroom", "small_packets: LOSSLESS_TRAFFIC_PATTERN %v", small.At)
	}
	sizer, err := method.NewSizer(method.SONiC{}.Method(), name, options)
	if err != nil {
		b.differs(nil, "LOSSLESS_TRAFFIC_PATTERN", b.reading.Source.Place(), "%v", err)
		return false
	}
	b.Intent.Sizing = sizer
	// The manager counts the lanes of PORT, of which 8 are another headroom.
	for i, p := range b.kept {
		if p.Lanes <= thresholds.MaxLanes {
			b.Intent.Ports[i].Lanes = p.Lanes
		}
	}
	return true
}

// computedClass gives a lossless class what the dynamic buffer manager computes with.
func (b *builder) computedClass(c *buffer.Class, path string) {
	if th := b.sw.Computed.DynamicTh; th.Given {
		c.Alpha = b.alpha("DEFAULT_LOSSLESS_BUFFER_PARAMETER", threshold{value: th.Value})
		b.source(path, "dynamic_th: default_dynamic_th %v", th.At)
	}
	if longest := b.sw.Computed.MTU; longest.Given {
		c.MTU = longest.Bytes()
		b.source(path, "mtu: LOSSLESS_TRAFFIC_PATTERN %v", longest.At)
	}
}

// row adds a profile as the row of a speed and a cable.
func (b *builder) row(t *table.Table, l link, p *audit.Profile) {
	row := table.Row{Rate: l.rate, Cable: l.cable, Size: p.Size.Bytes(), XON: p.XON.Bytes(), XOFF: p.XOFF.Bytes()}
	if th := thresholdOf(p); !th.static {
		row.Alpha = *b.alpha("BUFFER_PROFILE|"+p.Name, th)
	}
	switch {
	case p.XONOffset.Given:
		row.XONOffset = unit.Given(p.XONOffset.Bytes())
	case b.reading.Source.Chip.Spectrum():
		b.note("%s has no xon_offset: a plan resumes two longest frames below the limit", p.Name)
	default:
		row.XONOffset = unit.Given[unit.Bytes](0)
		b.note("%s has no xon_offset: SAI's default is 0 (saibuffer.h), and a group resumes at its limit", p.Name)
	}
	b.source(fmt.Sprintf("headroom.rows[%d]", len(t.Rows)), "%s %v", p.Name, p.At)
	t.Rows = append(t.Rows, row)
}

// sameHeadroom tells whether two profiles give a group the same.
func sameHeadroom(a, b *audit.Profile) bool {
	return a.Size.Value == b.Size.Value && a.XON.Value == b.XON.Value && a.XOFF.Value == b.XOFF.Value &&
		a.XONOffset.Value == b.XONOffset.Value && a.XONOffset.Given == b.XONOffset.Given && thresholdOf(a) == thresholdOf(b)
}

// codePoints takes the map from DSCPs to traffic classes that most ports have.
func (b *builder) codePoints() {
	of := map[*audit.Port]pg.DSCPMap{}
	count, best := map[pg.DSCPMap]int{}, pg.DSCPMap{}
	for _, p := range b.kept {
		m, source := b.dscp(p)
		if of[p] = m; m == (pg.DSCPMap{}) {
			continue
		}
		if count[m]++; count[m] > count[best] {
			best = m
		}
		b.source("dscp", "%s %v", source.Object, source.At)
	}
	for _, p := range b.kept {
		if of[p] != best {
			b.differs(p, "PORT_QOS_MAP|dscp_to_tc_map", p.MapAt, "it has another map of DSCPs: a topology has one for all ports")
		}
	}
	b.Intent.DSCP = best
	if best != (pg.DSCPMap{}) {
		b.Intent.Trust = pg.TrustDSCP
	}
}

// dscp returns the priorities of the DSCPs of a port.
func (b *builder) dscp(p *audit.Port) (m pg.DSCPMap, source *audit.CodeMap) {
	if source = p.Maps[audit.DSCPToClass]; source == nil {
		return m, nil
	}
	for _, point := range slices.Sorted(maps.Keys(source.To)) {
		class := source.To[point]
		switch {
		case point >= pg.DSCPs:
		case class >= pg.PerPort:
			b.differs(nil, source.Object, source.At, "traffic class %d: a topology has priorities 0 to %d", class, pg.PerPort-1)
		case b.main[class].kind == bare:
			b.differs(nil, source.Object, source.At, "DSCPs have traffic class %d, whose group has no buffer: the topology "+
				"has no class for it", class)
		default:
			m[class] |= pg.Points(point)
		}
	}
	return m, source
}
