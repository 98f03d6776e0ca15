package sonicfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// listed are the chips that a branch's file names, newest additions last, with the branch that brought them.
var listed = []struct {
	branch int
	chips  string
}{
	{202305, "spc1 spc2 spc3 spc4 td2 th th2 td3 cisco-8000"},
	{202405, "th3 th4 th5 j2c+"},
	{202505, "spc5 td4 q2c+"},
	{202511, "q3d marvell-teralynx"},
	{202605, "th6"},
	{999912, "spc6"},
}

// allowed tells whether a branch lets the switch's chip have a field replaced.
func (s *Switch) allowed(field string) bool {
	if field == "xoff" && (s.ASIC == "td2" || s.ASIC == "marvell-teralynx") {
		return false
	}
	for _, l := range listed {
		if l.branch <= s.Branch && slices.Contains(strings.Fields(l.chips), s.ASIC) {
			return s.ASIC != ""
		}
	}
	return false
}

// trims tells whether the switch's chip may have packet_discard_action changed.
func (s *Switch) trims() bool {
	first := map[string]int{"spc4": 202511, "spc5": 202511, "th5": 202511, "th6": 202605, "spc6": 999912}[s.ASIC]
	return first > 0 && first <= s.Branch
}

// judge is the updater's verdict on one operation; empty: it may be made.
func (s *Switch) judge(d difference) string {
	const refused = "validating function returned False"
	late := s.Branch >= 202511
	switch d.path[0] {
	case "BUFFER_POOL":
		name := strings.Join(d.path[1:], "/")
		if !late && d.op == "replace" && (name == "ingress_lossless_pool/size" || name == "ingress_lossless_pool/xoff" ||
			name == "egress_lossy_pool/size") && s.allowed("xoff") {
			return ""
		}
		return refused
	case "BUFFER_PROFILE":
		if late && len(d.path) == 2 && d.op != "move" {
			return ""
		}
		if len(d.path) != 3 || d.op != "replace" && (d.op != "add" || d.path[2] != "packet_discard_action") {
			return refused
		}
		field := d.path[2]
		hidden := s.Branch < 202511 && !strings.ContainsAny(d.path[1], "0123456789")
		if field == "packet_discard_action" && late && s.trims() {
			return ""
		}
		if field != "dynamic_th" && field != "xoff" || hidden || !s.allowed(field) {
			return refused
		}
	case "PFC_WD":
		if !s.allowed("dynamic_th") {
			return refused
		}
	case "WRED_PROFILE":
		if late {
			return ""
		}
		green := len(d.path) == 3 && slices.Contains([]string{"green_min_threshold", "green_max_threshold",
			"green_drop_probability"}, d.path[2])
		if !green || d.op != "replace" || s.Branch < 202505 && d.path[1] != "AZURE_LOSSLESS" || !s.allowed("dynamic_th") {
			return refused
		}
	}
	return ""
}

// consistent checks a configuration: no empty table, what is pointed at is there, and profiles have what they must.
func consistent(db DB) error {
	for _, name := range slices.Sorted(maps.Keys(db)) { // the first of several is the same each time
		if len(db[name]) == 0 {
			return fmt.Errorf("given patch is not valid because it will result in empty tables: %s", name)
		}
	}
	for _, r := range []struct{ table, field, to string }{
		{"BUFFER_PROFILE", "pool", "BUFFER_POOL"}, {"BUFFER_PG", "profile", "BUFFER_PROFILE"},
		{"BUFFER_QUEUE", "profile", "BUFFER_PROFILE"},
		{"QUEUE", "wred_profile", "WRED_PROFILE"}, {"PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
		{"QUEUE", "scheduler", "SCHEDULER"}, {"PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"},
	} {
		for _, key := range slices.Sorted(maps.Keys(db[r.table])) {
			if v, there := db[r.table][key][r.field]; there && v != "NULL" && db[r.to][v] == nil {
				return fmt.Errorf("given patch will produce invalid config: leafref %s|%s %s of value %q points to a "+
					"non-existing leaf", r.table, key, r.field, v)
			}
		}
	}
	for _, name := range []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP", "PFC_WD"} {
		for _, key := range slices.Sorted(maps.Keys(db[name])) {
			port, _, _ := strings.Cut(key, "|")
			if port != "global" && port != "GLOBAL" && db["PORT"][port] == nil {
				return fmt.Errorf("given patch will produce invalid config: %s|%s: no such port", name, key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(db["BUFFER_PROFILE"])) {
		if e := db["BUFFER_PROFILE"][key]; e["size"] == "" || e["pool"] == "" {
			return fmt.Errorf("given patch will produce invalid config: mandatory leaf of BUFFER_PROFILE|%s", key)
		}
	}
	return nil
}
