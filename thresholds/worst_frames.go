package thresholds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// FrameCount is a number of frames of one size.
type FrameCount struct {
	Size   unit.Bytes
	Frames int64
}

// Arrival is the frames that take most cells of all that can arrive in a time: the frame that causes the pause, and a
// mixture of frames after it.
type Arrival struct {
	Cells   cells.Count
	First   unit.Bytes    // the frame that causes the pause: the longest of the class
	Mixture [4]FrameCount // after it; the last one has most frames, and entries without frames are not used
}

// WorstArrival returns the frames that take most cells of a memory, of all that arrive in n bit times after the frame
// that causes the pause. A frame arrives if it ends before the n bit times do. Frames have the sizes from shortest to
// longest, and gap bytes more on the wire: [WireBytes] with Ethernet's preamble and average gap.
//
// The result is exact. Let N = floor((n-1)/8) be the bytes on the wire. What is looked for is the largest number of
// cells of a multiset of frames whose sizes with their gaps add up to at most N: an unbounded knapsack. Of the sizes
// with the same number of cells only the shortest matters. Of frames with more cells than the shortest has, the
// shortest one with c cells is c*cell + b bytes on the wire, for a constant b that is negative in all but tiny cells.
// So k such frames with T cells together need T*cell + k*b bytes, and it is best to have as many as their cells
// allow. What is left to try is the number of frames of the shortest size. If they are not the densest, fewer than
// the cells of a densest frame are enough: so many of them can be replaced by densest frames without loss. If they
// are the densest, the same holds for the others.
//
// The frame that causes the pause may be of any size, so it is counted as the longest. That it is in the headroom with
// all of its cells is possible on every chip: other groups can take the last shared cells before.
func WorstArrival(n int64, shortest, longest, gap unit.Bytes, mem Memory) Arrival {
	k := newKnapsack(max(n-1, 0)/8, shortest, longest, gap, mem)
	best := k.best()
	out := Arrival{Cells: cells.Count(best.cells) + mem.Cell.Packet(longest, mem.Overhead), First: longest}
	out.Mixture = k.mixture(best)
	return out
}

// String names the frames: "one frame of 4096B, then 614 of 145B and 1 of 64B".
func (a Arrival) String() string {
	var parts []string
	for _, f := range slices.Backward(a.Mixture[:]) {
		if f.Frames > 0 {
			parts = append(parts, fmt.Sprintf("%d of %v", f.Frames, f.Size))
		}
	}
	text := fmt.Sprintf("one frame of %v", a.First)
	if len(parts) > 0 {
		text += ", then " + strings.Join(parts, " and ")
	}
	return text
}

// knapsack is the frames of one call of WorstArrival, in bytes on the wire and cells.
type knapsack struct {
	wire     int64 // bytes that can arrive
	cell, b  int64 // a frame with c cells, more than least has, is c*cell + b bytes at least
	least    item  // the shortest size
	next     item  // the shortest frame with one cell more; its cells are above most if there is none
	most     int64 // cells of the longest frame
	overhead int64
	gap      int64
}

// item is a size of frames.
type item struct{ cells, wire int64 }

// packing is frames: x of the shortest size, and k others with t cells together.
type packing struct{ x, k, t, cells int64 }

func newKnapsack(wire int64, shortest, longest, gap unit.Bytes, mem Memory) knapsack {
	k := knapsack{wire: wire, cell: int64(mem.Cell), overhead: int64(mem.Overhead), gap: int64(gap),
		most: int64(mem.Cell.Packet(longest, mem.Overhead))}
	k.b = 1 - k.cell - k.overhead + k.gap
	k.least = item{int64(mem.Cell.Packet(shortest, mem.Overhead)), int64(shortest + gap)}
	k.next = item{k.least.cells + 1, (k.least.cells+1)*k.cell + k.b}
	return k
}

