package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Chip is what a plan has to know of a switch ASIC's memory. Package asic has
// a catalogue of them; a caller may make its own.
type Chip struct {
	Name     string     `json:"name"`
	Title    string     `json:"title,omitempty"` // what it is: "Broadcom BCM56960 Tomahawk"
	Cell     cells.Size `json:"cell_bytes"`
	Overhead unit.Bytes `json:"overhead_bytes"` // what the chip stores with each packet

	// Slices are the parts of the memory that do not lend each other cells.
	Slices []Slice `json:"slices"`
	// Pipes says for each ingress pipe which slices its ports are charged in:
	// a group's reserved cells and headroom stand in every one of them, because
	// limits and counters are replicated. Empty means one pipe that feeds every
	// slice.
	Pipes [][]int `json:"pipes,omitempty"`
	// EgressPipes says for each pipe which slices its ports send from. A packet is
	// stored in the slice that its ingress pipe and its egress pipe have in common:
	// see [Chip.SliceOf]. Empty: not sourced. Plans do not need it.
	EgressPipes [][]int `json:"egress_pipes,omitempty"`

	MinAlpha thresholds.Alpha `json:"min_dynamic_th"` // the chip's table of alphas
	MaxAlpha thresholds.Alpha `json:"max_dynamic_th"`
	Groups   int              `json:"groups_per_port"` // priority groups, at most 8

	// What follows describes the chip further; a plan can be made without.
	// Zero is not sourced, or that the chip has no such limit.

	Ports         int    `json:"max_ports,omitempty"`      // ports that the chip can count, inner ones included
	IngressPools  int    `json:"ingress_pools,omitempty"`  // shared pools that ports and groups can be bound to
	EgressPools   int    `json:"egress_pools,omitempty"`   // the same for ports and queues
	HeadroomPools int    `json:"headroom_pools,omitempty"` // pools of shared headroom
	MemoryKind    string `json:"memory_kind,omitempty"`    // "SRAM" or "SRAM+HBM"
	// MemoryBytes is what is known of the memory on the chip as a whole where its
	// slices are not sourced. Nothing is planned with it.
	MemoryBytes unit.Bytes `json:"memory_bytes,omitempty"`

	// What one pool can be given in a slice at most. A pool that is configured
	// larger is refused; one that is the rest of the memory is cut to it.
	MaxPool         cells.Count `json:"max_pool_cells,omitempty"`
	MaxHeadroomPool cells.Count `json:"max_headroom_pool_cells,omitempty"` // the same for a shared headroom pool, which is refused above it
	MaxPortHeadroom cells.Count `json:"max_port_headroom_cells,omitempty"` // most headroom of one port's groups together

	// Reclaims says which ports give their cells back. Empty: none do.
	Reclaims Reclaim `json:"reclaims,omitempty"`

	// HeadroomDefaults is the headroom that the vendor's own software gives a
	// lossless group of a port, slower speeds first.
	HeadroomDefaults []HeadroomDefault `json:"headroom_defaults,omitempty"`
	Rounding         Rounding          `json:"rounding,omitzero"`

	Sources Sources  `json:"sources"`
	Notes   []string `json:"notes,omitempty"` // where sources disagree, what is inferred; shown with every plan
}

// HeadroomDefault is what a vendor's software gives a lossless group of a port
// of this speed when nobody says more: a constant, for a cable and a packet
// that are seldom stated.
type HeadroomDefault struct {
	Speed    unit.BitRate `json:"speed"`
	LineRate cells.Count  `json:"line_rate_cells"` // the chip, or the port's part of it, can take all ports at full rate
	// Oversubscribed is for ports that together are faster than that, so that
	// packets wait before they are counted. 0: the source has none.
	Oversubscribed cells.Count `json:"oversubscribed_cells,omitempty"`
}

