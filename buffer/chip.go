package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
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

	MinAlpha thresholds.Alpha `json:"min_dynamic_th"` // the chip's table of alphas
	MaxAlpha thresholds.Alpha `json:"max_dynamic_th"`
	Groups   int              `json:"groups_per_port"` // priority groups, at most 8

	Sources Sources  `json:"sources"`
	Notes   []string `json:"notes,omitempty"` // where sources disagree, what is inferred; shown with every plan
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

// Sources says where a chip's numbers come from. Empty means not sourced.
type Sources struct {
	Cell     string `json:"cell_bytes,omitempty"`
	Overhead string `json:"overhead_bytes,omitempty"`
	Slices   string `json:"slices,omitempty"`
	Pipes    string `json:"pipes,omitempty"`
	Alpha    string `json:"alpha,omitempty"`
	Groups   string `json:"groups_per_port,omitempty"`
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

// AllowsAlpha tells whether the chip's table has this alpha.
func (c *Chip) AllowsAlpha(a thresholds.Alpha) bool { return a >= c.MinAlpha && a <= c.MaxAlpha }

// Validate refuses a chip that cannot be planned with; it returns nil or a
// *InvalidError with every complaint.
func (c *Chip) Validate() error {
	var bad complaints
	c.validate(&bad)
	return bad.err()
}

func (c *Chip) validate(bad *complaints) {
	if c.Cell <= 0 || c.Cell > 1<<20 {
		bad.add("chip.cell_bytes", fmt.Sprint(int64(c.Cell)), "1 to 1048576 bytes")
	}
	if c.Overhead < 0 || c.Overhead > 1<<16 {
		bad.add("chip.overhead_bytes", c.Overhead.String(), "0B to 65536B")
	}
	if len(c.Slices) == 0 {
		bad.add("chip.slices", "none", "at least one slice with its cells; this chip's memory is not sourced: give it in a chip file")
	}
	for i := range c.Slices {
		s := &c.Slices[i]
		if s.Cells <= 0 || s.Cells > 1<<40 {
			bad.add(fmt.Sprintf("chip.slices[%d].cells", i), fmt.Sprint(s.Cells), "1 cell or more")
		}
		for j, t := range s.Takes {
			if t.Cells < 0 {
				bad.add(fmt.Sprintf("chip.slices[%d].takes[%d].cells", i, j), fmt.Sprint(t.Cells), "0 or more")
			}
		}
		if s.Taken() > s.Cells {
			bad.add(fmt.Sprintf("chip.slices[%d].takes", i), fmt.Sprintf("%d cells", s.Taken()), fmt.Sprintf("at most the slice's %d cells", s.Cells))
		}
	}
	c.validatePipes(bad)
	if c.MinAlpha < thresholds.MinAlpha || c.MaxAlpha > thresholds.MaxAlpha || c.MinAlpha > c.MaxAlpha {
		bad.add("chip.min_dynamic_th, max_dynamic_th", fmt.Sprintf("%d to %d", c.MinAlpha, c.MaxAlpha),
			fmt.Sprintf("a range within %d to %d", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
	if c.Groups < 1 || c.Groups > pg.PerPort {
		bad.add("chip.groups_per_port", fmt.Sprint(c.Groups), fmt.Sprintf("1 to %d", pg.PerPort))
	}
}

func (c *Chip) validatePipes(bad *complaints) {
	for i, slices := range c.Pipes {
		path := fmt.Sprintf("chip.pipes[%d]", i)
		if len(slices) == 0 {
			bad.add(path, "none", "the slices that the pipe's ports are charged in")
		}
		seen := map[int]bool{}
		for _, s := range slices {
			if s < 0 || s >= len(c.Slices) || seen[s] {
				bad.add(path, fmt.Sprint(s), fmt.Sprintf("slices 0 to %d, each once", len(c.Slices)-1))
			}
			seen[s] = true
		}
	}
}
