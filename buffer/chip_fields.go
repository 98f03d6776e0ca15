package buffer

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
)

// MaxCells is more cells than any memory has.
const MaxCells cells.Count = 1 << 40

// chipTable has a row for each field of a chip, in the order of its JSON. No other place has their bounds:
// [Chip.Validate], [Chip.Unsourced], the reader of chip files and `cellwarden asic show` walk through it. A new field
// of a chip is a field of Chip, one of Sources, and a row here, which find each other by their JSON keys.
var chipTable = []ChipField{
	{Key: "name", Needed: true},
	{Key: "title"},
	{Key: "cell_bytes", Needed: true, Least: 1, Most: 1 << 20, accepted: "%d to %d bytes", Label: "cell",
		Unit: "bytes"},
	{Key: "overhead_bytes", Most: 1 << 16, value: "%dB", accepted: "%dB to %dB", Label: "stored with each packet"},
	{Key: "slices", Needed: true, rule: (*Chip).validateSlices, Label: "cells in all", Place: amongSlices},
	{Key: "pipes", Label: "pipes", Omit: true, Place: amongSlices,
		rule: func(c *Chip, bad *fielderr.List) {
			c.validatePipes("pipes", "the slices that the pipe's ports are charged in", c.Pipes, bad)
		}},
	{Key: "egress_pipes",
		rule: func(c *Chip, bad *fielderr.List) {
			c.validatePipes("egress_pipes", "the slices that the pipe's ports send from", c.EgressPipes, bad)
		}},
	{Key: "min_dynamic_th", Needed: true, Least: int64(thresholds.MinAlpha), Most: int64(thresholds.MaxAlpha),
		name: alphaKeys, rule: (*Chip).validateAlphas, Label: "alpha", Place: amongAlphas, sourceKey: "alpha"},
	{Key: "max_dynamic_th", Needed: true, Least: int64(thresholds.MinAlpha), Most: int64(thresholds.MaxAlpha),
		name: alphaKeys, sourceKey: "alpha",
		rule: func(*Chip, *fielderr.List) {}}, // validateAlphas checks both
	{Key: "groups_per_port", Needed: true, Least: 1, Most: pg.PerPort, accepted: "%d to %d", Label: "groups of a port",
		Place: amongLimits},
	{Key: "channels_per_port", Described: true, Most: cbfc.MaxChannels, Label: "virtual channels of a port", Omit: true,
		Place: amongLimits},
	{Key: "max_ports", Described: true, Most: 1 << 16, Label: "ports", Place: amongAlphas},
	{Key: "bandwidth_gbps", Described: true, Most: 1 << 30, Label: "all ports together", Unit: "Gb/s",
		Place: amongAlphas},
	{Key: "max_port_gbps", Described: true, Most: 1 << 20, Label: "fastest port", Unit: "Gb/s", Place: amongAlphas,
		sourceKey: "bandwidth_gbps"},
	{Key: "ingress_pools", Described: true, Most: maxPools, Label: "ingress pools", Place: amongLimits},
	{Key: "egress_pools", Described: true, Most: maxPools, Label: "egress pools", Place: amongLimits},
	{Key: "headroom_pools", Described: true, Most: maxPools, Label: "headroom pools", Place: amongLimits},
	{Key: "memory_kind", Described: true, choices: []string{"", "SRAM", "SRAM+HBM"}, accepted: "SRAM or SRAM+HBM",
		Label: "kind of memory", Place: amongMemory, sourceKey: "memory"},
	{Key: "memory_bytes", Described: true, Most: 1 << 50, Label: "memory on the chip", Unit: "bytes", Omit: true,
		Place: amongMemory, sourceKey: "memory"},
	{Key: "memory_cell_bytes", Described: true, Most: 1 << 20, Label: "unit of the memory on the chip", Unit: "bytes",
		Omit: true, Place: amongMemory, sourceKey: "memory"},
	{Key: "offload_gbps", Described: true, Most: 1 << 30, Label: "packets move beside the chip at", Unit: "Gb/s",
		Omit: true, Place: amongMemory},
	{Key: "max_pool_cells", Described: true, Most: int64(MaxCells), Label: "largest pool in a slice", Unit: "cells",
		Place: amongLimits},
	{Key: "max_headroom_pool_cells", Described: true, Most: int64(MaxCells), Label: "largest headroom pool in a slice",
		Unit: "cells", Place: amongLimits},
	{Key: "max_port_headroom_cells", Described: true, Most: int64(MaxCells), Label: "most headroom of a port",
		Unit: "cells", Place: amongLimits},
	{Key: "max_queue_bytes", Described: true, Most: 1 << 50, Label: "deepest lossless virtual output queue",
		Unit: "bytes", Omit: true, Place: amongLimits},
	{Key: "reclaims", Described: true, accepted: "admin-down, link-down, or nothing",
		choices: []string{string(ReclaimsNothing), string(ReclaimsAdminDown), string(ReclaimsLinkDown)},
		Label:   "ports that give cells back", None: "none", Place: amongLimits},
	{Key: "headroom_defaults", Described: true, rule: (*Chip).validateHeadroomDefaults},
	{Key: "rounding", Described: true, Parts: roundingFields, Label: "rounding", Place: amongLimits},
	{Key: "limit_rule", Described: true, accepted: "before, after, or nothing", name: ruleKeys,
		choices: []string{"", string(LimitBefore), string(LimitAfter)}, Label: "a dynamic limit is read, of a packet",
		Place: amongRules, sourceKey: "rules"},
	{Key: "xoff_rule", Described: true, accepted: "full, refused, or nothing", name: ruleKeys,
		choices: []string{"", string(XOFFFull), string(XOFFRefused)}, Label: "XOFF: shared part", Place: amongRules,
		sourceKey: "rules"},
	{Key: "xon_rule", Described: true, accepted: "latched, current, or nothing", name: ruleKeys,
		choices: []string{"", string(XONLatched), string(XONCurrent)}, Label: "XON: limit", Place: amongRules,
		sourceKey: "rules"},
	{Key: "headroom_rule", Described: true, accepted: "group, port, or nothing",
		choices: []string{"", "group", headroomOfPort}, Label: "headroom belongs to the", Place: amongRules},
	{Key: "leak_out_packets", Described: true, Most: 1 << 40, Label: "leak-out of a stopped port", Unit: "packets",
		Place: amongRules},
}

// roundingFields are the fields of [Rounding].
var roundingFields = []ChipField{
	{Key: "marking_threshold_bytes", Described: true, Most: 1 << 20, Show: "ECN thresholds: multiples of %d bytes"},
	{Key: "resume_offset_cells", Described: true, Most: 1 << 20, Show: "XON offsets: multiples of %d cells"},
	{Key: "colour_limit_cells", Described: true, Most: 1 << 20, Show: "limits by colour: multiples of %d cells"},
	{Key: "mantissa_bits", Described: true, Most: maxMantissa, Show: "thresholds: %d bits and an exponent, down"},
	{Key: "headroom_mantissa_bits", Described: true, Most: maxMantissa, Show: "headroom: %d bits and an exponent, up"},
}

const (
	alphaKeys   = "min_dynamic_th, max_dynamic_th" // the two ends of one table, which have one source
	ruleKeys    = "limit_rule, xoff_rule, xon_rule"
	maxPools    = 64 // more than any chip has
	maxMantissa = 62 // bits of a positive number
)
