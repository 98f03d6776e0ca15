package topology

import (
	"errors"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ParseChip reads a chip file, YAML or JSON, with the keys that a buffer.Chip
// has as JSON: what `cellwarden asic show NAME -o json` prints is one.
func ParseChip(file string, data []byte) (buffer.Chip, error) {
	r := newReader(file)
	var c buffer.Chip
	if root := r.Parse(data); root != nil {
		c = r.chipFile(root)
		var invalid *buffer.InvalidError
		if len(r.Bad) == 0 && errors.As(c.Validate(), &invalid) {
			for _, x := range invalid.Complaints {
				r.Complain(root.Line, x.Path, x.Value, x.Accepted)
			}
		}
	}
	return c, r.Err()
}

func (r *reader) chipFile(root *document.Value) buffer.Chip {
	f := root.Fields("name", "title", "cell_bytes", "overhead_bytes", "slices", "pipes", "egress_pipes", "min_dynamic_th", "max_dynamic_th",
		"groups_per_port", "max_ports", "ingress_pools", "egress_pools", "headroom_pools", "memory_kind", "memory_bytes",
		"max_pool_cells", "max_headroom_pool_cells", "max_port_headroom_cells", "reclaims", "headroom_defaults", "rounding", "sources", "notes")
	root.Need(f, "name", "cell_bytes", "slices", "min_dynamic_th", "max_dynamic_th", "groups_per_port")
	c := buffer.Chip{
		Name:     f["name"].Text(),
		Title:    f["title"].Text(),
		Cell:     cells.Size(f["cell_bytes"].Integer(1, 1<<20)),
		Overhead: unit.Bytes(f["overhead_bytes"].Integer(0, 1<<16)),
		MinAlpha: thresholds.Alpha(f["min_dynamic_th"].Integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))),
		MaxAlpha: thresholds.Alpha(f["max_dynamic_th"].Integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))),
		Groups:   int(f["groups_per_port"].Integer(1, 8)),
	}
	for _, v := range f["slices"].Items() {
		c.Slices = append(c.Slices, r.slice(v))
	}
	c.Pipes, c.EgressPipes = pipes(f["pipes"]), pipes(f["egress_pipes"])
	r.describe(&c, f)
	for _, v := range f["notes"].Items() {
		c.Notes = append(c.Notes, v.Text())
	}
	if f["sources"] != nil {
		c.Sources = r.sources(f["sources"])
	}
	return c
}

// pipes reads the slices of each pipe.
func pipes(v *document.Value) (out [][]int) {
	for _, pipe := range v.Items() {
		var slices []int
		for _, s := range pipe.Items() {
			slices = append(slices, int(s.Integer(0, 1<<16)))
		}
		out = append(out, slices)
	}
	return out
}

// describe reads what a plan can be made without.
func (r *reader) describe(c *buffer.Chip, f map[string]*document.Value) {
	c.Ports = int(f["max_ports"].Integer(0, 1<<16))
	c.IngressPools = int(f["ingress_pools"].Integer(0, 64))
	c.EgressPools = int(f["egress_pools"].Integer(0, 64))
	c.HeadroomPools = int(f["headroom_pools"].Integer(0, 64))
	c.MemoryKind = f["memory_kind"].Text()
	c.MemoryBytes = unit.Bytes(f["memory_bytes"].Integer(0, 1<<50))
	c.MaxPool = cells.Count(f["max_pool_cells"].Integer(0, 1<<40))
	c.MaxHeadroomPool = cells.Count(f["max_headroom_pool_cells"].Integer(0, 1<<40))
	c.Reclaims = buffer.Reclaim(f["reclaims"].Text())
	c.MaxPortHeadroom = cells.Count(f["max_port_headroom_cells"].Integer(0, 1<<40))
	for _, v := range f["headroom_defaults"].Items() {
		g := v.Fields("speed", "line_rate_cells", "oversubscribed_cells")
		v.Need(g, "speed", "line_rate_cells")
		c.HeadroomDefaults = append(c.HeadroomDefaults, buffer.HeadroomDefault{
			Speed:          document.Quantity(g["speed"], unit.ParseBitRate),
			LineRate:       cells.Count(g["line_rate_cells"].Integer(0, 1<<40)),
			Oversubscribed: cells.Count(g["oversubscribed_cells"].Integer(0, 1<<40)),
		})
	}
	if v := f["rounding"]; v != nil {
		g := v.Fields("marking_threshold_bytes", "resume_offset_cells", "colour_limit_cells", "mantissa_bits", "headroom_mantissa_bits")
		c.Rounding = buffer.Rounding{
			Marking:          unit.Bytes(g["marking_threshold_bytes"].Integer(0, 1<<20)),
			ResumeOffset:     cells.Count(g["resume_offset_cells"].Integer(0, 1<<20)),
			ColourLimit:      cells.Count(g["colour_limit_cells"].Integer(0, 1<<20)),
			Mantissa:         thresholds.Mantissa(g["mantissa_bits"].Integer(0, 62)),
			HeadroomMantissa: thresholds.Mantissa(g["headroom_mantissa_bits"].Integer(0, 62)),
		}
	}
}

func (r *reader) slice(v *document.Value) buffer.Slice {
	f := v.Fields("cells", "takes")
	v.Need(f, "cells")
	s := buffer.Slice{Cells: cells.Count(f["cells"].Integer(1, 1<<40))}
	for _, t := range f["takes"].Items() {
		g := t.Fields("item", "cells", "source")
		t.Need(g, "item", "cells")
		s.Takes = append(s.Takes, buffer.Take{Item: g["item"].Text(), Cells: cells.Count(g["cells"].Integer(0, 1<<40)), Source: g["source"].Text()})
	}
	return s
}

func (r *reader) sources(v *document.Value) buffer.Sources {
	f := v.Fields("cell_bytes", "overhead_bytes", "slices", "pipes", "egress_pipes", "alpha", "groups_per_port", "max_ports", "ingress_pools", "egress_pools",
		"headroom_pools", "memory", "max_pool_cells", "max_headroom_pool_cells", "max_port_headroom_cells",
		"reclaims", "headroom_defaults", "rounding")
	return buffer.Sources{
		Cell: f["cell_bytes"].Text(), Overhead: f["overhead_bytes"].Text(), Slices: f["slices"].Text(),
		Pipes: f["pipes"].Text(), EgressPipes: f["egress_pipes"].Text(), Alpha: f["alpha"].Text(), Groups: f["groups_per_port"].Text(),
		Ports: f["max_ports"].Text(), IngressPools: f["ingress_pools"].Text(), EgressPools: f["egress_pools"].Text(),
		HeadroomPools: f["headroom_pools"].Text(), Memory: f["memory"].Text(), MaxPool: f["max_pool_cells"].Text(),
		MaxHeadroomPool: f["max_headroom_pool_cells"].Text(),
		MaxPortHeadroom: f["max_port_headroom_cells"].Text(), HeadroomDefaults: f["headroom_defaults"].Text(),
		Rounding: f["rounding"].Text(), Reclaims: f["reclaims"].Text(),
	}
}
