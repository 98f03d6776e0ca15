package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Ranges of the closed forms; within them every result is exact in int64.
const (
	maxSharedCells cells.Count = 1 << 30 // of one slice: no chip comes near
)

// Sharing describes groups under one dynamic threshold in the pool of one
// slice. It has the closed forms of Choudhury and Hahne, "Dynamic Queue Length
// Thresholds for Shared-Memory Packet Switches", 1998. Broadcom's chips follow
// them to within two cells (measured test parameters of sonic-mgmt).
type Sharing struct {
	Pool     cells.Count // shared cells of one slice, 0 to maxSharedCells
	Alpha    thresholds.Alpha
	Reserved cells.Count // PG-min of each group, not part of the pool, 0 to maxSharedCells
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
	if s.Reserved < 0 || s.Reserved > maxSharedCells {
		bad.Add("", fmt.Sprintf("%d reserved cells", s.Reserved), fmt.Sprintf("0 to %d", maxSharedCells))
	}
	return bad.Err()
}

// Together returns the cells that each of n groups holds when all are filled at
// the same rate until they pause: reserved + alpha*B/(1+alpha*n). n is 1 to
// thresholds.MaxGroups; values out of range count as the nearest bound.
func (s Sharing) Together(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(num*int64(s.Pool), den+num*groups(n)).Plus(s.Reserved)
}

// Unused returns the cells that stay free in the pool when n groups have
// paused: B/(1+alpha*n). It is the price of a threshold that adapts to the
// load.
func (s Sharing) Unused(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(den*int64(s.Pool), den+num*groups(n))
}

// groups brings n into range.
func groups(n int) int64 { return int64(min(max(n, 1), thresholds.MaxGroups)) }

// InTurn returns the cells that each of n groups holds when they are filled one
// after the other, with packets of one cell, until they pause. A group takes
// one more cell while its shared cells are below floor(alpha*(S-used)), the
// hardware's integer rule. So it stops at
//
//	x = floor((alpha*(S-others) - 1)/(1+alpha)) + 1
//
// and holds x + reserved. For an alpha of 1 or more this is the ceiling of
// alpha*(S-others)/(1+alpha), with which sonic-mgmt's parameters agree. For a
// smaller alpha it can be one cell less, which is the measured XOFF of Trident
// 2 and Tomahawk 2 at alpha 1/8.
func (s Sharing) InTurn(n int) []cells.Count {
	num, den := s.Alpha.Ratio()
	held := make([]cells.Count, groups(n))
	left := int64(s.Pool)
	for i := range held {
		var x int64
		if num*left >= den {
			x = (num*left-den)/(num+den) + 1
		}
		held[i] = s.Reserved + cells.Count(x)
		left -= x
	}
	return held
}
