// Package hwsku writes a plan as the files of a folder of a switch in SONiC's tree, as a pull request for
// sonic-buildimage wants them: buffers.json.j2 with buffers_defaults_t0.j2 and others, qos.json.j2 and
// pg_profile_lookup.ini. sonic-cfggen renders them to the CONFIG_DB of the plan. The templates compute the pools from
// the ports of PORT, so that a breakout changes them.
//
// The templates define macros that SONiC's own templates call (sonic-buildimage 086b03bd, files/build_templates:
// buffers_config.j2 and qos_config.j2). What a plan does not have, such as the pools of the egress, is that of a
// configuration that is given, else what SONiC's own templates write.
//
// A port has a role by its number: its cable, its groups, its queues and its maps. The ports into which a breakout
// divides a port have the role of that port, because their numbers are between it and the next one.
package hwsku

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Options are what is known beside a plan.
type Options struct {
	// Current is a configuration of the switch, which has what the plan does not have. nil: it is what SONiC's own
	// templates write. It is only known for chips of Broadcom.
	Current sonic.Database
	// Topologies are those that get a file of definitions each: t0, t1. The first is that of a switch without a type.
	Topologies []string
}

// Folder is a plan as files.
type Folder struct {
	Files []nos.File
	// Tables are what the templates render to for the ports of the plan.
	Tables sonic.Database
	Notes  []string

	includes includes
	unnamed  bool // the files beside those of the folder do not say which chip it is for: Audit found that
}

// includes says what the size of the ingress pool has in it beside the shared cells.
type includes struct{ headroom, reserved bool }

// The names of entries in SONiC's own templates.
const (
	ingressPool = "ingress_lossless_pool"
	names       = "AZURE"
)

// buffers and qos are the tables that the templates of a folder write, in their order.
var (
	buffers = []string{"CABLE_LENGTH", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PORT_INGRESS_PROFILE_LIST",
		"BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PG", "BUFFER_QUEUE"}
	qos = []string{"TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "TC_TO_QUEUE_MAP", "DSCP_TO_TC_MAP",
		"TC_TO_DSCP_MAP", "SCHEDULER", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "WRED_PROFILE", "QUEUE"}
)

// perPort are the tables with entries for each port.
var perPort = []string{"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PG",
	"BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"}

// Tables lists the tables that the templates of a folder write.
func Tables() []string { return slices.Concat(buffers, qos) }

// Of writes a plan as a folder. It refuses a plan that the templates cannot express, and says why: several headrooms
// for the lossless groups of a port, a static limit of a lossless group, ports with names of another system.
func Of(p nos.Plan, o Options) (*Folder, error) {
	w := writer{plan: p, ports: p.Ports(), options: o}
	if err := w.check(); err != nil {
		return nil, err
	}
	now := o.Current
	if now == nil {
		var err error
		if now, err = w.usual(); err != nil {
			return nil, err
		}
	}
	if err := w.goal(now); err != nil {
		return nil, err
	}
	// The templates of a folder have no table for the settings of the switch, and SONiC's own ones neither.
	if t := p.Intent.Trimming; len(p.Intent.Trims()) > 0 {
		w.notes = append(w.notes, fmt.Sprintf("a folder has no place for SWITCH_TRIMMING: queues trim as its profiles say "+
			"when the configuration of the switch has SWITCH_TRIMMING|GLOBAL with size %d, dscp_value %d and queue_index %d",
			t.Size, t.DSCP, t.Queue))
	}
	if err := w.lookup(); err != nil {
		return nil, err
	}
	if err := w.assign(); err != nil {
		return nil, err
	}
	return w.folder()
}

// writer gathers what the files have.
type writer struct {
	plan    nos.Plan
	ports   []nos.Port // in the order of their numbers
	options Options

	tables   sonic.Database // what the templates render to
	rows     []row          // of pg_profile_lookup.ini
	roles    []role
	roleOf   []int    // of each port
	sizes    [][]size // what ports take, by role, in the order of speeds
	includes includes
	notes    []string
}

// numberOf is the number in the name of a port: 4 of Ethernet4.
func numberOf(port string) (int, error) {
	digits, ok := strings.CutPrefix(port, "Ethernet")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return 0, fmt.Errorf("port %s: want a name of SONiC, such as Ethernet4", port)
	}
	return int(n), nil
}

// check refuses what no file of a folder can express, and sorts the ports.
func (w *writer) check() error {
	var bad []error
	number := map[string]int{}
	for i := range w.ports {
		p := &w.ports[i]
		n, err := numberOf(p.Name)
		number[p.Name] = n
		switch {
		case err != nil:
			bad = append(bad, err)
		case p.Credits:
			bad = append(bad, fmt.Errorf("port %s has credits in place of PFC, which no table of CONFIG_DB has", p.Name))
		case len(p.Lossless()) > 0 && (p.Delay.IsGiven() || p.Cable == 0):
			bad = append(bad, fmt.Errorf("port %s has a measured delay, and no length of its cable: "+
				"pg_profile_lookup.ini finds headroom by the length", p.Name))
		}
	}
	if len(w.options.Topologies) == 0 {
		bad = append(bad, errors.New("no topologies: want one or more, such as t0"))
	}
	slices.SortFunc(w.ports, func(a, b nos.Port) int { return number[a.Name] - number[b.Name] })
	return errors.Join(bad...)
}

