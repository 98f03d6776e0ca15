package topology

import (
	"errors"
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
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
	if root := r.Parse(data); root != nil {
		p = r.probe(root)
		if len(r.Bad) == 0 {
			if err := p.Validate(); err != nil {
				r.Bad = append(r.Bad, fmt.Errorf("%s: %w", file, err))
			}
		}
	}
	if len(r.Bad) > 0 {
		return buffer.MMUProbe{}, fmt.Errorf("%w:\n%w", buffer.ErrInvalid, errors.Join(r.Bad...))
	}
	return p, nil
}

func (r *reader) probe(root *document.Value) buffer.MMUProbe {
	f := root.Fields("chip", "pool", "group", "fill")
	root.Need(f, "chip", "pool", "group", "fill")
	p := buffer.MMUProbe{Rule: buffer.SiliconRule(), Latched: true}
	if v := f["chip"]; v != nil {
		g := v.Fields("cell", "packet_overhead", "slices")
		v.Need(g, "cell")
		p.Cell = cells.Size(document.Quantity(g["cell"], unit.ParseBytes))
		p.Overhead = document.Quantity(g["packet_overhead"], unit.ParseBytes)
		p.Slices = 1
		if g["slices"] != nil {
			p.Slices = int(g["slices"].Integer(1, 1<<10))
		}
	}
	if v := f["pool"]; v != nil {
		g := v.Fields("size", "shared_headroom", "size_includes_headroom", "reserved_elsewhere_cells")
		v.Need(g, "size")
		p.Pool = document.Quantity(g["size"], unit.ParseBytes)
		p.SharedHeadroom = document.Quantity(g["shared_headroom"], unit.ParseBytes)
		p.SizeIncludesHeadroom = g["size_includes_headroom"].Boolean()
		p.ReservedElsewhere = cells.Count(g["reserved_elsewhere_cells"].Integer(0, 1<<40))
	}
	if v := f["group"]; v != nil {
		g := v.Fields("reserved", "alpha", "dynamic_th", "headroom", "xon_offset")
		p.Reserved = document.Quantity(g["reserved"], unit.ParseBytes)
		p.Limit = probeLimit(v, g["alpha"], g["dynamic_th"])
		p.Headroom = document.Quantity(g["headroom"], unit.ParseBytes)
		p.XONOffset = document.Quantity(g["xon_offset"], unit.ParseBytes)
	}
	if v := f["fill"]; v != nil {
		r.probeFill(v, &p)
	}
	return p
}

// probeLimit reads the group's factor, also as a decimal such as 0.125.
func probeLimit(v, factor, exponent *document.Value) thresholds.Limit {
	if factor == nil && exponent == nil {
		v.Need(map[string]*document.Value{}, "alpha")
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

func (r *reader) probeFill(v *document.Value, p *buffer.MMUProbe) {
	g := v.Fields("packet", "packet_bytes_charged", "groups", "order")
	v.Need(g, "packet")
	p.Packet = document.Quantity(g["packet"], unit.ParseBytes)
	if charged := g["packet_bytes_charged"]; charged != nil {
		before := len(r.Refused)
		if p.Charged = document.Quantity(charged, unit.ParseBytes); p.Charged == 0 && len(r.Refused) == before {
			charged.Refuse("1B or more; leave it out to charge cells")
		}
	}
	p.Groups = 1
	if g["groups"] != nil {
		p.Groups = int(g["groups"].Integer(1, thresholds.MaxGroups))
	}
	switch order := g["order"]; {
	case order == nil:
	case order.Text() == "in-turn":
		p.InTurn = true
	case order.Text() != "together":
		order.Refuse("together, in-turn")
	}
}
