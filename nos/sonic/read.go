package sonic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// title is the name of the system in reports.
const title = "SONiC"

// AuditTables lists the tables of CONFIG_DB that an audit reads.
func AuditTables() []string {
	return []string{"DEVICE_METADATA", "DEVICE_NEIGHBOR", "PORT", "CABLE_LENGTH", "BUFFER_POOL", "BUFFER_PROFILE",
		"BUFFER_PG", "BUFFER_QUEUE", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "PORT_QOS_MAP",
		"DSCP_TO_TC_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
		"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "DOT1P_TO_TC_MAP", "TC_TO_DSCP_MAP", "MPLS_TC_TO_TC_MAP", "DSCP_TO_FC_MAP",
		"EXP_TO_FC_MAP", "QUEUE", "WRED_PROFILE", "SCHEDULER", watchdogs, trimmings, "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
		"LOSSLESS_TRAFFIC_PATTERN"}
}

// read reads CONFIG_DB, or a part of it.
func read(file string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	db, err := configdb.Read(file, data, AuditTables()...)
	if err != nil {
		return nil, err
	}
	if db.Empty() {
		return nil, fmt.Errorf("%s: none of the tables of CONFIG_DB that an audit reads: want %s and others", file,
			strings.Join(AuditTables()[:6], ", "))
	}
	return ReadDatabase(file, db, chip), nil
}

// reading turns the tables into a reading. What is no number, and what is missing, becomes a finding on the way.
type reading struct {
	*audit.Meaning
	db     *configdb.Database
	sw     *audit.Switch
	maps   map[[2]string]*audit.CodeMap // by kind and name
	told   map[[3]string]bool           // what is a finding already: the code, the object or table, the name
	absent grouped.By[string, absent]   // by the table
}

// ReadDatabase reads CONFIG_DB that was put together from several documents, or has no lines. Chip is what the operator
// says of the chip; the zero Chip is known by the platform and the HwSKU.
func ReadDatabase(file string, db *configdb.Database, chip audit.Chip) *audit.Meaning {
	r := &reading{Meaning: audit.NewReading(title, file), db: db, told: map[[3]string]bool{},
		maps: map[[2]string]*audit.CodeMap{}}
	r.Manager, r.sw, r.Switch.Tables = true, r.Switch, map[string]bool{}
	if db != nil {
		for _, t := range db.Tables {
			r.sw.Tables[t.Name] = len(t.Entries) > 0
		}
	}
	r.about()
	r.computed()
	r.pools()
	r.profiles()
	r.ports()
	r.cables()
	r.bindings()
	r.qos()
	r.qosMaps()
	r.trimming()
	r.refused()
	r.problems()
	if r.Chip = chip; chip.Name == "" && chip.How == "" {
		r.Chip = Identify(r.sw.Platform, r.sw.HwSKU)
	}
	return r.Meaning
}

// about reads what the switch is, and its neighbours.
func (r *reading) about() {
	meta := r.db.Table("DEVICE_METADATA").Entry("localhost")
	r.sw.HwSKU, _ = meta.Text("hwsku")
	r.sw.Platform, _ = meta.Text("platform")
	r.sw.Hostname, _ = meta.Text("hostname")
	r.sw.Type, _ = meta.Text("type")
	model, _ := meta.Text("buffer_model")
	r.sw.Dynamic = model == "dynamic"
	for _, e := range r.db.Table("DEVICE_NEIGHBOR").All() {
		name, _ := e.Text("name")
		port, _ := e.Text("port")
		r.sw.Links = append(r.sw.Links, audit.Neighbour{Port: e.Key, Neighbour: name, NeighbourPort: port, At: e.At})
	}
}

// problems adds what is wrong with the document itself.
func (r *reading) problems() {
	if r.db == nil {
		return
	}
	for _, p := range r.db.Problems {
		code := finding.Code("not-config-db")
		if strings.Contains(p.Text, "given twice") {
			code = "duplicate-key"
		}
		r.FindAt(code, p.At, p.Object, "%s", p.Text)
	}
}

