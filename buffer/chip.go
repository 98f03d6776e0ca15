package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Chip is what a plan has to know of a switch ASIC's memory. Package asic has
// a catalogue of them; a caller may make its own.
type Chip struct {
	Name     string     `json:"name"`
	Title    string     `json:"title,omitempty"` // its full name: "Broadcom BCM56960 Tomahawk"
	Cell     cells.Size `json:"cell_bytes"`
	Overhead unit.Bytes `json:"overhead_bytes"` // what the chip stores with each packet

	// Slices are the parts of the memory that do not lend each other cells.
	Slices []Slice `json:"slices"`
	// Pipes says for each ingress pipe which slices its ports are charged in: a group's reserved cells and headroom are in
	// every one of them, because limits and counters are replicated. Empty means one pipe that feeds every slice.
	Pipes [][]int `json:"pipes,omitempty"`
	// EgressPipes says for each pipe which slices its ports send from. A packet is stored in the slice that its ingress
	// pipe and its egress pipe have in common: see [Chip.SliceOf]. Empty: not sourced. Plans do not need it.
	EgressPipes [][]int `json:"egress_pipes,omitempty"`

	MinAlpha thresholds.Alpha `json:"min_dynamic_th"` // the chip's table of alphas
	MaxAlpha thresholds.Alpha `json:"max_dynamic_th"`
	Groups   int              `json:"groups_per_port"`             // priority groups, at most 8
	Channels int              `json:"channels_per_port,omitempty"` // virtual channels (CBFC), at most 32; 0: not known

	// What follows describes the chip further; a plan can be made without.
	// Zero is not sourced, or that the chip has no such limit.

	Ports int `json:"max_ports,omitempty"` // ports that the chip can count, inner ones included
	// Bandwidth is the speed of all ports together that the chip carries, in Gb/s, and
	// PortSpeed that of its fastest port. Management ports are not included.
	Bandwidth int64 `json:"bandwidth_gbps,omitempty"`
	PortSpeed int64 `json:"max_port_gbps,omitempty"`

	IngressPools  int    `json:"ingress_pools,omitempty"`  // shared pools that ports and groups can be bound to
	EgressPools   int    `json:"egress_pools,omitempty"`   // the same for ports and queues
	HeadroomPools int    `json:"headroom_pools,omitempty"` // pools of shared headroom
	MemoryKind    string `json:"memory_kind,omitempty"`    // "SRAM" or "SRAM+HBM"
	// MemoryBytes is what is known of the memory on the chip as a whole where its slices are not sourced, or where it is
	// not all of them: a packet enters a chip of kind "SRAM+HBM" by this memory and moves to the memory beside the chip
	// while it waits. The slices of such a chip count the bytes in both, as its driver does.
	MemoryBytes unit.Bytes `json:"memory_bytes,omitempty"`
	MemoryCell  cells.Size `json:"memory_cell_bytes,omitempty"` // unit of that memory, where it is not Cell
	// Offload is the rate, in Gb/s of frames on the line, at which packets move to the memory beside the chip. See
	// [Chip.OffloadNeeds].
	Offload int64 `json:"offload_gbps,omitempty"`

	// What one pool can be given in a slice at most. A pool that is configured
	// larger is refused; one that is the rest of the memory is cut to it.
	MaxPool cells.Count `json:"max_pool_cells,omitempty"`
	// The same for a shared headroom pool, which is refused above it.
	MaxHeadroomPool cells.Count `json:"max_headroom_pool_cells,omitempty"`
	MaxPortHeadroom cells.Count `json:"max_port_headroom_cells,omitempty"` // most headroom of one port's groups together

	// MaxQueue is the most that one virtual output queue holds of lossless packets, all that came after XOFF included: the
	// packets of an ingress that wait for one queue of one egress port. 0: not sourced, or no such limit.
	MaxQueue unit.Bytes `json:"max_queue_bytes,omitempty"`

	// Reclaims says which ports give their cells back. Empty: none do.
	Reclaims Reclaim `json:"reclaims,omitempty"`

	// HeadroomDefaults is the headroom that the vendor's own software gives a
	// lossless group of a port, slower speeds first.
	HeadroomDefaults []HeadroomDefault `json:"headroom_defaults,omitempty"`
	Rounding         Rounding          `json:"rounding,omitzero"`

	// How the chip compares its counters with a limit. Package buffer/mmu admits
	// packets by these; a plan does not need them. Empty: not sourced.
	LimitRule LimitRule `json:"limit_rule,omitempty"`
	XOFFRule  XOFFRule  `json:"xoff_rule,omitempty"`
	XONRule   XONRule   `json:"xon_rule,omitempty"`
	// HeadroomRule says whose the headroom of a group is where no pool of shared headroom is configured: "group", or
	// "port": one group can take all that the groups of its port have. A plan counts the same cells and says it, verify
	// proves each group with its own part, and a probe of a planned topology fills a group to that of its port.
	HeadroomRule string `json:"headroom_rule,omitempty"`
	// LeakOut is the number of small packets that leave an egress port after a
	// tester has stopped it. They are no part of any limit.
	LeakOut int64 `json:"leak_out_packets,omitempty"`

	Sources Sources  `json:"sources"`
	Notes   []string `json:"notes,omitempty"` // where sources disagree, what is inferred; shown with every plan
}

