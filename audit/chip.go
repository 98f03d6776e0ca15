package audit

import (
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Chip is the ASIC of a switch and how it was known.
type Chip struct {
	Name string // in the catalogue; "": not known
	How  string // how it was recognised, or why it is not known
	// Data is the catalogue's chip, or the operator's own; nil: the chip is not known.
	Data *buffer.Chip
}

// Known tells whether the chip is known.
func (c *Chip) Known() bool { return c.Data != nil }

// Sourced tells whether the memory of the chip is known.
func (c *Chip) Sourced() bool { return c.Known() && c.Data.Cell > 0 && len(c.Data.Slices) > 0 }

// Cell is the size of a cell in bytes; 0: not known.
func (c *Chip) Cell() cells.Size {
	if !c.Known() {
		return 0
	}
	return c.Data.Cell
}

// Memory is the memory of the chip in bytes by the catalogue; 0: not known.
func (c *Chip) Memory() unit.Bytes {
	if !c.Sourced() {
		return 0
	}
	return c.Data.Cell.Bytes(c.Data.TotalCells())
}

// disputed are chips for which sources give different memories, with the largest. A finding must hold by every source.
var disputed = map[string]struct {
	most   cells.Count
	source string
}{
	"tomahawk6": {666595, "the largest of the sources, FBOSS Tomahawk6Asic.h"},
	"tomahawk4": {2 * 234606, "the larger of two sources, FBOSS Tomahawk4Asic.h"},
}

// Most is the largest memory that any source gives the chip, in bytes; 0: not known.
func (c *Chip) Most() unit.Bytes {
	if d, ok := disputed[c.Name]; ok && c.Known() {
		return c.Data.Cell.Bytes(d.most)
	}
	return c.Memory()
}

// Disputed tells whether sources give the chip different memories. Nothing is decided by one of them alone.
func (c *Chip) Disputed() bool {
	_, d := disputed[c.Name]
	return d
}

// A pool's size and its xoff can be two parts of the memory, or xoff a part of size. Which of the two it is differs by
// chip, and no document says it. It was inferred from the packet counts at which switches pause and drop (sonic-mgmt
// tests/qos/files/qos_params.*.yaml): with pool / 208 / 4 cells Tomahawk and Tomahawk 2 give the expected counts, and
// SONiC's pool computation for NVIDIA (buffer_pool_mellanox.lua) subtracts xoff from the pool. For the other chips the
// counts follow from size less xoff, or are not public.
var (
	includesNo  = unit.Given(false) // size and xoff are two parts
	includesYes = unit.Given(true)  // xoff is a part of size
)

// poolIncludes says whether the size of a pool includes its xoff: as it is stated, or as it is inferred for the chip;
// absent: nothing is known of the chip.
func (s *Source) poolIncludes() unit.Optional[bool] {
	switch chip := s.Chip.Name; {
	case s.SizeIncludesHeadroom.IsGiven() || chip == "":
		return s.SizeIncludesHeadroom
	case chip == "tomahawk", chip == "tomahawkplus", chip == "tomahawk2", s.Chip.Spectrum():
		return includesNo
	}
	return includesYes
}

// Spectrum tells whether the chip is one of NVIDIA's.
func (c *Chip) Spectrum() bool { return strings.HasPrefix(c.Name, "spectrum-") }

// Named returns the chip that an operator names.
func Named(chip buffer.Chip, how string) Chip { return Chip{Name: chip.Name, How: how, Data: &chip} }

// Catalogued returns a chip of the catalogue.
func Catalogued(name, how string) Chip {
	chip, err := asic.Load(name)
	if err != nil {
		panic("audit: a table names a chip that is not in the catalogue: " + name)
	}
	return Chip{Name: name, How: how, Data: &chip}
}
