package topology

import (
	"errors"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ParseChip reads a chip file, YAML or JSON, with the keys that a buffer.Chip
// has as JSON: what `cellwarden asic show NAME -o json` prints is one.
func ParseChip(file string, data []byte) (buffer.Chip, error) {
	r := newReader(file)
	var c buffer.Chip
	if root := r.parse(data); root != nil {
		c = r.chipFile(root)
		var invalid *buffer.InvalidError
		if len(r.bad) == 0 && errors.As(c.Validate(), &invalid) {
			for _, x := range invalid.Complaints {
				r.complain(root.Line, x.Path, x.Value, x.Accepted)
			}
		}
	}
	return c, errors.Join(r.bad...)
}

func (r *reader) chipFile(root *value) buffer.Chip {
	f := root.fields("name", "title", "cell_bytes", "overhead_bytes", "slices", "pipes", "egress_pipes", "min_dynamic_th", "max_dynamic_th",
		"groups_per_port", "max_ports", "ingress_pools", "egress_pools", "headroom_pools", "memory_kind", "memory_bytes",
		"max_pool_cells", "max_headroom_pool_cells", "max_port_headroom_cells", "reclaims", "headroom_defaults", "rounding", "sources", "notes")
	root.need(f, "name", "cell_bytes", "slices", "min_dynamic_th", "max_dynamic_th", "groups_per_port")
	c := buffer.Chip{
		Name:     f["name"].text(),
		Title:    f["title"].text(),
		Cell:     cells.Size(f["cell_bytes"].integer(1, 1<<20)),
		Overhead: unit.Bytes(f["overhead_bytes"].integer(0, 1<<16)),
		MinAlpha: thresholds.Alpha(f["min_dynamic_th"].integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))),
		MaxAlpha: thresholds.Alpha(f["max_dynamic_th"].integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))),
		Groups:   int(f["groups_per_port"].integer(1, 8)),
	}
	for _, v := range f["slices"].items() {
		c.Slices = append(c.Slices, r.slice(v))
	}
	c.Pipes, c.EgressPipes = pipes(f["pipes"]), pipes(f["egress_pipes"])
	r.describe(&c, f)
	for _, v := range f["notes"].items() {
		c.Notes = append(c.Notes, v.text())
	}
	if f["sources"] != nil {
		c.Sources = r.sources(f["sources"])
	}
	return c
}

// pipes reads the slices of each pipe.
func pipes(v *value) (out [][]int) {
	for _, pipe := range v.items() {
		var slices []int
		for _, s := range pipe.items() {
			slices = append(slices, int(s.integer(0, 1<<16)))
		}
		out = append(out, slices)
	}
	return out
}

// describe reads what a plan can be made without.
func (r *reader) describe(c *buffer.Chip, f map[string]*value) {
	c.Ports = int(f["max_ports"].integer(0, 1<<16))
	c.IngressPools = int(f["ingress_pools"].integer(0, 64))
	c.EgressPools = int(f["egress_pools"].integer(0, 64))
	c.HeadroomPools = int(f["headroom_pools"].integer(0, 64))
	c.MemoryKind = f["memory_kind"].text()
	c.MemoryBytes = unit.Bytes(f["memory_bytes"].integer(0, 1<<50))
	c.MaxPool = cells.Count(f["max_pool_cells"].integer(0, 1<<40))
	c.MaxHeadroomPool = cells.Count(f["max_headroom_pool_cells"].integer(0, 1<<40))
	c.Reclaims = buffer.Reclaim(f["reclaims"].text())
	c.MaxPortHeadroom = cells.Count(f["max_port_headroom_cells"].integer(0, 1<<40))
	for _, v := range f["headroom_defaults"].items() {
		g := v.fields("speed", "line_rate_cells", "oversubscribed_cells")
		v.need(g, "speed", "line_rate_cells")
		c.HeadroomDefaults = append(c.HeadroomDefaults, buffer.HeadroomDefault{
			Speed:          quantity(g["speed"], unit.ParseBitRate),
			LineRate:       cells.Count(g["line_rate_cells"].integer(0, 1<<40)),
			Oversubscribed: cells.Count(g["oversubscribed_cells"].integer(0, 1<<40)),
		})
	}
	if v := f["rounding"]; v != nil {
		g := v.fields("marking_threshold_bytes", "resume_offset_cells", "colour_limit_cells", "mantissa_bits", "headroom_mantissa_bits")
		c.Rounding = buffer.Rounding{
			Marking:          unit.Bytes(g["marking_threshold_bytes"].integer(0, 1<<20)),
			ResumeOffset:     cells.Count(g["resume_offset_cells"].integer(0, 1<<20)),
			ColourLimit:      cells.Count(g["colour_limit_cells"].integer(0, 1<<20)),
			Mantissa:         thresholds.Mantissa(g["mantissa_bits"].integer(0, 62)),
			HeadroomMantissa: thresholds.Mantissa(g["headroom_mantissa_bits"].integer(0, 62)),
		}
	}
}

func (r *reader) slice(v *value) buffer.Slice {
	f := v.fields("cells", "takes")
	v.need(f, "cells")
	s := buffer.Slice{Cells: cells.Count(f["cells"].integer(1, 1<<40))}
	for _, t := range f["takes"].items() {
		g := t.fields("item", "cells", "source")
		t.need(g, "item", "cells")
		s.Takes = append(s.Takes, buffer.Take{Item: g["item"].text(), Cells: cells.Count(g["cells"].integer(0, 1<<40)), Source: g["source"].text()})
	}
	return s
}

func (r *reader) sources(v *value) buffer.Sources {
	f := v.fields("cell_bytes", "overhead_bytes", "slices", "pipes", "egress_pipes", "alpha", "groups_per_port", "max_ports", "ingress_pools", "egress_pools",
		"headroom_pools", "memory", "max_pool_cells", "max_headroom_pool_cells", "max_port_headroom_cells",
		"reclaims", "headroom_defaults", "rounding")
	return buffer.Sources{
		Cell: f["cell_bytes"].text(), Overhead: f["overhead_bytes"].text(), Slices: f["slices"].text(),
		Pipes: f["pipes"].text(), EgressPipes: f["egress_pipes"].text(), Alpha: f["alpha"].text(), Groups: f["groups_per_port"].text(),
		Ports: f["max_ports"].text(), IngressPools: f["ingress_pools"].text(), EgressPools: f["egress_pools"].text(),
		HeadroomPools: f["headroom_pools"].text(), Memory: f["memory"].text(), MaxPool: f["max_pool_cells"].text(),
		MaxHeadroomPool: f["max_headroom_pool_cells"].text(),
		MaxPortHeadroom: f["max_port_headroom_cells"].text(), HeadroomDefaults: f["headroom_defaults"].text(),
		Rounding: f["rounding"].text(), Reclaims: f["reclaims"].text(),
	}
}
