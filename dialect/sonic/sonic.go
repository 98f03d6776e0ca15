// Package sonic writes a plan as CONFIG_DB of a SONiC switch: BUFFER_POOL,
// BUFFER_PROFILE, BUFFER_PG, CABLE_LENGTH, PORT_QOS_MAP, TC_TO_PRIORITY_GROUP_MAP,
// WRED_PROFILE and QUEUE. Its YANG form was accepted by sonic-yang-models
// (sonic-buildimage 086b03bd).
//
// A SONiC switch takes changes by its generic configuration updater (config
// apply-patch, or a gNMI Set with origin sonic-db), which refuses some tables:
// every change of BUFFER_POOL, on every platform, and changes of single fields
// of a BUFFER_PROFILE, but not whole profiles
// (sonic-utilities, gcu_field_operation_validators.conf.json and
// field_operation_validators.py). So there are two parts: a patch that can be
// applied now, and pools that need the configuration to be reloaded. That the
// updater takes PORT_QOS_MAP, TC_TO_PRIORITY_GROUP_MAP and CABLE_LENGTH is
// inferred: its list of validators does not name them.
package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

// The names that SONiC's own templates use.
const (
	pool   = "ingress_lossless_pool"
	cables = "AZURE"
)

// ours is the name of the map from traffic classes to groups.
const ours = "CELLWARDEN"

// entry is the fields of one key of a table; table and database nest them.
type (
	entry    map[string]string
	table    map[string]entry
	database map[string]table
)

// The limits of dynamic_th (sonic-buffer-profile.yang).
const leastTh, mostTh = -8, 7

// Render writes a plan as CONFIG_DB.
func Render(p dialect.Plan) *dialect.Rendering {
	w := &writer{plan: p, db: database{}}
	w.pools()
	w.classes()
	for _, port := range p.Ports() {
		w.port(&port)
	}
	reload := database{"BUFFER_POOL": w.db["BUFFER_POOL"]}
	return &dialect.Rendering{
		Dialect: "sonic",
		Files: []dialect.File{
			{Name: "config_db.json", Purpose: "all of it, to be merged into the configuration and reloaded", Content: dialect.JSON(w.db)},
			{Name: "now.json", Purpose: "what the generic updater takes now: config apply-patch, or a gNMI Set with origin sonic-db", Content: dialect.JSON(patch(w.db))},
			{Name: "reload.json", Purpose: "what takes a reload: the generic updater refuses pools on every platform", Content: dialect.JSON(reload)},
		},
		Omitted: p.Omit(w.omitted()),
		Notes:   w.notes(),
	}
}

// writer fills the database.
type writer struct {
	plan      dialect.Plan
	db        database
	strange   []string // ports whose names SONiC does not use
	roundings bool     // a probability was not a whole percent
	outside   bool     // an alpha was not SONiC's
}

func (w *writer) set(name, key string, fields entry) {
	if w.db[name] == nil {
		w.db[name] = table{}
	}
	if w.db[name][key] == nil {
		w.db[name][key] = entry{}
	}
	maps.Copy(w.db[name][key], fields)
}

// pools writes the ingress pool. The operator's own size is taken as it is; else
// the size is the shared cells of all slices.
func (w *writer) pools() {
	shared, headroom := w.plan.Pools()
	size := w.plan.Intent.Pool.Size
	if size == 0 {
		size = shared
	}
	fields := entry{"type": "ingress", "mode": "dynamic", "size": number(size)}
	if headroom > 0 {
		if own := w.plan.Intent.Pool.SharedHeadroom; own > 0 {
			headroom = own
		}
		fields["xoff"] = number(headroom)
	}
	w.set("BUFFER_POOL", pool, fields)
}

// classes writes which traffic class goes to which group. A traffic class is a
// priority here, as in SONiC's own templates.
func (w *writer) classes() {
	fields := entry{}
	for i := range w.plan.Intent.Classes {
		c := &w.plan.Intent.Classes[i]
		for _, p := range c.Priorities {
			group := slices.Min(c.Priorities)
			if c.Lossless {
				group = p
			}
			fields[strconv.Itoa(p)] = strconv.Itoa(group)
		}
	}
	w.set("TC_TO_PRIORITY_GROUP_MAP", ours, fields)
}

func (w *writer) port(p *dialect.Port) {
	if !known(p.Name) {
		w.strange = append(w.strange, p.Name)
	}
	w.set("CABLE_LENGTH", cables, entry{p.Name: fmt.Sprintf("%dm", dialect.Metres(p.Cable))})
	enabled := make([]string, 0, len(p.Groups))
	for _, n := range p.Lossless() {
		enabled = append(enabled, strconv.Itoa(n))
	}
	w.set("PORT_QOS_MAP", p.Name, entry{"pfc_enable": strings.Join(enabled, ","), "tc_to_pg_map": ours})
	w.groups(p)
	w.queues(p)
}

