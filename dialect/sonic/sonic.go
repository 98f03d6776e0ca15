// Package sonic writes a plan as CONFIG_DB of a SONiC switch: BUFFER_POOL,
// BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE, CABLE_LENGTH, PORT_QOS_MAP,
// TC_TO_PRIORITY_GROUP_MAP, DSCP_TO_TC_MAP, SCHEDULER, WRED_PROFILE and QUEUE.
// Its YANG form was accepted by sonic-yang-models (sonic-buildimage 086b03bd).
//
// # What a switch takes while it runs
//
// A SONiC switch changes its configuration with the generic configuration updater
// (config apply-patch, or a gNMI Set with origin sonic-db). The updater refuses some
// changes by table, field, chip and release. [Render] sorts the changes by the
// updater's rules into those that can be made now and those that need a reload of the
// configuration. [Options] say what is known of the switch: the chip, the release, and
// its current configuration. Where something is not known, Render assumes the worst: a
// profile may exist already with other content, and the release may refuse it.
//
// The updater takes a port down while it changes the port's groups, queues or PFC, and
// up again. So a change that can be made now is not free of loss.
//
// A change that depends on one that needs a reload waits with it: groups and queues
// wait for their profiles, a port's PFC and cable for its lossless groups.
//
// # What the switch writes itself
//
// SONiC's buffer manager writes into CONFIG_DB too. Where its table has a row for a
// port's speed and cable, it binds the lossless groups to a profile
// pg_lossless_<speed>_<cable>_profile, which it creates if there is none. The plan's
// lossless profiles have these names, so that both agree and a pushed plan survives a
// restart.
//
// # The sizes of pools, and log lines
//
// [PoolInputsOf] computes the size that SONiC's dynamic buffer manager gives its pools,
// which is a remainder that may be negative. [ProfileSyslog] and [SpeedCableSyslog] are
// the lines that it logs when headroom does not fit.
package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
	"github.com/cellwarden/cellwarden/thresholds"
)

// The names that SONiC's own templates use.
const (
	pool   = "ingress_lossless_pool"
	cables = "AZURE"
)

// The names of entries that belong to cellwarden. An entry with such a name that
// nothing points at is deleted.
const (
	ownMap     = "CELLWARDEN" // map from traffic classes to groups
	ownMarking = "CW_ECN_"
	ownLossy   = "CW_LOSSY_"
	ownQueue   = "CW_QUEUE_"

	ownDSCP      = "CW_DSCP_"
	ownScheduler = "CW_SCHED_"
)

// The limits of dynamic_th (sonic-buffer-profile.yang).
const leastTh, mostTh = -8, 7

// Options are what is known of the switch. The zero Options say that nothing is
// known.
type Options struct {
	// ASIC is the updater's name of the chip, one of ASICs. Empty: that of the
	// plan's chip, if it has one.
	ASIC string
	// Release is the release of SONiC, as ParseRelease takes it. Empty: not known.
	Release string
	// Current is the switch's configuration. nil: not known; then values that a plan
	// does not have, and that have to be kept, cannot be written.
	Current Database
}

// Render writes a plan for an unknown switch.
func Render(p dialect.Plan) *dialect.Rendering { return Options{}.Render(p) }

// Render writes a plan for a switch. The first file is the whole, the second what
// the updater accepts now, and the third what needs a reload. With Options.Current the
// second and the third are differences from it.
func (o Options) Render(p dialect.Plan) *dialect.Rendering {
	w := &writer{plan: p, now: o.Current, db: Database{}, keys: map[string]portKeys{}}
	w.pools()
	w.classes()
	for _, port := range p.Ports() {
		w.port(&port)
	}
	w.regroup("QUEUE")
	w.regroup("BUFFER_QUEUE")
	changes := o.changes(w)
	sent := updates(changes, o.Current)
	r := &dialect.Rendering{
		Dialect: "sonic",
		Files: []dialect.File{
			{Name: "config_db.json", Purpose: "the whole plan; merge it into the configuration and reload",
				Content: dialect.JSON(w.db)},
			{Name: "now.json", Purpose: "the changes that the running switch accepts: config apply-patch, or a gNMI Set with " +
				"origin sonic-db", Content: dialect.JSON(patch(sent))},
			{Name: "reload.json", Purpose: "the changes that need a reload; merge them into the configuration and reload",
				Content: dialect.JSON(reload(changes))},
		},
		Updates: sent,
		Waiting: waiting(changes),
		Omitted: p.Omit(w.omitted()),
	}
	r.Notes = append(w.notes(o), byHand(changes)...)
	return r
}