// goal sets the tables that the templates render to: the plan in a configuration.
func (w *writer) goal(now sonic.Database) error {
	rendered, err := w.render(w.plan, now)
	if err != nil {
		return err
	}
	w.tables = sonic.Database{}
	for _, name := range Tables() {
		for key, fields := range now[name] {
			w.tables.Set(name, key, fields)
		}
		for key, fields := range rendered[name] {
			w.tables.Set(name, key, fields)
		}
	}
	w.pool()
	w.expand()
	for key, profile := range w.tables["BUFFER_PROFILE"] { // the buffer manager writes them
		if isManaged(key) || profile["xoff"] != "" && !w.isBound(key) {
			delete(w.tables["BUFFER_PROFILE"], key)
		}
	}
	for key, group := range w.tables["BUFFER_PG"] {
		if isManaged(group["profile"]) {
			delete(w.tables["BUFFER_PG"], key)
		}
	}
	w.rename()
	w.unlimited(now)
	if w.options.Current == nil {
		w.numberSchedulers()
	}
	for name, t := range w.tables {
		if len(t) == 0 {
			delete(w.tables, name)
		}
	}
	return nil
}

// unlimited keeps a static limit of the configuration that is no limit, where that of the plan is none either: 0, and a
// limit of at least all shared memory (SAI, saibuffer.h: SHARED_STATIC_TH).
func (w *writer) unlimited(now sonic.Database) {
	shared, _ := w.plan.Pools()
	for key, profile := range w.tables["BUFFER_PROFILE"] {
		was, wasErr := strconv.ParseInt(now["BUFFER_PROFILE"][key]["static_th"], 10, 64)
		is, isErr := strconv.ParseInt(profile["static_th"], 10, 64)
		if wasErr == nil && isErr == nil && is >= int64(shared) && (was == 0 || was >= int64(shared)) {
			profile["static_th"] = now["BUFFER_PROFILE"][key]["static_th"]
		}
	}
}

// isBound tells whether a group or a list has a profile.
func (w *writer) isBound(profile string) bool {
	for _, g := range w.tables["BUFFER_PG"] {
		if g["profile"] == profile {
			return true
		}
	}
	for _, l := range w.tables["BUFFER_PORT_INGRESS_PROFILE_LIST"] {
		if slices.Contains(strings.Split(l["profile_list"], ","), profile) {
			return true
		}
	}
	return false
}

// expand writes an entry of several ports as an entry of each.
func (w *writer) expand() {
	for _, name := range perPort {
		for key, fields := range w.tables[name] {
			ports, rest, divided := strings.Cut(key, "|")
			if !strings.Contains(ports, ",") {
				continue
			}
			delete(w.tables[name], key)
			for port := range strings.SplitSeq(ports, ",") {
				if divided {
					port += "|" + rest
				}
				w.tables.Set(name, port, fields)
			}
		}
	}
}

// render is CONFIG_DB of a plan for a switch whose traditional buffer manager has a row for each port, so that it binds
// the lossless groups.
func (w *writer) render(p nos.Plan, now sonic.Database) (sonic.Database, error) {
	manager := &table.Table{}
	for _, port := range p.Ports() {
		manager.Rows = append(manager.Rows, table.Row{Rate: port.Rate,
			Cable: unit.Length(nos.Metres(port.Cable)) * unit.Metre})
	}
	r := sonic.Options{Current: now, Model: sonic.Traditional, Table: manager}.Render(p)
	db, err := sonic.ReadConfigDB(r.Files[0].Content)
	if err != nil {
		return nil, err
	}
	for _, port := range p.Ports() {
		if db["CABLE_LENGTH"][listOf(db, port.Name)][port.Name] == "0m" && len(port.Lossless()) > 0 {
			return nil, fmt.Errorf("port %s: its lossless groups need several profiles, or another than the ports of the same "+
				"speed and cable: pg_profile_lookup.ini has one for a speed and a cable", port.Name)
		}
	}
	return db, nil
}

// listOf is the list of cables that has a port.
func listOf(db sonic.Database, port string) string {
	for _, list := range slices.Sorted(maps.Keys(db["CABLE_LENGTH"])) {
		if _, there := db["CABLE_LENGTH"][list][port]; there {
			return list
		}
	}
	return names
}

// managed is the form of the name of a profile that the buffer manager writes.
const managed = "pg_lossless_%s_%s_profile"

func isManaged(profile string) bool {
	return strings.HasPrefix(profile, "pg_lossless_") && strings.HasSuffix(profile, "_profile")
}

func speedOf(rate unit.BitRate) string { return strconv.FormatInt(int64(rate/unit.Mbps), 10) }
