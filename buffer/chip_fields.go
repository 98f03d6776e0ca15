package buffer

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxCells is more cells than any memory has.
const MaxCells cells.Count = 1 << 40

// chipFields are the fields of a chip, in the order of its JSON. No other place has their bounds: [Chip.Validate],
// [Chip.Unsourced], the reader of chip files and `cellwarden asic show` walk through this table. A new field of a chip
// is a field of Chip, one of Sources, and a row here.
var chipFields = []ChipField{
	{Key: "name", Needed: true, text: textAt(func(c *Chip) *string { return &c.Name })},
	{Key: "title", text: textAt(func(c *Chip) *string { return &c.Title })},
	{Key: "cell_bytes", Needed: true, Least: 1, Most: 1 << 20, accepted: "%d to %d bytes",
		number: numberAt(func(c *Chip) *cells.Size { return &c.Cell }),
		Label:  "cell", Unit: "bytes",
		source: func(s *Sources) *string { return &s.Cell }},
	{Key: "overhead_bytes", Most: 1 << 16, value: "%dB", accepted: "%dB to %dB",
		number: numberAt(func(c *Chip) *unit.Bytes { return &c.Overhead }),
		Label:  "stored with each packet",
		source: func(s *Sources) *string { return &s.Overhead }},
	{Key: "slices", Needed: true,
		length: func(c *Chip) int { return len(c.Slices) }, rule: (*Chip).validateSlices,
		Label: "cells in all", Place: amongSlices,
		source: func(s *Sources) *string { return &s.Slices }},
	{Key: "pipes",
		length: func(c *Chip) int { return len(c.Pipes) },
		rule: func(c *Chip, bad *fielderr.List) {
			c.validatePipes("pipes", "the slices that the pipe's ports are charged in", c.Pipes, bad)
		},
		Label: "pipes", Omit: true, Place: amongSlices,
		source: func(s *Sources) *string { return &s.Pipes }},
	{Key: "egress_pipes",
		length: func(c *Chip) int { return len(c.EgressPipes) },
		rule: func(c *Chip, bad *fielderr.List) {
			c.validatePipes("egress_pipes", "the slices that the pipe's ports send from", c.EgressPipes, bad)
		},
		source: func(s *Sources) *string { return &s.EgressPipes }},
	{Key: "min_dynamic_th", Needed: true, Least: int64(thresholds.MinAlpha), Most: int64(thresholds.MaxAlpha),
		name: alphaKeys, number: numberAt(func(c *Chip) *thresholds.Alpha { return &c.MinAlpha }),
		rule:  (*Chip).validateAlphas,
		Label: "alpha", Place: amongAlphas,
		sourceKey: "alpha", source: func(s *Sources) *string { return &s.Alpha }},
	{Key: "max_dynamic_th", Needed: true, Least: int64(thresholds.MinAlpha), Most: int64(thresholds.MaxAlpha),
		name: alphaKeys, number: numberAt(func(c *Chip) *thresholds.Alpha { return &c.MaxAlpha }),
		rule:      func(*Chip, *fielderr.List) {}, // validateAlphas checks both
		sourceKey: "alpha", source: func(s *Sources) *string { return &s.Alpha }},
	{Key: "groups_per_port", Needed: true, Least: 1, Most: pg.PerPort, accepted: "%d to %d",
		number: numberAt(func(c *Chip) *int { return &c.Groups }),
		Label:  "groups of a port", Place: amongLimits,
		source: func(s *Sources) *string { return &s.Groups }},
	{Key: "channels_per_port", Described: true, Most: cbfc.MaxChannels,
		number: numberAt(func(c *Chip) *int { return &c.Channels }),
		Label:  "virtual channels of a port", Omit: true, Place: amongLimits,
		source: func(s *Sources) *string { return &s.Channels }},
	{Key: "max_ports", Described: true, Most: 1 << 16,
		number: numberAt(func(c *Chip) *int { return &c.Ports }),
		Label:  "ports", Place: amongAlphas,
		source: func(s *Sources) *string { return &s.Ports }},
	{Key: "bandwidth_gbps", Described: true, Most: 1 << 30,
		number: numberAt(func(c *Chip) *int64 { return &c.Bandwidth }),
		Label:  "all ports together", Unit: "Gb/s", Place: amongAlphas,
		source: func(s *Sources) *string { return &s.Bandwidth }},
	{Key: "max_port_gbps", Described: true, Most: 1 << 20,
		number: numberAt(func(c *Chip) *int64 { return &c.PortSpeed }),
		Label:  "fastest port", Unit: "Gb/s", Place: amongAlphas,
		sourceKey: "bandwidth_gbps", source: func(s *Sources) *string { return &s.Bandwidth }},
	{Key: "ingress_pools", Described: true, Most: maxPools,
		number: numberAt(func(c *Chip) *int { return &c.IngressPools }),
		Label:  "ingress pools", Place: amongLimits,
		source: func(s *Sources) *string { return &s.IngressPools }},
	{Key: "egress_pools", Described: true, Most: maxPools,
		number: numberAt(func(c *Chip) *int { return &c.EgressPools }),
		Label:  "egress pools", Place: amongLimits,
		source: func(s *Sources) *string { return &s.EgressPools }},
	{Key: "headroom_pools", Described: true, Most: maxPools,
		number: numberAt(func(c *Chip) *int { return &c.HeadroomPools }),
		Label:  "headroom pools", Place: amongLimits,
		source: func(s *Sources) *string { return &s.HeadroomPools }},
	{Key: "memory_kind", Described: true, choices: []string{"", "SRAM", "SRAM+HBM"}, accepted: "SRAM or SRAM+HBM",
		text:  textAt(func(c *Chip) *string { return &c.MemoryKind }),
		Label: "kind of memory", Place: amongMemory,
		sourceKey: "memory", source: func(s *Sources) *string { return &s.Memory }},
	{Key: "memory_bytes", Described: true, Most: 1 << 50,
		number: numberAt(func(c *Chip) *unit.Bytes { return &c.MemoryBytes }),
		Label:  "memory on the chip", Unit: "bytes", Omit: true, Place: amongMemory,
		sourceKey: "memory", source: func(s *Sources) *string { return &s.Memory }},
	{Key: "memory_cell_bytes", Described: true, Most: 1 << 20,
		number: numberAt(func(c *Chip) *cells.Size { return &c.MemoryCell }),
		Label:  "unit of the memory on the chip", Unit: "bytes", Omit: true, Place: amongMemory,
		sourceKey: "memory", source: func(s *Sources) *string { return &s.Memory }},
	{Key: "offload_gbps", Described: true, Most: 1 << 30,
		number: numberAt(func(c *Chip) *int64 { return &c.Offload }),
		Label:  "packets move beside the chip at", Unit: "Gb/s", Omit: true, Place: amongMemory,
		source: func(s *Sources) *string { return &s.Offload }},
	{Key: "max_pool_cells", Described: true, Most: int64(MaxCells),
		number: numberAt(func(c *Chip) *cells.Count { return &c.MaxPool }),
		Label:  "largest pool in a slice", Unit: "cells", Place: amongLimits,
		source: func(s *Sources) *string { return &s.MaxPool }},
	{Key: "max_headroom_pool_cells", Described: true, Most: int64(MaxCells),
		number: numberAt(func(c *Chip) *cells.Count { return &c.MaxHeadroomPool }),
		Label:  "largest headroom pool in a slice", Unit: "cells", Place: amongLimits,
		source: func(s *Sources) *string { return &s.MaxHeadroomPool }},
	{Key: "max_port_headroom_cells", Described: true, Most: int64(MaxCells),
		number: numberAt(func(c *Chip) *cells.Count { return &c.MaxPortHeadroom }),
		Label:  "most headroom of a port", Unit: "cells", Place: amongLimits,
		source: func(s *Sources) *string { return &s.MaxPortHeadroom }},
	{Key: "max_queue_bytes", Described: true, Most: 1 << 50,
		number: numberAt(func(c *Chip) *unit.Bytes { return &c.MaxQueue }),
		Label:  "deepest lossless virtual output queue", Unit: "bytes", Omit: true, Place: amongLimits,
		source: func(s *Sources) *string { return &s.MaxQueue }},
	{Key: "reclaims", Described: true, accepted: "admin-down, link-down, or nothing",
		choices: []string{string(ReclaimsNothing), string(ReclaimsAdminDown), string(ReclaimsLinkDown)},
		text:    textAt(func(c *Chip) *Reclaim { return &c.Reclaims }),
		Label:   "ports that give cells back", None: "none", Place: amongLimits,
		source: func(s *Sources) *string { return &s.Reclaims }},
	{Key: "headroom_defaults", Described: true,
		length: func(c *Chip) int { return len(c.HeadroomDefaults) }, rule: (*Chip).validateHeadroomDefaults,
		source: func(s *Sources) *string { return &s.HeadroomDefaults }},
	{Key: "rounding", Described: true, Parts: roundingFields, Label: "rounding", Place: amongLimits,
		source: func(s *Sources) *string { return &s.Rounding }},
	{Key: "limit_rule", Described: true, accepted: "before, after, or nothing", name: ruleKeys,
		choices: []string{"", string(LimitBefore), string(LimitAfter)},
		text:    textAt(func(c *Chip) *LimitRule { return &c.LimitRule }),
		Label:   "a dynamic limit is read, of a packet", Place: amongRules,
		sourceKey: "rules", source: func(s *Sources) *string { return &s.Rules }},
	{Key: "xoff_rule", Described: true, accepted: "full, refused, or nothing", name: ruleKeys,
		choices: []string{"", string(XOFFFull), string(XOFFRefused)},
		text:    textAt(func(c *Chip) *XOFFRule { return &c.XOFFRule }),
		Label:   "XOFF: shared part", Place: amongRules,
		sourceKey: "rules", source: func(s *Sources) *string { return &s.Rules }},
	{Key: "xon_rule", Described: true, accepted: "latched, current, or nothing", name: ruleKeys,
		choices: []string{"", string(XONLatched), string(XONCurrent)},
		text:    textAt(func(c *Chip) *XONRule { return &c.XONRule }),
		Label:   "XON: limit", Place: amongRules,
		sourceKey: "rules", source: func(s *Sources) *string { return &s.Rules }},
	{Key: "leak_out_packets", Described: true, Most: 1 << 40,
		number: numberAt(func(c *Chip) *int64 { return &c.LeakOut }),
		Label:  "leak-out of a stopped port", Unit: "packets", Place: amongRules,
		source: func(s *Sources) *string { return &s.LeakOut }},
}

