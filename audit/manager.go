package audit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// In static mode no file has the lossless groups: the buffer manager makes them from pfc_enable, the speed, the cable
// and the headroom table, and names the profile pg_lossless_SPEED_CABLE_profile (sonic-swss e6b0c5b5d,
// cfgmgr/buffermgr.cpp, doSpeedUpdateTask). This file does the same, and what follows from it for configurations that
// people edit: an existing profile of that name is used unchanged, whatever the table says, but only if the
// table has a row; and an entry of BUFFER_PG for the same groups gets the profile in place of the one that it names.

// link is a speed and a cable.
type link struct {
	speed unit.BitRate
	cable unit.Length
}

func (l link) String() string { return fmt.Sprintf("%v over %v", l.speed, l.cable) }

// compareLinks orders links by speed and cable.
func compareLinks(a, b link) int {
	return cmp.Or(cmp.Compare(a.speed, b.speed), cmp.Compare(a.cable, b.cable))
}

// lossless makes the lossless groups that the buffer manager makes, and lists ports for which it makes none.
func (c *check) lossless(out *Result) {
	if len(c.sw.Pools) == 0 && !c.sw.Tables["CABLE_LENGTH"] {
		return
	}
	m := manager{check: c, made: map[string]*Profile{}, without: map[link][]*Port{}, overwritten: folds{}}
	for _, p := range c.sw.Ports {
		for n := range groupsPerPort {
			switch {
			case !p.lossless(n):
			case m.reclaims(p):
				m.reclaim(p, n)
			case p.Groups[n] == nil:
				m.group(p, n)
			default:
				m.overwrite(p, n)
			}
		}
	}
	m.report(out)
}

// manager is the buffer manager at work.
type manager struct {
	*check
	made    map[string]*Profile // by name
	without map[link][]*Port    // no row
	noCable []string
	zero    []string // cable of 0m: the manager leaves the port alone
	unsped  []string // the speed is not known
	unknown []string // the table is not known

	overwritten folds
	twice       []string // ports with two profiles for a group
}

// reclaims tells whether the manager gives a port no lossless groups because it is down: it does so on switches of
// NVIDIA and Barefoot.
func (m *manager) reclaims(p *Port) bool {
	return p.Down && !m.sw.Dynamic && (m.Chip.Spectrum() || strings.HasPrefix(m.Chip.Name, "tofino"))
}

// reclaim removes the entry with the manager's own profile. An entry with another one stays.
func (m *manager) reclaim(p *Port, n int) {
	if b := p.Groups[n]; b != nil && b.Name == p.profileName() {
		p.Groups[n] = nil
	}
}

// profileName is the name of the profile that the manager gives the lossless groups of a port.
func (p *Port) profileName() string {
	cable := cmp.Or(p.CableText, table.Metres(p.Cable)+"m")
	return fmt.Sprintf("pg_lossless_%d_%s_profile", p.Speed/unit.Mbps, cable)
}

// managerKey is the key of the entry that the manager writes for a group: the neighbouring groups with PFC are one.
func (p *Port) managerKey(n int) string {
	first, last := n, n
	for first > 0 && p.lossless(first-1) {
		first--
	}
	for last < groupsPerPort-1 && p.lossless(last+1) {
		last++
	}
	if first == last {
		return fmt.Sprintf("BUFFER_PG|%s|%d", p.Name, n)
	}
	return fmt.Sprintf("BUFFER_PG|%s|%d-%d", p.Name, first, last)
}

// overwrite gives a group that has a profile the one of the manager, if the manager makes one for the port.
func (m *manager) overwrite(p *Port, n int) {
	b := p.Groups[n]
	if m.sw.Dynamic || !p.CableGiven || p.Cable == 0 || p.Speed == 0 || m.Table == nil || b.Name == p.profileName() {
		return
	}
	profile := m.profile(p)
	if profile == nil {
		return // the manager logs an error, and changes nothing
	}
	if b.Object != p.managerKey(n) {
		m.twice = grouped.Add(m.twice, p.Name)
		both := *b // the entry may be of several ports
		both.Twice = true
		p.Groups[n] = &both
		return
	}
	if n == 0 || !p.lossless(n-1) { // the entry is for all groups beside each other
		m.overwritten.note("pg-overwritten", b.At, p, "group "+b.Object[strings.LastIndexByte(b.Object, '|')+1:],
			"BUFFER_PG names %s, and the buffer manager writes %s", b.Name, profile.Name)
	}
	p.Groups[n] = &Bound{Profile: profile, Name: profile.Name, At: profile.At, Object: b.Object}
}

// group makes one lossless group, or lists the port.
func (m *manager) group(p *Port, n int) {
	add := func(list *[]string) {
		if !slices.Contains((*list)[max(0, len(*list)-1):], p.Name) {
			*list = append(*list, p.Name)
		}
	}
	switch l := (link{p.Speed, p.Cable}); {
	case m.sw.Dynamic:
		p.Groups[n] = &Bound{Computed: true, At: p.MapAt, Object: fmt.Sprintf("BUFFER_PG|%s|%d", p.Name, n)}
	case p.CableGiven && p.Cable == 0:
		add(&m.zero)
	case !p.CableGiven:
		if m.sw.Tables["CABLE_LENGTH"] || !m.Part {
			add(&m.noCable)
		}
	case p.Speed == 0:
		add(&m.unsped)
	case m.Table == nil && !m.NoTable:
		add(&m.unknown)
	default:
		profile := m.profile(p)
		if profile == nil {
			if ports := m.without[l]; len(ports) == 0 || ports[len(ports)-1] != p {
				m.without[l] = append(ports, p)
			}
			return
		}
		p.Groups[n] = &Bound{Profile: profile, Name: profile.Name, At: profile.At,
			Object: fmt.Sprintf("BUFFER_PG|%s|%d", p.Name, n)}
	}
}

