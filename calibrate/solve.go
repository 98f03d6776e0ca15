package calibrate

import (
	"container/heap"
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/thresholds"
)

// poolReading is a reading that depends on the pool alone, in packets or cells.
type poolReading struct {
	group int
	what  Quantity
	is    Range
}

// poolFill is a fill as the search needs it.
type poolFill struct {
	*Fill
	n        int64 // cells of a packet
	readings []poolReading
}

// poolPoint is a point as the search needs it.
type poolPoint struct {
	n, held, used int64
	refused       bool
	beyond        bool // held counts shared cells alone: the reserved ones are full
}

// box is a set of candidates: every combination of the numbers in its ranges. What no candidate of it can have been is
// cut off already.
type box struct{ shared, reserved, leak Range }

// leaf tells whether the box has one value of what a search branches on.
func (b *box) leaf() bool { return b.reserved.IsPoint() && b.leak.IsPoint() }

// search looks for the pools that give every reading, for one alpha, one rule and one size of packets in cells.
//
// Every reading of a fill grows with the shared cells, the reserved cells and the packets that leak out. So the
// smallest of a box bound its readings from below and the largest from above. That is exact for packets of one cell.
// Longer packets leave a rest of up to n-1 cells to the next group, which can turn the order of neighbours. So for
// them, and for groups that are filled together, a box is cut with the readings widened by a packet, and each
// candidate that is reported was computed.
type search struct {
	fills  []poolFill
	points []poolPoint
	alpha  thresholds.Alpha
	rule   mmu.Rule
	memory []filledGroup
}

// exact tells whether the readings of a fill are in the order of the candidates.
func (f *poolFill) exact() bool { return f.n == 1 && (f.InTurn || f.Groups <= 1) }

// at returns the candidate with these numbers.
func (s *search) at(shared, reserved, leak int64) pool {
	return pool{shared: shared, reserved: reserved, alpha: s.alpha, rule: s.rule, leak: leak}
}

// atLeast tells whether no reading of the candidate is too low, and atMost whether none is too high.
func (s *search) atLeast(p pool, widen bool) bool {
	return s.each(&p, func(is Range, got, slack int64) bool {
		return !widen && got >= is.Lo || widen &&
			got+slack >= is.Lo
	},
		false)
}

func (s *search) atMost(p pool, widen bool) bool {
	return s.each(&p, func(is Range, got, slack int64) bool {
		return got <= is.Hi || widen && got-slack <= is.Hi
	}, true)
}

// each computes every reading until ok refuses one. Of the points it looks at those that were refused, or at the
// others.
func (s *search) each(p *pool, ok func(is Range, got, slack int64) bool, refused bool) bool {
	for i := range s.fills {
		f := &s.fills[i]
		s.memory = p.fill(f.Fill, f.n, s.memory[:0])
		slack := int64(0)
		if !f.exact() {
			slack = 1
		}
		for _, r := range f.readings {
			k := slack
			if r.what == SharedMark {
				k *= f.n
			}
			if !ok(r.is, p.reading(f.Fill, s.memory[r.group], r.what, f.n), k) {
				return false
			}
		}
	}
	for _, x := range s.points {
		if x.refused == refused && x.takenBy(p) == refused {
			return false
		}
	}
	return true
}

// takenBy tells whether the candidate would have taken the packet of a point.
func (x *poolPoint) takenBy(p *pool) bool {
	rest, shared, free := x.n, x.held, p.shared-x.used
	if !x.beyond {
		rest, shared = x.n-min(x.n, max(p.reserved-x.held, 0)), max(x.held-p.reserved, 0)
	}
	return rest == 0 || shared+rest <= p.limit(free, rest) && rest <= free
}

// fits tells whether the candidate gives every reading.
func (s *search) fits(p pool) bool { return s.atLeast(p, false) && s.atMost(p, false) }

