package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// What says what a configuration means. Its fields are published: cellwarden.audit/v1. A number that is not known is
// null or left out; 0 is zero.
type What struct {
	File     string `json:"file"`
	Topology string `json:"topology,omitempty"`
	// Neighbours says that a hwsku folder was rendered with neighbours on its ports. They are made up.
	Neighbours bool   `json:"neighbours,omitempty"`
	HwSKU      string `json:"hwsku,omitempty"`
	Platform   string `json:"platform,omitempty"`
	System     string `json:"system"` // SONiC, FBOSS, NX-OS, EOS, Junos
	// Statements counts the statements of a configuration that is not SONiC's.
	Statements *Statements `json:"statements,omitempty"`
	// TooLittle says why too little was read to say that nothing is wrong; left out: enough was read.
	TooLittle string `json:"too_little_read,omitempty"`
	Model     string `json:"buffer_model,omitempty"` // of SONiC: dynamic, traditional
	Chip      string `json:"chip"`                   // empty: not known
	KnownBy   string `json:"chip_known_by"`
	// MemoryBytes is the memory of the chip.
	MemoryBytes *int64       `json:"memory_bytes"`
	Ports       int          `json:"ports"`
	Pools       []WhatPool   `json:"pools"`
	Lossless    []WhatGroups `json:"lossless"`
	// Fits says whether all ports are admitted; null: the cells are not counted, and unknown says why.
	Fits   *bool       `json:"fits"`
	Slices []WhatSlice `json:"slices"`
	Shared string      `json:"shared_headroom_ratio,omitempty"` // headroom of all groups to the shared pool: 4.08:1
	// how many of the largest groups can be full at the same time
	AtOnce  *int64   `json:"full_at_once,omitempty"`
	Assumed []string `json:"assumed"`
	Unknown []string `json:"unknown"`
	// Verified is the verdict of a simulation of the worst case; empty: it was not asked for, or there is nothing to
	// simulate.
	Verified string `json:"verified,omitempty"`
	// Slack is how many cells are left until the configuration is refused, in the fullest slice; null: it was not asked
	// for, or is not known. See Result.Slack.
	Slack *struct {
		Left int64  `json:"left_cells"` // below zero: so many are missing
		By   string `json:"by"`         // what says so: a plan, or a vendor's sum
		// Port is what one more of the fastest ports takes, and TenMetres what 10 m more of all lossless cables takes at
		// least: what is in flight on them. null: it is not known.
		Port      *int64 `json:"one_more_port_cells"`
		TenMetres *int64 `json:"ten_metres_more_cells"`
	} `json:"slack,omitempty"`
}

// WhatPool is a pool.
type WhatPool struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Mode  string `json:"mode"`
	Size  *int64 `json:"size_bytes"` // null: the buffer manager computes it
	XOFF  *int64 `json:"xoff_bytes"` // null: no shared headroom
	Cells *int64 `json:"size_cells"` // null: the cell is not known
}

// WhatGroups are ports with the same lossless groups.
type WhatGroups struct {
	Ports      string `json:"ports"`
	Count      int    `json:"port_count"`
	Priorities []int  `json:"priorities"` // with PFC
	Groups     []int  `json:"groups"`     // that have headroom
	Speed      string `json:"speed,omitempty"`
	Cable      string `json:"cable,omitempty"`
	Profile    string `json:"profile,omitempty"`
	XOFF       *int64 `json:"xoff_bytes"` // of a group; null: not known
	Cells      *int64 `json:"xoff_cells"`
	Size       *int64 `json:"size_bytes"`
}

// WhatSlice is where the cells of a slice are.
type WhatSlice struct {
	Index    int         `json:"index"`
	Total    cells.Count `json:"total_cells"`
	Chip     cells.Count `json:"chip_cells"`
	Reserved cells.Count `json:"reserved_cells"`
	Headroom cells.Count `json:"headroom_cells"`
	Shared   cells.Count `json:"shared_cells"`
	Unused   cells.Count `json:"unused_cells"`
}

