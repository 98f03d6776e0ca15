package thresholds

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Limit says how many shared cells a group or a queue may use. It is a rule,
// not a number: make it with [Static], [Dynamic], [TwoLevel] or [Unlimited],
// and read it with [Limit.At] whenever the pool has changed. Limits are
// comparable with ==.
//
// The zero Limit is Dynamic(0), the factor 1, as the zero [Alpha] is.
type Limit struct {
	mode  LimitMode
	group Alpha
	port  Alpha
	cells cells.Count
}

// LimitMode is the sort of a limit.
type LimitMode uint8

// The sorts of limits.
const (
	DynamicLimit   LimitMode = iota // 2^n times what the pool has left
	StaticLimit                     // a number of cells
	TwoLevelLimit                   // 2^n times what the port has left of its own dynamic limit
	UnlimitedLimit                  // none
)

// NoLimit is what an unlimited Limit reads, at any time. A sum with it
// overflows: compare with it, do not add to it.
const NoLimit cells.Count = math.MaxInt64

// MaxGroups is more groups than any switch has: 512 ports with 8 groups each.
const MaxGroups = 4096

// Static limits to n cells, however full the pool is; n below 0 counts as 0.
// Zero allows nothing; SAI's SHARED_STATIC_TH, where 0 means no limit, is read
// by [StaticTh].
func Static(n cells.Count) Limit { return Limit{mode: StaticLimit, cells: max(n, 0)} }

// StaticTh reads SAI's SHARED_STATIC_TH, in cells: 0 is no limit. (SAI,
// saibuffer.h.)
func StaticTh(n cells.Count) Limit {
	if n == 0 {
		return Unlimited()
	}
	return Static(n)
}

// Dynamic limits to 2^a times the cells that the pool has left, rounded down:
// the dynamic threshold of Choudhury and Hahne (1998).
func Dynamic(a Alpha) Limit { return Limit{group: a} }

// TwoLevel limits a group within its port, as Spectrum-4 does: the port may
// use 2^port times what the pool has left, and the group 2^group times what
// the port has left of that. (sonic-mgmt, tests/qos/files/mellanox.)
func TwoLevel(group, port Alpha) Limit {
	return Limit{mode: TwoLevelLimit, group: group, port: port}
}

// Unlimited does not limit; the pool still ends somewhere.
func Unlimited() Limit { return Limit{mode: UnlimitedLimit} }

// Mode returns the sort of the limit.
func (l Limit) Mode() LimitMode { return l.mode }

// Alpha returns the group's factor; 0, which is the factor 1, for a static
// limit and for none.
func (l Limit) Alpha() Alpha { return l.group }

// PortAlpha returns the port's factor of a two-level limit, else 0.
func (l Limit) PortAlpha() Alpha { return l.port }

// Cells returns the cells of a static limit, else 0.
func (l Limit) Cells() cells.Count { return l.cells }

// At returns the limit in cells while the pool has free shared cells left,
// rounded down; free below 0 counts as 0, and a limit beyond int64 reads
// [NoLimit]. A two-level limit is read as if the port held nothing: use
// [Limit.AtPort]. It allocates nothing.
func (l Limit) At(free cells.Count) cells.Count { return l.AtPort(free, 0) }

// AtPort returns the limit in cells while the pool has free shared cells left
// and the port uses some already, the group's own among them. Only a two-level
// limit looks at the port; a port that is over its limit leaves 0.
func (l Limit) AtPort(free, portUsed cells.Count) cells.Count {
	switch l.mode {
	case StaticLimit:
		return l.cells
	case UnlimitedLimit:
		return NoLimit
	case TwoLevelLimit:
		return shiftDown(l.port, l.group, free, portUsed)
	default:
		return shift(free, l.group)
	}
}

// shift returns floor(n * 2^a), 0 for n below 0, NoLimit beyond int64.
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

// shiftDown returns floor(2^group * (2^port*free - used)) with one rounding.
func shiftDown(port, group Alpha, free, used cells.Count) cells.Count {
	if port >= 0 {
		return shift(shift(free, port)-max(used, 0), group)
	}
	return shift(free-shift(max(used, 0), -port), port+group)
}

// String prints the limit: "alpha 1/8", "alpha 1 within port alpha 8", "100
// cells", "no limit".
func (l Limit) String() string {
	switch l.mode {
	case StaticLimit:
		return fmt.Sprintf("%d cells", l.cells)
	case UnlimitedLimit:
		return "no limit"
	case TwoLevelLimit:
		return fmt.Sprintf("alpha %v within port alpha %v", l.group, l.port)
	default:
		return fmt.Sprintf("alpha %v", l.group)
	}
}
