package audit

import (
	"maps"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// codeMap is a map of code points, traffic classes or priorities to numbers: an entry of such as DSCP_TO_TC_MAP.
type codeMap struct {
	name, object string
	at           configdb.Place
	to           map[int]int
	line         map[int]configdb.Place
	used         bool // by a port
}

// wredProfile is an entry of WRED_PROFILE.
type wredProfile struct {
	name     string
	object   string // that names it in findings
	at       configdb.Place
	ecn      string
	min, max map[string]Number // by colour
	drop     map[string]Number // the highest probability in percent, by colour
	enable   map[string]string // whether packets that are not ECN-capable are dropped, by colour
	used     bool
}

// colours are the colours of a WRED profile.
var colours = []string{"green", "yellow", "red"}

// scheduler is an entry of SCHEDULER.
type scheduler struct {
	name, kind string
	weight     Number
	shaped     bool // it has a rate
	at         configdb.Place
}

// The fields of PORT_QOS_MAP that name a map, and the tables of the maps.
var mapFields = []struct{ field, table string }{
	{"dscp_to_tc_map", "DSCP_TO_TC_MAP"},
	{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
	{"tc_to_queue_map", "TC_TO_QUEUE_MAP"},
	{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"},
	{"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"},
}

// qosMaps reads the maps, the marking profiles and the schedulers.
func (r *reading) qosMaps() {
	for _, e := range r.db.Table("WRED_PROFILE").All() {
		w := &wredProfile{name: e.Key, object: "WRED_PROFILE|" + e.Key, at: e.At, min: map[string]Number{},
			max: map[string]Number{}, drop: map[string]Number{}, enable: map[string]string{}}
		w.ecn, _ = e.Text("ecn")
		for _, c := range colours {
			object := "WRED_PROFILE|" + e.Key
			w.min[c], w.max[c] = r.size(e, object, c+"_min_threshold"), r.size(e, object, c+"_max_threshold")
			w.enable[c], _ = e.Text("wred_" + c + "_enable")
			p := r.number(e, object, c+"_drop_probability")
			if w.drop[c] = p; p.Given && (p.Value < 0 || p.Value > 100) {
				r.add(NumberFormat, p.At, object, nil, "%s_drop_probability is %d: accepted is 0 to 100", c, p.Value)
			}
		}
		r.sw.wred = append(r.sw.wred, w)
	}
	for _, e := range r.db.Table("SCHEDULER").All() {
		s := &scheduler{name: e.Key, at: e.At, weight: r.number(e, "SCHEDULER|"+e.Key, "weight")}
		s.kind, _ = e.Text("type")
		s.shaped = e.Field("pir") != nil || e.Field("cir") != nil
		r.sw.schedulers = append(r.sw.schedulers, s)
	}
	r.queues()
}

// qos reads the maps, and which map and which priorities each port has.
func (r *reading) qos() {
	r.sw.maps = map[string]map[string]*codeMap{}
	for _, f := range mapFields {
		named := map[string]*codeMap{}
		for _, e := range r.db.Table(f.table).All() {
			named[e.Key] = r.codes(e, f.table+"|"+e.Key)
		}
		r.sw.maps[f.table] = named
	}
	for _, e := range r.db.Table("PORT_QOS_MAP").All() {
		object := "PORT_QOS_MAP|" + e.Key
		named := r.mapsOf(e, object)
		mask, has := r.pfc(e, object)
		if e.Key == "global" {
			continue
		}
		for name := range strings.SplitSeq(e.Key, ",") {
			p := r.existing(strings.TrimSpace(name), e.At)
			if p == nil {
				continue
			}
			p.MapAt, p.PFC, p.HasPFC = e.At, mask, has
			maps.Copy(p.Maps, named)
		}
	}
}

// codes reads a map.
func (r *reading) codes(e *configdb.Entry, object string) *codeMap {
	m := &codeMap{name: e.Key, object: object, at: e.At, to: map[int]int{}, line: map[int]configdb.Place{}}
	for _, f := range e.Fields {
		from, bad := strconv.ParseUint(strings.TrimSpace(f.Name), 10, 8)
		to, worse := strconv.ParseUint(strings.TrimSpace(f.Value), 10, 8)
		if bad != nil || worse != nil || from > 63 || to > 63 {
			r.add(NumberFormat, f.At, object, nil, "%s to %s: accepted are numbers from 0 to 63", fielderr.Quote(f.Name),
				fielderr.Quote(f.Value))
			continue
		}
		m.to[int(from)], m.line[int(from)] = int(to), f.At
	}
	return m
}

// mapsOf returns the maps that an entry of PORT_QOS_MAP names, by field.
func (r *reading) mapsOf(e *configdb.Entry, object string) map[string]string {
	out := map[string]string{}
	for _, f := range mapFields {
		text, given := e.Text(f.field)
		refs := configdb.References(text)
		if !given || len(refs) == 0 {
			continue
		}
		if m := r.sw.maps[f.table][refs[0]]; m != nil {
			m.used = true
			out[f.field] = refs[0]
		} else {
			r.missing(mapMissing, e.At, object, refs[0], f.table)
		}
	}
	return out
}

// pfc reads pfc_enable: "3,4", or nothing.
func (r *reading) pfc(e *configdb.Entry, object string) (mask uint16, given bool) {
	text, given := e.Text("pfc_enable")
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || n >= groupsPerPort {
			r.add(NumberFormat, e.At, object, nil, "pfc_enable is %s: accepted are priorities from 0 to 7",
				fielderr.Quote(text))
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
	marking, schedulers := map[string]*wredProfile{}, map[string]bool{}
	for _, w := range r.sw.wred {
		marking[w.name] = w
	}
	for _, s := range r.sw.schedulers {
		schedulers[s.name] = true
	}
	for _, e := range r.db.Table("QUEUE").All() {
		object := "QUEUE|" + e.Key
		names, from, to, ok := scope(e.Key, queuesPerPort)
		if !ok {
			r.add(NumberFormat, e.At, object, nil, "the key names no port and queue: accepted is such as Ethernet0|3, 0 to %d",
				queuesPerPort-1)
			continue
		}
		q := &queueEntry{at: e.At, object: object}
		if q.scheduler = reference(e, "scheduler"); q.scheduler != "" {
			if !schedulers[q.scheduler] {
				r.missing(schedulerMissing, e.At, object, q.scheduler, "SCHEDULER")
			}
		}
		if q.wred = reference(e, "wred_profile"); q.wred != "" {
			if w := marking[q.wred]; w == nil {
				r.missing(wredMissing, e.At, object, q.wred, "WRED_PROFILE")
			} else {
				w.used = true
			}
		}
		for _, name := range names {
			if p := r.existing(name, e.At); p != nil {
				for n := from; n <= to; n++ {
					p.Scheduled[n] = q
				}
			}
		}
	}
}
