package intent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// A configuration of a chip that nobody has described says one thing of its memory: it holds the pools, if the switch
// runs with them. The topology then has a chip of just that memory. All else about it is assumed and called so, in
// the chip file, above every plan of it, and in the report of the import.

const (
	// assumedCell is between the cells of the catalogue, 96 to 420 bytes.
	assumedCell cells.Size = 256
	// SONiC's BUFFER_PROFILE takes no other dynamic_th (sonic-buffer-profile.yang).
	leastAlpha, mostAlpha = -8, 7
)

// unknownChip is the name of a chip that is not known.
const unknownChip = "unknown"

// assumed begins the sources of numbers that nobody has published.
const assumed = "assumed"

// standIn returns an audited configuration with an assumed chip, if cells of its own chip are not known and the pools
// have sizes; else the configuration as it is. The name of the chip stays, if there is one.
func standIn(r *audit.Result) *audit.Result {
	chip := &r.Source.Chip
	memory, apart := leastMemory(r.Switch)
	if chip.Sourced() || memory == 0 {
		return r
	}
	c := buffer.Chip{Name: cmp.Or(chip.Name, unknownChip)}
	c.Title = "assumed, because the chip of the configuration is " + strings.TrimSuffix(chip.How, " (--chip NAME says it)")
	if chip.Known() {
		c = *chip.Data
		c.Title += ", its memory assumed"
	}
	if c.Cell == 0 {
		c.Cell = assumedCell
		c.Sources.Cell = assumed + ", because no source has it: the cells of other chips have 96 to 420 bytes"
	}
	if c.MinAlpha == c.MaxAlpha {
		c.MinAlpha, c.MaxAlpha = leastAlpha, mostAlpha
		c.Sources.Alpha = assumed + ": what sonic-buffer-profile.yang accepts"
	}
	if c.Groups == 0 {
		c.Groups, c.Sources.Groups = priorities, assumed+": SONiC configures groups 0 to 7 on every chip"
	}
	c.Slices = []buffer.Slice{{Cells: c.Cell.Holding(memory)}}
	c.Sources.Slices = assumed + ": as much as the pools of the imported configuration hold, in one slice; the chip has " +
		"this or more, if the switch runs with them"
	c.Notes = []string{"complete this file with what the vendor says of the chip"}
	out := *r
	out.Source.Chip = audit.Named(c, chip.How)
	if !out.Source.SizeIncludesHeadroom.IsGiven() {
		out.Source.SizeIncludesHeadroom = unit.Given(!apart)
	}
	return &out
}

// leastMemory is the memory that the pools hold: those of the ingress together, or those of the egress. Apart says that
// size and xoff of a pool are two parts of it, because xoff is the larger one.
func leastMemory(sw *audit.Switch) (memory unit.Bytes, apart bool) {
	var in, headroom, out unit.Bytes
	for _, p := range sw.Pools {
		if p.Type != "ingress" {
			out += p.Size.Bytes()
		}
		if p.Type != "egress" {
			in, headroom = in+p.Size.Bytes(), headroom+p.XOFF.Bytes()
			apart = apart || p.Size.Given && p.XOFF.Bytes() >= p.Size.Bytes()
		}
	}
	if apart {
		in += headroom
	}
	return max(in, out), apart
}

// assumedChip says what the chip is assumed to be.
func (b *builder) assumedChip() {
	c, how := &b.Intent.Chip, b.reading.Source.Chip.How
	if c.Name != unknownChip {
		how = "known by: " + how + ", and how many cells " + c.Name + " has is not known"
	} else {
		how = "the chip is " + how
	}
	b.source("chip", "%s: assumed", how)
	b.note("%s: the topology has one with the %s bytes that the pools hold, in cells of %d bytes; complete its chip "+
		"file, or give --chip", how, unit.Thousands(c.Cell.Bytes(c.TotalCells())), c.Cell)
}

// includesHow says how it is known that the size of the pool includes headroom and minima.
func (b *builder) includesHow() string {
	if b.Intent.Chip.Assumed() {
		return "assumed, so that the plan fits in what the pools hold"
	}
	return fmt.Sprintf("inferred for %s", b.Intent.Chip.Name)
}
