package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// A switch runs one of two buffer managers (buffermgrd), which read CONFIG_DB and act on
// it. What they do was read from sonic-swss at e6b0c5b5d (2026-08-21): cfgmgr/buffermgr.cpp
// and cfgmgr/buffermgrdyn.cpp, and was observed with both running on CONFIG_DB of plans.

// Model is how a switch manages its buffers: buffer_model of DEVICE_METADATA.
type Model string

// The models. The manager is dynamic only if the value is "dynamic"; any other value, and
// none, is traditional (dockers/docker-orchagent/buffermgrd.sh).
const (
	Unknown     Model = ""            // it is not known
	Traditional Model = "traditional" // headroom from a table, pg_profile_lookup.ini
	Dynamic     Model = "dynamic"     // headroom and pools from a formula
)

// Models lists the models that a switch can have.
func Models() []string { return []string{string(Traditional), string(Dynamic)} }

// vendor is who made the chip, as far as the managers treat chips differently.
type vendor int

const (
	unknownVendor vendor = iota // not known: it is written for a chip of another vendor, and Undone says so
	nvidia
	barefoot
	otherVendor // Broadcom, Cisco, Marvell: they have no dynamic manager
)

// manager is the buffer manager that reads what is written.
type manager struct {
	model   Model
	assumed bool // the model is not known, and model is what the vendor's images have
	vendor  vendor
	table   *table.Table // the switch's; nil: not known
}

// manager is what is known of the switch's manager.
func (o Options) manager(p nos.Plan) manager {
	meta := o.Current["DEVICE_METADATA"]["localhost"]
	m := manager{model: o.Model, table: o.Table, vendor: vendorOf(o.updater(p).asic, p.Intent.Chip.Name, meta)}
	if m.model == Unknown && o.Current != nil {
		m.model = Traditional
		if meta["buffer_model"] == string(Dynamic) {
			m.model = Dynamic
		}
	}
	if m.model == Unknown {
		// Images for NVIDIA and Barefoot are built with the dynamic model, all others with the
		// traditional one (sonic-buildimage 086b03bd, platform/*/rules.mk: SONIC_BUFFER_MODEL).
		m.model, m.assumed = Traditional, m.vendor != otherVendor
		if m.vendor == nvidia || m.vendor == barefoot {
			m.model = Dynamic
		}
	}
	return m
}

// families are the first words of chips' names in cellwarden's catalogue.
var families = []struct {
	prefix string
	vendor vendor
}{
	{"spectrum", nvidia}, {"tofino", barefoot}, {"tomahawk", otherVendor}, {"trident", otherVendor},
	{"jericho", otherVendor}, {"qumran", otherVendor}, {"q2c", otherVendor}, {"q3d", otherVendor}, {"q4d", otherVendor},
	{"silicon-one", otherVendor}, {"teralynx", otherVendor}, {"falcon", otherVendor}, {"cloudscale", otherVendor},
}

// vendorOf finds who made a chip: by the updater's name, by the catalogue's, or by what the switch says of itself
// (DEVICE_METADATA: platform, such as x86_64-mlnx_msn2700-r0, and hwsku, such as ACS-MSN2700 or Mellanox-SN4700-O28).
func vendorOf(asic, chip string, meta Entry) vendor {
	if asic != "" {
		if strings.HasPrefix(asic, "spc") {
			return nvidia
		}
		return otherVendor
	}
	for _, f := range families {
		if strings.HasPrefix(chip, f.prefix) {
			return f.vendor
		}
	}
	said := strings.ToLower(meta["platform"] + " " + meta["hwsku"])
	switch has := func(word string) bool { return strings.Contains(said, word) }; {
	case has("mlnx"), has("mellanox"), has("nvidia"), has("acs-msn"), has("acs-sn"):
		return nvidia
	case has("barefoot"):
		return barefoot
	case strings.TrimSpace(said) != "":
		return otherVendor
	}
	return unknownVendor
}

