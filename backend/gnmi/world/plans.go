package world

import (
	"sync"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
)

// The ports of the switch.
const (
	port1 = "Ethernet1"
	port2 = "Ethernet2"
)

var plansByKind sync.Map

// plansOf are plans of a few registers that a kind of switch can hold: they overlap, raise
// one register and lower another, so that they have two phases, and the last does not fit.
func plansOf(kind string) []plan {
	if known, ok := plansByKind.Load(kind); ok {
		return known.([]plan)
	}
	reserved := func(port string, group int, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: buffer.GroupReserved, Port: port, Index: group}, Value: v}
	}
	curve := func(port string, kmin, kmax int64) []buffer.Setting {
		at := func(k buffer.Kind, v int64) buffer.Setting {
			return buffer.Setting{Register: buffer.Register{Kind: k, Port: port, Index: 3}, Value: v}
		}
		return []buffer.Setting{at(buffer.QueueECNMin, kmin), at(buffer.QueueECNMax, kmax), at(buffer.QueueECNPMax, 500)}
	}
	var out []plan
	add := func(name string, settings ...buffer.Setting) {
		out = append(out, plan{name, buffer.NewLayout(settings)})
	}
	switch kind {
	case profile.Simulated, profile.OpenConfig:
		add("a", reserved(port1, 3, 10), reserved(port1, 4, 20), reserved(port2, 3, 30))
		add("b", reserved(port1, 3, 20), reserved(port1, 4, 10), reserved(port2, 3, 30))
		add("c", reserved(port1, 3, 10))
		add("d", reserved(port2, 3, 10))
		add("e", reserved(port1, 3, 30), reserved(port1, 4, 20))
		add("too large", reserved(port1, 3, 900), reserved(port2, 3, 900))
	default:
		// Cells of 208 bytes and steps of 6144 bytes: the curves are far enough apart.
		add("a", append(curve(port1, 600, 1800), curve(port2, 1200, 1800)...)...)
		add("b", append(curve(port1, 1200, 1800), curve(port2, 600, 1800)...)...)
		add("c", curve(port1, 600, 1200)...)
		add("d", curve(port2, 1200, 2400)...)
		add("e", curve(port1, 1200, 1800)...)
		add("f", curve(port1, 1200, 2400)...)
	}
	plansByKind.Store(kind, out)
	return out
}
