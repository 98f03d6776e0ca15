package golden

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has what a class needs on a port, in cells.

// numbersOf lists the groups of a class: one per priority if it is lossless, otherwise one with the lowest number.
func numbersOf(c buffer.Class) []int {
	if c.Lossless {
		return c.Priorities
	}
	return []int{slices.Min(c.Priorities)}
}

// needOf is the need of each group of a class on a port.
func needOf(in buffer.Intent, c buffer.Class, p buffer.Port) (reserved, headroom cells.Count) {
	if !c.Lossless {
		return holding(in, c.Reserved.Or(0)), 0
	}
	link := thresholds.Link{Rate: p.Rate, Cable: p.Cable, Medium: p.Medium, Delay: p.Delay, Extra: p.Extra,
		MACsec: p.MACsec, Response: p.Response, MTU: p.MTU, LosslessMTU: c.MTU, Lanes: p.Lanes}
	if c.MTU == 0 || c.MTU > p.MTU {
		link.LosslessMTU = p.MTU
	}
	shared := in.Pool.SharedHeadroom > 0 || in.Pool.SharedHeadroomRatio > 0
	h, err := in.Sizing.Size(link, thresholds.Memory{Cell: in.Chip.Cell, Overhead: in.Chip.Overhead,
		SharedHeadroom: shared})
	if err != nil {
		panic(fmt.Sprintf("golden: port %+v, class %s: %v", p, c.Name, err))
	}
	bytes, given := c.Reserved.Get()
	switch {
	case given:
	case h.Profile.Stated:
		bytes = reservedOfRow(in, h.Profile)
	case shared:
		bytes = h.XON
	default: // the size has more than XON and headroom for eight lanes, and where a method rounds it
		bytes = max(h.XON, h.Size-h.XOFF)
	}
	return holding(in, bytes), storable(in, h.Cells)
}

// storable is the smallest headroom, at least n, that the chip can store: one
// in which all bits after the first few are zero.
func storable(in buffer.Intent, n cells.Count) cells.Count {
	bits := int(in.Chip.Rounding.HeadroomMantissa)
	if bits == 0 {
		return n
	}
	step := cells.Count(1)
	for n > step<<bits-step { // the largest that this step can write down
		step *= 2
	}
	up := n / step * step
	if up < n {
		up += step
	}
	return up
}

// reservedOfRow is the PG-min in a table's row. If headroom is dedicated, the row's size is PG-min and headroom
// together; a size too small for that is PG-min alone.
func reservedOfRow(in buffer.Intent, r thresholds.Profile) unit.Bytes {
	together := in.Pool.SharedHeadroom == 0 && in.Pool.SharedHeadroomRatio == 0 && r.Size >= r.XOFF
	if together {
		return r.Size - r.XOFF
	}
	return r.Size
}

// holding is the number of cells that hold b bytes.
func holding(in buffer.Intent, b unit.Bytes) cells.Count {
	n := int64(b) / int64(in.Chip.Cell)
	if int64(b)%int64(in.Chip.Cell) > 0 {
		n++
	}
	return cells.Count(n)
}