// computed reads what the dynamic buffer manager computes with.
func (r *reading) computed() {
	first := func(table, field string) audit.Number {
		for _, e := range r.db.Table(table).All() {
			return r.number(e, table+"|"+e.Key, field)
		}
		return audit.Number{}
	}
	c := &r.sw.Computed
	c.DynamicTh = first("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th")
	c.Ratio = first("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "over_subscribe_ratio")
	c.MTU = first("LOSSLESS_TRAFFIC_PATTERN", "mtu")
	c.SmallPackets = first("LOSSLESS_TRAFFIC_PATTERN", "small_packet_percentage")
}

// number reads a field that has to be a whole number. Another text is a finding; blanks around a number are a
// note, because orchagent reads numbers by std::stoul and std::stoi, which leave them out (sonic-swss bufferorch.cpp
// and qosorch.cpp).
func (r *reading) number(e *configdb.Entry, object, name string) audit.Number {
	f := e.Field(name)
	if f == nil {
		return audit.Number{}
	}
	text := strings.TrimSpace(f.Value)
	once := [3]string{"number-format", object, name}
	told := r.told[once]
	v, err := strconv.ParseInt(text, 10, 64)
	r.told[once] = err != nil || text != f.Value
	if err != nil {
		if !told {
			r.FindAt("number-format", f.At, object, "%s is %s: want a whole number", name, fielderr.Quote(f.Value))
		}
		return audit.Number{}
	}
	if text != f.Value && !told {
		f := r.FindAt("number-format", f.At, object, "%s is %s: a number with blanks around it", name,
			fielderr.Quote(f.Value))
		f.SuspectAs(finding.Note, "orchagent accepts it (std::stoul)")
	}
	return audit.Number{Value: v, Given: true, At: f.At}
}

// size reads a number of bytes, which is not negative.
func (r *reading) size(e *configdb.Entry, object, name string) audit.Number {
	n := r.number(e, object, name)
	if n.Given && (n.Value < 0 || n.Value > mostBytes) {
		r.FindAt("number-format", n.At, object, "%s is %d: want a number of bytes, 0 to %d", name, n.Value, int64(mostBytes))
		return audit.Number{}
	}
	return n
}

// mostBytes is more than any buffer has; sums of it stay in 64 bits.
const mostBytes = 1 << 46

// pools reads BUFFER_POOL.
func (r *reading) pools() {
	for _, e := range r.db.Table("BUFFER_POOL").All() {
		p := &audit.Pool{Name: e.Key, At: e.At}
		object := "BUFFER_POOL|" + p.Name
		p.Type, _ = e.Text("type")
		p.Mode, _ = e.Text("mode")
		p.Size, p.XOFF = r.size(e, object, "size"), r.size(e, object, "xoff")
		r.AddPool(p)
	}
}

// profiles reads BUFFER_PROFILE.
func (r *reading) profiles() {
	for _, e := range r.db.Table("BUFFER_PROFILE").All() {
		p := &audit.Profile{Name: e.Key, At: e.At}
		object := "BUFFER_PROFILE|" + p.Name
		p.PoolName = reference(e, "pool")
		p.Pool = r.sw.Pool(p.PoolName)
		p.Size, p.XON, p.XOFF = r.size(e, object, "size"), r.size(e, object, "xon"), r.size(e, object, "xoff")
		p.XONOffset = r.size(e, object, "xon_offset")
		p.DynamicTh, p.StaticTh = r.number(e, object, "dynamic_th"), r.size(e, object, "static_th")
		p.HeadroomType, _ = e.Text("headroom_type")
		action, _ := e.Text(discardAction)
		p.Trims = action == "trim"
		switch {
		case p.Pool != nil:
		case p.PoolName == "":
			r.FindAt("pool-missing", p.At, object, "the profile names no pool")
		default:
			r.FindAt("pool-missing", p.At, object, "%s", missingText(p.PoolName, "BUFFER_POOL"))
		}
		r.AddProfile(p)
	}
}

// ports reads PORT. Rendered buffer files have no PORT: then the ports are those that the other tables name.
func (r *reading) ports() {
	for _, e := range r.db.Table("PORT").All() {
		p := r.PortAt(e.Key, e.At)
		if text, ok := e.Text("speed"); ok {
			if v := r.number(e, "PORT|"+e.Key, "speed"); v.Given && v.Value > 0 && v.Value <= mostSpeed {
				p.Speed = unit.BitRate(v.Value) * unit.Mbps
			} else if v.Given {
				r.FindAt("number-format", e.At, "PORT|"+e.Key, "speed is %s: want a speed in Mb/s", fielderr.Quote(text))
			}
		}
		if v, ok := e.Text("mtu"); ok {
			if n, err := strconv.ParseInt(v, 10, 32); err == nil {
				p.MTU = unit.Bytes(n)
			}
		}
		if lanes, ok := e.Text("lanes"); ok && lanes != "" {
			p.Lanes = strings.Count(lanes, ",") + 1
		}
		if v, ok := e.Text("core_id"); ok {
			if core, err := strconv.ParseUint(v, 10, 16); err == nil {
				p.Core = unit.Given(int(core))
			}
		}
		p.Role, _ = e.Text("role")
		state, _ := e.Text("admin_status")
		p.Down = state == "down"
	}
}

// mostSpeed is more than any port has, in Mb/s.
const mostSpeed = 10_000_000

// existing returns a port that an entry names. Where PORT is read, a port that is not in it is not one: the entry
// changes nothing and is a finding about the table. Templates name ports so, such as those of a switch with all ports
// broken out.
func (r *reading) existing(name string, at finding.Place, table string) *audit.Port {
	if r.sw.Tables["PORT"] {
		p := r.KnownPort(name)
		if p == nil {
			r.without(table, name, at)
		}
		return p
	}
	return r.PortAt(name, at)
}

// cables reads CABLE_LENGTH, whose one entry has a field for each port.
func (r *reading) cables() {
	for _, e := range r.db.Table("CABLE_LENGTH").All() {
		for _, f := range e.Fields {
			p := r.existing(f.Name, f.At, "CABLE_LENGTH")
			if p == nil {
				continue
			}
			p.CableAt, p.CableText = f.At, strings.TrimSpace(f.Value)
			length, err := unit.ParseLength(p.CableText)
			if err != nil || length < 0 {
				r.FindAt("number-format", f.At, "CABLE_LENGTH|"+e.Key, "%s is %s: want a length in metres such as 40m",
					f.Name, fielderr.Quote(f.Value))
				continue
			}
			p.Cable, p.CableGiven = length, true
		}
	}
}

// bindings reads the profiles of groups and queues.
func (r *reading) bindings() {
	for _, e := range r.db.Table("BUFFER_PG").All() {
		r.bind(e, "BUFFER_PG", groups, func(p *audit.Port, n int, b *audit.Bound) { p.Groups[n] = b })
	}
	for _, e := range r.db.Table("BUFFER_QUEUE").All() {
		r.bind(e, "BUFFER_QUEUE", queues, func(p *audit.Port, n int, b *audit.Bound) { p.Queues[n] = b })
	}
	for _, name := range []string{"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"} {
		for _, e := range r.db.Table(name).All() {
			if r.sw.Tables["PORT"] {
				for port := range strings.SplitSeq(e.Key, ",") {
					r.existing(strings.TrimSpace(port), e.At, name)
				}
			}
			list, _ := e.Text("profile_list")
			for _, profile := range configdb.References(list) {
				if p := r.refer(profile, e.At, name+"|"+e.Key); p != nil {
					p.Listed = name + "|" + e.Key
				}
			}
		}
	}
}

// bind gives groups or queues the profile of an entry.
func (r *reading) bind(e *configdb.Entry, table string, most int, give func(p *audit.Port, n int, b *audit.Bound)) {
	object := table + "|" + e.Key
	names, from, to, ok := keyed(e.Key, most)
	if !ok {
		r.FindAt("number-format", e.At, object, "the key names no port and number: want such as Ethernet0|3-4, 0 to "+
			"%d", most-1)
		return
	}
	b := &audit.Bound{At: e.At, Object: object}
	switch name := reference(e, "profile"); {
	case name == "":
		r.FindAt("profile-missing", e.At, object, "the entry names no profile")
		return
	case strings.EqualFold(name, "NULL") && table == "BUFFER_PG":
		b.Computed = true
	default:
		b.Name = name
		b.Profile = r.refer(b.Name, e.At, object)
	}
	for _, name := range names {
		if p := r.ofQueue(e, name, table); p != nil {
			for n := from; n <= to; n++ {
				give(p, n, b)
			}
		}
	}
}

// ofQueue returns the port of an entry of groups or queues. The entries of a chassis begin with the card and the chip;
// PORT has the ports of one chip of one card, and the others are elsewhere (VOQ_QUEUE_LIST of sonic-queue.yang).
func (r *reading) ofQueue(e *configdb.Entry, name, table string) *audit.Port {
	parts := strings.Split(e.Key, "|")
	if len(parts) != chassisParts {
		return r.existing(name, e.At, table)
	}
	about := r.db.Table("DEVICE_METADATA").Entry("localhost")
	card, _ := about.Text("hostname")
	chip, _ := about.Text("asic_name")
	if r.KnownPort(name) == nil && table == "QUEUE" && parts[0] == card && parts[1] == chip && chip != "" {
		r.without(table, name, e.At)
	}
	if r.sw.Tables["PORT"] {
		return r.KnownPort(name)
	}
	return r.PortAt(name, e.At)
}

// chassisParts is the number of parts of a key of a chassis: host|asic0|Ethernet0|3.
const chassisParts = 4

// refer returns the profile that an object names; a missing one is a finding.
func (r *reading) refer(name string, at finding.Place, object string) *audit.Profile {
	p := r.sw.Profile(name)
	if p == nil {
		r.missing("profile-missing", at, object, name, "BUFFER_PROFILE")
		return nil
	}
	p.Used = true
	return p
}

// missing adds a finding about a name that leads nowhere, one for all entries of a table with it.
func (r *reading) missing(code finding.Code, at finding.Place, object, name, table string) {
	kind, key, _ := strings.Cut(object, "|")
	if cut := strings.LastIndexByte(key, '|'); cut >= 0 {
		object = kind + "|*" + key[cut:]
	}
	once := [3]string{string(code), object, name}
	if !r.told[once] {
		r.told[once] = true
		r.FindAt(code, at, object, "%s", missingText(name, table))
	}
}

// missingText says that a name leads nowhere.
func missingText(name, table string) string {
	return "it names " + fielderr.Quote(name) + ", and " + table + " has no such entry"
}

// keyed reads a key such as Ethernet0|3-4, one of several ports, Ethernet0,Ethernet4|3, or one of a chassis,
// host|asic0|Ethernet0|3.
func keyed(key string, most int) (ports []string, from, to int, ok bool) {
	cut := strings.LastIndexByte(key, '|')
	if cut < 0 {
		return nil, 0, 0, false
	}
	first, last, ranged := strings.Cut(key[cut+1:], "-")
	if !ranged {
		last = first
	}
	low, bad := strconv.ParseUint(strings.TrimSpace(first), 10, 8)
	high, worse := strconv.ParseUint(strings.TrimSpace(last), 10, 8)
	if bad != nil || worse != nil || high < low || int(high) >= most {
		return nil, 0, 0, false
	}
	names := key[:cut]
	if i := strings.LastIndexByte(names, '|'); i >= 0 {
		names = names[i+1:]
	}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			ports = append(ports, name)
		}
	}
	return ports, int(low), int(high), len(ports) > 0
}

// The groups and queues that a port has at most.
const (
	groups = len(audit.Port{}.Groups)
	queues = len(audit.Port{}.Queues)
)