// reclaims tells whether the traditional manager deletes the lossless groups of a port that goes down, and writes them
// again when it comes up, if its table has a row (buffermgr.cpp, doSpeedUpdateTask: platforms mellanox and barefoot).
func (m manager) reclaims() bool { return m.vendor == nvidia || m.vendor == barefoot }

// hasRow tells whether the switch's table has a row for a port; known tells whether the table is known.
func (m manager) hasRow(p *nos.Port) (row *table.Row, known bool) {
	if m.table == nil {
		return nil, false
	}
	for i := range m.table.Rows {
		r := &m.table.Rows[i]
		if r.Rate == p.Rate && r.Cable == unit.Length(nos.Metres(p.Cable))*unit.Metre {
			return r, true
		}
	}
	return nil, true
}

// alone is why the traditional manager has to leave the groups of a port alone, for the
// ports whose groups it would bind to another profile, or delete. CABLE_LENGTH
// 0m makes it do so: doSpeedUpdateTask returns before it looks at anything else.
//
// At boot, when a port comes up, and when speed, cable or pfc_enable of a port change, the manager makes one profile of
// all lossless groups of the port, named by speed and cable: pg_lossless_100000_40m_profile. It creates that profile
// from its table only if there is none. So a plan's profile stays under this name if it is the only one of all ports
// with this speed and cable.
func (w *writer) alone(ports []nos.Port) map[string]string {
	out := map[string]string{}
	type content struct{ name, text string }
	var users grouped.By[content, []string] // ports by the only profile that they need
	for i := range ports {
		p := &ports[i]
		lossless := p.Lossless()
		if row, known := w.manager.hasRow(p); p.PFCWithoutHeadroom != 0 && (row != nil || !known) {
			out[p.Name] = "it has PFC without headroom, and the manager would give these priorities headroom"
			continue
		}
		if len(lossless) == 0 {
			continue
		}
		profiles := map[string]bool{}
		for _, n := range lossless {
			profiles[contentName(w.fields(p, n, p.Groups[n]))] = true
		}
		switch why := w.aloneByItself(p); {
		case why != "":
			out[p.Name] = why
		case len(profiles) > 1:
			out[p.Name] = "its lossless groups have several profiles, and the manager binds all of them to one"
		default:
			of := users.Of(content{managedName(p), slices.Collect(maps.Keys(profiles))[0]})
			*of = append(*of, p.Name)
		}
	}
	// Of several profiles for one name, the one that the switch has already keeps the name,
	// else the one with most ports, else the first.
	keeps := map[string]content{}
	for c, of := range users.All() {
		kept, taken := keeps[c.name]
		has := contentName(w.now["BUFFER_PROFILE"][c.name])
		if !taken || kept.text != has && (c.text == has || len(*of) > len(*users.Of(kept))) {
			keeps[c.name] = c
		}
	}
	for c, of := range users.All() {
		for _, port := range *of {
			if keeps[c.name] != c {
				out[port] = "other ports of the same speed and cable need another profile, and the manager binds all of them to one"
			}
		}
	}
	return out
}

// aloneByItself is why the manager has to leave a port alone whatever other ports have; empty: no reason.
func (w *writer) aloneByItself(p *nos.Port) string {
	speed, known := w.now["PORT"][p.Name]["speed"]
	row, table := w.manager.hasRow(p)
	switch {
	case p.Delay.IsGiven() || p.Cable == 0:
		return "the plan has no length of its cable"
	case known && speed != megabits(p):
		return "the switch runs it at " + speed + " Mb/s, and the manager binds by that speed"
	case w.manager.reclaims() && table && row == nil:
		return "the switch's table has no row for its speed and cable: the manager would delete its lossless groups when " +
			"it goes down, and not write them again"
	case w.manager.reclaims() && !table:
		return "the switch's table is not known (--sonic-table): without a row for its speed and cable the manager would " +
			"delete its lossless groups when it goes down, and not write them again"
	}
	return ""
}

