package sonic

import (
	"maps"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// mapFields are the fields of PORT_QOS_MAP that name a map, which are the kinds of maps, and the tables of the maps.
// Both sides of a map have the numbers that its model accepts, from 0 (sonic-dscp-tc-map.yang and its neighbours, and
// tc_type of sonic-types.yang).
var mapFields = []mapField{
	{audit.DSCPToClass, "DSCP_TO_TC_MAP", points, classes},
	{audit.ClassToGroup, "TC_TO_PRIORITY_GROUP_MAP", classes, priorities},
	{audit.ClassToQueue, "TC_TO_QUEUE_MAP", classes, 9},
	{audit.PriorityToQueue, "MAP_PFC_PRIORITY_TO_QUEUE", priorities, priorities},
	{audit.PriorityToGroup, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", priorities, priorities},
	{"dot1p_to_tc_map", "DOT1P_TO_TC_MAP", priorities, classes},
	{"tc_to_dscp_map", "TC_TO_DSCP_MAP", classes, points},
	{"mpls_tc_to_tc_map", "MPLS_TC_TO_TC_MAP", priorities, classes},
	{"dscp_to_fc_map", "DSCP_TO_FC_MAP", points, priorities},
	{"exp_to_fc_map", "EXP_TO_FC_MAP", priorities, priorities},
}

type mapField struct {
	kind, table string
	from, to    uint64 // the largest of each side
}

// The largest code point, the largest traffic class, and the largest priority, which is that of groups too.
const (
	points     = 63
	classes    = 15
	priorities = 7
)

// qosMaps reads the maps, the marking profiles and the schedulers.
func (r *reading) qosMaps() {
	for _, e := range r.db.Table("WRED_PROFILE").All() {
		r.sw.Marking = append(r.sw.Marking, r.markingProfile(e, "WRED_PROFILE|"+e.Key))
	}
	for _, e := range r.db.Table("SCHEDULER").All() {
		object := "SCHEDULER|" + e.Key
		s := &audit.Scheduler{Name: e.Key, Object: object, At: e.At, Weight: r.number(e, object, "weight")}
		s.Type, _ = e.Text("type")
		s.Shaped = e.Field("pir") != nil || e.Field("cir") != nil
		r.sw.Schedulers = append(r.sw.Schedulers, s)
	}
	r.queues()
}

// markingProfile reads an entry of WRED_PROFILE.
func (r *reading) markingProfile(e *configdb.Entry, object string) *audit.Marking {
	m := &audit.Marking{Name: e.Key, Object: object, At: e.At}
	m.ECN, _ = e.Text("ecn")
	for i, name := range audit.Colours() {
		c := &m.Colours[i]
		c.Min, c.Max = r.size(e, object, name+"_min_threshold"), r.size(e, object, name+"_max_threshold")
		c.Enable, _ = e.Text("wred_" + name + "_enable")
		c.Drop = r.number(e, object, name+"_drop_probability")
		if p := c.Drop; p.Given && (p.Value < 0 || p.Value > 100) {
			r.FindAt("number-format", p.At, object, "%s_drop_probability is %d: want 0 to 100", name, p.Value)
		}
	}
	return m
}

// qos reads the maps, and which map and which priorities each port has.
func (r *reading) qos() {
	for _, f := range mapFields {
		for _, e := range r.db.Table(f.table).All() {
			r.codes(e, f, f.table+"|"+e.Key)
		}
	}
	for _, e := range r.db.Table("PORT_QOS_MAP").All() {
		object := "PORT_QOS_MAP|" + e.Key
		named := r.mapsOf(e, object)
		if name := reference(e, "scheduler"); name != "" && r.db.Table("SCHEDULER").Entry(name) == nil {
			r.missing("scheduler-missing", e.At, object, name, "SCHEDULER")
		}
		r.priorities(e, object, "pfcwd_sw_enable")
		mask, has := r.priorities(e, object, "pfc_enable")
		if e.Key == "global" {
			continue
		}
		for name := range strings.SplitSeq(e.Key, ",") {
			p := r.existing(strings.TrimSpace(name), e.At, "PORT_QOS_MAP")
			if p == nil {
				continue
			}
			p.MapAt, p.PFC, p.HasPFC = e.At, mask, has
			maps.Copy(p.Maps, named)
		}
	}
}

// codes reads a map.
func (r *reading) codes(e *configdb.Entry, of mapField, object string) {
	m := r.NewMap(object, 0)
	m.At, r.maps[[2]string{of.kind, e.Key}] = e.At, m
	for _, f := range e.Fields {
		from, bad := strconv.ParseUint(strings.TrimSpace(f.Name), 10, 8)
		to, worse := strconv.ParseUint(strings.TrimSpace(f.Value), 10, 8)
		if bad != nil || worse != nil || from > points || to > points {
			r.FindAt("number-format", f.At, object, "%s to %s: want numbers from 0 to 63", fielderr.Quote(f.Name),
				fielderr.Quote(f.Value))
			continue
		}
		if from > of.from || to > of.to {
			r.FindAt("value-refused", f.At, object, "%d to %d: want 0 to %d on the left, and 0 to %d on the right", from,
				to, of.from, of.to)
		}
		m.To[int(from)], m.Lines[int(from)] = int(to), f.At
	}
}

// mapsOf returns the maps that an entry of PORT_QOS_MAP names, by field.
func (r *reading) mapsOf(e *configdb.Entry, object string) map[string]*audit.CodeMap {
	out := map[string]*audit.CodeMap{}
	for _, f := range mapFields {
		name := reference(e, f.kind)
		if m := r.maps[[2]string{f.kind, name}]; name != "" && m != nil {
			out[f.kind] = m
		} else if name != "" {
			r.missing("map-missing", e.At, object, name, f.table)
		}
	}
	return out
}

// priorities reads a list of priorities: "3,4", or nothing.
func (r *reading) priorities(e *configdb.Entry, object, field string) (mask uint16, given bool) {
	text, given := e.Text(field)
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || n >= uint64(groups) {
			r.FindAt("number-format", e.At, object, "%s is %s: want priorities from 0 to 7", field, fielderr.Quote(text))
			continue
		}
		mask |= 1 << n
	}
	return mask, given
}

// reference returns the name that a field points at; "": none.
func reference(e *configdb.Entry, field string) string {
	text, _ := e.Text(field)
	if refs := configdb.References(text); len(refs) > 0 {
		return refs[0]
	}
	return ""
}

// queues reads QUEUE: the scheduler and the marking profile of each queue.
func (r *reading) queues() {
	marking, schedulers := map[string]*audit.Marking{}, map[string]*audit.Scheduler{}
	for _, w := range r.sw.Marking {
		marking[w.Name] = w
	}
	for _, s := range r.sw.Schedulers {
		schedulers[s.Name] = s
	}
	for _, e := range r.db.Table("QUEUE").All() {
		object := "QUEUE|" + e.Key
		if strings.HasPrefix(e.Key, "CPU|") { // its queues have other numbers (sonic-queue.yang)
			continue
		}
		names, from, to, ok := keyed(e.Key, queues)
		if !ok {
			r.FindAt("number-format", e.At, object, "the key names no port and queue: want such as Ethernet0|3, 0 to %d",
				queues-1)
			continue
		}
		q := &audit.QueueEntry{At: e.At}
		if name := reference(e, "scheduler"); name != "" {
			if q.Scheduler = schedulers[name]; q.Scheduler == nil {
				r.missing("scheduler-missing", e.At, object, name, "SCHEDULER")
			}
		}
		if name := reference(e, "wred_profile"); name != "" {
			if q.Marking = marking[name]; q.Marking == nil {
				r.missing("wred-missing", e.At, object, name, "WRED_PROFILE")
			} else {
				q.Marking.Used = true
			}
		}
		for _, name := range names {
			if p := r.ofQueue(e, name, "QUEUE"); p != nil {
				for n := from; n <= to; n++ {
					p.Scheduled[n] = q
				}
			}
		}
	}
}