// cut removes the shared cells that no candidate of the box can have. It returns false if the box is empty.
func (s *search) cut(b *box) bool {
	widen := !b.leaf() || !s.exactAll()
	low, high := b.shared.Lo, b.shared.Hi
	for low < high { // the fewest shared cells with which no reading is too low
		if middle := low + (high-low)/2; s.atLeast(s.at(middle, b.reserved.Hi, b.leak.Hi), widen) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if !s.atLeast(s.at(low, b.reserved.Hi, b.leak.Hi), widen) {
		return false
	}
	b.shared.Lo = low
	high = b.shared.Hi
	if !s.atMost(s.at(low, b.reserved.Lo, b.leak.Lo), widen) {
		return false
	}
	for low < high { // the most with which none is too high
		if middle := low + (high-low+1)/2; s.atMost(s.at(middle, b.reserved.Lo, b.leak.Lo), widen) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	b.shared.Hi = low
	return !b.leaf() || s.trim(b)
}

// exactAll tells whether all fills are exact.
func (s *search) exactAll() bool {
	for i := range s.fills {
		if !s.fills[i].exact() {
			return false
		}
	}
	return true
}

// trimSteps is how many candidates at an end of a box are computed. Beyond these the end stays as it is, which is the
// safe side.
const trimSteps = 4096

// trim removes candidates at both ends of a leaf that do not give every reading.
func (s *search) trim(b *box) bool {
	for i := 0; b.shared.Lo <= b.shared.Hi && i < trimSteps; i++ {
		if s.fits(s.at(b.shared.Lo, b.reserved.Lo, b.leak.Lo)) {
			break
		}
		b.shared.Lo++
	}
	for i := 0; b.shared.Lo < b.shared.Hi && i < trimSteps; i++ {
		if s.fits(s.at(b.shared.Hi, b.reserved.Lo, b.leak.Lo)) {
			break
		}
		b.shared.Hi--
	}
	return b.shared.Lo <= b.shared.Hi
}

// halves divides the wider of the two ranges that a search branches on.
func (b box) halves() (low, high box) {
	low, high = b, b
	r, l, h := b.reserved, &low.reserved, &high.reserved
	if b.leak.Width() > r.Width() {
		r, l, h = b.leak, &low.leak, &high.leak
	}
	middle := r.Lo + (r.Hi-r.Lo)/2
	l.Hi, h.Lo = middle, middle+1
	return low, high
}

// boxHeap orders boxes by what a search wants least of.
type boxHeap struct {
	boxes []box
	key   func(*box) int64
}

func (h *boxHeap) Len() int           { return len(h.boxes) }
func (h *boxHeap) Less(i, j int) bool { return h.key(&h.boxes[i]) < h.key(&h.boxes[j]) }
func (h *boxHeap) Swap(i, j int)      { h.boxes[i], h.boxes[j] = h.boxes[j], h.boxes[i] }
func (h *boxHeap) Push(x any)         { h.boxes = append(h.boxes, x.(box)) }
func (h *boxHeap) Pop() any {
	last := h.boxes[len(h.boxes)-1]
	h.boxes = h.boxes[:len(h.boxes)-1]
	return last
}

// searchBoxes is how many boxes a search for one end looks at. When they are used up, the bound of the best box left
// is the answer: the interval is then wider than need be, and holds the truth.
const searchBoxes = 300

// least returns the box with the smallest key among the candidates of the root, and whether the bound ended the search;
// false if there is no candidate.
func (s *search) least(root box, key func(*box) int64) (best box, outer, ok bool) {
	h := &boxHeap{key: key}
	if !s.cut(&root) {
		return box{}, false, false
	}
	heap.Push(h, root)
	for n := 0; h.Len() > 0; n++ {
		b := heap.Pop(h).(box)
		if b.leaf() || n >= searchBoxes {
			return b, !b.leaf(), true
		}
		low, high := b.halves()
		for _, half := range [2]box{low, high} {
			if s.cut(&half) {
				heap.Push(h, half)
			}
		}
	}
	return box{}, false, false
}

// found is the candidates of one search: their projections, and some of them.
type found struct {
	box
	samples  []pool
	complete bool // the samples are all candidates
	outer    bool // a search was ended by its bound
}

// ends are what the searches of run look for, and where each result belongs.
var ends = []struct {
	key func(*box) int64
	put func(out, b *box)
}{
	{func(b *box) int64 { return b.shared.Lo }, func(out, b *box) { out.shared.Lo = b.shared.Lo }},
	{func(b *box) int64 { return -b.shared.Hi }, func(out, b *box) { out.shared.Hi = b.shared.Hi }},
	{func(b *box) int64 { return b.reserved.Lo }, func(out, b *box) { out.reserved.Lo = b.reserved.Lo }},
	{func(b *box) int64 { return -b.reserved.Hi }, func(out, b *box) { out.reserved.Hi = b.reserved.Hi }},
	{func(b *box) int64 { return b.leak.Lo }, func(out, b *box) { out.leak.Lo = b.leak.Lo }},
	{func(b *box) int64 { return -b.leak.Hi }, func(out, b *box) { out.leak.Hi = b.leak.Hi }},
}

// run searches both ends of each range. It returns false if no candidate gives every reading.
func (s *search) run(root box) (found, bool) {
	out := found{box: root}
	for i, end := range ends {
		if i/2 == 1 && root.reserved.IsPoint() || i/2 == 2 && root.leak.IsPoint() {
			continue
		}
		b, outer, ok := s.least(root, end.key)
		if !ok {
			return found{}, false
		}
		out.outer = out.outer || outer
		end.put(&out.box, &b)
		for _, shared := range [3]int64{b.shared.Lo, b.shared.Hi, b.shared.Lo + (b.shared.Hi-b.shared.Lo)/2} {
			s.sample(&out, s.at(shared, b.reserved.Lo, b.leak.Lo))
		}
	}
	s.sampleAll(&out)
	return out, true
}

// sample keeps a candidate that gives every reading.
func (s *search) sample(out *found, p pool) {
	if !slices.Contains(out.samples, p) && s.fits(p) {
		out.samples = append(out.samples, p)
	}
}

// The candidates of a box that are looked at, in each direction. If the box has no more, the samples are complete.
const sampledShared, sampledReserved, sampledLeaks = 48, 12, 4

// sampleAll looks at candidates all over the box.
func (s *search) sampleAll(out *found) {
	shared, reserved, leaks := spread(out.shared, sampledShared), spread(out.reserved, sampledReserved),
		spread(out.leak, sampledLeaks)
	out.complete = out.shared.Width() < sampledShared && out.reserved.Width() < sampledReserved &&
		out.leak.Width() < sampledLeaks
	for _, l := range leaks {
		for _, r := range reserved {
			for _, n := range shared {
				s.sample(out, s.at(n, r, l))
			}
		}
	}
}

// spread returns up to most numbers of a range, evenly spread, with both ends.
func spread(r Range, most int64) (out []int64) {
	steps := min(r.Width(), most-1)
	for i := range steps + 1 {
		out = append(out, r.Lo+r.Width()/max(steps, 1)*i+r.Width()%max(steps, 1)*i/max(steps, 1))
	}
	return out
}
