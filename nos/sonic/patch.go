package sonic

import (
	"encoding/json"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
)

// operation is one of a JSON patch (RFC 6902). In a gNMI Set its path follows
// /CONFIG_DB/localhost.
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

// escape replaces the characters that the parts of a JSON pointer cannot have (RFC
// 6901, 3).
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
