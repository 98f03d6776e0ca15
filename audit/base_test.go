package audit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// db is CONFIG_DB in the making: tables, entries, fields.
type db map[string]map[string]map[string]string

// lookup is the headroom table of the switch of base: rows of the table of examples, for two lengths.
const lookup = `# speed cable size xon xoff threshold xon_offset
40000   5m    1248  2288  66560   0  2288
40000   300m  1248  2288  108160  0  2288
100000  5m    1248  2288  165568  0  2288
100000  300m  1248  2288  268736  0  2288
`

// base is a configuration of our own for four ports of a Tomahawk, in the form and with the names of SONiC's. Nothing
// is wrong with it.
func base() db {
	d := db{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Arista-7060CX-32S-C32", "platform": "x86_64-arista_7060_cx32s",
			"hostname": "leaf1", "type": "ToRRouter"}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"size": "10875072", "type": "ingress", "mode": "dynamic", "xoff": "4194112"},
			"egress_lossless_pool":  {"size": "15982720", "type": "egress", "mode": "static"},
			"egress_lossy_pool":     {"size": "9243728", "type": "egress", "mode": "dynamic"},
		},
		"BUFFER_PROFILE": {
			"ingress_lossy_profile":   {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
			"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "15982720"},
			"egress_lossy_profile":    {"pool": "egress_lossy_pool", "size": "1664", "dynamic_th": "-1"},
		},
		"PORT": {}, "BUFFER_PG": {}, "BUFFER_QUEUE": {}, "PORT_QOS_MAP": {}, "QUEUE": {}, "CABLE_LENGTH": {"AZURE": {}},
		"DSCP_TO_TC_MAP":            {"AZURE": {}},
		"TC_TO_PRIORITY_GROUP_MAP":  {"AZURE": {"0": "0", "1": "0", "3": "3", "4": "4"}},
		"TC_TO_QUEUE_MAP":           {"AZURE": {"0": "0", "1": "1", "3": "3", "4": "4"}},
		"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3", "4": "4"}},
		"WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "green_min_threshold": "250000",
			"green_max_threshold": "1048576", "green_drop_probability": "5"}},
		"SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "14"}, "strict": {"type": "STRICT"}},
	}
	for point := range 64 {
		d["DSCP_TO_TC_MAP"]["AZURE"][fmt.Sprint(point)] = map[int]string{3: "3", 4: "4", 8: "0"}[point]
		if d["DSCP_TO_TC_MAP"]["AZURE"][fmt.Sprint(point)] == "" {
			d["DSCP_TO_TC_MAP"]["AZURE"][fmt.Sprint(point)] = "1"
		}
	}
	for n := range 4 {
		port := fmt.Sprintf("Ethernet%d", 4*n)
		d["PORT"][port] = map[string]string{"speed": "100000", "lanes": fmt.Sprintf("%d,%d,%d,%d", n, n, n, n), "mtu": "9100"}
		d["CABLE_LENGTH"]["AZURE"][port] = "300m"
		d["BUFFER_PG"][port+"|0"] = map[string]string{"profile": "ingress_lossy_profile"}
		d["BUFFER_QUEUE"][port+"|0-2"] = map[string]string{"profile": "egress_lossy_profile"}
		d["BUFFER_QUEUE"][port+"|3-4"] = map[string]string{"profile": "egress_lossless_profile"}
		d["PORT_QOS_MAP"][port] = map[string]string{"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE",
			"tc_to_queue_map": "AZURE", "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
		d["QUEUE"][port+"|0"] = map[string]string{"scheduler": "scheduler.0"}
		d["QUEUE"][port+"|3"] = map[string]string{"scheduler": "scheduler.0", "wred_profile": "AZURE_LOSSLESS"}
	}
	return d
}

// set writes a field: "BUFFER_POOL|ingress_lossless_pool|size=33329088". Without "=" the field is removed, and an
// entry where the path has two parts; a table where it has one.
func (d db) set(t *testing.T, edits ...string) {
	t.Helper()
	for _, edit := range edits {
		path, value, written := strings.Cut(edit, "=")
		tableName, rest, isEntry := strings.Cut(path, "|")
		if !isEntry {
			delete(d, tableName)
			continue
		}
		if d[tableName] == nil {
			d[tableName] = map[string]map[string]string{}
		}
		if !written && d[tableName][rest] != nil {
			delete(d[tableName], rest)
			continue
		}
		cut := strings.LastIndexByte(rest, '|')
		require.GreaterOrEqual(t, cut, 0, "no such entry: %s", edit)
		key, field := rest[:cut], rest[cut+1:]
		if d[tableName][key] == nil {
			d[tableName][key] = map[string]string{}
		}
		if written {
			d[tableName][key][field] = value
		} else {
			delete(d[tableName][key], field)
		}
	}
}

// source reads the configuration with the table as a switch has them.
func (d db) source(t *testing.T, lookup string) audit.Source {
	t.Helper()
	text, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	read, err := sonic.System.Read("config_db.json", text, audit.Chip{})
	require.NoError(t, err)
	s := audit.Source{File: "config_db.json", Reading: read, NoTable: lookup == ""}
	if lookup != "" {
		s.Table = rows(t, lookup)
	}
	return s
}

// rows reads a headroom table in which every line is a row.
func rows(tb testing.TB, lookup string) *table.Table {
	tb.Helper()
	read, bad := table.Scan("pg_profile_lookup.ini", strings.NewReader(lookup))
	require.Empty(tb, bad)
	return read
}

// run audits the configuration and its table.
func (d db) run(t *testing.T, lookup string) []finding.Finding {
	t.Helper()
	s := d.source(t, lookup)
	found := audit.Run(s).Findings
	if s.Table != nil {
		found = append(found, table.Lint(s.Table, nil, 0)...)
	}
	return found
}

// of lists the findings with a code.
func of(found []finding.Finding, code finding.Code) []finding.Finding {
	var out []finding.Finding
	for _, f := range found {
		if f.Code == code {
			out = append(out, f)
		}
	}
	return out
}