// best returns the packing with most cells, of several the one with most frames of the shortest size. It does not try
// the numbers of these that cannot be better because even the densest of the others would not make up for them: in
// memory of one byte a cell, those are nearly all of thousands.
func (k *knapsack) best() packing {
	all := k.wire / k.least.wire
	best := k.fill(all)
	if k.leastIsDensest() {
		for x := all - 1; x >= k.from() && k.bound(x) > best.cells; x-- {
			if p := k.fill(x); p.cells > best.cells {
				best = p
			}
		}
		return best
	}
	other := k.fill(0)
	for x := int64(1); x <= min(k.upTo(), all) && k.bound(x) >= other.cells; x++ {
		if p := k.fill(x); p.cells >= other.cells {
			other = p
		}
	}
	if other.cells > best.cells {
		return other
	}
	return best
}

// densest is the size of the frames, of those longer than the shortest, with most cells for their bytes on the wire.
func (k *knapsack) densest() item {
	if k.b >= 0 { // longer frames are denser
		return item{k.most, k.most*k.cell + k.b}
	}
	return k.next
}

// leastIsDensest tells whether frames of the shortest size have most cells for their bytes on the wire.
func (k *knapsack) leastIsDensest() bool {
	d := k.densest()
	return k.next.cells > k.most || k.least.cells*d.wire >= d.cells*k.least.wire
}

// bound returns cells that no packing with x frames of the shortest size exceeds: the others are at most as dense as
// the densest. It does not grow from one x to the next that is tried.
func (k *knapsack) bound(x int64) int64 {
	d := k.densest()
	rest := k.wire - x*k.least.wire
	return x*k.least.cells + rest/d.wire*d.cells + rest%d.wire*d.cells/d.wire
}

// from is the least number of frames of the shortest size that must be tried below the most that fit, if they are the
// densest: fewer others than a shortest frame has cells are enough.
func (k *knapsack) from() int64 {
	return max((k.wire-(k.least.cells-1)*(k.most*k.cell+k.b))/k.least.wire-1, 0)
}

// upTo is the largest number of frames of the shortest size that must be tried from 0 on, if they are not the densest.
func (k *knapsack) upTo() int64 {
	if k.b >= 0 {
		return k.most - 1
	}
	return k.next.cells - 1
}

// fill returns the packing with most cells of those with x frames of the shortest size.
func (k *knapsack) fill(x int64) packing {
	p := packing{x: x, cells: x * k.least.cells}
	rest := k.wire - x*k.least.wire
	if k.next.cells > k.most || rest < k.next.wire {
		return p
	}
	p.k = rest / k.next.wire
	if k.b >= 0 { // as few others as can take the bytes
		p.k = max(rest/(k.most*k.cell+k.b), 1)
		if more := p.k + 1; more*k.next.wire <= rest && (rest-more*k.b)/k.cell > p.k*k.most {
			p.k = more
		}
	}
	p.t = min((rest-p.k*k.b)/k.cell, p.k*k.most)
	p.cells += p.t
	return p
}

// mixture lists the frames of a packing: the others as short as they can be, but for some that are longer and so take
// the cells that are left over.
func (k *knapsack) mixture(p packing) (out [4]FrameCount) {
	size := func(c int64) unit.Bytes { return unit.Bytes(c*k.cell + k.b - k.gap) }
	spare := p.t - p.k*k.next.cells
	step := k.most - k.next.cells
	full := int64(0)
	if spare > 0 {
		full = spare / step
	}
	out[0] = FrameCount{size(k.most), full}
	left := p.k - full
	if rest := spare - full*step; rest > 0 {
		out[1] = FrameCount{size(k.next.cells + rest), 1}
		left--
	}
	out[2], out[3] = FrameCount{size(k.next.cells), left}, FrameCount{unit.Bytes(k.least.wire - k.gap), p.x}
	for i := range out[:3] {
		if out[i].Frames > out[3].Frames {
			out[i], out[3] = out[3], out[i]
		}
	}
	for i := range out {
		if out[i].Frames == 0 {
			out[i] = FrameCount{}
		}
	}
	return out
}
