package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// XON is the rule by which a paused group resumes its sender: SAI's.
type XON struct {
	Floor  cells.Count // xon_th: at this use it resumes in any case; 0: none
	Offset cells.Count // xon_offset: it resumes this far below its limit; 0: at the limit
	// Latched measures the offset from the limit at the moment of XOFF. Otherwise it is measured from the present limit,
	// which is SAI's wording. The resume points in sonic-mgmt's tests (12 cells on Tomahawk for an offset of 11) fit the
	// latched limit; the tests themselves prove only that XON has been sent by then.
	Latched bool
}

// Level returns the use at or below which the group resumes, in cells: max(Floor, limit-Offset). Limit and use must
// both include the reserved cells, or both not. (SAI, saibuffer.h, XON_TH and XON_OFFSET_TH.)
func (x XON) Level(limit cells.Count) cells.Count { return max(x.Floor, limit-x.Offset, 0) }

// Paused is the state of a group that has sent XOFF, in cells.
type Paused struct {
	Used     cells.Count // without headroom
	Headroom cells.Count // headroom in use
	Limit    cells.Count // present limit
	AtXOFF   cells.Count // limit when it sent XOFF; only a latched rule uses it
}

// Resumes tells whether the group sends XON: its headroom is empty, and its use is not above the level.
func (x XON) Resumes(p Paused) bool {
	limit := p.Limit
	if x.Latched {
		limit = p.AtXOFF
	}
	return p.Headroom == 0 && p.Used <= x.Level(limit)
}

// Validate refuses negative numbers.
func (x XON) Validate() error {
	if x.Floor < 0 || x.Offset < 0 {
		return fmt.Errorf("xon %d cells, xon offset %d cells: neither can be below 0", x.Floor, x.Offset)
	}
	return nil
}
