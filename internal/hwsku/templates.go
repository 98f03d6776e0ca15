package hwsku

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

//go:embed templates
var content embed.FS

// templates write templates of Jinja, and so have other delimiters.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Delims("<<", ">>").Funcs(template.FuncMap{"json": jsonText,
		"last": func(all []tableRows) int { return len(all) - 1 }}).ParseFS(content, "templates/*"))
})

func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("hwsku: " + err.Error()) // every text is JSON
	}
	return string(text)
}

// The values of the templates.
type (
	// namedEntry is an entry of a table. The values are JSON, or print it.
	namedEntry struct {
		Name   string
		Fields []namedField
	}
	namedField struct{ Name, Value string }

	// tableRows are the entries of a table for each port, by role.
	tableRows struct {
		Name  string // of the table
		Rows  string // of the variable with lists by role
		Lists []struct{ Name, Entries string }
		// ByRole are the members of a dictionary from roles to the names of lists.
		ByRole string
	}

	// staticTable is a table that does not depend on ports, by the macro that SONiC's template calls.
	staticTable struct {
		Macro, Table string
		Entries      []namedEntry
	}
)

// folder writes the files.
func (w *writer) folder() (*Folder, error) {
	lists := w.tables["CABLE_LENGTH"]
	if len(lists) != 1 {
		return nil, fmt.Errorf("CABLE_LENGTH has the lists %q: want one list", slices.Sorted(maps.Keys(lists)))
	}
	if err := w.defaults(); err != nil {
		return nil, err
	}
	out := &Folder{Tables: w.tables, Notes: w.notes, includes: w.includes}
	add := func(name, of, purpose string, data any) {
		var text bytes.Buffer
		if err := templates().ExecuteTemplate(&text, of, data); err != nil {
			panic("hwsku: " + err.Error()) // the templates are our own
		}
		out.Files = append(out.Files, nos.File{Name: name, Purpose: purpose, Content: text.Bytes()})
	}
	add("buffers.json.j2", "buffers.json.j2", "the template of the buffers",
		map[string]any{"Default": w.options.Topologies[0]})
	var profileLists []tableRows
	for _, name := range buffers {
		if slices.Contains(perPort, name) && strings.HasSuffix(name, "_PROFILE_LIST") && w.tables[name] != nil {
			profileLists = append(profileLists, w.rowsOf(name))
		}
	}
	for _, topology := range w.options.Topologies {
		add(fmt.Sprintf("buffers_defaults_%s.j2", topology), "definitions.j2", "the buffers of topology "+topology,
			map[string]any{"Lists": profileLists})
	}
	add("buffers_defaults_objects.j2", "objects.j2", "pools that follow the ports, profiles, groups and queues of all "+
		"topologies", w.objects(profileLists))
	add("qos.json.j2", "qos.json.j2", "the template of classes, marking and schedulers", w.qos())
	out.Files = append(out.Files, nos.File{Name: "pg_profile_lookup.ini", Purpose: "headroom by speed and cable",
		Content: w.lookupText()})
	return out, nil
}

// defaults refuses what SONiC's templates write without a macro of the folder, where the plan has something else.
func (w *writer) defaults() error {
	if t := w.tables["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"]; t != nil &&
		(len(t) != 1 || !maps.Equal(t[names], sonic.Entry{"3": "3", "4": "4"})) {
		return fmt.Errorf("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP: want the priorities 3 and 4 in groups of their numbers: "+
			"qos_config.j2 writes no others (%v)", t)
	}
	return nil
}

// objects are the values of buffers_defaults_objects.j2.
func (w *writer) objects(lists []tableRows) map[string]any {
	pool, sums := w.tables["BUFFER_POOL"][ingressPool], w.sums()
	type span struct {
		First, Last int
		Role        string
	}
	var spans []span
	for _, s := range w.spans() {
		spans = append(spans, span{s.first, s.last, quoted(w.roles[s.role].name)})
	}
	type cable struct{ Role, Length string }
	var cables []cable
	common := 0
	for i, r := range w.roles {
		cables = append(cables, cable{quoted(r.name), quoted(r.cable)})
		if r.ports > w.roles[common].ports {
			common = i
		}
	}
	type roleSizes struct{ Role, Speeds string }
	var sizes []roleSizes
	for r, all := range w.sizes {
		var speeds []string
		for _, s := range all {
			speeds = append(speeds, fmt.Sprintf("[%s, %d, %d, %d]", speedOf(s.rate), int64(s.own), int64(s.headroom),
				int64(s.largest)))
		}
		sizes = append(sizes, roleSizes{quoted(w.roles[r].name), strings.Join(speeds, ",\n        ")})
	}
	cell := int64(w.plan.Intent.Chip.Cell)
	out := map[string]any{"Spans": spans, "Cables": cables, "DefaultCable": quoted(w.roles[common].cable), "Sizes": sizes,
		"Own": int64(sums.own), "Headroom": int64(sums.headroom), "Cell": cell, "Grain": cell * int64(sums.headroom),
		"XOFF": "", "CableList": slices.Collect(maps.Keys(w.tables["CABLE_LENGTH"]))[0]}
	if pool["xoff"] != "" {
		out["Says"] = strconv.FormatBool(w.includes.headroom)
	}
	memory := bytesOf(pool["size"]) + int64(sums.own)
	if sums.headroom > 0 {
		out["XOFF"] = pool["xoff"]
		if !w.includes.headroom {
			out["Excludes"] = true
			memory += bytesOf(pool["xoff"])
		}
	}
	out["Memory"] = memory
	pools := entriesOf(w.tables["BUFFER_POOL"])
	for i := range pools {
		for j := range pools[i].Fields {
			switch f := &pools[i].Fields[j]; {
			case pools[i].Name != ingressPool:
			case f.Name == "size":
				f.Value = `"{{ size }}"`
			case f.Name == "xoff" && sums.headroom > 0:
				f.Value = `"{{ xoff }}"`
			}
		}
	}
	out["Pools"], out["Profiles"] = pools, entriesOf(w.tables["BUFFER_PROFILE"])
	out["Rows"] = append(lists, w.rowsOf("BUFFER_PG"), w.rowsOf("BUFFER_QUEUE"))
	return out
}

