package qos

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
)

// Ports connect a layout and OpenConfig: all that a port has, by family of registers. A layout is sorted into ports,
// ports are written as profiles and bindings, and what is read from a switch is ports again.

// port is what a port has, by family of registers, and the names of the profiles
// that carry it, by slot. An empty name means that the port is bound to no such profile.
type port struct {
	groups  allocation
	minima  queueMinima
	curves  [pg.PerPort]curve
	weights queueWeights
	dscps   pg.DSCPMap
	names   [len(slots)]string
}

// layoutOf lists the registers of ports. They are listed in the order of a layout,
// because sorting them takes longer than the rest.
func layoutOf(ports map[string]port) buffer.Layout {
	const kinds = 9 // of registers below, per group or queue
	out := make([]buffer.Setting, 0, kinds*pg.PerPort*len(ports))
	for _, name := range slices.SortedFunc(maps.Keys(ports), buffer.ComparePorts) {
		p := ports[name]
		for n := range pg.PerPort {
			set := func(k buffer.Kind, v int64) {
				out = append(out, buffer.Setting{Register: buffer.Register{Kind: k, Port: name, Index: n}, Value: v})
			}
			group, queue := p.groups[n], p.curves[n]
			set(buffer.GroupReserved, group.reserved)
			if group.dynamic {
				set(buffer.GroupAlpha, int64(group.alpha))
			}
			set(buffer.GroupStatic, group.static)
			set(buffer.QueueReserved, p.minima[n])
			set(buffer.QueueECNMin, queue.low)
			set(buffer.QueueECNMax, queue.high)
			set(buffer.QueueECNPMax, int64(queue.percent)*100)
			set(buffer.QueueWeight, p.weights[n])
			set(buffer.PriorityDSCP, int64(p.dscps[n]))
		}
	}
	return buffer.NewLayout(out)
}

// portsOf sorts the registers of a layout into ports and names the profiles that
// carry them. It refuses, all at once, the values that OpenConfig cannot carry.
func portsOf(l buffer.Layout, t target) (map[string]port, error) {
	ports := map[string]port{}
	var bad fielderr.List
	for _, s := range l {
		p := ports[s.Port]
		if accepted := p.set(s, t); accepted != "" {
			bad.Add(s.Register.String(), s.Kind.Text(s.Value), accepted)
		}
		ports[s.Port] = p
	}
	// Names depend on the whole content, so that they come after all registers. The order
	// of ports makes the order of complaints the same in every run.
	for _, name := range slices.SortedFunc(maps.Keys(ports), buffer.ComparePorts) {
		p := ports[name]
		p.check(name, &bad)
		for i, s := range slots {
			p.names[i] = p.content(s).name(t)
		}
		ports[name] = p
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrInexpressible, buffer.Invalid(bad))
	}
	return ports, nil
}

// check complains about groups whose shared limit is both static and dynamic, and about DSCPs that are of two
// priorities.
func (p *port) check(name string, bad *fielderr.List) {
	for n, s := range p.groups {
		if s.dynamic && s.static > 0 {
			r := buffer.Register{Kind: buffer.GroupStatic, Port: name, Index: n}
			bad.Add(r.String(), r.Kind.Text(s.static), "none beside an alpha: a shared limit is static or dynamic")
		}
	}
	var taken pg.CodePoints
	for n, dscps := range p.dscps {
		if both := taken & dscps; both != 0 {
			r := buffer.Register{Kind: buffer.PriorityDSCP, Port: name, Index: n}
			bad.Add(r.String(), both.String(), "DSCPs of no other priority")
		}
		taken |= dscps
	}
}

// set writes one register. It returns what would be accepted in place of a value that cannot be carried.
func (p *port) set(s buffer.Setting, t target) (accepted string) {
	if r := t.Rule(s.Kind); !r.Expressible() {
		return "nothing: " + r.Reason()
	}
	if !s.Register.Valid() {
		return "a group or queue, 0 to 7, of a port with a name"
	}
	group, queue := &p.groups[s.Index], &p.curves[s.Index]
	switch s.Kind {
	case buffer.GroupReserved:
		return setCells(&group.reserved, s.Value, t.cell)
	case buffer.GroupStatic:
		if most := math.MaxUint32 / int64(t.cell); s.Value > most {
			return fmt.Sprintf("0 to %d cells: the leaf is a uint32 of bytes", most)
		}
		return setCells(&group.static, s.Value, t.cell)
	case buffer.QueueReserved:
		return setCells(&p.minima[s.Index], s.Value, t.cell)
	case buffer.QueueWeight:
		if s.Kind.Check(s.Value) != nil {
			return fmt.Sprintf("1 to %d, or %d for strict", buffer.MaxWeight, buffer.Strict)
		}
		p.weights[s.Index] = s.Value
	case buffer.PriorityDSCP:
		p.dscps[s.Index] = pg.CodePoints(s.Value)
	case buffer.QueueECNMin:
		return setCells(&queue.low, s.Value, t.cell)
	case buffer.QueueECNMax:
		return setCells(&queue.high, s.Value, t.cell)
	case buffer.QueueECNPMax: // in hundredths of a percent
		if s.Value%100 != 0 || s.Kind.Check(s.Value) != nil {
			return "1 to 100 whole percents: OpenConfig's max-drop-probability-percent has no fractions"
		}
		queue.percent = uint8(s.Value / 100)
	case buffer.GroupAlpha:
		if s.Value == buffer.Unset { // the group takes no shared cells
			return ""
		}
		if s.Value < math.MinInt32 || s.Value > math.MaxInt32 {
			return "an exponent of 32 bits"
		}
		group.dynamic, group.alpha = true, int32(s.Value)
	default:
		return "a register that cellwarden can express in OpenConfig"
	}
	return ""
}
