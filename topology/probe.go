package topology

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Probe is the question of a probe file, and the things that it names.
type Probe struct {
	mmu.Probe
	Chip  *buffer.Chip // nil: the file gives the chip's sizes and no name
	Group string       // the port, class and slice of a topology whose group is filled; "": the file gives its sizes
	// RuleSource says how sure Rule and Latched are: see buffer.Sources. A text that begins with "assumed" is not the
	// chip's.
	RuleSource string
}

// ParseProbe reads a probe file, YAML or JSON: the chip, its pool, the group, the blocked egress queue if it has
// limits,
// and how to fill. The chip is its sizes, the name of a chip of the catalogue, or a chip file. A topology in place of
// chip, pool and group gives them as they are planned. A chip that is named compares as the catalogue says; for others
// the probe has mmu.SiliconRule, and XON measured from the limit at XOFF. Files that the probe names are looked up
// beside it. The error wraps buffer.ErrInvalid and lists every complaint; that of a topology that does not fit is its
// plan's.
func ParseProbe(file string, data []byte, open Open) (Probe, error) {
	r := newReader(file)
	// The defaults are those of the chips that were measured (sonic-mgmt's values): XOFF with the packet that fills
	// the shared part, XON from the limit at XOFF.
	p := Probe{Probe: mmu.Probe{Rule: mmu.SiliconRule(), Latched: true}, RuleSource: assumedRule}
	var refused error
	if root := r.Parse(data); root != nil {
		refused = r.probe(root, open, &p)
		// Validate sees the numbers together: the parts of a pool that exceed it, a headroom of a lossy group.
		if r.Total() == 0 && refused == nil {
			r.Place(p.Validate())
		}
	}
	if err := r.invalid(); err != nil {
		return Probe{}, err
	}
	if refused != nil {
		return Probe{}, refused
	}
	return p, nil
}

// It is shown with the answer, and a program tells by its first word that nothing states the rule of the chip.
const assumedRule = "assumed: that of Broadcom's XGS chips"

// probe reads the file's mappings. The error is that of a topology which does not fit.
func (r *reader) probe(root *document.Value, open Open, p *Probe) error {
	// A topology has its own chip and pool: those keys are then unknown, and group has other keys.
	if slices.Contains(root.Keys(), "topology") {
		return r.probePlanned(root, open, p)
	}
	f := root.Fields("chip", "pool", "group", "egress", "fill")
	root.Need(f, "chip", "pool", "group", "fill")
	if v := f["chip"]; v != nil {
		r.probeChip(v, open, p)
	}
	probeFill(f["fill"], p) // before the limits: whether they are bytes or cells depends on what a packet is charged
	probePool(f["pool"], &p.Probe)
	probeGroup(f["group"], &p.Probe)
	probeEgress(f["egress"], &p.Probe)
	return nil
}

// probeChip reads the chip's sizes, or takes those of a chip that is named. A chip of the catalogue without a cell
// size is refused, as nothing can be counted in its cells.
func (r *reader) probeChip(v *document.Value, open Open, p *Probe) {
	if !v.IsMapping() {
		before := r.Total()
		c := r.chip(v, open)
		if r.Total() == before && c.Cell == 0 {
			v.Refuse("a chip whose cells are sourced; or cell, packet_overhead and slices")
		}
		p.setChip(c)
		p.Slices = max(1, len(c.Slices))
		return
	}
	// A chip that is not in the catalogue is three numbers here: bytes of a cell, bytes that are stored with each
	// packet (0 without the key), and slices (1 without the key).
	g := v.Fields("cell", "packet_overhead", "slices")
	v.Need(g, "cell")
	p.Cell = cells.Size(document.Quantity(g["cell"], unit.ParseBytes))
	p.Overhead = document.Quantity(g["packet_overhead"], unit.ParseBytes)
	p.Slices = cmp.Or(int(g["slices"].Integer(1, 1<<10)), 1)
}

// setChip takes a chip's cell, and how it compares.
func (p *Probe) setChip(c buffer.Chip) {
	p.Chip, p.Cell, p.Overhead = &c, c.Cell, c.Overhead
	p.RuleSource = assumedRule + "; how this chip compares is not sourced"
	// A chip without a sourced rule keeps the assumed one, and the answer says so.
	if rule, latched, ok := behaviour.RuleOf(&c); ok {
		p.Rule, p.Latched, p.RuleSource = rule, latched, cmp.Or(c.Sources.Rules, "the chip file")
	}
}

// probePool reads the ingress pool. Whether the parts fit into the size is checked by mmu.Probe's Validate, which
// sees all of them.
func probePool(v *document.Value, p *mmu.Probe) {
	// Sizes are bytes of the whole chip. reserved_elsewhere_cells is cells of one slice, because it stands for other
	// ports, which are not on every slice. 0 shared headroom: each group has its own.
	g := v.Fields("size", "shared_headroom", "size_includes_headroom", "reserved_elsewhere_cells")
	v.Need(g, "size")
	p.Pool = document.Quantity(g["size"], unit.ParseBytes)
	p.SharedHeadroom = document.Quantity(g["shared_headroom"], unit.ParseBytes)
	p.SizeIncludesHeadroom = g["size_includes_headroom"].Boolean()
	p.ReservedElsewhere = cells.Count(g["reserved_elsewhere_cells"].Integer(0, 1<<40))
}

