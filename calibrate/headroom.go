package calibrate

import "slices"

// headroomFill is a fill in which headroom was counted.
type headroomFill struct {
	n       int64   // cells of a packet
	packets []Range // that the headroom of each group took, in their order; of groups without readings any number
	late    int64   // packets that a group can have although the pool was used up before its turn
}

// headroomOf returns the packets that each group put into headroom: those behind the last one in the shared part, up
// to the first drop. full says that XOFF goes out with the last packet in the shared part. some: of a group at least it
// is known. Not possible: by this rule a group dropped before it paused.
func headroomOf(f *Fill, n int64, full bool) (out headroomFill, some, possible bool) {
	groups := max(f.Groups, 1)
	out = headroomFill{n: n, packets: slices.Repeat([]Range{{0, NoBound}}, groups)}
	all := make([]struct{ xoff, drop Range }, groups) // packets are counted from 1, so 0 is no reading
	for _, r := range f.Readings {
		switch r.What {
		case XOFF:
			all[r.Group].xoff = r.Is
		case Drop:
			all[r.Group].drop = r.Is
		}
	}
	if !f.ToDrop && (!full || !f.InTurn) {
		out.late = 1 // the packet with which it paused
	}
	for g, p := range all {
		if p.xoff.Hi == 0 || p.drop.Hi == 0 || p.xoff.Hi == NoBound {
			continue
		}
		stored := Range{p.xoff.Lo - 1, p.xoff.Hi - 1}
		if full { // a group that finds no cell at all pauses with a packet that was refused
			stored = Range{p.xoff.Lo, p.xoff.Hi}
			if p.xoff.Lo <= 1 || groups > 1 && !f.InTurn {
				stored.Lo-- // so does a group that another one, later in the rotation, left no room
			}
		}
		r := Range{max(p.drop.Lo-1-stored.Hi, 0), NoBound}
		if p.drop.Hi != NoBound {
			r.Hi = p.drop.Hi - 1 - stored.Lo
		}
		if r.Hi < 0 {
			return out, false, false
		}
		out.packets[g], some = r, true
	}
	return out, some, true
}

// headroom is what the fills of one profile tell about its headroom and the shared headroom pool, in cells.
type headroom struct {
	group Range // of one group
	pool  Range // of the slice; Hi is NoBound if no group ran out of it
}

// headroomFor returns the headroom and the pools that give what was counted; false if none does. The groups are filled
// up to their drops one after the other. So the first groups have their own headroom full, at most one has what was
// left in the pool, and the rest have none, or the packet with which they paused. If small is set, the pool is smaller
// than the headroom of one group; otherwise it is not.
func (f *headroomFill) headroomFor(group Range, small bool) (headroom, bool) {
	if small {
		return f.with(0, group)
	}
	var out headroom
	found := false
	for full := 1; full <= len(f.packets); full++ {
		h, ok := f.with(full, group)
		switch {
		case !ok:
		case !found:
			out, found = h, true
		default:
			out = headroom{out.group.join(h.group), out.pool.join(h.pool)}
		}
	}
	return out, found
}

// with is of for a number of groups whose own headroom is full.
func (f *headroomFill) with(full int, group Range) (headroom, bool) {
	packets := Range{group.Lo / f.n, NoBound} // of a full group
	if group.Hi != NoBound {
		packets.Hi = group.Hi / f.n
	}
	ok := true
	for g := 0; g < full && ok; g++ {
		packets, ok = packets.intersect(f.packets[g])
	}
	if !ok {
		return headroom{}, false
	}
	all := Range{int64(full) * packets.Lo, times(packets.Hi, int64(full))} // packets of all groups
	for g := full; g < len(f.packets); g++ {
		is := Range{0, f.late}
		if g == full {
			if is.Hi = packets.Hi; is.Hi != NoBound {
				is.Hi = max(is.Hi-1, f.late)
			}
		}
		if is, ok = is.intersect(f.packets[g]); !ok {
			return headroom{}, false
		}
		if g == full { // a full group has more
			packets.Lo = max(packets.Lo, is.Lo)
		}
		all.Lo += is.Lo
		if all.Hi != NoBound {
			all.Hi = max(all.Hi, all.Hi+is.Hi)
		}
	}
	own := Range{packets.Lo*f.n - f.n + 1, NoBound} // the packet that uses the last reserved cells needs fewer
	if packets.Hi != NoBound {
		own.Hi = packets.Hi*f.n + f.n - 1
	}
	if own, ok = own.intersect(group); !ok {
		return headroom{}, false
	}
	groups := int64(len(f.packets))
	pool := Range{max(all.Lo*f.n-groups*(f.n-1), 0), NoBound}
	if full < len(f.packets) && all.Hi != NoBound {
		pool.Hi = all.Hi*f.n + f.n - 1
	}
	return headroom{own, pool}, true
}

// times multiplies a bound.
func times(n, by int64) int64 {
	if n == NoBound && by > 0 {
		return NoBound
	}
	return n * by
}
