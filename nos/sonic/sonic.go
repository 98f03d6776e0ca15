package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// The names that SONiC's own templates use.
const (
	pool   = "ingress_lossless_pool"
	cables = "AZURE"
)

// The names of entries that belong to cellwarden. An entry with such a name that nothing points at is deleted.
const (
	ownMap     = "CELLWARDEN" // map from traffic classes to groups
	ownMarking = "CW_ECN_"
	ownLossy   = "CW_LOSSY_"
	// a lossless profile of ports whose groups the buffer manager does not bind
	ownLossless = "CW_LOSSLESS_"
	ownQueue    = "CW_QUEUE_"

	ownDSCP      = "CW_DSCP_"
	ownScheduler = "CW_SCHED_"
)

// The limits of dynamic_th (sonic-buffer-profile.yang).
const leastTh, mostTh = -8, 7

// Options are what is known of the switch. The zero Options say that nothing is known.
type Options struct {
	// ASIC is the updater's name of the chip, one of ASICs. Empty: that of the plan's chip, if it has one.
	ASIC string
	// Release is the release of SONiC, as ParseRelease takes it. Empty: not known.
	Release string
	// Current is the switch's configuration. nil: not known; then values that a plan
	// does not have, and that have to be kept, cannot be written.
	Current Database
	// Model is how the switch manages its buffers. Unknown: as Current says; without
	// Current, as the images for the chip are built, and Rendering.Undone says so.
	Model Model
	// Table is the headroom table of the switch, pg_profile_lookup.ini, which the
	// traditional buffer manager reads. nil: not known.
	Table *table.Table
	// MaxHeadroom is the largest headroom of a port for which the dynamic buffer manager drops no groups:
	// max_headroom_size of BUFFER_MAX_PARAM_TABLE in STATE_DB. Absent: not known.
	MaxHeadroom unit.Optional[unit.Bytes]
}

// Render writes a plan for a switch. The first file is the whole, the second what the updater accepts now, and the
// third what needs a reload. With Options.Current the second and the third are differences from it. Where cables have
// to be changed before anything else, a file of its own has them, and the second does not; another has the deletions of
// what nothing points at once the second is applied.
func (o Options) Render(p nos.Plan) *nos.Rendering {
	w := &writer{plan: p, now: o.Current, db: Database{}, keys: map[string]portKeys{}, manager: o.manager(p),
		most: o.MaxHeadroom, emptyPFC: releaseOf(o.Release) >= emptyPFC}
	_, headroom := p.Pools()
	w.dedicated = headroom == 0
	w.db.Set("BUFFER_POOL", pool, w.poolFields())
	w.classMap()
	ports := p.Ports()
	if w.manager.model != Dynamic {
		w.left = w.alone(ports)
	}
	for i := range ports {
		w.port(&ports[i])
	}
	w.trimming()
	w.regroup("QUEUE")
	w.regroup("BUFFER_QUEUE")
	changes := o.changes(w)
	sent := updates(changes, o.Current)
	phases := map[int][]nos.Update{}
	for _, u := range sent {
		phases[u.Phase] = append(phases[u.Phase], u)
	}
	r := &nos.Rendering{
		Dialect: "sonic",
		Files: []nos.File{
			{Name: "config_db.json", Purpose: "the whole plan; merge it into the configuration and reload",
				Content: nos.JSON(w.db)},
			{Name: "now.json", Purpose: "the changes that the running switch accepts: config apply-patch, or a gNMI Set with " +
				"origin sonic-db", Content: nos.JSON(patch(phases[changesThen]))},
			{Name: "reload.json", Purpose: "the changes that need a reload; merge them into the configuration and reload",
				Content: nos.JSON(reload(changes))},
		},
		Updates: sent,
		Waiting: waiting(changes),
		Omitted: slices.Concat(withoutTrimming(p).Omit(w.omitted()), w.omitTrimming(), w.withoutPFC()),
		Shares:  nos.OneLevelShares(&p.Intent),
		Undone:  w.undone(),
	}
	for _, f := range []struct {
		phase         int
		name, purpose string
	}{
		{cablesFirst, "first.json", "the cables that the running switch has to have before now.json: config apply-patch"},
		{staleLast, "last.json", "deletions of entries that nothing points at after now.json: config apply-patch"},
	} {
		if len(phases[f.phase]) > 0 {
			r.Files = append(r.Files, nos.File{Name: f.name, Purpose: f.purpose, Content: nos.JSON(patch(phases[f.phase]))})
		}
	}
	r.Notes = append(w.notes(o), byHand(changes)...)
	return r
}

// updater is what is known of the switch's updater.
func (o Options) updater(p nos.Plan) updater {
	return updater{asic: cmp.Or(o.ASIC, chips[p.Intent.Chip.Name]), release: releaseOf(o.Release)}
}

