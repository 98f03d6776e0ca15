package thresholds

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Limit is a limit on the shared cells of a group or a queue. It is a rule, not a number: make it with [Static],
// [Dynamic] or [Unlimited], and apply it with [Limit.At] whenever the pool has changed. Limits can be compared with ==.
//
// The zero Limit is Dynamic(0), the factor 1, like the zero [Alpha].
type Limit struct {
	mode  LimitMode
	group Alpha
	cells cells.Count
}

// LimitMode is the kind of a limit.
type LimitMode uint8

// The sorts of limits.
const (
	DynamicLimit   LimitMode = iota // 2^n times the free cells of the pool
	StaticLimit                     // a number of cells
	UnlimitedLimit                  // no limit
)

// NoLimit is what At returns for an unlimited Limit. Compare with it and do not add to it: the sum overflows.
const NoLimit cells.Count = math.MaxInt64

// MaxGroups is more groups than any switch has: 512 ports with 8 groups each.
const MaxGroups = 4096

// Static limits to n cells, however full the pool is. A negative n counts as 0, which allows nothing. In SAI's
// SHARED_STATIC_TH, 0 means no limit (saibuffer.h).
func Static(n cells.Count) Limit { return Limit{mode: StaticLimit, cells: max(n, 0)} }

// Dynamic limits to 2^a times the free cells of the pool, rounded down: the
// dynamic threshold of Choudhury and Hahne (1998).
func Dynamic(a Alpha) Limit { return Limit{group: a} }

// Unlimited does not limit. The pool's size still does.
func Unlimited() Limit { return Limit{mode: UnlimitedLimit} }

// Mode returns the kind of the limit.
func (l Limit) Mode() LimitMode { return l.mode }

// Alpha returns the group's factor. For a static or no limit it is 0, which is the factor 1.
func (l Limit) Alpha() Alpha { return l.group }

// Cells returns the cells of a static limit; otherwise 0.
func (l Limit) Cells() cells.Count { return l.cells }

// At returns the limit in cells when free shared cells are left in the pool, rounded down. A negative free counts as 0,
// and a limit beyond int64 is [NoLimit]. It allocates nothing.
func (l Limit) At(free cells.Count) cells.Count {
	switch l.mode {
	case StaticLimit:
		return l.cells
	case UnlimitedLimit:
		return NoLimit
	default:
		return shift(free, l.group)
	}
}

// shift returns floor(n * 2^a); 0 for a negative n, NoLimit beyond int64.
func shift(n cells.Count, a Alpha) cells.Count {
	switch {
	case n <= 0 || a < -62:
		return 0
	case a <= 0:
		return n >> -a
	case int(a) >= bits.LeadingZeros64(uint64(n)):
		return NoLimit
	}
	return n << a
}

// String returns "alpha 1/8", "100 cells" or "no limit".
func (l Limit) String() string {
	switch l.mode {
	case StaticLimit:
		return fmt.Sprintf("%d cells", l.cells)
	case UnlimitedLimit:
		return "no limit"
	default:
		return fmt.Sprintf("alpha %v", l.group)
	}
}
