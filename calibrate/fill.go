package calibrate

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// pool is one candidate for what a fill depends on, in cells of one slice.
type pool struct {
	shared   int64
	reserved int64 // PG-min of each group
	alpha    thresholds.Alpha
	rule     mmu.Rule
	leak     int64 // packets that leave although the port is stopped, the first of a fill
}

// filledGroup is what a fill gives for one group.
type filledGroup struct {
	accepted int64 // packets in reserved and shared cells
	xoff     int64 // the packet that causes XOFF, those that leaked out included
	leaked   int64 // packets of the group that leaked out
	atXOFF   int64 // the limit when XOFF was sent, without reserved cells
}

// sharedCells returns the shared cells of a group that holds this number of packets of n cells.
func (p *pool) sharedCells(packets, n int64) int64 { return max(packets*n-p.reserved, 0) }

// limit returns the limit of a group with this number of free cells, for a packet that needs n shared cells.
func (p *pool) limit(free, n int64) int64 {
	if p.rule.LimitAfter {
		free -= n
	}
	return int64(thresholds.Dynamic(p.alpha).At(cells.Count(free)))
}

// takes tells whether a group that holds packets already gets another one, with free cells in the pool. It is the
// admission of mmu.MMU for groups without other limits than their own and the pool's.
func (p *pool) takes(packets, n, free int64) bool {
	rest := n - min(n, max(p.reserved-packets*n, 0))
	if rest == 0 {
		return true
	}
	shared := p.sharedCells(packets, n)
	return shared+rest <= p.limit(free, rest) && rest <= free
}

// alone returns how many packets of n cells one group takes from the free cells before the first is refused. It
// begins the search where a limit without rounding would stop.
func (p *pool) alone(n, free int64) int64 {
	taken := func(k int64) bool { // the packet after k packets is taken
		return p.takes(k, n, free-p.sharedCells(k, n))
	}
	// Without rounding, shared = alpha * (free - shared).
	a := int(p.alpha)
	estimate := free - free/(1+1<<max(a, 0))
	if a < 0 {
		estimate = free / (1 + 1<<-a)
	}
	low := max((estimate+p.reserved)/n-2, 0) // taken(low-1) is sought to be true, taken(high) false
	high := low + 4
	for step := int64(8); low > 0 && !taken(low-1); step *= 2 {
		low, high = max(low-step, 0), low-1
	}
	for step := int64(8); taken(high); step *= 2 {
		low, high = high+1, high+step
	}
	for low < high {
		if middle := low + (high-low)/2; taken(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// inTurn fills groups one after the other. It appends to out, so that a caller can use its memory again.
func (p *pool) inTurn(groups int, n int64, out []filledGroup) []filledGroup {
	free := p.shared
	for g := range groups {
		k := p.alone(n, free)
		shared := p.sharedCells(k, n)
		f := filledGroup{accepted: k, xoff: k + 1}
		if p.rule.PauseAtLimit {
			f.xoff = max(k, 1)
		}
		if g == 0 {
			f.leaked = p.leak
			f.xoff += p.leak
		}
		f.atXOFF = p.limit(free-shared, n)
		free -= shared
		out = append(out, f)
	}
	return out
}

// together fills groups in rotation, one packet each. It counts the rounds in which all groups take their packet and
// none pauses, and sends the packets of the others one by one.
func (p *pool) together(groups int, n int64, out []filledGroup) []filledGroup {
	begin, count := len(out), int64(groups)
	// quiet tells whether round k+1 is stored without a pause. The last group sees the fewest free cells.
	quiet := func(k int64) bool {
		before, after := p.sharedCells(k, n), p.sharedCells(k+1, n)
		free := p.shared - before*1 - after*(count-1)
		if !p.takes(k, n, free) {
			return false
		}
		return !p.rule.PauseAtLimit || p.takes(k+1, n, p.shared-after*count)
	}
	low, high := int64(0), (p.shared+p.reserved*count)/(n*count)+1
	for low < high {
		if middle := low + (high-low)/2; quiet(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for g := range count {
		f := filledGroup{accepted: low, leaked: p.leak / count}
		if g < p.leak%count {
			f.leaked++
		}
		out = append(out, f)
	}
	free := p.shared - p.sharedCells(low, n)*count
	for left := groups; left > 0; {
		// The packets that leaked out shift the rotation: the next packet is that of the first group without one.
		for i := range groups {
			f := &out[begin+(i+int(p.leak%count))%groups]
			if f.xoff > 0 {
				continue
			}
			taken := p.takes(f.accepted, n, free)
			if taken {
				free -= p.sharedCells(f.accepted+1, n) - p.sharedCells(f.accepted, n)
				f.accepted++
			}
			if !taken || p.rule.PauseAtLimit && !p.takes(f.accepted, n, free) {
				f.xoff, f.atXOFF = f.accepted+f.leaked, p.limit(free, n)
				if !taken {
					f.xoff++
				}
				left--
			}
		}
	}
	return out
}

// fill returns what a fill gives.
func (p *pool) fill(f *Fill, n int64, out []filledGroup) []filledGroup {
	if f.InTurn || f.Groups <= 1 {
		return p.inTurn(max(f.Groups, 1), n, out)
	}
	return p.together(f.Groups, n, out)
}

// reading returns what a pool reading of a group would be: the packet of XOFF, the first drop of a lossy group, or the
// watermark of its shared cells.
func (p *pool) reading(f *Fill, g filledGroup, what Quantity, n int64) int64 {
	switch what {
	case XOFF:
		return g.xoff
	case Drop:
		return g.accepted + g.leaked + 1
	default:
		return p.sharedCells(g.accepted, n)
	}
}
