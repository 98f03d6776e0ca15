package buffer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Remedy is one change that by itself makes the whole plan fit. Each has been
// tried: the changed intent was planned again and admitted.
type Remedy struct {
	Change string // what to change: "ports", "cable", "mtu", "pool.shared_headroom"
	To     string // the largest value that fits
	Text   string
}

// remedies searches for what would make a refused intent fit: fewer ports,
// shorter cable, smaller buffers.
func remedies(in Intent) []Remedy {
	out := []Remedy{}
	for _, find := range []func(Intent) (Remedy, bool){
		fewerPorts, shorterCable, fewerAndShorter, smallerFrames, smallerReserved, smallerPorts, smallerQueues, smallerHeadroom, sharedHeadroom, largerRatio, sizeIncludes, smallerPool, lowerFloor,
	} {
		if r, ok := find(in); ok {
			out = append(out, r)
		}
	}
	return out
}

// fits tells whether an intent is well formed and admitted entirely.
func fits(in Intent) bool {
	a, err := NewAdmission(in)
	return err == nil && a.Fits()
}

// largest returns the largest n in 1..most for which ok holds, given that it
// holds for every smaller one too; 0 if it holds for none.
func largest(most int64, ok func(int64) bool) int64 {
	low, high := int64(0), most
	for low < high {
		if mid := low + (high-low+1)/2; ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

func fewerPorts(in Intent) (Remedy, bool) {
	n := mostPorts(in)
	if n == 0 {
		return Remedy{}, false
	}
	return Remedy{"ports", fmt.Sprint(n), fmt.Sprintf("fewer ports: the first %d of %d fit, %d fewer", n, len(in.Ports), len(in.Ports)-n)}, true
}

// mostPorts returns how many of the first ports, but not all, fit as they are.
func mostPorts(in Intent) int {
	all := in.Ports
	return int(largest(int64(len(all))-1, func(n int64) bool {
		in.Ports = all[:n]
		return fits(in)
	}))
}

func shorterCable(in Intent) (Remedy, bool) {
	best, ok := longestCable(in)
	if !ok {
		return Remedy{}, false
	}
	return Remedy{"cable", best.String(), fmt.Sprintf("shorter cable: none longer than %v, instead of up to %v", best, in.longest())}, true
}

// fewerAndShorter is for plans that shorter cables alone do not make fit: it
// halves the ports until some length of cable does, as long as that leaves
// more ports than the cables as they are.
func fewerAndShorter(in Intent) (Remedy, bool) {
	if _, alone := longestCable(in); alone {
		return Remedy{}, false
	}
	all, enough := in.Ports, mostPorts(in)
	for n := len(all) / 2; n > enough; n /= 2 {
		in.Ports = all[:n]
		if best, ok := longestCable(in); ok {
			return Remedy{"ports and cable", fmt.Sprintf("%d, %v", n, best),
				fmt.Sprintf("fewer ports and shorter cable: the first %d of %d, with none longer than %v", n, len(all), best)}, true
		}
	}
	return Remedy{}, false
}

// longest returns the length of the longest cable.
func (in *Intent) longest() unit.Length {
	return slices.MaxFunc(in.Ports, func(a, b Port) int { return cmp.Compare(a.Cable, b.Cable) }).Cable
}

// capped returns the intent with every cable cut to at most l.
func (in *Intent) capped(l unit.Length) Intent {
	trial := *in
	trial.Ports = slices.Clone(in.Ports)
	for i := range trial.Ports {
		trial.Ports[i].Cable = min(trial.Ports[i].Cable, l)
	}
	return trial
}

// longestCable finds the greatest length, shorter than the longest cable, that
// all longer ones may be cut to: in whole metres, or among the lengths that a
// headroom table has.
func longestCable(in Intent) (unit.Length, bool) {
	longest := in.longest()
	if sizes, ok := in.Sizing.(thresholds.Discrete); ok {
		for _, cable := range slices.Backward(sizes.Cables()) {
			if cable < longest && fits(in.capped(cable)) {
				return cable, true
			}
		}
		return 0, false
	}
	if longest == 0 || !fits(in.capped(0)) {
		return 0, false
	}
	top := int64((longest - 1) / unit.Metre)
	return unit.Length(largest(top, func(m int64) bool { return fits(in.capped(unit.Length(m) * unit.Metre)) })) * unit.Metre, true
}

// smallerFrames finds the longest frame that the ports could have, in steps of
// one byte: the pause waits for a frame of any class, and a lossless one fills
// the headroom besides.
func smallerFrames(in Intent) (Remedy, bool) {
	longest := slices.MaxFunc(in.Ports, func(a, b Port) int { return cmp.Compare(a.MTU, b.MTU) }).MTU
	if longest <= thresholds.MinFrame || !fits(in.framed(thresholds.MinFrame)) {
		return Remedy{}, false
	}
	more := largest(int64(longest-thresholds.MinFrame)-1, func(n int64) bool { return fits(in.framed(thresholds.MinFrame + unit.Bytes(n))) })
	best := thresholds.MinFrame + unit.Bytes(more)
	return Remedy{"mtu", best.String(), fmt.Sprintf("smaller frames: an MTU of at most %v, instead of up to %v", best, longest)}, true
}

// framed returns the intent with frames of at most b bytes on every port and in
// every class.
func (in *Intent) framed(b unit.Bytes) Intent {
	trial := *in
	trial.Ports, trial.Classes = slices.Clone(in.Ports), slices.Clone(in.Classes)
	for i := range trial.Ports {
		trial.Ports[i].MTU = min(trial.Ports[i].MTU, b)
	}
	for i := range trial.Classes {
		trial.Classes[i].MTU = min(trial.Classes[i].MTU, b)
	}
	return trial
}

func smallerReserved(in Intent) (Remedy, bool) {
	return smallerMinima(in, "reserved", "a group", func(c *Class) *unit.Bytes { return &c.Reserved })
}

func smallerQueues(in Intent) (Remedy, bool) {
	return smallerMinima(in, "queue_reserved", "an egress queue", func(c *Class) *unit.Bytes { return &c.QueueReserved })
}

// smallerMinima finds the largest minimum that every class could have.
func smallerMinima(in Intent, change, whose string, of func(*Class) *unit.Bytes) (Remedy, bool) {
	var most unit.Bytes
	for i := range in.Classes {
		most = max(most, *of(&in.Classes[i]))
	}
	return capped(in, change, whose, most, func(b unit.Bytes) Intent {
		trial := in
		trial.Classes = slices.Clone(in.Classes)
		for i := range trial.Classes {
			c := of(&trial.Classes[i])
			*c = min(*c, b)
		}
		return trial
	})
}

// smallerPorts finds the largest minimum that every port could have.
func smallerPorts(in Intent) (Remedy, bool) {
	var most unit.Bytes
	for i := range in.Ports {
		most = max(most, in.Ports[i].Reserved)
	}
	return capped(in, "port_reserved", "a port", most, func(b unit.Bytes) Intent {
		trial := in
		trial.Ports = slices.Clone(in.Ports)
		for i := range trial.Ports {
			trial.Ports[i].Reserved = min(trial.Ports[i].Reserved, b)
		}
		return trial
	})
}

// capped finds the largest number of cells, fewer than most bytes take, to
// which minima can be cut.
func capped(in Intent, change, whose string, most unit.Bytes, to func(unit.Bytes) Intent) (Remedy, bool) {
	cell := in.Chip.Cell
	n := cells.Count(largest(int64(cell.Holding(most))-1, func(n int64) bool { return fits(to(cell.Bytes(cells.Count(n)))) }))
	if n == 0 {
		return Remedy{}, false
	}
	return Remedy{change, cell.Bytes(n).String(), fmt.Sprintf("smaller buffers: at most %v (%d cells) reserved for %s, instead of up to %v", cell.Bytes(n), n, whose, most)}, true
}

// cappedSizer gives no group more than most cells of headroom.
type cappedSizer struct {
	thresholds.Sizer
	most cells.Count
}

func (s cappedSizer) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	h, err := s.Size(l, m)
	return thresholds.Explanation{Headroom: h}, err
}

func (s cappedSizer) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	if h.Cells > s.most {
		h.Cells, h.XOFF = s.most, m.Cell.Bytes(s.most)
	}
	return h, err
}

