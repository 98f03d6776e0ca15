package dialect

import (
	"encoding/json"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// Update is one value of a rendering in the form in which a gNMI Set carries it.
type Update struct {
	Origin  string        // of the path; empty: the switch's default
	Path    []Elem        // from the root of the origin
	JSON    []byte        // the value as RFC 7951 writes it; nil: what is there is deleted
	Phase   int           // updates of a lower phase are sent before, in a Set of their own
	Carries []buffer.Kind // registers that are in it, as far as their change may stop traffic; none: no such register

	// Stops is what the switch's own way of making the change stops, whatever is
	// in it.
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

// Waiting is something of a rendering that a switch does not take while it
// runs, and what has to be done.
type Waiting struct {
	Path     string // as Text prints it
	From, To string // JSON; empty From: not there, or not known; empty To: it goes
	Why      string
	Critical bool // lossless groups need it
}

// NeedsReload tells whether lossless groups need what still waits.
func (r *Rendering) NeedsReload() bool {
	for _, w := range r.Waiting {
		if w.Critical {
			return true
		}
	}
	return false
}

// Compact writes a value in one line, keys in order.
func Compact(value any) []byte {
	out, err := json.Marshal(value)
	if err != nil {
		panic("dialect: " + err.Error()) // values are made of maps, texts and numbers
	}
	return out
}