// Rounding says which limits the chip can hold. Zero is not sourced; a field
// that is 1 would say that every value can be held.
type Rounding struct {
	Marking          unit.Bytes          `json:"marking_threshold_bytes,omitempty"` // thresholds that mark packets (ECN) are multiples of so many bytes
	ResumeOffset     cells.Count         `json:"resume_offset_cells,omitempty"`     // a group's XON offset is a multiple of this; a plan rounds up
	ColourLimit      cells.Count         `json:"colour_limit_cells,omitempty"`      // limits of yellow and red packets are multiples of this
	Mantissa         thresholds.Mantissa `json:"mantissa_bits,omitempty"`           // a threshold keeps so many bits, rounded down
	HeadroomMantissa thresholds.Mantissa `json:"headroom_mantissa_bits,omitempty"`  // a headroom keeps so many bits, rounded up
}

// Slice is one part of a chip's packet memory.
type Slice struct {
	Cells cells.Count `json:"cells"`           // usable cells
	Takes []Take      `json:"takes,omitempty"` // of these, what the chip keeps for itself
}

// Take is memory that no configuration can have: queues of the CPU port,
// replication engines, a vendor's reserve.
type Take struct {
	Item   string      `json:"item"`
	Cells  cells.Count `json:"cells"`
	Source string      `json:"source"`
}

// Sources says where a chip's numbers come from. Empty means not sourced; a
// text that begins with "inferred" is a conclusion from something else, with
// "assumed" a value that stands in for one that nobody published.
type Sources struct {
	Cell             string `json:"cell_bytes,omitempty"`
	Overhead         string `json:"overhead_bytes,omitempty"`
	Slices           string `json:"slices,omitempty"`
	Pipes            string `json:"pipes,omitempty"`
	EgressPipes      string `json:"egress_pipes,omitempty"`
	Alpha            string `json:"alpha,omitempty"`
	Groups           string `json:"groups_per_port,omitempty"`
	Ports            string `json:"max_ports,omitempty"`
	IngressPools     string `json:"ingress_pools,omitempty"`
	EgressPools      string `json:"egress_pools,omitempty"`
	HeadroomPools    string `json:"headroom_pools,omitempty"`
	Memory           string `json:"memory,omitempty"` // its kind and its bytes
	MaxPool          string `json:"max_pool_cells,omitempty"`
	MaxHeadroomPool  string `json:"max_headroom_pool_cells,omitempty"`
	MaxPortHeadroom  string `json:"max_port_headroom_cells,omitempty"`
	Reclaims         string `json:"reclaims,omitempty"`
	HeadroomDefaults string `json:"headroom_defaults,omitempty"`
	Rounding         string `json:"rounding,omitempty"`
}

// Unsourced returns the JSON names of the numbers that are not zero and have no
// source, nil if there are none. A chip of your own may have some; those of
// package asic have none.
func (c *Chip) Unsourced() []string {
	var bare []string
	check := func(name string, there bool, source string) {
		if there && source == "" {
			bare = append(bare, name)
		}
	}
	s := &c.Sources
	check("cell_bytes", c.Cell != 0, s.Cell)
	check("overhead_bytes", c.Overhead != 0, s.Overhead)
	check("slices", len(c.Slices) > 0, s.Slices)
	for i := range c.Slices {
		for j, t := range c.Slices[i].Takes {
			check(fmt.Sprintf("slices[%d].takes[%d]", i, j), true, t.Source)
		}
	}
	check("pipes", len(c.Pipes) > 0, s.Pipes)
	check("egress_pipes", len(c.EgressPipes) > 0, s.EgressPipes)
	check("min_dynamic_th, max_dynamic_th", c.MinAlpha != 0 || c.MaxAlpha != 0, s.Alpha)
	check("groups_per_port", c.Groups != 0, s.Groups)
	check("max_ports", c.Ports != 0, s.Ports)
	check("ingress_pools", c.IngressPools != 0, s.IngressPools)
	check("egress_pools", c.EgressPools != 0, s.EgressPools)
	check("headroom_pools", c.HeadroomPools != 0, s.HeadroomPools)
	check("memory_kind", c.MemoryKind != "", s.Memory)
	check("memory_bytes", c.MemoryBytes != 0, s.Memory)
	check("max_pool_cells", c.MaxPool != 0, s.MaxPool)
	check("max_headroom_pool_cells", c.MaxHeadroomPool != 0, s.MaxHeadroomPool)
	check("max_port_headroom_cells", c.MaxPortHeadroom != 0, s.MaxPortHeadroom)
	check("reclaims", c.Reclaims != "", s.Reclaims)
	check("headroom_defaults", len(c.HeadroomDefaults) > 0, s.HeadroomDefaults)
	check("rounding", c.Rounding != Rounding{}, s.Rounding)
	return bare
}