// smallerHeadroom finds the largest headroom that every group could have. It
// is below what the method asks for, so the text says what that means.
func smallerHeadroom(in Intent) (Remedy, bool) {
	most := largestHeadroom(in)
	n := cells.Count(largest(int64(most)-1, func(n int64) bool {
		trial := in
		trial.Sizing = cappedSizer{in.Sizing, cells.Count(n)}
		return fits(trial)
	}))
	if n == 0 {
		return Remedy{}, false
	}
	b := in.Chip.Cell.Bytes(n)
	return Remedy{"headroom", b.String(), fmt.Sprintf("smaller buffers: at most %v (%d cells) of headroom for a group, instead of up to %d; lossless only where the link needs no more", b, n, most)}, true
}

// sharedHeadroom finds the largest shared headroom pool that fits, or, where
// the pool is too small for a single group, the smallest that is not.
func sharedHeadroom(in Intent) (Remedy, bool) {
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
	// Below the largest single headroom the pool is too small, above the memory
	// too large: find the upper end, then try it.
	if n := largest(most, func(n int64) bool { return poolFits(with(n)) }); n > 0 && fits(with(n)) {
		return sharedRemedy(in, with(n)), true
	}
	if n := int64(largestHeadroom(in)); in.Pool.SharedHeadroom > 0 && n > most && fits(with(n)) {
		b := with(n).Pool.SharedHeadroom
		return Remedy{"pool.shared_headroom", b.String(), fmt.Sprintf("a larger shared headroom pool: at least %v, instead of %v", b, in.Pool.SharedHeadroom)}, true
	}
	return Remedy{}, false
}