// HeadroomDefault is what a vendor's software gives a lossless group of a port of this speed by default: a constant,
// for a cable and a packet that are seldom stated.
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
	// Thresholds that mark packets (ECN) are multiples of this number of bytes.
	Marking unit.Bytes `json:"marking_threshold_bytes,omitempty"`
	// A group's XON offset is a multiple of this number of cells; a plan rounds up.
	ResumeOffset cells.Count `json:"resume_offset_cells,omitempty"`
	// Limits of yellow and red packets are multiples of this number of cells.
	ColourLimit cells.Count `json:"colour_limit_cells,omitempty"`
	// A threshold has this number of significant bits, rounded down.
	Mantissa thresholds.Mantissa `json:"mantissa_bits,omitempty"`
	// A headroom has this number of significant bits, rounded up.
	HeadroomMantissa thresholds.Mantissa `json:"headroom_mantissa_bits,omitempty"`
}

// LimitRule says when the chip reads a dynamic limit.
type LimitRule string

// The two times at which a dynamic limit can be read.
const (
	LimitBefore LimitRule = "before" // as it is before the packet is stored
	LimitAfter  LimitRule = "after"  // as it will be with the packet stored
)

// XOFFRule says with which packet the chip sends XOFF.
type XOFFRule string

// The two packets with which XOFF can be sent.
const (
	XOFFFull    XOFFRule = "full"    // the one that fills the shared part
	XOFFRefused XOFFRule = "refused" // the first that the shared part refuses
)

// XONRule says from which limit the chip measures the XON offset.
type XONRule string

// The two limits from which the XON offset can be measured.
const (
	XONLatched XONRule = "latched" // the limit at XOFF
	XONCurrent XONRule = "current" // the present limit
)

// Slice is one part of a chip's packet memory.
type Slice struct {
	Cells cells.Count `json:"cells"`           // usable cells
	Takes []Take      `json:"takes,omitempty"` // of these, what the chip keeps for itself
}

// Take is memory that no configuration can have: queues of the CPU port, replication engines, a vendor's reserve.
type Take struct {
	Item   string      `json:"item"`
	Cells  cells.Count `json:"cells"`
	Source string      `json:"source"`
}

// Sources says where a chip's numbers come from. Empty means not sourced; a text that begins with "inferred" is a
// conclusion from something else, with "assumed" a value in place of an unpublished one.
type Sources struct {
	Cell             string `json:"cell_bytes,omitempty"`
	Overhead         string `json:"overhead_bytes,omitempty"`
	Slices           string `json:"slices,omitempty"`
	Pipes            string `json:"pipes,omitempty"`
	EgressPipes      string `json:"egress_pipes,omitempty"`
	Alpha            string `json:"alpha,omitempty"`
	Groups           string `json:"groups_per_port,omitempty"`
	Channels         string `json:"channels_per_port,omitempty"`
	Ports            string `json:"max_ports,omitempty"`
	Bandwidth        string `json:"bandwidth_gbps,omitempty"` // and of the fastest port
	IngressPools     string `json:"ingress_pools,omitempty"`
	EgressPools      string `json:"egress_pools,omitempty"`
	HeadroomPools    string `json:"headroom_pools,omitempty"`
	Memory           string `json:"memory,omitempty"` // its kind, its bytes and its unit
	Offload          string `json:"offload_gbps,omitempty"`
	MaxPool          string `json:"max_pool_cells,omitempty"`
	MaxHeadroomPool  string `json:"max_headroom_pool_cells,omitempty"`
	MaxPortHeadroom  string `json:"max_port_headroom_cells,omitempty"`
	MaxQueue         string `json:"max_queue_bytes,omitempty"`
	Reclaims         string `json:"reclaims,omitempty"`
	HeadroomDefaults string `json:"headroom_defaults,omitempty"`
	Rounding         string `json:"rounding,omitempty"`
	// Of the limit, XOFF and XON rules. A text that begins with "measured" names
	// what was measured, and how many of the values the rule gives exactly.
	Rules        string `json:"rules,omitempty"`
	HeadroomRule string `json:"headroom_rule,omitempty"`
	LeakOut      string `json:"leak_out_packets,omitempty"`
}

// Unsourced returns the JSON names of the numbers that are not zero and have no
// source, or nil. A chip file may have some; those of
// package asic have none.
func (c *Chip) Unsourced() []string {
	var bare []string
	fields := chipFields()
	for i := range fields {
		f := &fields[i]
		name := f.unsourcedName()
		if f.source >= 0 && !f.IsZero(c) && f.Source(c) == "" && !slices.Contains(bare, name) {
			bare = append(bare, name)
		}
		if f.Key == "slices" {
			bare = append(bare, c.unsourcedTakes()...)
		}
	}
	return bare
}

