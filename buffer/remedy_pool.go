package buffer

import (
	"fmt"
	"math"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// sharedHeadroom finds the largest shared headroom pool that fits and leaves something to share, or, where the pool is
// too small for a single group, the smallest that is not.
func (x *seeker) sharedHeadroom(in Intent) (Remedy, bool) {
	if in.Pool.SharedHeadroomRatio > 0 {
		return Remedy{}, false
	}
	step := in.Chip.Cell.Bytes(cells.Count(len(in.Chip.Slices)))
	with := func(n int64) Intent {
		trial := in
		trial.Pool.SharedHeadroom = unit.Bytes(n) * step
		return trial
	}
	most := int64(in.Chip.Cell.Bytes(in.Chip.TotalCells()) / step)
	if in.Pool.SharedHeadroom > 0 {
		most = int64((in.Pool.SharedHeadroom - 1) / step)
	}
	// A pool smaller than the largest single headroom is too small, one larger than
	// what the memory leaves is too large: find the upper end first, then try it.
	if n := exact.Last(0, most+1, x.poolFits(with)); n > 0 && x.fits(with(n)) {
		return sharedRemedy(in, with(n)), true
	}
	if n := int64(largestHeadroom(in)); in.Pool.SharedHeadroom > 0 && n > most && x.fits(with(n)) {
		b := with(n).Pool.SharedHeadroom
		return remedy("pool.shared_headroom", b, "a larger shared headroom pool: at least %v, instead of %v", b,
			in.Pool.SharedHeadroom)
	}
	return Remedy{}, false
}

// largerRatio finds the smallest ratio that fits.
func (x *seeker) largerRatio(in Intent) (Remedy, bool) {
	with := func(ratio int) Intent {
		trial := in
		trial.Pool.SharedHeadroomRatio = ratio
		return trial
	}
	now := in.Pool.SharedHeadroomRatio
	if now == 0 || now == MaxRatio || !x.fits(with(MaxRatio)) {
		return Remedy{}, false
	}
	ratio := MaxRatio - exact.Last(0, MaxRatio-now, func(n int) bool { return x.fits(with(MaxRatio - n)) })
	return remedy("pool.shared_headroom_ratio", ratio,
		"a larger ratio: at least %d, instead of %d: one in %d groups can be full at the same time", ratio, now, ratio)
}

// sharedRemedy words a shared headroom pool that fits: a smaller one than the intent
// has, or one in place of dedicated headroom.
func sharedRemedy(in, trial Intent) Remedy {
	b := trial.Pool.SharedHeadroom
	text := fmt.Sprintf("a smaller shared headroom pool: at most %v, instead of %v", b, in.Pool.SharedHeadroom)
	if a, err := NewAdmission(trial); in.Pool.SharedHeadroom == 0 && err == nil {
		s := a.SharedHeadroom()
		least := in.Chip.Cell.Bytes(s.Largest * cells.Count(len(in.Chip.Slices)))
		text = fmt.Sprintf("shared headroom: one pool for all groups, from %v (one full group at a time) "+
			"to %v (%d cells of a slice left to share; oversubscribed %v)", least, b, a.leastShared(), s.Worst)
	}
	return Remedy{Change: "pool.shared_headroom", To: b.String(), Text: text}
}

// poolFits returns what tells whether the pools of a value fit together with all reserved minima, if no group needed
// headroom, and leave every slice two longest frames to share. With less a group pauses at once and cannot resume:
// without a table the XON offset is two longest frames (see size).
func (x *seeker) poolFits(with func(n int64) Intent) func(n int64) bool {
	in := with(1)
	in.Sizing = cappedSizer{in.Sizing, 0}
	one, err := newAdmission(in)
	return func(n int64) bool {
		if err != nil || x.ended() {
			return false
		}
		a, err := one.Under(with(n))
		return err == nil && a.Fits() &&
			a.leastShared() >= 2*in.Chip.Cell.Packet(in.longestFrame(), in.Chip.Overhead)
	}
}

// leastShared returns the shared cells of the slice that has the fewest.
func (a *Admission) leastShared() cells.Count {
	least := a.pools[0].Shared()
	for i := range a.pools {
		least = min(least, a.pools[i].Shared())
	}
	return least
}

// longestFrame returns the longest frame of any port.
func (in *Intent) longestFrame() (most unit.Bytes) {
	for i := range in.Ports {
		most = max(most, in.Ports[i].MTU)
	}
	return most
}

// sizeIncludes tries a pool whose size includes the headroom. Vendors differ in that,
// so a refused plan may only be read wrongly.
func (x *seeker) sizeIncludes(in Intent) (Remedy, bool) {
	if in.Pool.Size == 0 || in.Pool.SizeIncludesHeadroom {
		return Remedy{}, false
	}
	if in.Pool.SizeIncludesHeadroom = true; !x.fits(in) {
		return Remedy{}, false
	}
	return remedy("pool.size_includes_headroom", true,
		"a size that includes the headroom: size_includes_headroom: true, if that is how this switch means it")
}

// smallerPool finds the largest size that has room beside the chip's own and, unless it includes it, the headroom pool.
// A smaller one only leaves less to share.
func (x *seeker) smallerPool(in Intent) (Remedy, bool) {
	if in.Pool.Size == 0 {
		return Remedy{}, false
	}
	a, err := NewAdmission(in)
	if err != nil {
		return Remedy{}, false
	}
	n := cells.Count(len(in.Chip.Slices))
	room := cells.Count(math.MaxInt64)
	for i := range in.Chip.Slices {
		s := &in.Chip.Slices[i]
		part, left := in.Chip.Cell.Within(a.shared)/n, s.Cells-s.Taken()
		most := in.Chip.MaxPool
		if in.Pool.SizeIncludesHeadroom {
			most += part
		} else {
			left -= part
		}
		if room = min(room, left); in.Chip.MaxPool > 0 {
			room = min(room, most)
		}
	}
	trial := in
	trial.Pool.Size = in.Chip.Cell.Bytes(room * n)
	if room <= 0 || trial.Pool.Size >= in.Pool.Size || !x.fits(trial) {
		return Remedy{}, false
	}
	return remedy("pool.size", trial.Pool.Size, "a smaller pool: at most %v, instead of %v", trial.Pool.Size,
		in.Pool.Size)
}

// lowerFloor finds the largest share of the slices that can remain shared.
func (x *seeker) lowerFloor(in Intent) (Remedy, bool) {
	if in.SharedFloor == 0 {
		return Remedy{}, false
	}
	with := func(floor unit.Percent) Intent {
		trial := in
		trial.SharedFloor = floor
		return trial
	}
	if !x.fits(with(0)) {
		return Remedy{}, false
	}
	best := exact.Last(0, in.SharedFloor, func(floor unit.Percent) bool { return x.fits(with(floor)) })
	return remedy("shared_floor", best, "a lower shared floor: %v, instead of %v", best, in.SharedFloor)
}
