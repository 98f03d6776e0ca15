package buffer

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// What is asked for in bytes is granted in cells, and in those that the chip can
// hold. What has to hold something rounds up, what must not be overstated down.

// headroom returns the least headroom that the chip can hold, at least n. (The P200 rounds up to a mantissa of four
// bits: sonic-mgmt, tests/qos/files/cisco/qos_param_generator.py.)
func (r Rounding) headroom(n cells.Count) cells.Count {
	if r.HeadroomMantissa == 0 {
		return n
	}
	return r.HeadroomMantissa.Up(n)
}

// resumeOffset returns the least XON offset that the chip can hold, at least n: the hysteresis that is asked for is a
// minimum. The granularity is sourced, that it is rounded up is inferred.
func (r Rounding) resumeOffset(n cells.Count) cells.Count {
	if r.ResumeOffset == 0 {
		return n
	}
	return (n + r.ResumeOffset - 1) / r.ResumeOffset * r.ResumeOffset
}

// ReservedGranted returns a minimum as the chip holds it: in whole cells.
func (c *Chip) ReservedGranted(b unit.Bytes) unit.Bytes { return c.Cell.Bytes(c.Cell.Holding(b)) }

// HeadroomGranted returns headroom as the chip holds it.
func (c *Chip) HeadroomGranted(b unit.Bytes) unit.Bytes {
	return c.Cell.Bytes(c.Rounding.headroom(c.Cell.Holding(b)))
}

// ResumeOffsetGranted returns an XON offset as the chip holds it.
func (c *Chip) ResumeOffsetGranted(b unit.Bytes) unit.Bytes {
	return c.Cell.Bytes(c.Rounding.resumeOffset(c.Cell.Holding(b)))
}

// StaticGranted returns a static limit of the whole chip as its slices hold it.
func (c *Chip) StaticGranted(b unit.Bytes) unit.Bytes {
	return c.Cell.Bytes(c.Rounding.limit(c.PerSlice(b))) * unit.Bytes(len(c.Slices))
}

// limit returns the largest static limit that the chip can hold, at most n.
func (r Rounding) limit(n cells.Count) cells.Count {
	if r.Mantissa == 0 {
		return n
	}
	return r.Mantissa.Down(n)
}

// marking returns the cells of a threshold that marks packets: the largest that the chip can hold, at most b.
func (c *Chip) marking(b unit.Bytes) cells.Count {
	if g := c.Rounding.Marking; g > 0 {
		b = b / g * g
	}
	return c.Cell.Within(b)
}
