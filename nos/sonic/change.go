package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// change is one difference between a switch's configuration and the wanted one.
type change struct {
	table, key    string
	field         string // empty: the whole entry
	before, after Entry  // of the field alone, or the entry; nil: absent
	why           string // it needs a reload; empty: it can be made now
	stale         bool   // it deletes an entry of cellwarden's that nothing points at
}

// order is the order in which tables are written: an entry comes before those that
// point at it, and PFC is enabled last.
var order = []string{"BUFFER_POOL", trimmings, "BUFFER_PROFILE", "TC_TO_PRIORITY_GROUP_MAP", "DSCP_TO_TC_MAP",
	"WRED_PROFILE", "SCHEDULER", "CABLE_LENGTH", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP", "PFC_WD"}

// shared are the tables whose entries have fields of others beside cellwarden's: only single fields are written.
var shared = []string{"PORT_QOS_MAP", "QUEUE", "CABLE_LENGTH"}

// changes compares the wanted configuration with the switch's, and decides for each
// difference whether it can be made now.
func (o Options) changes(w *writer) []change {
	d := &differ{now: o.Current, want: w.db, updater: o.updater(w.plan), waits: map[string]map[string]string{},
		keys: map[string]portKeys{}}
	for _, name := range []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"} {
		d.keys[name] = d.want[name].byPort()
	}
	for _, name := range order {
		for _, key := range slices.Sorted(maps.Keys(d.want[name])) {
			d.entry(name, key)
		}
	}
	d.overlaps()
	d.pfcOff()
	d.unwanted()
	d.judge()
	d.stale()
	slices.SortStableFunc(d.out, func(a, b change) int { return a.rank() - b.rank() })
	return d.out
}

// rank orders the changes: by table, deletions of stale entries last.
func (c *change) rank() int {
	n := slices.Index(order, c.table)
	if c.stale {
		n += len(order)
	}
	return n
}

// differ collects the differences.
type differ struct {
	now, want Database
	keys      map[string]portKeys // of the wanted tables of groups and queues
	updater   updater
	out       []change
	waits     map[string]map[string]string // profiles and pools that wait, with the reason
}

func (d *differ) add(c change) { d.out = append(d.out, c) }

// entry compares one entry. An entry that is absent is added as a whole; of one that
// exists, the fields that differ are written.
func (d *differ) entry(name, key string) {
	want := d.want[name][key]
	have, there := d.now[name][key]
	if !there && !(d.now == nil && slices.Contains(shared, name)) {
		d.add(change{table: name, key: key, after: want})
		return
	}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		v, old := have[field]
		if v == want[field] && old {
			continue
		}
		c := change{table: name, key: key, field: field, after: Entry{field: want[field]}}
		if old {
			c.before = Entry{field: v}
		}
		d.add(c)
	}
	for _, field := range contradicting(name, have, want) {
		d.add(change{table: name, key: key, field: field, before: Entry{field: have[field]}})
	}
}

// contradicting names the fields of an entry that contradict the wanted one: of a profile any
// field that it does not want, of a binding a pointer at an entry of cellwarden's.
func contradicting(name string, have, want Entry) []string {
	var out []string
	for _, p := range pointers {
		if _, wanted := want[p.field]; p.table == name && !wanted && isOwn(have[p.field]) {
			out = append(out, p.field)
		}
	}
	if name != "BUFFER_PROFILE" {
		return out
	}
	for _, field := range []string{"dynamic_th", "static_th", "xoff", "xon", "xon_offset"} {
		if _, wanted := want[field]; !wanted && have[field] != "" {
			out = append(out, field)
		}
	}
	if trims(have) && !trims(want) {
		out = append(out, discardAction)
	}
	return out
}

// overlaps finds entries of the switch that cover groups or queues of the plan under
// another key. Such an entry of groups is deleted. An entry of queues is left, because
// its other queues may be configured on purpose; the plan's queues wait.
func (d *differ) overlaps() {
	for _, name := range []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"} {
		for _, key := range slices.Sorted(maps.Keys(d.now[name])) {
			have, ok := scopeOf(key)
			if !ok || d.want[name][key] != nil {
				continue
			}
			crossed := d.overlapping(name, have)
			if len(crossed) == 0 {
				continue
			}
			if name == "BUFFER_PG" && len(have.ports) == 1 {
				d.add(change{table: name, key: key, before: d.now[name][key]})
				continue
			}
			for i := range d.out {
				if c := &d.out[i]; c.table == name && slices.Contains(crossed, c.key) {
					c.why = fmt.Sprintf("the switch has it in %s %s; divide this entry by hand", name, key)
				}
			}
		}
	}
}

// overlapping lists the wanted keys that share a group or queue with a scope.
func (d *differ) overlapping(name string, have scope) []string {
	var out []string
	for _, port := range have.ports {
		for _, key := range d.keys[name][port] {
			if s, _ := scopeOf(key); s.which&have.which != 0 {
				out = append(out, key)
			}
		}
	}
	return out
}