// managedName is the name of the profile to which the manager binds a port.
func managedName(p *nos.Port) string {
	return fmt.Sprintf("pg_lossless_%s_%dm_profile", megabits(p), nos.Metres(p.Cable))
}

func megabits(p *nos.Port) string { return number(int64(p.Rate) / int64(unit.Mbps)) }

// expressible tells whether a group can be written. The dynamic manager drops a profile whose threshold is of another
// mode than its pool's (buffermgrdyn.cpp, handleBufferProfileTable).
func (w *writer) expressible(g nos.Group) bool {
	static := g.Static > 0
	return w.manager.model != Dynamic || static == (w.poolFields()["mode"] == "static")
}

// undone lists what the switch will change, or may change, of what is written.
func (w *writer) undone() []nos.Undone {
	var out []nos.Undone
	switch {
	case !w.lossless():
	case w.manager.vendor == unknownVendor:
		out = append(out, nos.Undone{What: "lossless groups",
			Why: "it is not known who made the chip (--sonic-asic, or --current); the buffer manager of NVIDIA's and " +
				"Barefoot's switches deletes the groups of ports without a row in its table"})
	case w.manager.assumed:
		out = append(out, nos.Undone{What: "lossless groups and pools",
			Why: "it is not known which buffer manager the switch runs (--sonic-model, or --current); the configuration is " +
				"for the " + string(w.manager.model) + " one, and the other one would change it"})
	}
	if w.manager.model != Dynamic {
		return out
	}
	ingress, _ := w.computedPools()
	if in, known := w.poolInputs(); known && ingress > 0 && in.Sizes().Overcommits() {
		out = append(out, nos.Undone{What: pool, Why: fmt.Sprintf("the manager computes a size of %v for it, and keeps "+
			"the previous one", in.Sizes().Pool)})
	}
	return append(out, w.overLimit()...)
}

// The constants of the plug-in that checks the headroom of a port (buffer_check_headroom_mellanox.lua), for ports of
// fewer than eight lanes. Ports of eight have the mirror and port_reserved_shp twice, and twice the latency less 1 KiB.
const (
	deviation    unit.Bytes = 4096
	egressMirror unit.Bytes = 20 * unit.KiB
)

// mostShared is port_max_shp, the largest shared headroom of a port in cells beyond reservedShared, port_reserved_shp
// (sonic-buildimage 086b03bd, platform/mellanox/asic_table.j2).
var mostShared = map[string]cells.Count{"spectrum-1": 8192, "spectrum-2": 8192, "spectrum-3": 8192,
	"spectrum-4": 8192, "spectrum-5": 6144, "spectrum-6": 6144}

const reservedShared cells.Count = 20

// overLimit lists the ports whose groups the manager drops: their headroom exceeds max_headroom_size, as far as it is
// known, or they take more of the shared headroom pool than one port may.
func (w *writer) overLimit() []nos.Undone {
	chip, known := method.LookupSONiCChip(w.plan.Intent.Chip.Name)
	if !known {
		return nil
	}
	var large, sharing []string
	for _, p := range w.plan.Ports() {
		latency, mirror, reserved := unit.Bytes(chip.PipelineLatency)*unit.KiB/100, egressMirror, reservedShared
		if hasEightLanes(w.plan.Intent.Sizing, chip, &p.Port) {
			latency, mirror, reserved = 2*latency-unit.KiB, 2*mirror, 2*reserved
		}
		sum, shared := deviation+latency+mirror, unit.Bytes(0)
		for n, g := range p.Groups {
			if g.Empty() || !w.expressible(g) {
				continue
			}
			b := w.bytesOf(&p, n, g)
			size := cmp.Or(w.sizeOf(b), latency)
			if sum += size; g.Lossless && !w.dedicated {
				shared += max(0, b.xon+b.xoff-size)
			}
		}
		if most, known := w.most.Get(); known && sum >= most {
			large = append(large, p.Name)
		}
		if most := mostShared[w.plan.Intent.Chip.Name]; most > 0 && shared > chip.Cell.Bytes(most+reserved) {
			sharing = append(sharing, p.Name)
		}
	}
	var out []nos.Undone
	if len(large) > 0 {
		out = append(out, nos.Undone{What: "groups of " + buffer.FoldPorts(large),
			Why: fmt.Sprintf("the manager drops them: the headroom of the port exceeds max_headroom_size, %v", w.most.Or(0))})
	}
	if len(sharing) > 0 {
		out = append(out, nos.Undone{What: "groups of " + buffer.FoldPorts(sharing),
			Why: "the manager drops them: a port takes more of the shared headroom pool than port_max_shp allows"})
	}
	return out
}

