package buffer

import (
	"math"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// A group's limit on shared cells is a [thresholds.Limit], in cells of one slice. Two other forms exist, and this file
// alone translates them: a class of an intent has an alpha or a number of bytes of the whole chip, and a device has two
// registers, GroupAlpha and GroupStatic.

// limit returns the limit of a class's groups, as the chip holds it. A class
// without one has what its headroom table states, else alpha 1.
func (in *Intent) limit(c *Class, stated thresholds.Profile) thresholds.Limit {
	switch {
	case c.StaticLimit > 0:
		part := in.Chip.Cell.Within(c.StaticLimit) / cells.Count(len(in.Chip.Slices))
		return thresholds.Static(in.Chip.Rounding.limit(part))
	case c.Alpha != nil:
		return thresholds.Dynamic(*c.Alpha)
	case stated.Stated:
		return thresholds.Dynamic(stated.Alpha)
	}
	return thresholds.Dynamic(0)
}

// limitRegister returns the register that holds a limit, and its value. The other of the two registers is not written.
func limitRegister(l thresholds.Limit) (Kind, int64) {
	if l.Mode() == thresholds.StaticLimit {
		return GroupStatic, int64(l.Cells())
	}
	return GroupAlpha, int64(l.Alpha())
}

// LimitOf returns the limit that a device applies whose registers GroupAlpha and GroupStatic hold these values. A
// static limit takes precedence; a group that has neither uses no shared cells.
func LimitOf(alpha, static int64) thresholds.Limit {
	switch {
	case static > 0:
		return thresholds.Static(cells.Count(static))
	case alpha == Unset:
		return thresholds.Static(0)
	}
	return thresholds.Dynamic(thresholds.Alpha(min(max(alpha, math.MinInt8), math.MaxInt8)))
}