// pfcOff removes the pfc_enable of the plan's ports without PFC where the plan does not have it empty. The buffer
// manager and the chip notice that only after a reload.
func (d *differ) pfcOff() {
	for _, port := range slices.Sorted(maps.Keys(d.want["PORT_QOS_MAP"])) {
		if d.keepsPFC(port) != "" {
			d.add(change{table: "PORT_QOS_MAP", key: port, field: "pfc_enable",
				before: Entry{"pfc_enable": d.now["PORT_QOS_MAP"][port]["pfc_enable"]}})
		}
	}
}

// keepsPFC says why a port has PFC until a reload; empty: it has none, or shall have it.
func (d *differ) keepsPFC(port string) string {
	wanted := d.want["PORT_QOS_MAP"][port]
	if _, written := wanted["pfc_enable"]; wanted == nil || written || d.now["PORT_QOS_MAP"][port]["pfc_enable"] == "" {
		return ""
	}
	why := "the model of releases before " + emptyPFC.String() + " refuses an empty pfc_enable, and "
	if d.updater.release == 0 {
		return why + unknownRelease
	}
	return why + "the release is " + d.updater.release.String()
}

// unwanted removes what the plan's ports have beyond the plan: lossless profiles of
// groups, cellwarden's own marking and schedulers of queues, and the PFC watchdog of a port
// without PFC. Groups and watchdog stay until a reload where PFC does.
func (d *differ) unwanted() {
	for _, port := range slices.Sorted(maps.Keys(d.now["PFC_WD"])) {
		if wanted := d.want["PORT_QOS_MAP"][port]; wanted != nil && wanted["pfc_enable"] == "" {
			d.add(change{table: "PFC_WD", key: port, before: d.now["PFC_WD"][port], why: d.keepsPFC(port)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.now["BUFFER_PG"])) {
		have, ok := scopeOf(key)
		e := d.now["BUFFER_PG"][key]
		if ok && len(have.ports) == 1 && d.planned(have) && d.want["BUFFER_PG"][key] == nil && len(d.overlapping("BUFFER_PG",
			have)) == 0 && (strings.HasPrefix(e["profile"], "pg_lossless_") || strings.HasPrefix(e["profile"], ownLossless)) {
			d.add(change{table: "BUFFER_PG", key: key, before: e, why: d.keepsPFC(have.ports[0])})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.now["QUEUE"])) {
		have, ok := scopeOf(key)
		if !ok || !d.planned(have) || d.want["QUEUE"][key] != nil || len(d.overlapping("QUEUE", have)) > 0 {
			continue
		}
		for _, field := range contradicting("QUEUE", d.now["QUEUE"][key], nil) {
			d.add(change{table: "QUEUE", key: key, field: field, before: Entry{field: d.now["QUEUE"][key][field]}})
		}
	}
}

// planned tells whether all ports of a scope are of the plan.
func (d *differ) planned(s scope) bool {
	return !slices.ContainsFunc(s.ports, func(p string) bool { return d.want["PORT_QOS_MAP"][p] == nil })
}

// stale deletes cellwarden's own entries that nothing points at once the changes are
// made. It does no harm if the updater refuses a deletion.
func (d *differ) stale() {
	if d.now == nil {
		return
	}
	after, want := d.after().Named(), d.want.Named()
	for _, name := range order {
		for _, key := range slices.Sorted(maps.Keys(d.now[name])) {
			if want[name] == nil || want[name][key] || after[name][key] || !isOwn(key) {
				continue
			}
			if judged := name == "BUFFER_PROFILE" || name == "WRED_PROFILE"; !judged || d.updater.wholeProfile() == "" {
				d.add(change{table: name, key: key, before: d.now[name][key], stale: true})
			}
		}
	}
}

// pointers are the fields that point at entries that may become stale.
var pointers = []struct{ table, field, to string }{
	{"BUFFER_PG", "profile", "BUFFER_PROFILE"},
	{"BUFFER_QUEUE", "profile", "BUFFER_PROFILE"},
	{"BUFFER_PORT_INGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE"},
	{"BUFFER_PORT_EGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE"},
	{"QUEUE", "wred_profile", "WRED_PROFILE"},
	{"QUEUE", "scheduler", "SCHEDULER"},
	{"PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
	{"PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"},
}

// after is the switch's configuration once every change is made that can be made now.
func (d *differ) after() Database {
	out := Database{}
	for name, table := range d.now {
		for key, e := range table {
			out.Set(name, key, e)
		}
	}
	for _, c := range d.out {
		if c.why != "" {
			continue
		}
		switch {
		case c.after == nil && c.field == "":
			delete(out[c.table], c.key)
		case c.after == nil:
			delete(out[c.table][c.key], c.field)
		default:
			out.Set(c.table, c.key, c.after)
		}
	}
	return out
}