// unsourcedTakes names what the chip keeps for itself without a source.
func (c *Chip) unsourcedTakes() []string {
	var bare []string
	for i := range c.Slices {
		for j, t := range c.Slices[i].Takes {
			if t.Source == "" {
				bare = append(bare, fmt.Sprintf("slices[%d].takes[%d]", i, j))
			}
		}
	}
	return bare
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

// Deep tells whether packets move to a memory beside the chip, so that the slices are more than the memory on it.
func (c *Chip) Deep() bool { return c.MemoryKind == "SRAM+HBM" && len(c.Slices) > 0 }

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

// slicesOfPipes returns the slices of each pipe.
func (c *Chip) slicesOfPipes() [][]int {
	if len(c.Pipes) == 0 {
		return [][]int{c.SlicesOf(0)}
	}
	return slices.Clone(c.Pipes)
}

// SliceOf returns the slice that holds a packet which came in through a port of one pipe and leaves by a port of
// another: the first that feeds the one and drains into the other. Where nothing says more, the slices of the ingress
// pipe are taken in turn by egress pipe, which is inferred.
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
	var bad fielderr.List
	c.validate(&bad)
	return Invalid(bad)
}

func (c *Chip) validate(bad *fielderr.List) {
	fields := chipFields()
	for i := range fields {
		fields[i].validate(c, bad)
	}
}

// validateSlices refuses a chip without memory, and slices that keep more for the chip than they have.
func (c *Chip) validateSlices(bad *fielderr.List) {
	if len(c.Slices) == 0 {
		bad.Add("chip.slices", "none",
			"at least one slice with its cells; this chip's memory is not sourced: give it in a chip file")
	}
	for i := range c.Slices {
		s := &c.Slices[i]
		path := func() string { return fmt.Sprintf("chip.slices[%d]", i) }
		if s.Cells <= 0 || s.Cells > MaxCells {
			bad.Add(path()+".cells", fmt.Sprint(s.Cells), "1 cell or more")
		}
		for j, t := range s.Takes {
			if t.Cells < 0 {
				bad.Add(fmt.Sprintf("%s.takes[%d].cells", path(), j), fmt.Sprint(t.Cells), "0 or more")
			}
		}
		if s.Taken() > s.Cells {
			bad.Add(path()+".takes", fmt.Sprintf("%d cells", s.Taken()), fmt.Sprintf("at most the slice's %d cells", s.Cells))
		}
	}
}

// validatePipes refuses a pipe without slices, and slices that are not there or come twice.
func (c *Chip) validatePipes(name, what string, pipes [][]int, bad *fielderr.List) {
	seen := make([]int, len(c.Slices)) // the last pipe, from 1, that lists the slice
	for i, list := range pipes {
		path := func() string { return fmt.Sprintf("chip.%s[%d]", name, i) }
		if len(list) == 0 {
			bad.Add(path(), "none", what)
		}
		for _, s := range list {
			if s < 0 || s >= len(c.Slices) || seen[s] == i+1 {
				bad.Add(path(), fmt.Sprint(s), fmt.Sprintf("slices 0 to %d, each once", len(c.Slices)-1))
				continue
			}
			seen[s] = i + 1
		}
	}
}

// validateAlphas refuses a table of alphas whose ends are the wrong way round or beyond what an alpha can be.
func (c *Chip) validateAlphas(bad *fielderr.List) {
	if c.MinAlpha < thresholds.MinAlpha || c.MaxAlpha > thresholds.MaxAlpha || c.MinAlpha > c.MaxAlpha {
		bad.Add("chip."+alphaKeys, fmt.Sprintf("%d to %d", c.MinAlpha, c.MaxAlpha),
			fmt.Sprintf("a range within %d to %d", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
}

// validateHeadroomDefaults refuses speeds out of order: a speed has one default.
func (c *Chip) validateHeadroomDefaults(bad *fielderr.List) {
	var slower unit.BitRate
	for i, d := range c.HeadroomDefaults {
		path := func(key string) string { return fmt.Sprintf("chip.headroom_defaults[%d].%s", i, key) }
		if d.Speed <= slower {
			bad.Add(path("speed"), d.Speed.String(), fmt.Sprintf("above %v: slower speeds first, each once", slower))
		}
		slower = d.Speed
		validateDefault(path, "line_rate_cells", d.LineRate, bad)
		validateDefault(path, "oversubscribed_cells", d.Oversubscribed, bad)
	}
}

func validateDefault(path func(string) string, key string, n cells.Count, bad *fielderr.List) {
	if n < 0 || n > MaxCells {
		bad.Add(path(key), fmt.Sprint(n), fmt.Sprintf("0 (not sourced) to %d", MaxCells))
	}
}
