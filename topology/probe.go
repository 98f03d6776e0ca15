package topology

import (
	"errors"
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ParseProbe reads a probe file, YAML or JSON: the chip's memory, its pool, the
// group, and how to fill it. The rule by which the chip compares is no part of
// the file: it comes back as that of buffer.SiliconRule with XON measured from
// the limit at XOFF. The error wraps buffer.ErrInvalid and lists every
// complaint.
func ParseProbe(file string, data []byte) (buffer.MMUProbe, error) {
	r := newReader(file)
	var p buffer.MMUProbe
	if root := r.parse(data); root != nil {
		p = r.probe(root)
		if len(r.bad) == 0 {
			if err := p.Validate(); err != nil {
				r.bad = append(r.bad, fmt.Errorf("%s: %w", file, err))
			}
		}
	}
	if len(r.bad) > 0 {
		return buffer.MMUProbe{}, fmt.Errorf("%w:\n%w", buffer.ErrInvalid, errors.Join(r.bad...))
	}
	return p, nil
}

func (r *reader) probe(root *value) buffer.MMUProbe {
	f := root.fields("chip", "pool", "group", "fill")
	root.need(f, "chip", "pool", "group", "fill")
	p := buffer.MMUProbe{Rule: buffer.SiliconRule(), Latched: true}
	if v := f["chip"]; v != nil {
		g := v.fields("cell", "packet_overhead", "slices")
		v.need(g, "cell")
		p.Cell = cells.Size(quantity(g["cell"], unit.ParseBytes))
		p.Overhead = quantity(g["packet_overhead"], unit.ParseBytes)
		p.Slices = 1
		if g["slices"] != nil {
			p.Slices = int(g["slices"].integer(1, 1<<10))
		}
	}
	if v := f["pool"]; v != nil {
		g := v.fields("size", "shared_headroom", "size_includes_headroom", "reserved_elsewhere_cells")
		v.need(g, "size")
		p.Pool = quantity(g["size"], unit.ParseBytes)
		p.SharedHeadroom = quantity(g["shared_headroom"], unit.ParseBytes)
		p.SizeIncludesHeadroom = g["size_includes_headroom"].boolean()
		p.ReservedElsewhere = cells.Count(g["reserved_elsewhere_cells"].integer(0, 1<<40))
	}
	if v := f["group"]; v != nil {
		g := v.fields("reserved", "alpha", "dynamic_th", "headroom", "xon_offset")
		p.Reserved = quantity(g["reserved"], unit.ParseBytes)
		p.Limit = probeLimit(v, g["alpha"], g["dynamic_th"])
		p.Headroom = quantity(g["headroom"], unit.ParseBytes)
		p.XONOffset = quantity(g["xon_offset"], unit.ParseBytes)
	}
	if v := f["fill"]; v != nil {
		r.probeFill(v, &p)
	}
	return p
}

// probeLimit reads the group's factor, also as a decimal such as 0.125.
func probeLimit(v, factor, exponent *value) thresholds.Limit {
	if factor == nil && exponent == nil {
		v.need(map[string]*value{}, "alpha")
		return thresholds.Limit{}
	}
	if factor != nil && exponent == nil {
		if a, err := parseFactor(factor.Value); err == nil {
			return thresholds.Dynamic(a)
		}
	}
	if a := alpha(factor, exponent); a != nil {
		return thresholds.Dynamic(*a)
	}
	return thresholds.Limit{}
}

// parseFactor reads a decimal that is a power of two: 0.125, 2.0.
func parseFactor(text string) (thresholds.Alpha, error) {
	var f float64
	var rest string
	if n, _ := fmt.Sscanf(text, "%g%s", &f, &rest); n != 1 {
		return 0, errors.New("not a decimal")
	}
	mantissa, exponent := math.Frexp(f)
	a := exponent - 1
	if mantissa != 0.5 || a < int(thresholds.MinAlpha) || a > int(thresholds.MaxAlpha) {
		return 0, errors.New("no alpha")
	}
	return thresholds.Alpha(a), nil
}

func (r *reader) probeFill(v *value, p *buffer.MMUProbe) {
	g := v.fields("packet", "packet_bytes_charged", "groups", "order")
	v.need(g, "packet")
	p.Packet = quantity(g["packet"], unit.ParseBytes)
	if charged := g["packet_bytes_charged"]; charged != nil {
		before := len(r.refused)
		if p.Charged = quantity(charged, unit.ParseBytes); p.Charged == 0 && len(r.refused) == before {
			charged.refuse("1B or more; leave it out to charge cells")
		}
	}
	p.Groups = 1
	if g["groups"] != nil {
		p.Groups = int(g["groups"].integer(1, thresholds.MaxGroups))
	}
	switch order := g["order"]; {
	case order == nil:
	case order.text() == "in-turn":
		p.InTurn = true
	case order.text() != "together":
		order.refuse("together, in-turn")
	}
}
