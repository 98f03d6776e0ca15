package nos

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// Update is one value of a rendering in the form that a gNMI Set carries.
type Update struct {
	Origin  string        // of the path; empty: the switch's default
	Path    []Elem        // from the root of the origin
	JSON    []byte        // the value as RFC 7951 writes it; nil: what is there is deleted
	Phase   int           // updates of a lower phase are sent before, in a Set of their own
	Carries []buffer.Kind // registers in the value whose change may stop traffic; empty: none

	// Stops is what the switch itself stops in order to make the change, whatever the value is.
	Stops buffer.Disruption
}

// Elem is an element of a path. An entry of a list has a key.
type Elem struct{ Name, Key, Value string }

// Text prints a path: /qos/interfaces/interface[interface-id=et-0/0/0].
func Text(path []Elem) string {
	var b strings.Builder
	for _, e := range path {
		b.WriteString("/" + e.Name)
		if e.Key != "" {
			b.WriteString("[" + e.Key + "=" + e.Value + "]")
		}
	}
	return b.String()
}

// Waiting is a value of a rendering that a switch accepts only with a reload of its configuration.
type Waiting struct {
	Path     string // as Text prints it
	From, To string // JSON; empty From: absent, or not known; empty To: it is deleted
	Why      string // it needs a reload
	Critical bool   // lossless groups need it
}

// NeedsReload tells whether lossless groups need a value that waits for a reload.
func (r *Rendering) NeedsReload() bool {
	return slices.ContainsFunc(r.Waiting, func(w Waiting) bool { return w.Critical })
}

// Compact writes a value in one line, keys in order.
func Compact(value any) []byte {
	out, err := json.Marshal(value)
	if err != nil {
		panic("nos: " + err.Error()) // values are made of maps, texts and numbers
	}
	return out
}