// profile returns the profile that the manager gives the lossless groups of a port; nil: the table has no row. One that
// BUFFER_PROFILE has already is used.
func (m *manager) profile(port *Port) *Profile {
	name := port.profileName()
	if p := m.made[name]; p != nil || m.Table == nil {
		return p
	}
	row := lastRow(m.Table, link{port.Speed, port.Cable})
	if row == nil {
		return nil
	}
	p := m.sw.Profile(name)
	if p == nil {
		p = profileOf(row, m.sw.losslessIngress(), finding.Place{File: m.Table.Name, Line: row.Line})
		p.Name = name
		m.sw.Profiles = append(m.sw.Profiles, p)
	}
	p.Used = true
	m.made[name] = p
	return p
}

// lastRow returns the row of a link that the manager uses: the last one, because it reads the file into a map.
func lastRow(t *table.Table, l link) *table.Row {
	for i := len(t.Rows) - 1; i >= 0; i-- {
		if r := &t.Rows[i]; r.Rate == l.speed && r.Cable == l.cable {
			return r
		}
	}
	return nil
}

// profileOf is the profile that the manager makes of a row. The row's threshold is static_th in a static pool.
func profileOf(row *table.Row, pool *Pool, at finding.Place) *Profile {
	given := func(v int64) Number { return Number{v, true, at} }
	p := &Profile{PoolName: "ingress_lossless_pool", Pool: pool, Size: given(int64(row.Size)), XON: given(int64(row.XON)),
		XOFF: given(int64(row.XOFF)), Row: row, At: at, Used: true}
	if offset, ok := row.XONOffset.Get(); ok {
		p.XONOffset = given(int64(offset))
	}
	threshold := given(int64(row.StaticTh.Or(unit.Bytes(row.Alpha.DynamicTh()))))
	if pool != nil && pool.Mode == "static" {
		p.StaticTh = threshold
	} else {
		p.DynamicTh = threshold
	}
	return p
}

// report adds the findings about ports without groups.
func (m *manager) report(out *Result) {
	m.withoutRows()
	m.overwritten.report(m.collector)
	if len(m.twice) > 0 {
		out.Unknown = append(out.Unknown, "which profile the lossless groups of ports "+ports(m.twice)+
			" have: BUFFER_PG names one for some of them, and the buffer manager adds an entry for them together")
	}
	if len(m.noCable) > 0 {
		m.add("cable-missing", m.Place(), "ports "+ports(m.noCable), nil, "PFC is on, and CABLE_LENGTH has no length")
	}
	if len(m.zero) > 0 {
		m.add("pfc-pg-missing", m.Place(), "ports "+ports(m.zero), nil, "PFC is on, and the cable is 0m: the buffer manager "+
			"makes no lossless groups").Suspect("0m may be meant, for inner ports")
	}
	if len(m.unknown) > 0 {
		m.add("table-unknown", m.Place(), "ports "+ports(m.unknown), nil,
			"the headroom table is not given: the lossless groups are not known")
		out.Unknown = append(out.Unknown, "the headroom table is not given: the lossless groups are not known")
	}
	if len(m.unsped) > 0 {
		out.Unknown = append(out.Unknown,
			"the speed of ports "+ports(m.unsped)+" is not known: their lossless groups are not known")
	}
}

// withoutRows adds a finding for each link without a row, or one for all if there is no table.
func (m *manager) withoutRows() {
	var all, links []string
	for _, l := range slices.SortedFunc(maps.Keys(m.without), compareLinks) {
		var names []string
		for _, p := range m.without[l] {
			names = append(names, p.Name)
		}
		all, links = append(all, names...), append(links, l.String())
		if m.Table != nil {
			m.add("lossless-no-row", finding.Place{File: m.Table.Name}, "ports "+ports(names), nil, "%v has no row: %s", l,
				noRow(m.Table, l))
		}
	}
	if m.Table == nil && len(all) > 0 {
		m.add("lossless-no-row", m.Place(), "ports "+ports(all), nil, "the switch has no headroom table: no row for %s",
			strings.Join(links, ", "))
	}
}

// noRow says which rows there are.
func noRow(t *table.Table, l link) string {
	_, err := t.Size(thresholds.Link{Rate: l.speed, Cable: l.cable}, thresholds.Memory{Cell: 1})
	if errors.Is(err, table.ErrNoRow) {
		if lengths := t.Lengths(l.speed); len(lengths) > 0 {
			return fmt.Sprintf("%v has %v", l.speed, lengths)
		}
		return fmt.Sprintf("no row for %v", l.speed)
	}
	return "no row"
}