// groups writes the groups of a port, those with the same profile together.
func (w *writer) groups(p *dialect.Port) {
	with := map[string][]int{}
	for n, g := range p.Groups {
		if g != (dialect.Group{}) {
			name := w.profile(p, n, g)
			with[name] = append(with[name], n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		for part := range strings.SplitSeq(dialect.Range(with[name]), ",") {
			w.set("BUFFER_PG", p.Name+"|"+part, entry{"profile": name})
		}
	}
}

// profile returns the name of a profile with the group's content, and makes it
// if need be. Lossless profiles have the names that SONiC gives them.
func (w *writer) profile(p *dialect.Port, n int, g dialect.Group) string {
	fields := w.fields(g)
	class := w.plan.Class(n)
	name := "ingress_lossy_profile"
	if g.Lossless {
		name = fmt.Sprintf("pg_lossless_%d_%dm_profile", int64(p.Rate)/1_000_000, dialect.Metres(p.Cable))
	}
	for try := 1; ; try++ {
		candidate := name
		if try > 1 && class != nil {
			candidate += "_" + word(class.Name)
		}
		if try > 2 {
			candidate += "_" + strconv.Itoa(try-1)
		}
		if there, taken := w.db["BUFFER_PROFILE"][candidate]; !taken || maps.Equal(there, fields) {
			w.set("BUFFER_PROFILE", candidate, fields)
			return candidate
		}
	}
}

// fields are a profile's. With a shared headroom pool the size is the reserved
// part alone; without, the headroom is in it. xon is 0: a group resumes
// xon_offset below its limit, which is what the plan has.
func (w *writer) fields(g dialect.Group) entry {
	size := g.Reserved
	_, shared := w.plan.Pools()
	if shared == 0 {
		size += g.Headroom
	}
	out := entry{"pool": pool, "size": number(size)}
	maps.Copy(out, w.limit(g))
	if g.Lossless {
		maps.Copy(out, entry{"xoff": number(g.Headroom), "xon": "0", "xon_offset": number(g.XONOffset)})
	}
	return out
}

// limit is a group's shared limit. A static one may stand in a dynamic pool:
// sonic-buffer-profile.yang asks for neither, and SONiC's own templates for
// Broadcom have it so.
func (w *writer) limit(g dialect.Group) entry {
	if g.Static > 0 {
		return entry{"static_th": number(g.Static)}
	}
	alpha := min(max(g.Alpha, leastTh), mostTh)
	w.outside = w.outside || alpha != g.Alpha
	if !g.Shared {
		alpha = leastTh // the least that there is; a plan gives every group a limit
	}
	return entry{"dynamic_th": strconv.Itoa(alpha)}
}

// queues writes the marking of a port's queues. All colours of packets are
// marked alike.
func (w *writer) queues(p *dialect.Port) {
	for n, q := range p.Queues {
		if !q.Marks() {
			continue
		}
		percent, exact := dialect.Percent(q.PMax)
		w.roundings = w.roundings || !exact
		fields := entry{"ecn": "ecn_all"}
		for _, colour := range []string{"green", "yellow", "red"} {
			maps.Copy(fields, entry{"wred_" + colour + "_enable": "true", colour + "_min_threshold": number(q.KMin),
				colour + "_max_threshold": number(q.KMax), colour + "_drop_probability": strconv.FormatInt(percent, 10)})
		}
		name := fmt.Sprintf("CW_ECN_%d_%d_%d", q.KMin, q.KMax, percent) // a name has at most 32 characters (sonic-wred-profile.yang)
		w.set("WRED_PROFILE", name, fields)
		w.set("QUEUE", p.Name+"|"+strconv.Itoa(n), entry{"wred_profile": name})
	}
}

// omitted says what CONFIG_DB cannot be given from a plan.
func (w *writer) omitted() map[buffer.Kind]string {
	return map[buffer.Kind]string{
		buffer.PortMinimum:   "BUFFER_PORT_INGRESS_PROFILE_LIST wants a profile with a threshold of the port, which a plan does not have",
		buffer.QueueReserved: "BUFFER_QUEUE wants a profile with a pool and a threshold of the egress, which a plan does not have",
		buffer.QueueWeight:   "SCHEDULER and QUEUE have it; cellwarden does not write them yet",
		buffer.PriorityDSCP:  "DSCP_TO_TC_MAP has it; cellwarden does not write it yet",
	}
}

func (w *writer) notes() []string {
	out := []string{
		"the patch adds entries to tables and fields to PORT_QOS_MAP and QUEUE that the switch must have already; everything else of theirs stays",
		"lossless groups need the pool of reload.json first: the updater does not change it",
		"TC_TO_PRIORITY_GROUP_MAP takes a traffic class to be a priority; the switch's DSCP_TO_TC_MAP has to agree",
	}
	if w.plan.Intent.Pool.Size == 0 {
		out = append(out, "the size of "+pool+" is the shared cells alone: on chips where SONiC's size includes the headroom, add it (size_includes_headroom, with the pool's size, in the topology)")
	}
	if len(w.strange) > 0 {
		out = append(out, "SONiC calls its ports Ethernet0, Ethernet4 and so on: it has none of the names "+buffer.FoldPorts(w.strange))
	}
	if w.roundings {
		out = append(out, "a marking probability is a whole percent: it was rounded to the nearest")
	}
	if w.outside {
		out = append(out, fmt.Sprintf("dynamic_th is %d to %d: an alpha outside was moved to the nearest", leastTh, mostTh))
	}
	return out
}

// known tells whether SONiC could call a port so.
func known(port string) bool {
	digits, ok := strings.CutPrefix(port, "Ethernet")
	_, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil
}

// word is a name without what a key of CONFIG_DB cannot hold.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

func number[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }
