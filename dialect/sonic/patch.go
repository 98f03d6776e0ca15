package sonic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

// operation is one of a JSON patch (RFC 6902). In a gNMI Set its path follows
// /CONFIG_DB/localhost.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch is what the generic updater takes now: the updates of a gNMI Set, as
// the switch makes a patch of them. A patch that adds replaces what is there.
func patch(updates []dialect.Update) []operation {
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

// reload is what waits.
func reload(changes []change) Database {
	out := Database{}
	for _, c := range changes {
		if c.why == "" || c.after == nil {
			continue
		}
		if out[c.table] == nil {
			out[c.table] = Table{}
		}
		if out[c.table][c.key] == nil {
			out[c.table][c.key] = Entry{}
		}
		maps.Copy(out[c.table][c.key], c.after)
	}
	return out
}

func (c *change) path() []string {
	if c.field == "" {
		return []string{c.table, c.key}
	}
	return []string{c.table, c.key, c.field}
}

// value is what stands at the path afterwards; nil: nothing.
func (c *change) value() any {
	switch {
	case c.after == nil:
		return nil
	case c.field == "":
		return c.after
	}
	return c.after[c.field]
}

// Origin is of the paths of CONFIG_DB (sonic-gnmi 5ec1c20b, IsNativeOrigin).
const Origin = "sonic-db"

// Path is the path of a table, an entry or a field in a gNMI request: elements
// without keys (sonic-gnmi 5ec1c20b, mixed_db_client.go). The namespace is that
// of a switch with one chip.
func Path(parts ...string) []dialect.Elem {
	out := []dialect.Elem{{Name: "CONFIG_DB"}, {Name: "localhost"}}
	for _, p := range parts {
		out = append(out, dialect.Elem{Name: p})
	}
	return out
}

// updates are what a gNMI Set carries. sonic-gnmi makes a JSON patch of it, and
// such a patch adds an entry only to a table that is there: entries of one that
// is not are sent as the table. For the same reason the last entry of a table
// goes with the table: an empty one is refused.
func updates(changes []change, now Database) []dialect.Update {
	var out []dialect.Update
	tables := map[string]int{} // where in out a new table is
	fresh := map[string]Table{}
	for _, c := range changes {
		if c.why != "" {
			continue
		}
		u := dialect.Update{Origin: Origin, Path: Path(c.path()...), Carries: c.carries(), Stops: stops(c.table)}
		if c.stale {
			u.Phase = 1
		}
		switch {
		case c.after == nil && c.field == "" && gone(c.table, changes, now):
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
			u.JSON = dialect.Compact(c.value())
		}
		out = append(out, u)
	}
	for name, table := range fresh {
		out[tables[name]].JSON = dialect.Compact(table)
	}
	return out
}

// gone tells whether the changes leave a table without entries.
func gone(name string, changes []change, now Database) bool {
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

// carries are the registers of which a change may stop traffic.
func (c *change) carries() []buffer.Kind {
	switch {
	case c.table == "PORT_QOS_MAP" && c.field != "tc_to_pg_map" && c.field != "dscp_to_tc_map":
		return []buffer.Kind{buffer.GroupLossless}
	case c.table == "BUFFER_POOL":
		return []buffer.Kind{buffer.PoolShared, buffer.PoolHeadroom}
	}
	return nil
}

// stops is what the updater stops to make a change: it takes a port down before
// it changes these of it, and up afterwards (sonic-utilities 691b1bbc,
// patch_sorter.py, RequiredValueIdentifier; the same in its branches from 202205
// on).
func stops(table string) buffer.Disruption {
	if slices.Contains([]string{"BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"}, table) {
		return buffer.DisruptsPort
	}
	return buffer.DisruptsNothing
}

// waiting lists what takes a reload.
func waiting(changes []change) []dialect.Waiting {
	var out []dialect.Waiting
	for _, c := range changes {
		if c.why == "" {
			continue
		}
		w := dialect.Waiting{Path: dialect.Text(Path(c.path()...)), Why: c.why, Critical: c.critical()}
		if c.before != nil {
			w.From = string(dialect.Compact((&change{field: c.field, after: c.before}).value()))
		}
		if c.after != nil {
			w.To = string(dialect.Compact(c.value()))
		}
		out = append(out, w)
	}
	return out
}

// critical tells whether lossless groups need a change: marking and the
// profiles of lossy groups and queues are not for them.
func (c *change) critical() bool {
	switch c.table {
	case "WRED_PROFILE", "QUEUE", "SCHEDULER":
		return false
	case "BUFFER_PROFILE":
		return !strings.HasPrefix(c.key, oursLossy) && !strings.HasPrefix(c.key, oursQueue+"LOSSY_")
	case "BUFFER_PG":
		return !strings.HasPrefix(c.after["profile"], oursLossy)
	case "BUFFER_QUEUE":
		return !strings.HasPrefix(c.after["profile"], oursQueue+"LOSSY_")
	}
	return true
}

// escape is of a JSON pointer's parts (RFC 6901, 3).
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer joins the parts of a JSON pointer.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + escape.Replace(p))
	}
	return b.String()
}
