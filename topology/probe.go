package topology

import (
	"errors"
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ParseProbe reads a probe file, YAML or JSON: the chip's memory, its pool, the group, the blocked egress queue if it
// has limits, and how to fill. The file does not have the rule by which the chip compares, because it is what a user
// varies on the same switch: the probe has mmu.SiliconRule, and XON measured from the limit at XOFF. The error wraps
// buffer.ErrInvalid and lists every complaint.
func ParseProbe(file string, data []byte) (mmu.Probe, error) {
	r := newReader(file)
	var p mmu.Probe
	if root := r.Parse(data); root != nil {
		p = r.probe(root)
		if len(r.Bad) == 0 {
			r.Place(p.Validate())
		}
	}
	if err := r.invalid(); err != nil {
		return mmu.Probe{}, err
	}
	return p, nil
}

// probe reads the file's five mappings.
func (r *reader) probe(root *document.Value) mmu.Probe {
	f := root.Fields("chip", "pool", "group", "egress", "fill")
	root.Need(f, "chip", "pool", "group", "fill")
	p := mmu.Probe{Rule: mmu.SiliconRule(), Latched: true}
	if v := f["chip"]; v != nil {
		probeChip(v, &p)
	}
	if v := f["fill"]; v != nil {
		probeFill(v, &p) // before the limits: whether they are bytes or cells depends on what a packet is charged
	}
	if v := f["pool"]; v != nil {
		probePool(v, &p)
	}
	if v := f["group"]; v != nil {
		probeGroup(v, &p)
	}
	if v := f["egress"]; v != nil {
		probeEgress(v, &p)
	}
	return p
}

// probeChip reads the cell, and into how many slices the chip's memory is divided.
func probeChip(v *document.Value, p *mmu.Probe) {
	g := v.Fields("cell", "packet_overhead", "slices")
	v.Need(g, "cell")
	p.Cell = cells.Size(document.Quantity(g["cell"], unit.ParseBytes))
	p.Overhead = document.Quantity(g["packet_overhead"], unit.ParseBytes)
	p.Slices = 1
	if g["slices"] != nil {
		p.Slices = int(g["slices"].Integer(1, 1<<10))
	}
}

// probePool reads the ingress pool.
func probePool(v *document.Value, p *mmu.Probe) {
	g := v.Fields("size", "shared_headroom", "size_includes_headroom", "reserved_elsewhere_cells")
	v.Need(g, "size")
	p.Pool = document.Quantity(g["size"], unit.ParseBytes)
	p.SharedHeadroom = document.Quantity(g["shared_headroom"], unit.ParseBytes)
	p.SizeIncludesHeadroom = g["size_includes_headroom"].Boolean()
	p.ReservedElsewhere = cells.Count(g["reserved_elsewhere_cells"].Integer(0, 1<<40))
}

// probeGroup reads what all groups that are filled have in common.
func probeGroup(v *document.Value, p *mmu.Probe) {
	g := v.Fields("reserved", "alpha", "dynamic_th", "static_th", "lossless", "headroom", "xon_offset")
	p.Reserved = document.Quantity(g["reserved"], unit.ParseBytes)
	p.Limit = probeLimit(v, g, p)
	p.Lossy = g["lossless"] != nil && !g["lossless"].Boolean()
	p.Headroom = document.Quantity(g["headroom"], unit.ParseBytes)
	p.XONOffset = document.Quantity(g["xon_offset"], unit.ParseBytes)
}

// probeEgress reads the queue in which the packets of all groups wait.
func probeEgress(v *document.Value, p *mmu.Probe) {
	g := v.Fields("size", "reserved_elsewhere_cells", "reserved", "alpha", "dynamic_th", "static_th")
	v.Need(g, "size")
	e := &p.Egress
	e.Pool = probeSome(g["size"], "leave egress out to let it take everything")
	e.ReservedElsewhere = cells.Count(g["reserved_elsewhere_cells"].Integer(0, 1<<40))
	e.Reserved = document.Quantity(g["reserved"], unit.ParseBytes)
	e.Limit = probeLimit(v, g, p)
}

// probeLimit reads the limit on shared cells of a group or a queue: a factor, also as a decimal such as 0.125; its
// exponent; or bytes of the whole chip that the slices divide evenly, where 0B is no limit, as in SAI.
func probeLimit(v *document.Value, f map[string]*document.Value, p *mmu.Probe) thresholds.Limit {
	factor, exponent, static := f["alpha"], f["dynamic_th"], f["static_th"]
	switch {
	case static != nil && (factor != nil || exponent != nil):
		static.Refuse("one of alpha, dynamic_th and static_th")
		return thresholds.Limit{}
	case static != nil:
		return probeStatic(document.Quantity(static, unit.ParseBytes), p)
	case factor == nil && exponent == nil:
		v.Need(map[string]*document.Value{}, "alpha")
		return thresholds.Limit{}
	case factor != nil && exponent == nil:
		if a, err := parseFactor(factor.Raw()); err == nil {
			return thresholds.Dynamic(a)
		}
	}
	if a := alpha(factor, exponent); a != nil {
		return thresholds.Dynamic(*a)
	}
	return thresholds.Limit{}
}

// probeStatic returns a slice's part of a static limit.
func probeStatic(n unit.Bytes, p *mmu.Probe) thresholds.Limit {
	if n <= 0 {
		return thresholds.Unlimited()
	}
	size := p.Cell
	if p.Charged > 0 {
		size = 1
	}
	if size <= 0 {
		return thresholds.Limit{} // refused already
	}
	return thresholds.Static(size.Within(n) / cells.Count(max(p.Slices, 1)))
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

// probeSome reads bytes that are not 0, if the key is there: without the key the probe has another meaning, and 0 bytes
// must not pass for that.
func probeSome(v *document.Value, otherwise string) unit.Bytes {
	if v == nil {
		return 0
	}
	before := v.Complaints()
	n := document.Quantity(v, unit.ParseBytes)
	if n == 0 && v.Complaints() == before {
		v.Refuse("1B or more; " + otherwise)
	}
	return n
}

// probeFill reads which packets are sent, and to how many groups in which order.
func probeFill(v *document.Value, p *mmu.Probe) {
	g := v.Fields("packet", "packet_bytes_charged", "groups", "order")
	v.Need(g, "packet")
	p.Packet = document.Quantity(g["packet"], unit.ParseBytes)
	p.Charged = probeSome(g["packet_bytes_charged"], "leave it out to charge cells")
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