// writer fills the database.
type writer struct {
	plan         nos.Plan
	now          Database // what the switch has; nil: not known
	db           Database
	keys         map[string]portKeys // of tables of now, as far as they were looked at
	dedicated    bool                // there is no shared headroom pool: headroom is in the sizes
	unknownPorts []string            // ports whose names SONiC does not use, or the switch has not
	rounded      bool                // a probability was not a whole percent
	outside      bool                // an alpha was not SONiC's
	minima       string              // why minima of queues are not written; empty: they are
	untrimmed    string              // why queues of the plan do not trim; empty: they do
	emptyPFC     bool                // the switch's release takes an empty pfc_enable
	unsaid       []string            // ports whose PFC is not turned off, because it takes none and they may have it
	credited     []string            // ports with credits, whose PFC and map are left
	otherPools   []string            // that lossy groups stay in
	dropped      bool                // a group has a limit that the manager would not take

	manager manager
	most    unit.Optional[unit.Bytes] // max_headroom_size of a port; absent: not known
	left    map[string]string         // ports whose groups the manager has to leave alone, with the reason
	leaves  map[string][]string       // the same by reason
	follows []string                  // ports whose groups the manager binds as the plan does
}

// reuse sets an entry under cellwarden's name, unless the switch has an entry of
// another name with these fields: then it sets that one, first of all the one that is in use now. It returns the name.
func (w *writer) reuse(name, own string, fields Entry, now string) string {
	for _, key := range append([]string{now}, slices.Sorted(maps.Keys(w.now[name]))...) {
		if !isOwn(key) && w.now[name][key].holds(fields) && len(contradicting(name, w.now[name][key], fields)) == 0 {
			own = key
			break
		}
	}
	w.db.Set(name, own, fields)
	return own
}

// isOwn tells whether an entry of this name belongs to cellwarden.
func isOwn(name string) bool {
	return name == ownMap || slices.ContainsFunc([]string{ownMarking, ownLossy, ownLossless, ownQueue, ownDSCP,
		ownScheduler},
		func(prefix string) bool {
			return strings.HasPrefix(name, prefix)
		})
}

// poolFields are the fields of the ingress pool. A size in the intent is written unchanged; else the size is the shared
// cells of all slices. The dynamic manager has no size. A chip with memory beside it has one pool for ingress and
// egress (SONiC's files of the NH-5010, the 7800R3 and others; FBOSS SaiBufferManager.cpp), if it is Broadcom's; of
// Cisco's nothing says so.
func (w *writer) poolFields() Entry {
	shared, headroom := w.plan.Pools()
	size := cmp.Or(w.plan.Intent.Pool.Size, shared)
	fields := Entry{"type": "ingress", "mode": "dynamic"}
	if c := &w.plan.Intent.Chip; c.Deep() && chips[c.Name] != "cisco-8000" {
		fields["type"] = "both"
	}
	if w.manager.model != Dynamic {
		fields["size"] = number(size)
	}
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
	return fields
}

// groupsOf leads the priorities of classes to their groups.
func groupsOf(classes []buffer.Class) Entry {
	fields := Entry{}
	for i := range classes {
		c := &classes[i]
		for _, p := range c.Priorities {
			group := p
			if groups := c.Groups(); len(groups) == 1 {
				group = groups[0]
			}
			fields[strconv.Itoa(p)] = strconv.Itoa(group)
		}
	}
	return fields
}

// classMap writes which traffic class goes to which group, and returns the name of the map: cellwarden's, unless the
// switch has one with the same content. A traffic class is a priority here, as in SONiC's own templates.
func (w *writer) classMap() string {
	return w.reuse("TC_TO_PRIORITY_GROUP_MAP", ownMap, groupsOf(w.plan.Intent.Classes), "")
}

// classMapOf is the name of the map of a port. A port that does not carry all classes keeps its map if that leads the
// priorities of its classes to their groups: where it leads others is not the plan's.
func (w *writer) classMapOf(p *nos.Port) string {
	now := w.now["PORT_QOS_MAP"][p.Name]["tc_to_pg_map"]
	has := w.now["TC_TO_PRIORITY_GROUP_MAP"][now]
	if p.Port.Classes == 0 || has == nil || isOwn(now) {
		return w.classMap()
	}
	var carried []buffer.Class
	for i := range w.plan.Intent.Classes {
		if p.Port.Classes.Has(i) {
			carried = append(carried, w.plan.Intent.Classes[i])
		}
	}
	if has.holds(groupsOf(carried)) {
		return now
	}
	return w.classMap()
}