// largerRatio finds the smallest ratio that fits.
func largerRatio(in Intent) (Remedy, bool) {
	with := func(ratio int) Intent {
		trial := in
		trial.Pool.SharedHeadroomRatio = ratio
		return trial
	}
	now := in.Pool.SharedHeadroomRatio
	if now == 0 || now == MaxRatio || !fits(with(MaxRatio)) {
		return Remedy{}, false
	}
	ratio := MaxRatio - int(largest(int64(MaxRatio-now-1), func(n int64) bool { return fits(with(MaxRatio - int(n))) }))
	return Remedy{"pool.shared_headroom_ratio", fmt.Sprint(ratio),
		fmt.Sprintf("a larger ratio: at least %d, instead of %d: one in %d groups can be full at the same time", ratio, now, ratio)}, true
}

func sharedRemedy(in, trial Intent) Remedy {
	b := trial.Pool.SharedHeadroom
	text := fmt.Sprintf("a smaller shared headroom pool: at most %v, instead of %v", b, in.Pool.SharedHeadroom)
	if a, err := NewAdmission(trial); in.Pool.SharedHeadroom == 0 && err == nil {
		s := a.oversubscription()
		least := in.Chip.Cell.Bytes(s.Largest * cells.Count(len(in.Chip.Slices)))
		text = fmt.Sprintf("shared headroom: one pool for all groups, from %v (one full group at a time) to %v (nothing left to share; oversubscribed %v)",
			least, b, s.Worst)
	}
	return Remedy{"pool.shared_headroom", b.String(), text}
}

// largestHeadroom returns the largest headroom that any group asks for.
func largestHeadroom(in Intent) cells.Count {
	a, err := NewAdmission(in)
	if err != nil {
		return 0
	}
	var most cells.Count
	for _, e := range a.ports {
		for _, g := range e.demand.groups {
			most = max(most, g.Headroom)
		}
	}
	return most
}

// poolFits tells whether the pools have room for themselves and for all
// reserved minima, whatever single groups need of the headroom pool.
func poolFits(in Intent) bool {
	in.Sizing = cappedSizer{in.Sizing, 0}
	return fits(in)
}

func sizeIncludes(in Intent) (Remedy, bool) {
	if in.Pool.Size == 0 || in.Pool.SizeIncludesHeadroom {
		return Remedy{}, false
	}
	in.Pool.SizeIncludesHeadroom = true
	return Remedy{"pool.size_includes_headroom", "true", "a size that includes the headroom: size_includes_headroom: true, if that is how this switch means it"}, fits(in)
}

// smallerPool finds the largest size that has room beside the chip's own and,
// unless it includes it, the headroom pool. A smaller one only leaves less to
// share.
func smallerPool(in Intent) (Remedy, bool) {
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
	if room <= 0 || trial.Pool.Size >= in.Pool.Size || !fits(trial) {
		return Remedy{}, false
	}
	return Remedy{"pool.size", trial.Pool.Size.String(), fmt.Sprintf("a smaller pool: at most %v, instead of %v", trial.Pool.Size, in.Pool.Size)}, true
}

func lowerFloor(in Intent) (Remedy, bool) {
	if in.SharedFloor == 0 {
		return Remedy{}, false
	}
	with := func(n int64) Intent {
		trial := in
		trial.SharedFloor = unit.Percent(n)
		return trial
	}
	if !fits(with(0)) {
		return Remedy{}, false
	}
	best := unit.Percent(largest(int64(in.SharedFloor)-1, func(n int64) bool { return fits(with(n)) }))
	return Remedy{"shared_floor", best.String(), fmt.Sprintf("a lower shared floor: %v, instead of %v", best, in.SharedFloor)}, true
}
