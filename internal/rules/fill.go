package rules

import "sort"

// Filled is what a fill gives for one group, in packets that are counted from 1.
type Filled struct {
	Accepted int64 // in the minimum and the shared part
	Leaked   int64 // that left although the port was stopped
	XOFF     int64 // the one that causes XOFF, those that leaked out included
	Shared   int64 // cells of the group in the shared part
}

// everything is more packets than a group takes before it pauses.
const everything = 1 << 50

// Fill fills groups of an empty switch with packets of n cells for a port that is stopped, each until it pauses
// before the next one, or one packet each in rotation. The switch has one slice. It appends to out, so that a caller
// can use its memory again.
func (s *State) Fill(groups int, n int64, inTurn bool, out []Filled) []Filled {
	di := s.destination(0)
	s.Hold(0)
	for i := range groups {
		s.groups = append(s.groups, group{port: i})
	}
	if !inTurn && groups > 1 {
		return s.rotate(di, n, out)
	}
	for i := range groups {
		sent := s.send(i, di, everything, n, true)
		out = append(out, s.filled(i, n, sent.Leaked, sent.XOFF))
	}
	return out
}

// filled returns what a group has.
func (s *State) filled(gi int, n, leaked, xoff int64) Filled {
	g := &s.groups[gi]
	return Filled{(g.reserved + g.shared) / n, leaked, xoff, g.shared}
}

// rotate fills groups one packet each. It counts the rounds in which every group stores its packet and none pauses,
// and sends the packets of the others one by one.
func (s *State) rotate(di int, n int64, out []Filled) []Filled {
	x, count := &s.p.Numbers, int64(len(s.groups))
	leak := s.dsts[di].leak
	s.dsts[di].leak = 0
	// The last group of a round sees the fewest free cells, and as many of them when the others get theirs at once.
	var m State
	rounds := int64(sort.Search(int((x[Shared]+x[Reserved]*count)/(n*count)+1), func(k int) bool {
		m.Become(s)
		return m.round(di, int64(k)+1, n)
	}))
	s.round(di, rounds, n)
	for i := range s.groups {
		leaked := leak / count
		if int64(i) < leak%count {
			leaked++
		}
		out = append(out, Filled{Leaked: leaked})
	}
	all := out[len(out)-len(s.groups):]
	for left := len(all); left > 0; {
		for j := range all { // the packets that leaked out shift the rotation
			i := (j + int(leak%count)) % len(all)
			if all[i].XOFF > 0 {
				continue
			}
			if s.send(i, di, 1, n, true).XOFF > 0 {
				left--
				g := &s.groups[i]
				all[i] = s.filled(i, n, all[i].Leaked, (g.reserved+g.shared+g.head)/n+all[i].Leaked)
			}
		}
	}
	return out
}

// round fills all groups with packets, and tells whether one pauses.
func (s *State) round(di int, packets, n int64) (pauses bool) {
	for i := range s.groups {
		pauses = s.send(i, di, packets, n, true).XOFF > 0 || pauses
	}
	return pauses
}

// XONBelow returns how many packets of n cells of a paused group must leave until it sends XON; all that it holds if
// it never does.
func (s *State) XONBelow(gi int, n int64) int64 {
	g, sl := s.groups[gi], s.slices[s.groups[gi].slice]
	held := (g.reserved + g.shared + g.head) / n
	if held == 0 {
		return 0
	}
	return 1 + int64(sort.Search(int(held-1), func(k int) bool {
		s.leave(&s.groups[gi], int64(k+1)*n)
		ok := s.resumes(gi)
		s.groups[gi], s.slices[g.slice] = g, sl
		return ok
	}))
}

// Takes tells whether a group takes a packet of n cells without its headroom, if it holds some cells, and all groups
// together hold used shared ones. beyond says that held counts shared cells alone: the minimum is full.
func (p *Point) Takes(held, used, n int64, beyond bool) bool {
	own := group{reserved: p.Numbers[Reserved], shared: held}
	if !beyond {
		own = group{reserved: min(held, p.Numbers[Reserved]), shared: max(held-p.Numbers[Reserved], 0)}
	}
	f := filler{p: p, g: &own, n: n, must: n, used: used - own.shared}
	return !f.full()
}
