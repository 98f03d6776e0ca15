package journal

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// Setting is a register and its value, in cells or the register's unit.
type Setting struct {
	Register string `json:"register"`
	Port     string `json:"port,omitempty"`
	Index    int    `json:"index"`
	Value    int64  `json:"value"`
}

func settings(l buffer.Layout) []Setting {
	out := make([]Setting, len(l))
	for i, s := range l {
		out[i] = Setting{registerName(s.Kind), s.Port, s.Index, s.Value}
	}
	return out
}

// registerName is the name of a kind of register in a journal.
func registerName(k buffer.Kind) string {
	switch {
	case k == buffer.PortMinimum:
		return "port " + k.String()
	case k == buffer.PriorityDSCP:
		return "priority " + k.String()
	case k >= buffer.QueueReserved:
		return "queue " + k.String()
	default:
		return "group " + k.String()
	}
}

// layoutOf reads settings. It refuses registers that are not there and those that
// are named twice.
func layoutOf(all []Setting) (buffer.Layout, error) {
	kinds := map[string]buffer.Kind{}
	for _, k := range buffer.Kinds() {
		kinds[registerName(k)] = k
	}
	seen := map[buffer.Register]bool{}
	var out []buffer.Setting
	for _, s := range all {
		k, known := kinds[s.Register]
		r := buffer.Register{Kind: k, Port: s.Port, Index: s.Index}
		if !known || seen[r] || s.Index < 0 || s.Index >= pg.PerPort && s.Port != "" {
			return nil, fmt.Errorf("register %q of %q, %d: accepted: registers of a layout, each once", s.Register, s.Port, s.Index)
		}
		seen[r] = true
		out = append(out, buffer.Setting{Register: r, Value: s.Value})
	}
	return buffer.NewLayout(out), nil
}