// DefaultHeadroom returns what the vendor's software gives a lossless group of
// a port of this speed; false if that is not sourced.
func (c *Chip) DefaultHeadroom(speed unit.BitRate) (HeadroomDefault, bool) {
	for _, d := range c.HeadroomDefaults {
		if d.Speed == speed {
			return d, true
		}
	}
	return HeadroomDefault{}, false
}

// TotalCells returns the usable cells of all slices.
func (c *Chip) TotalCells() cells.Count {
	var sum cells.Count
	for _, s := range c.Slices {
		sum += s.Cells
	}
	return sum
}

// Taken returns the cells that the chip keeps for itself in this slice.
func (s *Slice) Taken() cells.Count {
	var sum cells.Count
	for _, t := range s.Takes {
		sum += t.Cells
	}
	return sum
}

// Memory returns what the sizing of a headroom has to know of the chip.
func (c *Chip) Memory() thresholds.Memory {
	return thresholds.Memory{Cell: c.Cell, Overhead: c.Overhead}
}

// PipeCount returns the number of ingress pipes, at least 1.
func (c *Chip) PipeCount() int { return max(1, len(c.Pipes)) }

// SlicesOf returns the slices in which the ports of a pipe are charged.
func (c *Chip) SlicesOf(pipe int) []int {
	if len(c.Pipes) > 0 {
		return c.Pipes[pipe]
	}
	all := make([]int, len(c.Slices))
	for i := range all {
		all[i] = i
	}
	return all
}

// SliceOf returns the slice that holds a packet which came in through a port of
// one pipe and leaves by a port of another: the first that feeds the one and
// drains into the other. Where nothing says more, the slices of the ingress pipe
// are taken in turn by egress pipe, which is inferred.
func (c *Chip) SliceOf(ingress, egress int) int {
	feeds := c.SlicesOf(ingress)
	if egress < len(c.EgressPipes) {
		for _, s := range feeds {
			if slices.Contains(c.EgressPipes[egress], s) {
				return s
			}
		}
	}
	return feeds[egress%len(feeds)]
}

// AllowsAlpha tells whether the chip's table has this alpha.
func (c *Chip) AllowsAlpha(a thresholds.Alpha) bool { return a >= c.MinAlpha && a <= c.MaxAlpha }

// Validate refuses a chip that cannot be planned with; it returns nil or a
// *InvalidError with every complaint.
func (c *Chip) Validate() error {
	var bad complain.List
	c.validate(&bad)
	return Invalid(bad)
}

