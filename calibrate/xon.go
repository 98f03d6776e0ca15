package calibrate

import "sort"

// xonBelow returns how many packets of a paused group must leave until it sends XON, after all groups of the fill have
// paused; all that it holds if it never does. It is what mmu.Probe answers.
func (p *pool) xonBelow(groups []filledGroup, g int, n, offset int64, latched bool) int64 {
	f := &groups[g]
	free := p.shared
	for i := range groups {
		free -= p.sharedCells(groups[i].accepted, n)
	}
	held := f.accepted * n
	shared := p.sharedCells(f.accepted, n)
	behind := int64(0) // cells of the packet of XOFF, if it is in headroom
	if f.xoff > f.accepted+f.leaked {
		own := min(n, max(p.reserved-held, 0))
		behind = n - own
		held += own
	}
	packets := (held + behind) / n
	if packets == 0 {
		return 0
	}
	resumes := func(k int64) bool {
		back := k * n
		if back < behind {
			return false
		}
		back -= behind
		limit := f.atXOFF
		if !latched {
			limit = p.limit(free+min(back, shared), 1)
		}
		return held-back <= max(limit+p.reserved-offset, 0)
	}
	return 1 + int64(sort.Search(int(packets-1), func(i int) bool { return resumes(int64(i) + 1) }))
}

// offsets returns the XON offsets with which the group sends XON after a number of packets in the range; false if no
// offset does. The packets grow with the offset.
func (p *pool) offsets(groups []filledGroup, g int, n int64, latched bool, is Range, within Range) (Range, bool) {
	high := min(within.Hi, p.shared+p.reserved+1)
	if high < within.Lo {
		return Range{}, false
	}
	least := func(want int64) int64 { // the least offset with which at least want packets must leave
		return within.Lo + int64(sort.Search(int(high-within.Lo+1), func(i int) bool {
			return p.xonBelow(groups, g, n, within.Lo+int64(i), latched) >= want
		}))
	}
	out := Range{least(is.Lo), high}
	if is.Hi != NoBound {
		out.Hi = least(is.Hi+1) - 1
	}
	return out, out.Lo <= out.Hi
}
