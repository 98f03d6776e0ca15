package pushworld

import (
	"sync"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"

	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The ports of the switch.
const (
	port1 = "Ethernet1"
	port2 = "Ethernet2"
)

// tooLarge is the name of a plan that does not fit.
const tooLarge = "too large"

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
		fits := must(qos.CheckCompatibility(buffer.NewLayout(settings), cell, profiles()[kind])) // in the steps of the switch
		out = append(out, plan{name: name, layout: fits.Layout})
	}
	switch kind {
	case simulated, openConfigAll:
		add("a", reserved(port1, 3, 10), reserved(port1, 4, 20), reserved(port2, 3, 30))
		add("b", reserved(port1, 3, 20), reserved(port1, 4, 10), reserved(port2, 3, 30))
		add("c", reserved(port1, 3, 10))
		add("d", reserved(port2, 3, 10))
		add("e", reserved(port1, 3, 30), reserved(port1, 4, 20))
		add(tooLarge, reserved(port1, 3, 900), reserved(port2, 3, 900))
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

// sonicPlans are plans for ports of a SONiC switch, by the length of their cables.
var sonicPlans = sync.OnceValue(func() []plan {
	var out []plan
	for _, p := range []struct {
		name  string
		cable unit.Length
		ports []string
	}{{"40 m", 40 * unit.Metre, []string{"Ethernet0", "Ethernet4"}}, {"300 m", 300 * unit.Metre, []string{"Ethernet0"}},
		{"5 m", 5 * unit.Metre, []string{"Ethernet4"}}} {
		in := buffer.Intent{
			Chip: buffer.Chip{Name: "tomahawk", Cell: cell, Slices: []buffer.Slice{{Cells: 80660}}, MinAlpha: -8, MaxAlpha: 7,
				Groups: pg.PerPort},
			Pool: buffer.Pool{Size: 12 * unit.MiB, SharedHeadroom: 4 * unit.MiB}, Sizing: thresholds.IEEE{},
			Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248),
				Alpha: new(thresholds.Alpha(-3)), XONOffset: unit.Given[unit.Bytes](3536)}},
		}
		for _, name := range p.ports {
			in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, Cable: p.cable, MTU: 9216})
		}
		admitted := must(buffer.New(in))
		out = append(out, plan{name: p.name, language: &native.SONiC{
			Plan:    nos.Plan{Intent: in, Layout: admitted.Layout()},
			Options: sonic.Options{ASIC: "th", Release: "202511"}}})
	}
	return out
})