// bytesOf is a size in a table, which the plan has written.
func bytesOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("hwsku: " + err.Error())
	}
	return n
}

// What SONiC's template writes for a table if the folder has no macro for it (sonic-buildimage 086b03bd,
// files/build_templates/qos_config.j2).
const (
	writesOther    = iota // something that depends on the switch
	writesIdentity        // one map, of each number to itself
	writesNothing
)

// macros are the macros of qos.json.j2 for tables that do not depend on ports.
var macros = []struct {
	name, table string
	without     int // what SONiC's template writes without the macro
}{
	{"generate_tc_to_pg_map_per_sku", "TC_TO_PRIORITY_GROUP_MAP", writesOther},
	{"generate_pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", writesIdentity},
	{"generate_tc_to_queue_map_per_sku", "TC_TO_QUEUE_MAP", writesIdentity},
	{"generate_dscp_to_tc_map_per_sku", "DSCP_TO_TC_MAP", writesOther},
	{"generate_tc_to_dscp_map_per_sku", "TC_TO_DSCP_MAP", writesNothing},
	{"generate_scheduler_config", "SCHEDULER", writesOther},
	{"generate_wred_profiles", "WRED_PROFILE", writesOther},
}

// writtenWithout tells whether SONiC's template writes a table as it is if the folder has no macro for it.
func writtenWithout(what int, t sonic.Table) bool {
	switch what {
	case writesIdentity:
		return len(t) == 1 && maps.Equal(t[names], identity())
	case writesNothing:
		return len(t) == 0
	}
	return false
}

// qos are the values of qos.json.j2.
func (w *writer) qos() map[string]any {
	var tables []staticTable
	for _, m := range macros {
		if t := w.tables[m.table]; !writtenWithout(m.without, t) {
			tables = append(tables, staticTable{m.name, m.table, entriesOf(t)})
		}
	}
	global := "[]"
	if e := w.tables["PORT_QOS_MAP"]["global"]; e != nil {
		global = "[['global', " + fieldList(e) + "]]"
	}
	return map[string]any{"Macros": tables, "Global": global,
		"Rows": []tableRows{w.rowsOf("PORT_QOS_MAP"), w.rowsOf("QUEUE")}}
}

// entriesOf are the entries of a table as JSON, in the order of their names, numbers by their value.
func entriesOf(t sonic.Table) []namedEntry {
	var out []namedEntry
	for _, key := range slices.Sorted(maps.Keys(t)) {
		e := namedEntry{Name: key}
		for _, f := range slices.SortedFunc(maps.Keys(t[key]), byValue) {
			e.Fields = append(e.Fields, namedField{f, jsonText(t[key][f])})
		}
		out = append(out, e)
	}
	return out
}

func byValue(a, b string) int {
	m, err := strconv.Atoi(a)
	n, worse := strconv.Atoi(b)
	if err != nil || worse != nil {
		return strings.Compare(a, b)
	}
	return m - n
}

// rowsOf are the entries of a table for the ports of each role. Roles with the same entries share a list.
func (w *writer) rowsOf(name string) tableRows {
	out := tableRows{Name: name, Rows: strings.ToLower(name)}
	list, byRole := map[string]string{}, []string{}
	for _, r := range w.roles {
		entries := r.rows[name]
		if list[entries] == "" {
			list[entries] = fmt.Sprintf("%s_%d", out.Rows, len(list)+1)
			out.Lists = append(out.Lists, struct{ Name, Entries string }{list[entries], entries})
		}
		byRole = append(byRole, quoted(r.name)+": "+list[entries])
	}
	out.ByRole = strings.Join(byRole, ", ")
	return out
}

// lookupText is pg_profile_lookup.ini.
func (w *writer) lookupText() []byte {
	wanted := []string{"size", "xon", "xoff", "threshold"}
	offset := slices.ContainsFunc(w.rows, func(r row) bool { return r.fields["xon_offset"] != "" })
	if offset {
		wanted = append(wanted, "xon_offset")
	}
	lines := [][]string{append([]string{"# speed", "cable"}, wanted...)}
	for _, r := range w.rows {
		line := []string{speedOf(r.rate), metres(r.cable)}
		for _, c := range wanted {
			value := r.fields[c]
			if c == "threshold" {
				value = r.fields["dynamic_th"] + r.fields["static_th"] // one of them
			}
			line = append(line, value)
		}
		for line[len(line)-1] == "" { // no blanks at the end of a line
			line = line[:len(line)-1]
		}
		lines = append(lines, line)
	}
	return []byte("# PG lossless profiles.\n" + columns.Aligned(lines))
}