func (w *writer) port(p *nos.Port) {
	if _, there := w.now["PORT"][p.Name]; !isPortName(p.Name) || w.now != nil && !there {
		w.unknownPorts = append(w.unknownPorts, p.Name)
	}
	w.db.Set("CABLE_LENGTH", w.cableList(p.Name), Entry{p.Name: w.cable(p)})
	enabled := make([]string, 0, len(p.Groups))
	for _, n := range slices.Sorted(slices.Values(slices.Concat(p.Lossless(), p.WithoutHeadroom()))) {
		enabled = append(enabled, strconv.Itoa(n))
	}
	w.groups(p)
	w.queues(p)
	w.watchdog(p)
	if p.Credits {
		w.credited = append(w.credited, p.Name)
		return
	}
	w.db.Set("PORT_QOS_MAP", p.Name, Entry{"tc_to_pg_map": w.classMapOf(p)})
	if name := w.codePoints(p); name != "" {
		w.db.Set("PORT_QOS_MAP", p.Name, Entry{"dscp_to_tc_map": name})
	}
	switch {
	case len(enabled) > 0 || w.emptyPFC:
		w.db.Set("PORT_QOS_MAP", p.Name, Entry{"pfc_enable": strings.Join(enabled, ",")})
	case w.now == nil:
		w.unsaid = append(w.unsaid, p.Name)
	}
}

// withoutPFC names what a port without PFC lacks in PORT_QOS_MAP.
func (w *writer) withoutPFC() []nos.Omission {
	var out []nos.Omission
	if len(w.credited) > 0 {
		out = append(out, nos.Omission{What: "PORT_QOS_MAP of " + buffer.FoldPorts(w.credited), Critical: true,
			Why: "these ports have credits in place of PFC: their map would lead lossless priorities to groups without a " +
				"profile, so their PFC, their map and their lossless groups stay as the switch has them"})
	}
	if len(w.unsaid) > 0 {
		out = append(out, nos.Omission{What: "an empty pfc_enable of " + buffer.FoldPorts(w.unsaid), Why: "the model " +
			"(sonic-port-qos-map.yang) of releases before " + emptyPFC.String() + " refuses it (--sonic-release, --current): " +
			"if the switch has PFC on these ports, remove pfc_enable by hand and reload"})
	}
	return out
}

// watchdog gives a port with PFC the PFC watchdog, with the times and the action that the switch's first port has: a
// paused queue whose neighbour never stops pausing blocks the switch. A port that has one keeps it. Where the switch
// has none, there is nothing to take the values from.
func (w *writer) watchdog(p *nos.Port) {
	if len(p.Lossless()) == 0 || w.now["PFC_WD"][p.Name] != nil {
		return
	}
	for _, port := range slices.Sorted(maps.Keys(w.now["PFC_WD"])) {
		if port != "GLOBAL" {
			w.db.Set("PFC_WD", p.Name, maps.Clone(w.now["PFC_WD"][port]))
			return
		}
	}
}

// cable is the length of a port's cable as SONiC writes it: whole metres, rounded up. 0m has the traditional manager
// leave the port's groups alone; the dynamic manager reads no length for groups with profiles of their own.
func (w *writer) cable(p *nos.Port) string {
	if w.left[p.Name] != "" || p.Delay.IsGiven() || p.Cable == 0 {
		return noCable
	}
	return fmt.Sprintf("%dm", nos.Metres(p.Cable))
}

const noCable = "0m"

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

// omitted says which registers of a plan are not written to CONFIG_DB, and why.
func (w *writer) omitted() map[buffer.Kind]string {
	out := map[buffer.Kind]string{
		buffer.PortMinimum: "BUFFER_PORT_INGRESS_PROFILE_LIST needs a profile with a threshold for the port, which a plan " +
			"does not have",
	}
	out = rendering.Reasons(out, "CONFIG_DB has one level of queues (sonic-scheduler.yang)", "no table of CONFIG_DB for "+
		"credit-based flow control (CBFC) was found: of UEC's link layer SONiC documents LLR alone (doc/llr)")
	if w.minima != "" {
		out[buffer.QueueReserved] = w.minima
	}
	if w.manager.vendor == nvidia {
		out[buffer.GroupXONOffset] = "NVIDIA's tables and plug-in have no xon_offset: a group resumes at xon"
	}
	if w.manager.model == Dynamic {
		out[buffer.PoolShared] = "the dynamic buffer manager computes the size of the pool"
	}
	if w.dropped {
		out[buffer.GroupStatic] = "the dynamic buffer manager drops a profile whose threshold is of another mode than its " +
			"pool's; groups with such a profile are not written"
	}
	return out
}

// isPortName tells whether a name is one that SONiC gives its ports.
func isPortName(port string) bool {
	digits, ok := strings.CutPrefix(port, "Ethernet")
	_, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil
}

func number[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }
