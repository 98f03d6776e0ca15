package qos

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// groupShare is what one group has, in cells. The zero share is an empty group.
type groupShare struct {
	reserved int64
	dynamic  bool // it takes shared cells, up to 2^alpha times what is free
	alpha    int32
	static   int64 // or it takes up to so many shared cells; 0: no such limit
}

// allocation is what the groups of a port have: the content of a buffer
// allocation profile.
type allocation [pg.PerPort]groupShare

// curve is how a queue marks: the content of a queue management profile. The
// zero curve marks nothing.
type curve struct {
	low, high int64 // cells
	percent   uint8 // at high
}

// queueMinima are the cells that egress queues have of their own: the content of a
// buffer allocation profile of an output.
type queueMinima [pg.PerPort]int64

// port is what a port has, and the profiles that say so. An empty name is no
// profile.
type port struct {
	groups          allocation
	allocationName  string
	curves          [pg.PerPort]curve
	curveNames      [pg.PerPort]string
	minima          queueMinima
	minimaName      string
	weights         queueWeights
	policyName      string
	dscps           pg.DSCPMap
	classifierNames [versions]string
}

// ownedPrefix marks the profiles that cellwarden owns.
const (
	ownedPrefix  = "cellwarden-"
	prefixPG     = ownedPrefix + "pg-"
	prefixECN    = ownedPrefix + "ecn-"
	prefixOut    = ownedPrefix + "out-"
	prefixPolicy = ownedPrefix + "sched-"
	prefixV4     = ownedPrefix + "dscp4-"
	prefixV6     = ownedPrefix + "dscp6-"
	prefixGroup  = ownedPrefix + "priority-" // and the number
)

// name derives a profile's name from its content, as it will be sent.
func (a allocation) name(cell cells.Size) string {
	if a == (allocation{}) {
		return ""
	}
	var b strings.Builder
	for n, s := range a {
		if s != (groupShare{}) {
			fmt.Fprintf(&b, "%d: %d bytes, shared %v %d\n", n, cell.Bytes(cells.Count(s.reserved)), s.dynamic, s.alpha)
			if s.static > 0 {
				fmt.Fprintf(&b, "%d: up to %d bytes\n", n, cell.Bytes(cells.Count(s.static)))
			}
		}
	}
	return prefixPG + digest(b.String())
}

// name derives a profile's name from its content, as it will be sent.
func (c curve) name(s target) string {
	if c == (curve{}) {
		return ""
	}
	low, high := s.bytes(buffer.QueueECNMin, c.low), s.bytes(buffer.QueueECNMax, c.high)
	return prefixECN + digest(fmt.Sprintf("%d to %d bytes, %d%%\n", low, high, c.percent))
}

// name derives a profile's name from its content, as it will be sent.
func (m queueMinima) name(cell cells.Size) string {
	if m == (queueMinima{}) {
		return ""
	}
	var b strings.Builder
	for n, v := range m {
		if v > 0 {
			fmt.Fprintf(&b, "%d: %d bytes\n", n, cell.Bytes(cells.Count(v)))
		}
	}
	return prefixOut + digest(b.String())
}

// digest is short, for a switch limits the length of names. A switch has tens
// of profiles: 48 bits tell them apart.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("%x", sum[:6])
}

// layoutOf lists the registers of ports, in the order that a layout has: sorting
// takes longer.
func layoutOf(ports map[string]port) buffer.Layout {
	out := make([]buffer.Setting, 0, 9*pg.PerPort*len(ports))
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

// portsOf sorts the registers of a layout into ports and names the profiles
// that carry them. It refuses, all at once, what OpenConfig cannot carry.
func portsOf(l buffer.Layout, t target) (map[string]port, error) {
	ports := map[string]port{}
	var bad []buffer.Complaint
	for _, s := range l {
		p := ports[s.Port]
		if accepted := p.set(s, t); accepted != "" {
			value := strings.TrimPrefix(s.String(), s.Register.String()+" ")
			bad = append(bad, buffer.Complaint{Path: s.Register.String(), Value: value, Accepted: accepted})
		}
		ports[s.Port] = p
	}
	for _, name := range slices.SortedFunc(maps.Keys(ports), buffer.ComparePorts) {
		p := ports[name]
		for n, s := range p.groups {
			if s.dynamic && s.static > 0 {
				static := buffer.Setting{Register: buffer.Register{Kind: buffer.GroupStatic, Port: name, Index: n}, Value: s.static}
				bad = append(bad, buffer.Complaint{Path: static.Register.String(), Value: static.Kind.Text(static.Value), Accepted: "none beside an alpha: a shared limit is static or dynamic"})
			}
		}
		bad = append(bad, p.checkDSCPs(name)...)
		p.allocationName, p.minimaName, p.policyName, p.classifierNames = p.groups.name(t.cell), p.minima.name(t.cell), p.weights.name(), namesOfClassifiers(p.dscps)
		for n, c := range p.curves {
			p.curveNames[n] = c.name(t)
		}
		ports[name] = p
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrInexpressible, complain(bad))
	}
	return ports, nil
}

// set writes one register. It returns what would be accepted in place of a
// value that cannot be carried.
func (p *port) set(s buffer.Setting, t target) (accepted string) {
	if r := t.Rule(s.Kind); !r.Expressible() {
		return "nothing: " + r.Reason()
	}
	if s.Port == "" || s.Index < 0 || s.Index >= pg.PerPort {
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
		if s.Value < buffer.Strict || s.Value > buffer.MaxWeight {
			return fmt.Sprintf("1 to %d, or %d for strict", buffer.MaxWeight, buffer.Strict)
		}
		p.weights[s.Index] = s.Value
	case buffer.PriorityDSCP:
		p.dscps[s.Index] = pg.CodePoints(s.Value)
	case buffer.QueueECNMin:
		return setCells(&queue.low, s.Value, t.cell)
	case buffer.QueueECNMax:
		return setCells(&queue.high, s.Value, t.cell)
	case buffer.QueueECNPMax:
		if s.Value%100 != 0 || s.Value < 0 || s.Value > 10000 {
			return "1 to 100 whole percents: OpenConfig's max-drop-probability-percent has no fractions"
		}
		queue.percent = uint8(s.Value / 100)
	case buffer.GroupAlpha:
		if s.Value == buffer.Unset {
			return ""
		}
		if s.Value < math.MinInt32 || s.Value > math.MaxInt32 {
			return "an exponent of 32 bits"
		}
		group.dynamic, group.alpha = true, int32(s.Value)
	default:
		return "a register that cellwarden knows how to say in OpenConfig"
	}
	return ""
}

// setCells writes a count of cells that will be sent in bytes.
func setCells(to *int64, v int64, cell cells.Size) (accepted string) {
	if most := maxBytes / int64(cell); v < 0 || v > most {
		return fmt.Sprintf("0 to %d cells", most)
	}
	*to = v
	return ""
}

// maxBytes is more than any switch has, and far from where integers end.
const maxBytes = 1 << 50
