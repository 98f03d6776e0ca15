package rules

import "sort"

// Filled is what a fill gives for one group, in packets that are counted from 1.
type Filled struct {
	XOFF   int64 // the one that causes XOFF
	Drop   int64 // the first that finds no place in the minimum and the shared part
	Shared int64 // cells of the group in the shared part
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

// filled returns what a group has. Packets that leaked out are counted.
func (s *State) filled(gi int, n, leaked, xoff int64) Filled {
	g := &s.groups[gi]
	return Filled{xoff, (g.reserved+g.shared)/n + leaked + 1, g.shared}
}

// rotate fills groups one packet each. It counts the rounds in which every group stores its packet and none pauses,
// and sends the packets of the others one by one.
func (s *State) rotate(di int, n int64, out []Filled) []Filled {
	x, count := &s.p.Numbers, int64(len(s.groups))
	leak := s.dsts[di].leak
	s.dsts[di].leak = 0
	shared := func(k int64) int64 { return max(k*n-x[Reserved], 0) } // of a group with k packets
	rounds := int64(sort.Search(int((x[Shared]+x[Reserved]*count)/(n*count)+1), func(i int) bool {
		k := int64(i)
		others := shared(k+1) * (count - 1) // the last group of a round sees the fewest free cells
		return !s.p.Takes(k*n, others+shared(k), n, false) ||
			s.p.Rule[XOFF] == XOFFFull && !s.p.Takes((k+1)*n, others+shared(k+1), n, false)
	}))
	for i := range s.groups {
		s.send(i, di, rounds, n, true)
	}
	out = append(out, make([]Filled, count)...)
	all := out[len(out)-len(s.groups):]
	for left := len(all); left > 0; {
		for j := range all { // the packets that leaked out shift the rotation
			i := (j + int(leak%count)) % len(all)
			if all[i].XOFF == 0 && s.send(i, di, 1, n, true).XOFF > 0 {
				left--
				g, leaked := &s.groups[i], leak/count+One(int64(i) < leak%count)
				all[i] = s.filled(i, n, leaked, (g.reserved+g.shared+g.head)/n+leaked)
			}
		}
	}
	return out
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
