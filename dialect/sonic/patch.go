package sonic

import (
	"maps"
	"slices"
	"strings"
)

// operation is one of a JSON patch (RFC 6902). In a gNMI Set its path follows
// /CONFIG_DB/localhost.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// shared are the tables whose entries hold more than is cellwarden's: only
// fields of theirs are written.
var shared = []string{"PORT_QOS_MAP", "QUEUE", "CABLE_LENGTH"}

// order is in which order tables are written: what is pointed at comes first,
// and PFC is enabled last.
var order = []string{"BUFFER_PROFILE", "TC_TO_PRIORITY_GROUP_MAP", "WRED_PROFILE", "CABLE_LENGTH", "BUFFER_PG", "QUEUE", "PORT_QOS_MAP"}

// patch is what the generic updater takes: everything but pools.
func patch(db database) []operation {
	out := []operation{}
	for _, name := range order {
		for _, key := range slices.Sorted(maps.Keys(db[name])) {
			fields := db[name][key]
			if !slices.Contains(shared, name) {
				out = append(out, operation{"add", pointer(name, key), fields})
				continue
			}
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				out = append(out, operation{"add", pointer(name, key, field), fields[field]})
			}
		}
	}
	return out
}

// pointer joins the parts of a JSON pointer (RFC 6901).
func pointer(parts ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + escape.Replace(p))
	}
	return b.String()
}