// roundingFields are the fields of [Rounding].
var roundingFields = []ChipField{
	{Key: "marking_threshold_bytes", Described: true, Most: 1 << 20,
		number: numberAt(func(c *Chip) *unit.Bytes { return &c.Rounding.Marking }),
		Show:   "ECN thresholds: multiples of %d bytes"},
	{Key: "resume_offset_cells", Described: true, Most: 1 << 20,
		number: numberAt(func(c *Chip) *cells.Count { return &c.Rounding.ResumeOffset }),
		Show:   "XON offsets: multiples of %d cells"},
	{Key: "colour_limit_cells", Described: true, Most: 1 << 20,
		number: numberAt(func(c *Chip) *cells.Count { return &c.Rounding.ColourLimit }),
		Show:   "limits by colour: multiples of %d cells"},
	{Key: "mantissa_bits", Described: true, Most: maxMantissa,
		number: numberAt(func(c *Chip) *thresholds.Mantissa { return &c.Rounding.Mantissa }),
		Show:   "thresholds: %d bits and an exponent, down"},
	{Key: "headroom_mantissa_bits", Described: true, Most: maxMantissa,
		number: numberAt(func(c *Chip) *thresholds.Mantissa { return &c.Rounding.HeadroomMantissa }),
		Show:   "headroom: %d bits and an exponent, up"},
}

const (
	alphaKeys   = "min_dynamic_th, max_dynamic_th" // the two ends of one table, which have one source
	ruleKeys    = "limit_rule, xoff_rule, xon_rule"
	maxPools    = 64 // more than any chip has
	maxMantissa = 62 // bits of a positive number
)