// sizeOf is the size of a group's profile: the reserved part, and the headroom where none is shared.
func (w *writer) sizeOf(b groupBytes) unit.Bytes {
	if w.dedicated {
		return b.reserved + b.xoff
	}
	return b.reserved
}

// lossless tells whether the plan has lossless groups.
func (w *writer) lossless() bool {
	return slices.ContainsFunc(w.plan.Layout, func(s buffer.Setting) bool {
		return s.Kind == buffer.GroupLossless && s.Value == 1
	})
}

// managerNotes say what the buffer manager does with what is written.
func (w *writer) managerNotes() []string {
	if !w.lossless() && len(w.leaves) == 0 {
		return nil
	}
	out := []string{"config qos reload replaces the plan's buffers and cable lengths by those of the switch's templates"}
	if w.manager.model == Dynamic {
		return append(out, w.dynamicNotes()...)
	}
	if len(w.follows) > 0 {
		text := "SONiC's buffer manager (traditional) keeps the plan's profiles for " + buffer.FoldPorts(w.follows) +
			"; when speed or cable of such a port change, it binds the port to the row of its table"
		out = append(out, text, "ports outside the plan with the speed and cable of such a port take the plan's profile")
	}
	for _, why := range slices.Sorted(maps.Keys(w.leaves)) {
		out = append(out, "CABLE_LENGTH is 0m for "+buffer.FoldPorts(w.leaves[why])+", so that SONiC's buffer manager "+
			"leaves their groups alone: "+why+". Their groups do not follow a change of speed or cable")
	}
	return out
}

// dynamicNotes say what the dynamic manager does.
func (w *writer) dynamicNotes() []string {
	out := []string{
		"SONiC's buffer manager (dynamic) computes the pools: no size is written. The plan's profiles override its " +
			"headroom for the groups that use them, which then do not follow a change of speed, cable or MTU",
	}
	if name, most := w.largestPort(); !w.most.IsGiven() && most > 0 {
		out = append(out, fmt.Sprintf("the manager drops the groups of a port whose headroom exceeds max_headroom_size of "+
			"the port, with an ERROR in its log alone; the largest port of the plan has %v, and the switch's limit is not "+
			"known: sonic-db-cli STATE_DB HGET 'BUFFER_MAX_PARAM_TABLE|%s' max_headroom_size prints it on the switch in "+
			"bytes, and --sonic-max-headroom takes it", most, name))
	}
	if size, fixed := w.now["BUFFER_POOL"][pool]["size"]; fixed {
		out = append(out, "the switch has a fixed size of "+pool+", "+size+" bytes, so that it does not compute this pool: "+
			"what the plan reserves is not taken from it")
	}
	if note := w.poolNote(); note != "" {
		out = append(out, note)
	}
	return out
}

// largestPort is the port whose lossless groups have the largest sum of sizes, and that sum. The manager's plug-in
// reads the limit of each port from STATE_DB (sonic-swss e6b0c5b5d, buffer_check_headroom_mellanox.lua).
func (w *writer) largestPort() (name string, most unit.Bytes) {
	for _, p := range w.plan.Ports() {
		var sum unit.Bytes
		for _, n := range p.Lossless() {
			sum += p.Groups[n].Reserved + p.Groups[n].Headroom
		}
		if sum > most {
			name, most = p.Name, sum
		}
	}
	return name, most
}