func (c *Chip) validate(bad *complain.List) {
	if c.Cell <= 0 || c.Cell > 1<<20 {
		bad.Add("chip.cell_bytes", fmt.Sprint(int64(c.Cell)), "1 to 1048576 bytes")
	}
	if c.Overhead < 0 || c.Overhead > 1<<16 {
		bad.Add("chip.overhead_bytes", c.Overhead.String(), "0B to 65536B")
	}
	if len(c.Slices) == 0 {
		bad.Add("chip.slices", "none", "at least one slice with its cells; this chip's memory is not sourced: give it in a chip file")
	}
	for i := range c.Slices {
		s := &c.Slices[i]
		if s.Cells <= 0 || s.Cells > 1<<40 {
			bad.Add(fmt.Sprintf("chip.slices[%d].cells", i), fmt.Sprint(s.Cells), "1 cell or more")
		}
		for j, t := range s.Takes {
			if t.Cells < 0 {
				bad.Add(fmt.Sprintf("chip.slices[%d].takes[%d].cells", i, j), fmt.Sprint(t.Cells), "0 or more")
			}
		}
		if s.Taken() > s.Cells {
			bad.Add(fmt.Sprintf("chip.slices[%d].takes", i), fmt.Sprintf("%d cells", s.Taken()), fmt.Sprintf("at most the slice's %d cells", s.Cells))
		}
	}
	c.validatePipes(bad)
	if c.MinAlpha < thresholds.MinAlpha || c.MaxAlpha > thresholds.MaxAlpha || c.MinAlpha > c.MaxAlpha {
		bad.Add("chip.min_dynamic_th, max_dynamic_th", fmt.Sprintf("%d to %d", c.MinAlpha, c.MaxAlpha),
			fmt.Sprintf("a range within %d to %d", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
	if c.Groups < 1 || c.Groups > pg.PerPort {
		bad.Add("chip.groups_per_port", fmt.Sprint(c.Groups), fmt.Sprintf("1 to %d", pg.PerPort))
	}
	c.validateDescription(bad)
}

// validateDescription refuses what no chip can have among the numbers that a
// plan can do without.
func (c *Chip) validateDescription(bad *complain.List) {
	within := func(path string, n, most int64) {
		if n < 0 || n > most {
			bad.Add("chip."+path, fmt.Sprint(n), fmt.Sprintf("0 (not sourced) to %d", most))
		}
	}
	within("max_ports", int64(c.Ports), 1<<16)
	within("ingress_pools", int64(c.IngressPools), 64)
	within("egress_pools", int64(c.EgressPools), 64)
	within("headroom_pools", int64(c.HeadroomPools), 64)
	within("memory_bytes", int64(c.MemoryBytes), 1<<50)
	within("max_pool_cells", int64(c.MaxPool), 1<<40)
	within("max_headroom_pool_cells", int64(c.MaxHeadroomPool), 1<<40)
	within("max_port_headroom_cells", int64(c.MaxPortHeadroom), 1<<40)
	within("rounding.marking_threshold_bytes", int64(c.Rounding.Marking), 1<<20)
	within("rounding.resume_offset_cells", int64(c.Rounding.ResumeOffset), 1<<20)
	within("rounding.colour_limit_cells", int64(c.Rounding.ColourLimit), 1<<20)
	within("rounding.mantissa_bits", int64(c.Rounding.Mantissa), 62)
	within("rounding.headroom_mantissa_bits", int64(c.Rounding.HeadroomMantissa), 62)
	switch c.MemoryKind {
	case "", "SRAM", "SRAM+HBM":
	default:
		bad.Add("chip.memory_kind", c.MemoryKind, "SRAM or SRAM+HBM")
	}
	switch c.Reclaims {
	case ReclaimsNothing, ReclaimsAdminDown, ReclaimsLinkDown:
	default:
		bad.Add("chip.reclaims", string(c.Reclaims), "admin-down, link-down, or nothing")
	}
	var slower unit.BitRate
	for i, d := range c.HeadroomDefaults {
		path := fmt.Sprintf("headroom_defaults[%d]", i)
		if d.Speed <= slower {
			bad.Add("chip."+path+".speed", d.Speed.String(), fmt.Sprintf("above %v: slower speeds first, each once", slower))
		}
		slower = d.Speed
		within(path+".line_rate_cells", int64(d.LineRate), 1<<40)
		within(path+".oversubscribed_cells", int64(d.Oversubscribed), 1<<40)
	}
}

func (c *Chip) validatePipes(bad *complain.List) {
	c.validatePipe("pipes", "the slices that the pipe's ports are charged in", c.Pipes, bad)
	c.validatePipe("egress_pipes", "the slices that the pipe's ports send from", c.EgressPipes, bad)
}

func (c *Chip) validatePipe(name, what string, pipes [][]int, bad *complain.List) {
	for i, list := range pipes {
		path := fmt.Sprintf("chip.%s[%d]", name, i)
		if len(list) == 0 {
			bad.Add(path, "none", what)
		}
		seen := map[int]bool{}
		for _, s := range list {
			if s < 0 || s >= len(c.Slices) || seen[s] {
				bad.Add(path, fmt.Sprint(s), fmt.Sprintf("slices 0 to %d, each once", len(c.Slices)-1))
			}
			seen[s] = true
		}
	}
}
