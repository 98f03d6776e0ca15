package hwsku

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// role is what ports have alike: cable, groups, queues, maps.
type role struct {
	name  string
	cable string
	rows  map[string]string // of each table by port, as a literal of Jinja
	first *nos.Port         // a port that has it
	ports int               // how many have it
}

// span are ports with numbers from the first to the last that have a role.
type span struct{ first, last, role int }

// assign finds the roles of the ports.
func (w *writer) assign() error {
	rows := w.rowsByPort()
	index := map[string]int{}
	for i := range w.ports {
		p := &w.ports[i]
		cable := w.tables["CABLE_LENGTH"][listOf(w.tables, p.Name)][p.Name]
		key := fmt.Sprint(cable, rows[p.Name])
		r, known := index[key]
		if !known {
			r = len(w.roles)
			index[key] = r
			w.roles = append(w.roles, role{name: w.roleName(cable), cable: cable, rows: rows[p.Name], first: p})
		}
		w.roles[r].ports++
		w.roleOf = append(w.roleOf, r)
	}
	for _, name := range perPort {
		for _, key := range slices.Sorted(maps.Keys(w.tables[name])) {
			port, _, _ := strings.Cut(key, "|")
			if _, planned := rows[port]; !planned && key != "global" {
				return fmt.Errorf("%s|%s: want entries of the ports of the plan", name, key)
			}
		}
	}
	return w.take()
}

// roleName is the cable, with a number where several roles have it.
func (w *writer) roleName(cable string) string {
	same := 1
	for _, r := range w.roles {
		if r.cable == cable {
			same++
		}
	}
	if same == 1 {
		return cable
	}
	return cable + "-" + strconv.Itoa(same)
}

// spans are the roles of ports by their numbers. A span ends where the next one begins.
func (w *writer) spans() (out []span) {
	for i, r := range w.roleOf {
		n, _ := numberOf(w.ports[i].Name) // check has read it
		if last := len(out) - 1; last < 0 || out[last].role != r {
			if last >= 0 {
				out[last].last = n - 1
			}
			out = append(out, span{first: n, role: r})
		}
	}
	if len(out) > 0 {
		out[0].first, out[len(out)-1].last = 0, mostNumber
	}
	return out
}

// mostNumber is the largest number in the name of a port.
const mostNumber = 65535

// rowsByPort are the entries of each port in each table, as lists of Jinja: what follows the name of the port in the
// key, and the fields.
func (w *writer) rowsByPort() map[string]map[string]string {
	keys := map[string]map[string][]string{}
	for i := range w.ports {
		keys[w.ports[i].Name] = map[string][]string{}
	}
	for _, name := range perPort {
		for key := range w.tables[name] {
			port, _, _ := strings.Cut(key, "|")
			if keys[port] != nil {
				keys[port][name] = append(keys[port][name], key)
			}
		}
	}
	out := map[string]map[string]string{}
	for port, tables := range keys {
		out[port] = map[string]string{}
		for name, all := range tables {
			slices.SortFunc(all, byNumbers)
			var entries []string
			for _, key := range all {
				entries = append(entries, fmt.Sprintf("[%s, %s]", quoted(strings.TrimPrefix(key, port)),
					fieldList(w.tables[name][key])))
			}
			out[port][name] = strings.Join(entries, ",\n    ")
		}
	}
	return out
}

// byNumbers orders keys such as Ethernet4|10 by their numbers.
func byNumbers(a, b string) int {
	number := func(key string) int {
		_, rest, _ := strings.Cut(key, "|")
		first, _, _ := strings.Cut(rest, "-")
		n, _ := strconv.Atoi(first)
		return n
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), strings.Compare(a, b))
}

// fieldList are the fields of an entry as a list of Jinja.
func fieldList(e sonic.Entry) string {
	var out []string
	for _, f := range slices.Sorted(maps.Keys(e)) {
		out = append(out, fmt.Sprintf("[%s, %s]", quoted(f), quoted(e[f])))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// quoted is a text of Jinja.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
