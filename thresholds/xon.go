package thresholds

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// XON is the rule by which a paused group resumes its sender: SAI's.
type XON struct {
	Floor  cells.Count // xon_th: at this use it resumes in any case; 0: none
	Offset cells.Count // xon_offset: it resumes this far below its limit; 0: at the limit
	// Latched measures the offset from the limit at the moment of XOFF.
	// Otherwise it is measured from the present limit, which is SAI's wording.
	// The resume points in sonic-mgmt's tests (12 cells on Tomahawk for an
	// offset of 11) fit the latched limit; the tests themselves prove only that
	// XON has been sent by then.
	Latched bool
}

// Level returns the use at or below which the group resumes, in cells:
// max(Floor, limit-Offset). Limit and use must both include the reserved cells,
// or both not. (SAI, saibuffer.h, XON_TH and XON_OFFSET_TH.)
func (x XON) Level(limit cells.Count) cells.Count { return max(x.Floor, limit-x.Offset, 0) }

// Paused is the state of a group that has sent XOFF, in cells.
type Paused struct {
	Used     cells.Count // without headroom
	Headroom cells.Count // headroom in use
	Limit    cells.Count // present limit
	AtXOFF   cells.Count // limit when it sent XOFF; only a latched rule uses it
}

// Resumes tells whether the group sends XON: its headroom is empty, and its use
// is not above the level.
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

// Footroom is what a group must still hold when it sends XON, so that its
// egress port stays busy until the sender's first frame arrives.
type Footroom struct {
	BitTimes int64       // from the decision to the first frame, at the link's rate
	Cells    cells.Count // rounded up
}

// FootroomOf returns the footroom of a link. After the decision to resume, the
// resume frame waits for the longest frame, crosses interfaces and cable, and
// takes effect after the response time. The first frame of the class crosses
// the cable, and must be stored completely before it can be sent on. These are
// the terms of the headroom, one by one: the frame that the sender has begun
// corresponds to the first frame that arrives. So footroom and headroom are the
// same sum. This is derived here; no vendor states it.
//
// feeding is the number of groups that feed the same queue at the same rate,
// each of which drains at that fraction of the rate; 0 counts as 1. The
// footroom assumes the frames that sizer assumes. A sizer without delays, such
// as a table, is refused.
func FootroomOf(sizer Sizer, l Link, m Memory, feeding int) (Footroom, error) {
	if feeding < 0 || feeding > MaxGroups {
		return Footroom{}, fmt.Errorf("%d groups feeding one queue (want 1 to %d)", feeding, MaxGroups)
	}
	h, err := sizer.Size(l, m)
	if err != nil {
		return Footroom{}, err
	}
	if h.BitTimes == 0 {
		return Footroom{}, errors.New("method " + sizer.Method() + " gives no delays: a footroom is a delay")
	}
	part := cells.Count(max(feeding, 1))
	return Footroom{h.BitTimes, (h.Cells + part - 1) / part}, nil
}

// Keeps tells whether a group that resumes at this level keeps its port busy.
func (f Footroom) Keeps(level cells.Count) bool { return level >= f.Cells }

// MaxOffset returns the largest XON offset below a limit that keeps the port
// busy; false if the limit itself is too low.
func (f Footroom) MaxOffset(limit cells.Count) (cells.Count, bool) {
	return max(limit-f.Cells, 0), limit >= f.Cells
}
