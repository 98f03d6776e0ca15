package sonic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// Origin is the origin of paths of CONFIG_DB (sonic-gnmi 5ec1c20b, IsNativeOrigin).
const Origin = "sonic-db"

// Path returns the path of a table, an entry or a field in a gNMI request: elements without keys (sonic-gnmi 5ec1c20b,
// mixed_db_client.go). The namespace is that of a switch with one chip.
func Path(parts ...string) []nos.Elem {
	out := []nos.Elem{{Name: "CONFIG_DB"}, {Name: "localhost"}}
	for _, p := range parts {
		out = append(out, nos.Elem{Name: p})
	}
	return out
}

// The phases of updates: each is a Set of its own.
const (
	// cablesFirst has the buffer manager leave groups alone before anything else of their ports changes. The updater takes
	// a port down and up to change its groups, and the manager binds the groups again when the port comes up.
	cablesFirst = iota
	changesThen
	staleLast // see the rules of the updater
)

// phase is the phase of a change.
func (c *change) phase() int {
	switch {
	case c.stale:
		return staleLast
	case c.table == "CABLE_LENGTH" && slices.Contains(slices.Collect(maps.Values(c.after)), noCable):
		return cablesFirst
	}
	return changesThen
}

// updates are what a gNMI Set carries. sonic-gnmi turns it into a JSON patch, and such a patch adds an entry only to a
// table that exists. So the entries of a new table are sent as the table. For the same reason the last entry of a table
// is deleted with the table: an empty one is refused.
func updates(changes []change, now Database) []nos.Update {
	var out []nos.Update
	tables := map[string]int{} // where in out a new table is
	fresh := map[string]Table{}
	for _, c := range changes {
		if c.why != "" {
			continue
		}
		u := nos.Update{Origin: Origin, Path: Path(c.path()...), Carries: c.carries(), Stops: stops(c.table),
			Phase: c.phase()}
		switch {
		case c.after == nil && c.field == "" && emptied(c.table, changes, now):
			if _, done := tables[c.table]; done {
				continue
			}
			tables[c.table], u.Path = len(out), Path(c.table)
		case c.after == nil:
		case now != nil && len(now[c.table]) == 0:
			if fresh[c.table] == nil {
				fresh[c.table], tables[c.table] = Table{}, len(out)
				u.Path = Path(c.table)
				out = append(out, u)
			}
			fresh[c.table][c.key] = c.after
			continue
		default:
			u.JSON = nos.Compact(c.value())
		}
		out = append(out, u)
	}
	for name, table := range fresh {
		out[tables[name]].JSON = nos.Compact(table)
	}
	slices.SortStableFunc(out, func(a, b nos.Update) int { return a.Phase - b.Phase })
	return out
}

// emptied tells whether the changes leave a table without entries.
func emptied(name string, changes []change, now Database) bool {
	left := len(now[name])
	for _, c := range changes {
		switch {
		case c.table != name || c.field != "" || c.why != "":
		case c.after == nil:
			left--
		default:
			left++
		}
	}
	return left <= 0
}

// carries lists the registers in a change that may stop traffic.
func (c *change) carries() []buffer.Kind {
	switch {
	case c.table == "PORT_QOS_MAP" && c.field != "tc_to_pg_map" && c.field != "dscp_to_tc_map":
		return []buffer.Kind{buffer.GroupLossless}
	case c.table == "BUFFER_POOL":
		return []buffer.Kind{buffer.PoolShared, buffer.PoolHeadroom}
	}
	return nil
}

// stops is what the updater stops in order to make a change: it takes a port down
// before it changes these tables of it, and up afterwards (sonic-utilities 691b1bbc,
// patch_sorter.py, RequiredValueIdentifier; the same in its branches from 202205 on).
func stops(table string) buffer.Disruption {
	if slices.Contains([]string{"BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"}, table) {
		return buffer.DisruptsPort
	}
	return buffer.DisruptsNothing
}

// operation is one of a JSON patch (RFC 6902). In a gNMI Set its path follows /CONFIG_DB/localhost.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch is the JSON patch for the generic updater: the same changes as the updates of
// a gNMI Set. An operation that adds replaces a previous value.
func patch(updates []nos.Update) []operation {
	out := []operation{}
	for _, u := range updates {
		var parts []string
		for _, e := range u.Path[len(Path()):] {
			parts = append(parts, e.Name)
		}
		op := operation{Op: "add", Path: pointer(parts...), Value: json.RawMessage(u.JSON)}
		if u.JSON == nil {
			op.Op, op.Value = "remove", nil
		}
		out = append(out, op)
	}
	return out
}

func (c *change) path() []string {
	if c.field == "" {
		return []string{c.table, c.key}
	}
	return []string{c.table, c.key, c.field}
}

// value is the value at the path afterwards; nil: nothing.
func (c *change) value() any {
	switch {
	case c.after == nil:
		return nil
	case c.field == "":
		return c.after
	}
	return c.after[c.field]
}

// escape replaces the characters that the parts of a JSON pointer cannot have (RFC 6901, 3).
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// Escaped returns a name as a part of a JSON pointer, with ~1 for a slash and ~0 for a tilde. It is what an element of
// the path of a Set has to have: sonic-gnmi joins the names of the elements as they are (sonic-gnmi 5ec1c20b,
// ConvertToJsonPatch of mixed_db_client.go). A Get has the name itself.
func Escaped(name string) string { return escape.Replace(name) }

// pointer joins the parts of a JSON pointer.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + Escaped(p))
	}
	return b.String()
}