// updater is what is known of the switch's updater.
func (o Options) updater(p dialect.Plan) updater {
	u := updater{asic: o.ASIC, release: releaseOf(o.Release)}
	if u.asic == "" {
		u.asic = chips[p.Intent.Chip.Name]
	}
	return u
}

// writer fills the database.
type writer struct {
	plan         dialect.Plan
	now          Database // what the switch has; nil: not known
	db           Database
	keys         map[string]portKeys // of tables of now, as far as they were looked at
	dedicated    bool                // there is no shared headroom pool: headroom is in the sizes
	unknownPorts []string            // ports whose names SONiC does not use, or the switch has not
	rounded      bool                // a probability was not a whole percent
	outside      bool                // an alpha was not SONiC's
	minima       string              // why minima of queues are not written; empty: they are
	several      []string            // ports whose lossless groups have different profiles
}

func (w *writer) set(name, key string, fields Entry) {
	if w.db[name] == nil {
		w.db[name] = Table{}
	}
	if w.db[name][key] == nil {
		w.db[name][key] = Entry{}
	}
	maps.Copy(w.db[name][key], fields)
}

// reuse sets an entry under cellwarden's name, unless the switch has an entry of
// another name with these fields: then it sets that one. It returns the name.
func (w *writer) reuse(name, own string, fields Entry) string {
	for _, key := range slices.Sorted(maps.Keys(w.now[name])) {
		if !isOwn(key) && w.now[name][key].holds(fields) && len(contradicting(name, w.now[name][key], fields)) == 0 {
			own = key
			break
		}
	}
	w.set(name, own, fields)
	return own
}

// isOwn tells whether an entry of this name belongs to cellwarden.
func isOwn(name string) bool {
	return name == ownMap || slices.ContainsFunc([]string{ownMarking, ownLossy, ownQueue, ownDSCP, ownScheduler},
		func(prefix string) bool {
			return strings.HasPrefix(name, prefix)
		})
}

// pools writes the ingress pool. A size in the intent is written unchanged; else the
// size is the shared cells of all slices.
func (w *writer) pools() {
	shared, headroom := w.plan.Pools()
	w.dedicated = headroom == 0
	size := w.plan.Intent.Pool.Size
	if size == 0 {
		size = shared
	}
	fields := Entry{"type": "ingress", "mode": "dynamic", "size": number(size)}
	if there := w.now["BUFFER_POOL"][pool]; there != nil { // these two cannot be changed, and mean the same for a plan
		for _, name := range []string{"type", "mode"} {
			if v, ok := there[name]; ok {
				fields[name] = v
			}
		}
	}
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
	w.set("TC_TO_PRIORITY_GROUP_MAP", w.classMap(), w.classFields())
}

func (w *writer) classFields() Entry {
	fields := Entry{}
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
	return fields
}

// classMap is the name of the map: cellwarden's, unless the switch has one with the
// same content.
func (w *writer) classMap() string {
	return w.reuse("TC_TO_PRIORITY_GROUP_MAP", ownMap, w.classFields())
}

func (w *writer) port(p *dialect.Port) {
	if _, there := w.now["PORT"][p.Name]; !isPortName(p.Name) || w.now != nil && !there {
		w.unknownPorts = append(w.unknownPorts, p.Name)
	}
	w.set("CABLE_LENGTH", w.cableList(p.Name), Entry{p.Name: fmt.Sprintf("%dm", dialect.Metres(p.Cable))})
	enabled := make([]string, 0, len(p.Groups))
	for _, n := range p.Lossless() {
		enabled = append(enabled, strconv.Itoa(n))
	}
	w.set("PORT_QOS_MAP", p.Name, Entry{"pfc_enable": strings.Join(enabled, ","), "tc_to_pg_map": w.classMap()})
	if name := w.codePoints(p); name != "" {
		w.set("PORT_QOS_MAP", p.Name, Entry{"dscp_to_tc_map": name})
	}
	w.groups(p)
	w.queues(p)
}

