package rules

// Evidence is what was read of a switch. Every reading is an interval, so that it cuts what is possible of the
// numbers of a rule.
type Evidence interface {
	// Possible tells whether a switch of a box may give every reading. It is false only if none does, and exact for a
	// box of one switch.
	Possible(*Box) bool
}

// Middle divides a range: in the middle, or where it is long, nearer to its lower end.
func Middle(lo, hi int64) int64 {
	if hi > 8*lo+64 {
		return 2*lo + 8
	}
	return lo + (hi-lo)/2
}

// Halves divides a box behind m of a number.
func (b *Box) Halves(n Number, m int64) (low, high Box) {
	low, high = *b, *b
	low.Hi[n], high.Lo[n] = m, m+1
	return low, high
}

// Cut removes both ends of a number's range as far as they are excluded in parts that are not small. It returns false
// if nothing is left.
func Cut(e Evidence, b *Box, n Number) bool { return cutEnd(e, b, n, false) && cutEnd(e, b, n, true) }

// cutEnd removes the lower or the upper end.
func cutEnd(e Evidence, b *Box, n Number, upper bool) bool {
	for {
		lo, hi := b.Lo[n], b.Hi[n]
		excluded := func(k int64) bool { // that many values at the end
			part := *b
			if upper {
				part.Lo[n] = hi - k + 1
			} else {
				part.Hi[n] = lo + k - 1
			}
			return !e.Possible(&part)
		}
		gone, all := int64(0), hi-lo+1
		step := int64(1)
		for gone < all && excluded(min(gone+step, all)) {
			gone = min(gone+step, all)
			step *= 2
		}
		for step = min(step, all-gone); step > 1; { // behind gone values, one of the next step is possible
			if half := step / 2; excluded(gone + half) {
				gone, step = gone+half, step-half
			} else {
				step = half
			}
		}
		switch {
		case gone == all:
			return false
		case upper:
			b.Hi[n] -= gone
		default:
			b.Lo[n] += gone
		}
		if gone <= all/8 { // halves of the range show more
			return true
		}
	}
}

// Squeeze cuts numbers of a box up to a number of times, as long as that helps. It returns false if nothing is left.
func Squeeze(e Evidence, b *Box, times int, all ...Number) bool {
	if !e.Possible(b) {
		return false
	}
	for range times {
		before := *b
		for _, n := range all {
			if b.Lo[n] < b.Hi[n] && !Cut(e, b, n) {
				return false
			}
		}
		if *b == before {
			break
		}
	}
	return true
}

// mostBoxes is how many boxes a search for an end looks at, and mostCuts how often it cuts one of which only the pool
// is open.
const mostBoxes, mostCuts = 300, 1 << 12

// End looks for the smallest value of a number among the switches of a box, or for the largest, by halving the box
// that reaches farthest. It returns that end with the pools that have it. If the boxes are used up, it is not exact:
// the end is that of the best box left, and no switch is beyond it. ok is false if no switch is possible.
func End(e Evidence, root Box, n Number, upper bool) (end Box, exact, ok bool) {
	var left []Box
	but := AllNumbers()[Shared+1:] // all but the pool
	add := func(b Box) {
		times := 1
		if _, width := b.Widest(but...); width == 0 {
			times = mostCuts
		}
		if Squeeze(e, &b, times, Shared) {
			left = append(left, b)
		}
	}
	add(root)
	for looked := 0; len(left) > 0; looked++ {
		best := 0
		for i := range left {
			if upper && left[i].Hi[n] > left[best].Hi[n] || !upper && left[i].Lo[n] < left[best].Lo[n] {
				best = i
			}
		}
		b, last := left[best], len(left)-1
		left[best] = left[last]
		left = left[:last]
		widest, width := b.Widest(but...)
		if width == 0 || looked >= mostBoxes {
			return b, width == 0, true
		}
		low, high := b.Halves(widest, b.Lo[widest]+width/2)
		add(low)
		add(high)
	}
	return Box{}, false, false
}

// Widest returns the one of some numbers that has the widest range, and how much wider than one value it is.
func (b *Box) Widest(of ...Number) (widest Number, width int64) {
	for _, n := range of {
		if w := b.Hi[n] - b.Lo[n]; w > width {
			widest, width = n, w
		}
	}
	return widest, width
}