// What returns what the configuration means.
func (r *Result) What() What {
	w := What{File: r.Source.File, Topology: r.Source.Topology, HwSKU: r.Switch.HwSKU, Platform: r.Switch.Platform,
		System: r.Source.Reading.System, Chip: r.Source.Chip.Name, KnownBy: r.Source.Chip.How, Ports: len(r.Switch.Ports),
		Pools: []WhatPool{}, Slices: []WhatSlice{}, Assumed: []string{}, Unknown: append([]string{}, r.Unknown...)}
	switch reading := r.Source.Reading; {
	case !reading.Manager:
		w.Statements, w.TooLittle = &reading.Statements, reading.tooLittle()
	case r.Switch.Dynamic:
		w.Model = "dynamic"
	default:
		w.Model = "traditional"
	}
	if m := r.Source.Chip.Memory(); m > 0 {
		w.MemoryBytes = new(int64(m))
	}
	cell := r.Source.Chip.Cell()
	for _, p := range r.Switch.Pools {
		w.Pools = append(w.Pools, WhatPool{p.Name, p.Type, p.Mode, p.Size.value(), p.XOFF.value(), p.Size.cells(cell)})
	}
	w.Lossless = r.Switch.losslessPorts(cell)
	if r.Bill == nil {
		return w
	}
	if r.Bill.Undecided == "" {
		w.Fits = new(r.Bill.Plan.Fits)
	}
	w.Assumed = append(w.Assumed, r.Bill.Assumed...)
	for _, s := range r.Bill.Plan.Slices {
		w.Slices = append(w.Slices, WhatSlice(s))
	}
	if s := r.Bill.Plan.Shared; s != nil {
		w.Shared, w.AtOnce = s.Ratio.String(), new(int64(s.AtOnce))
	}
	return w
}

// value returns the number, or nil.
func (n Number) value() *int64 {
	if !n.Given {
		return nil
	}
	return new(n.Value)
}

// cells returns the number in cells that hold it; nil: one of the two is not known.
func (n Number) cells(cell cells.Size) *int64 {
	if !n.Given || cell == 0 {
		return nil
	}
	return new(int64(cell.Holding(n.Bytes())))
}

// losslessPorts groups the ports with PFC or with headroom by what they have.
func (s *Switch) losslessPorts(cell cells.Size) []WhatGroups {
	type row struct {
		WhatGroups
		names []string
	}
	var by grouped.By[string, row]
	for _, p := range s.Ports {
		groups := p.LosslessGroups()
		if p.PFC == 0 && len(groups) == 0 {
			continue
		}
		w := WhatGroups{Priorities: bits(p.PFC), Groups: append([]int{}, groups...)}
		if p.Speed > 0 {
			w.Speed = p.Speed.String()
		}
		if p.CableGiven {
			w.Cable = p.Cable.String()
		}
		if len(groups) > 0 {
			w.profile(p.Groups[groups[0]], cell)
		}
		r := by.Of(fmt.Sprint(w.Priorities, w.Groups, w.Speed, w.Cable, w.Profile))
		if len(r.names) == 0 {
			r.WhatGroups = w
		}
		r.names = append(r.names, p.Name)
	}
	out := []WhatGroups{}
	for _, r := range by.All() {
		r.Ports, r.Count = buffer.FoldPorts(r.names), len(r.names)
		out = append(out, r.WhatGroups)
	}
	slices.SortStableFunc(out, func(a, b WhatGroups) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// profile adds the numbers of a profile.
func (w *WhatGroups) profile(b *Bound, cell cells.Size) {
	switch p := b.Profile; {
	case b.Computed:
		w.Profile = "computed by the buffer manager"
	case p != nil:
		w.Profile, w.XOFF, w.Size, w.Cells = p.Name, p.XOFF.value(), p.Size.value(), p.XOFF.cells(cell)
	}
}

// bits lists the bits of a mask.
func bits(mask uint16) []int {
	out := []int{}
	for n := range groupsPerPort {
		if mask>>n&1 == 1 {
			out = append(out, n)
		}
	}
	return out
}