// cableList is the name of the list of cables in which the switch has a port.
func (w *writer) cableList(port string) string {
	lists := slices.Sorted(maps.Keys(w.now["CABLE_LENGTH"]))
	for _, key := range lists {
		if _, there := w.now["CABLE_LENGTH"][key][port]; there {
			return key
		}
	}
	if len(lists) > 0 && !slices.Contains(lists, cables) {
		return lists[0]
	}
	return cables
}

// groups writes the groups of a port, those with the same profile together.
func (w *writer) groups(p *dialect.Port) {
	with := map[string][]int{}
	lossless := map[string]bool{}
	for n, g := range p.Groups {
		if !g.Empty() {
			name := w.profile(p, n, g)
			with[name] = append(with[name], n)
			if g.Lossless {
				lossless[name] = true
			}
		}
	}
	if len(lossless) > 1 {
		w.several = append(w.several, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		for part := range strings.SplitSeq(dialect.Range(with[name]), ",") {
			w.set("BUFFER_PG", p.Name+"|"+part, Entry{"profile": name})
		}
	}
}

// profile returns the name of a profile with the group's content, and sets it if
// there is none. Lossless profiles have the names that SONiC gives them. The others are
// named by their content, because the switch's own profiles have other users.
func (w *writer) profile(p *dialect.Port, n int, g dialect.Group) string {
	fields := w.fields(g)
	if !g.Lossless {
		return w.reuse("BUFFER_PROFILE", ownLossy+contentName(fields), fields)
	}
	class := w.plan.Class(n)
	name := fmt.Sprintf("pg_lossless_%d_%dm_profile", int64(p.Rate)/1_000_000, dialect.Metres(p.Cable))
	for try := 1; ; try++ {
		candidate := name
		if try > 1 && class != nil {
			candidate += "_" + keyText(class.Name)
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

// contentName is the content of a profile as part of its name.
func contentName(fields Entry) string {
	if v, static := fields["static_th"]; static {
		return fields["size"] + "_static" + v
	}
	return fields["size"] + "_alpha" + fields["dynamic_th"]
}

// fields are the fields of a group's profile. With a shared headroom pool the size is
// the reserved part alone; without, it includes the headroom. xon is 0: a group resumes
// xon_offset below its limit, which is the plan's XON offset.
func (w *writer) fields(g dialect.Group) Entry {
	size := g.Reserved
	if w.dedicated {
		size += g.Headroom
	}
	out := Entry{"pool": pool, "size": number(size)}
	maps.Copy(out, w.limit(g))
	if g.Lossless {
		maps.Copy(out, Entry{"xoff": number(g.Headroom), "xon": "0", "xon_offset": number(g.XONOffset)})
	}
	return out
}

// limit is the field with a group's shared limit. A static limit may stand in a
// dynamic pool: sonic-buffer-profile.yang does not couple them, and SONiC's own
// templates for Broadcom have static limits in dynamic pools.
func (w *writer) limit(g dialect.Group) Entry {
	if g.Static > 0 {
		return Entry{"static_th": number(g.Static)}
	}
	if g.Limit == thresholds.Static(0) {
		return Entry{"dynamic_th": strconv.Itoa(leastTh)} // CONFIG_DB has no limit of 0; plans have none either
	}
	asked := g.Limit.Alpha().DynamicTh()
	alpha := min(max(asked, leastTh), mostTh)
	w.outside = w.outside || alpha != asked
	return Entry{"dynamic_th": strconv.Itoa(alpha)}
}

// omitted says which registers of a plan are not written to CONFIG_DB, and why.
func (w *writer) omitted() map[buffer.Kind]string {
	out := map[buffer.Kind]string{
		buffer.PortMinimum: "BUFFER_PORT_INGRESS_PROFILE_LIST needs a profile with a threshold for the port, which a plan " +
			"does not have",
	}
	if w.minima != "" {
		out[buffer.QueueReserved] = w.minima
	}
	return out
}

// isPortName tells whether a name is one that SONiC gives its ports.
func isPortName(port string) bool {
	digits, ok := strings.CutPrefix(port, "Ethernet")
	_, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil
}

// keyText is a name without the characters that a key of CONFIG_DB cannot have.
func keyText(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

func number[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }
