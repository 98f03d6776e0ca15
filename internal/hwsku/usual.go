package hwsku

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/nos/sonic"
)

// The shape of what SONiC's own templates, and the folders of Broadcom's chips, give a switch beside a plan
// (sonic-buildimage 086b03bd, files/build_templates and device/arista).
const (
	egressPool     = "egress_lossless_pool"
	egressLossless = "egress_lossless_profile"
	egressLossy    = "egress_lossy_profile"
	lossyTh        = "3"
	lossyWeight    = "14"
	losslessWeight = "15"
)

// usual is what a switch with a chip of Broadcom has beside a plan: an egress pool of the whole memory, in which
// lossless queues have no limit, the maps of SONiC's templates, and two schedulers.
func (w *writer) usual() (sonic.Database, error) {
	chip := &w.plan.Intent.Chip
	broadcom := []string{"tomahawk", "trident", "jericho", "qumran", "q2c", "q3d", "q4d"}
	if !slices.ContainsFunc(broadcom, func(family string) bool { return strings.HasPrefix(chip.Name, family) }) {
		return nil, fmt.Errorf("chip %s: the pools of the egress and the lists of profiles are not known: want a "+
			"configuration that has them (--current)", chip.Name)
	}
	memory := text(chip.Cell.Bytes(chip.TotalCells()))
	db := sonic.Database{
		"PORT":        sonic.Table{},
		"BUFFER_POOL": {egressPool: {"size": memory, "type": "egress", "mode": "static"}},
		"BUFFER_PROFILE": {
			egressLossless: {"pool": egressPool, "size": "0", "static_th": memory},
			egressLossy:    {"pool": egressPool, "size": "0", "dynamic_th": lossyTh},
		},
		"BUFFER_QUEUE":              sonic.Table{},
		"MAP_PFC_PRIORITY_TO_QUEUE": {names: identity()},
		"TC_TO_QUEUE_MAP":           {names: identity()},
		"DSCP_TO_TC_MAP":            {names: codePoints()},
		"SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": lossyWeight},
			"scheduler.1": {"type": "DWRR", "weight": losslessWeight}},
		"QUEUE":        sonic.Table{},
		"PORT_QOS_MAP": {"global": {"dscp_to_tc_map": names}},
	}
	for i := range w.ports {
		p := &w.ports[i]
		db["PORT"][p.Name] = sonic.Entry{"speed": speedOf(p.Rate)}
		maps := sonic.Entry{"dscp_to_tc_map": names, "tc_to_queue_map": names, "pfc_to_queue_map": names}
		var lossless []string
		for n := range p.Groups {
			key := p.Name + "|" + strconv.Itoa(n)
			profile, scheduler := egressLossy, "scheduler.0"
			if p.Groups[n].Lossless {
				profile, scheduler = egressLossless, "scheduler.1"
				lossless = append(lossless, strconv.Itoa(n))
			}
			db["BUFFER_QUEUE"][key], db["QUEUE"][key] = sonic.Entry{"profile": profile}, sonic.Entry{"scheduler": scheduler}
		}
		if len(lossless) > 0 {
			maps["pfcwd_sw_enable"] = strings.Join(lossless, ",")
		}
		db["PORT_QOS_MAP"][p.Name] = maps
	}
	return db, nil
}

func text[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func identity() sonic.Entry {
	out := sonic.Entry{}
	for n := range 8 {
		out[strconv.Itoa(n)] = strconv.Itoa(n)
	}
	return out
}

// codePoints are the traffic classes of DSCPs in SONiC's qos_config.j2.
func codePoints() sonic.Entry {
	out := sonic.Entry{}
	for n := range 64 {
		out[strconv.Itoa(n)] = "1"
	}
	maps.Copy(out, sonic.Entry{"3": "3", "4": "4", "5": "2", "8": "0", "46": "5", "48": "6"})
	return out
}

// standard are the names of SONiC's templates for entries to which cellwarden gives names of their content, where there
// is one such entry in a table.
var standard = []struct{ table, prefix, name string }{
	{"TC_TO_PRIORITY_GROUP_MAP", "CELLWARDEN", names},
	{"DSCP_TO_TC_MAP", "CW_DSCP_", names},
	{"WRED_PROFILE", "CW_ECN_", "AZURE_LOSSLESS"},
	{"BUFFER_PROFILE", "CW_LOSSY_", "ingress_lossy_profile"},
	{"BUFFER_PROFILE", "CW_QUEUE_LOSSY_", egressLossy},
	{"BUFFER_PROFILE", "CW_QUEUE_LOSSLESS_", egressLossless},
}

// rename gives entries the names that people of SONiC know.
func (w *writer) rename() {
	for _, s := range standard {
		var own []string
		for key := range w.tables[s.table] {
			if strings.HasPrefix(key, s.prefix) {
				own = append(own, key)
			}
		}
		if len(own) == 1 && !w.refers(s.name, s.table) {
			w.inherit(s.table, s.name, own[0])
			w.move(s.table, own[0], s.name)
		}
	}
}

// inherit gives a profile the fields that the one has whose name it gets, and that a plan does not have.
func (w *writer) inherit(in, from, to string) {
	for _, f := range []string{"xon_offset", "packet_discard_action"} {
		if was, there := w.tables[in][from][f]; there && w.tables[in][to][f] == "" && in == "BUFFER_PROFILE" {
			w.tables[in][to][f] = was
		}
	}
}

// numberSchedulers removes the usual schedulers that nothing needs, and numbers the others by weight.
func (w *writer) numberSchedulers() {
	for key := range w.tables["SCHEDULER"] {
		if !w.refers(key, "SCHEDULER") {
			delete(w.tables["SCHEDULER"], key)
		}
	}
	var own []string
	for key := range w.tables["SCHEDULER"] {
		if strings.HasPrefix(key, "CW_SCHED_") {
			own = append(own, key)
		}
	}
	slices.SortFunc(own, func(a, b string) int {
		weight := func(key string) int { n, _ := strconv.Atoi(w.tables["SCHEDULER"][key]["weight"]); return n }
		return weight(a) - weight(b)
	})
	for n := 0; len(own) > 0; n++ {
		if name := "scheduler." + strconv.Itoa(n); w.tables["SCHEDULER"][name] == nil {
			w.move("SCHEDULER", own[0], name)
			own = own[1:]
		}
	}
}

// field are the fields that name an entry of a table.
var field = map[string][]string{"TC_TO_PRIORITY_GROUP_MAP": {"tc_to_pg_map"}, "DSCP_TO_TC_MAP": {"dscp_to_tc_map"},
	"WRED_PROFILE": {"wred_profile"}, "SCHEDULER": {"scheduler"}, "BUFFER_PROFILE": {"profile"}}

// refers tells whether an entry of a port names an entry of a table.
func (w *writer) refers(name, in string) bool {
	for _, t := range perPort {
		for key, fields := range w.tables[t] {
			for _, f := range field[in] {
				if fields[f] == name && key != "global" {
					return true
				}
			}
		}
	}
	return false
}

// move gives an entry another name, wherever it is named.
func (w *writer) move(in, from, to string) {
	w.tables[in][to] = w.tables[in][from]
	delete(w.tables[in], from)
	for _, t := range perPort {
		for _, fields := range w.tables[t] {
			for _, f := range field[in] {
				if fields[f] == from {
					fields[f] = to
				}
			}
		}
	}
}