// probeGroup reads what all groups that are filled have in common.
func probeGroup(v *document.Value, p *mmu.Probe) {
	// Bytes of one group in one slice, 0 without the key. A group is lossless unless the file says otherwise: what a
	// probe asks first is where XOFF is.
	g := v.Fields("reserved", "alpha", "dynamic_th", "static_th", "lossless", "headroom", "xon_offset")
	p.Reserved = document.Quantity(g["reserved"], unit.ParseBytes)
	p.Limit = probeLimit(v, g, p)
	p.Lossy = g["lossless"] != nil && !g["lossless"].Boolean()
	p.Headroom = document.Quantity(g["headroom"], unit.ParseBytes)
	p.XONOffset = document.Quantity(g["xon_offset"], unit.ParseBytes)
}

// probeEgress reads the queue in which the packets of all groups wait. The size is bytes of the whole chip, as that
// of the ingress pool. Without the key the queue takes everything, so that the ingress limits alone decide.
func probeEgress(v *document.Value, p *mmu.Probe) {
	g := v.Fields("size", "reserved_elsewhere_cells", "reserved", "alpha", "dynamic_th", "static_th")
	v.Need(g, "size")
	e := &p.Egress
	e.Pool = positive(g["size"], "leave egress out to let it take everything")
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
		// A test of a switch states the factor as a decimal, 0.125. A topology has 1/8 or the exponent, which stay
		// readable for small ones.
		if a, err := parseFactor(factor.Raw()); err == nil {
			return thresholds.Dynamic(a)
		}
	}
	if a := alpha(factor, exponent); a != nil {
		return thresholds.Dynamic(*a)
	}
	return thresholds.Limit{}
}

// probeStatic returns a slice's part of a static limit. The result is in the units that the probe counts, which are
// cells or bytes.
func probeStatic(n unit.Bytes, p *mmu.Probe) thresholds.Limit {
	if n <= 0 {
		return thresholds.Unlimited()
	}
	// A model that is charged bytes counts in units of a byte, so its limit is one of bytes.
	size := p.Cell
	if p.Charged > 0 {
		size = 1
	}
	if size <= 0 {
		return thresholds.Limit{} // refused already
	}
	return thresholds.Static(size.Within(n) / cells.Count(max(p.Slices, 1)))
}

// parseFactor reads a decimal that is a power of two: 0.125, 2.0. An exponent outside thresholds.MinAlpha to
// MaxAlpha, and what is no power of two, goes on to the reader of fractions, whose complaint says what is accepted.
func parseFactor(text string) (thresholds.Alpha, error) {
	var f float64
	var rest string
	if n, _ := fmt.Sscanf(text, "%g%s", &f, &rest); n != 1 {
		return 0, errors.New("not a decimal")
	}
	// A power of two is 0.5 * 2^exponent here, exactly: no rounding decides whether a decimal is an alpha. Infinity
	// and NaN have another mantissa.
	mantissa, exponent := math.Frexp(f)
	a := exponent - 1
	if mantissa != 0.5 || a < int(thresholds.MinAlpha) || a > int(thresholds.MaxAlpha) {
		return 0, errors.New("no alpha")
	}
	return thresholds.Alpha(a), nil
}

// positive reads bytes that are not 0, if the key is there: without the key the probe has another meaning, and 0 bytes
// must not pass for that.
func positive(v *document.Value, otherwise string) unit.Bytes {
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

// probeFill reads which packets are sent, and to how many groups in which order. packet_bytes_charged is for models
// that charge bytes and no cells; 0 stands for cells, so an explicit 0 is refused. The number of groups is 1 without
// the key.
func probeFill(v *document.Value, p *Probe) {
	// Bytes of a packet as a tester sends it, without preamble and gap. Without order all groups fill together,
	// packet by packet; in-turn fills one after the other.
	g := v.Fields("packet", "packet_bytes_charged", "groups", "order", "leak_out")
	v.Need(g, "packet")
	p.Packet = document.Quantity(g["packet"], unit.ParseBytes)
	p.Charged = positive(g["packet_bytes_charged"], "leave it out to charge cells")
	p.Groups = cmp.Or(int(g["groups"].Integer(1, thresholds.MaxGroups)), 1)
	if leak := g["leak_out"]; leak != nil {
		p.LeakOut = probeLeakOut(leak, p.Chip)
	}
	switch order := g["order"]; {
	case order == nil:
	case order.Text() == "in-turn":
		p.InTurn = true
	case order.Text() != "together":
		order.Refuse("together, in-turn")
	}
}

// probeLeakOut reads how many packets leak out: a number, or that of the chip.
func probeLeakOut(v *document.Value, c *buffer.Chip) int64 {
	// A stopped port still sends some packets, which fill nothing. sonic-mgmt calls their number pkts_num_leak_out.
	switch {
	case v.Text() != "chip":
		return v.Integer(0, 1<<40)
	case c == nil || c.LeakOut == 0:
		v.Refuse("a number of packets: that of the chip is not sourced")
		return 0
	}
	return c.LeakOut
}
