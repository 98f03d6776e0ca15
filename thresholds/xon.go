package thresholds

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// XON is when a paused group lets its sender go on: SAI's rule.
type XON struct {
	Floor  cells.Count // xon_th: it resumes at this use at the latest; 0: none
	Offset cells.Count // xon_offset: it resumes this far under its limit; 0: at the limit
	// Latched measures the offset from the limit at the moment of XOFF. The
	// default is the limit of now, SAI's wording. What sonic-mgmt's tests take
	// for the resume point (12 cells on Tomahawk for an offset of 11) fits the
	// latched limit; the tests themselves prove only that XON has come by then.
	Latched bool
}

// Level returns the use at or below which the group resumes, in cells:
// max(Floor, limit-Offset). Limit and use are both counted with the reserved
// cells or both without. (SAI, saibuffer.h, XON_TH and XON_OFFSET_TH.)
func (x XON) Level(limit cells.Count) cells.Count { return max(x.Floor, limit-x.Offset, 0) }

// Paused is a group that has sent XOFF, in cells.
type Paused struct {
	Used     cells.Count // without headroom
	Headroom cells.Count // used of its headroom
	Limit    cells.Count // of now
	AtXOFF   cells.Count // the limit when it sent XOFF; read only by a latched rule
}

// Resumes tells whether the group sends XON: its headroom is empty again and
// its use is at the level or below.
func (x XON) Resumes(p Paused) bool {
	limit := p.Limit
	if x.Latched {
		limit = p.AtXOFF
	}
	return p.Headroom == 0 && p.Used <= x.Level(limit)
}

// Validate refuses numbers below 0.
func (x XON) Validate() error {
	if x.Floor < 0 || x.Offset < 0 {
		return fmt.Errorf("xon %d cells, xon offset %d cells: neither can be below 0", x.Floor, x.Offset)
	}
	return nil
}

// Footroom is what a group must still hold when it sends XON, so that the port
// it drains to stays busy until the sender's first frame is there.
type Footroom struct {
	BitTimes int64       // from the decision to the first frame, at the link's rate
	Cells    cells.Count // rounded up
}

// FootroomOf returns the footroom of a link. After the decision the resume
// frame waits for the longest frame, crosses interfaces and cable and is acted
// upon; the first frame of the class crosses the cable and is stored whole
// before it can be sent on. These are the terms of the headroom, term for term,
// the frame that is begun being the first that arrives: footroom and headroom
// are the same sum. That this is so is derived here; no vendor says it.
//
// feeding is how many groups feed the same queue at the same rate: each then
// drains at that part of the rate; 0 counts as 1. The frames that sizer
// assumes to fill the headroom are assumed here too. A sizer that does not
// reckon with time, such as a table, is refused.
func FootroomOf(sizer Sizer, l Link, m Memory, feeding int) (Footroom, error) {
	if feeding < 0 || feeding > MaxGroups {
		return Footroom{}, fmt.Errorf("%d groups feeding one queue (accepted: 1 to %d)", feeding, MaxGroups)
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

// MaxOffset returns the largest XON offset under a limit that keeps the port
// busy, and false if the limit itself is too low for any.
func (f Footroom) MaxOffset(limit cells.Count) (cells.Count, bool) {
	return max(limit-f.Cells, 0), limit >= f.Cells
}
