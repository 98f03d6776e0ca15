package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Ranges of the closed forms; within them every result is exact in int64.
const (
	maxSharedCells cells.Count = 1 << 30 // of one slice: no chip comes near
)

// Sharing describes groups under one dynamic threshold in the pool of one slice, or with a static limit. It has the
// closed forms of Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998.
// Broadcom's chips follow them to within two cells (measured test parameters of sonic-mgmt).
type Sharing struct {
	Pool     cells.Count // shared cells of one slice, 0 to maxSharedCells
	Alpha    thresholds.Alpha
	Reserved cells.Count // PG-min of each group, not part of the pool, 0 to maxSharedCells
	// Static is the static limit of each group in shared cells, 0 to maxSharedCells, in place of Alpha. Groups never
	// hold more than the pool together.
	Static unit.Optional[cells.Count]
}

// SharingOf describes groups with a limit and a reserved part of each in the pool of one slice.
func SharingOf(l thresholds.Limit, pool, reserved cells.Count) Sharing {
	s := Sharing{Pool: pool, Alpha: l.Alpha(), Reserved: reserved}
	if l.Mode() == thresholds.StaticLimit {
		s.Static = unit.Given(l.Cells())
	}
	return s
}

// Validate refuses values out of range, with all complaints at once. For values
// that it refuses the results of the other methods are undefined.
func (s Sharing) Validate() error {
	var bad fielderr.List
	if s.Pool < 0 || s.Pool > maxSharedCells {
		bad.Add("", fmt.Sprintf("pool of %d cells", s.Pool), fmt.Sprintf("0 to %d", maxSharedCells))
	}
	if !s.Alpha.Valid() {
		bad.Add("", fmt.Sprintf("alpha 2^%d", int(s.Alpha)),
			fmt.Sprintf("%v to %v", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
	if n := s.Static.Or(0); n < 0 || n > maxSharedCells {
		bad.Add("", fmt.Sprintf("static limit of %d cells", n), fmt.Sprintf("0 to %d", maxSharedCells))
	}
	if s.Reserved < 0 || s.Reserved > maxSharedCells {
		bad.Add("", fmt.Sprintf("%d reserved cells", s.Reserved), fmt.Sprintf("0 to %d", maxSharedCells))
	}
	return bad.Err()
}

// Together returns the cells that each of n groups holds when all are filled at the same rate until they pause:
// reserved + alpha*B/(1+alpha*n), or reserved and the static limit, but at most B/n. n is 1 to thresholds.MaxGroups;
// values out of range count as the nearest bound.
func (s Sharing) Together(n int) exact.Ratio {
	all, own := int64(min(max(n, 1), thresholds.MaxGroups)), exact.Whole(s.Reserved)
	if limit, given := s.Static.Get(); given {
		return exact.Whole(min(int64(s.Pool), int64(limit)*all)).Times(1, all).Plus(own)
	}
	num, den := s.Alpha.Ratio()
	return exact.Whole(s.Pool).Times(num, den+num*all).Plus(own)
}
