package rules

import (
	"sort"
)

// Model is a switch of a point while it is filled and drained. It computes what the MMU of [Point.Config] does, many
// packets at a time. Cells end first in it: it has no limit of [Second] and [Egress]. Make one with [NewModel], and
// copy it with [Model.Clone].
type Model struct {
	p      *Point
	groups []group
	flows  []flow
	dsts   []destination
	slices [4]slice
	left   [4]bool // packets left the slice at the last release
	// other is the opposite end of a box, whose charges bound what is left for a group: see Bounds. nil: the state is
	// a point.
	other *Model
	upper bool // the state bounds from above
}

// group is what a group of a port holds, in cells.
type group struct {
	port, pg               int
	slice                  int
	reserved, shared, head int64
	paused                 bool
	level                  int64 // the limit at XOFF, with the minimum
}

// flow is equal packets of a group that wait for a destination.
type flow struct {
	group, dst     int
	cells, packets int64
}

// destination is an egress port that was stopped.
type destination struct {
	port int
	held bool
	leak int64 // packets that will still leave
}

// slice is the sums over the groups of a slice.
type slice struct{ shared, reserved, head int64 }

// NewModel returns an empty switch.
func NewModel(p *Point) *Model {
	return &Model{p: p, groups: make([]group, 0, 16), flows: make([]flow, 0, 16), dsts: make([]destination, 0, 2)}
}

// Reset empties the switch, which becomes that of a point.
func (s *Model) Reset(p *Point) {
	*s = Model{p: p, groups: s.groups[:0], flows: s.flows[:0], dsts: s.dsts[:0]}
}

// Clone returns a copy.
func (s *Model) Clone() *Model {
	var c Model
	c.Become(s)
	return &c
}

// Become makes the state a copy of another, in the memory that it has.
func (s *Model) Become(o *Model) {
	groups, flows, dsts := append(s.groups[:0], o.groups...), append(s.flows[:0], o.flows...), append(s.dsts[:0], o.dsts...)
	*s = *o
	s.groups, s.flows, s.dsts = groups, flows, dsts
}

// find returns the index of a group, which is made if it is new.
func (s *Model) find(port, pg int) int {
	for i := range s.groups {
		if s.groups[i].port == port && s.groups[i].pg == pg {
			return i
		}
	}
	s.groups = append(s.groups, group{port: port, pg: pg, slice: port % s.p.Rule.Slices()})
	return len(s.groups) - 1
}

// destination returns the index of an egress port.
func (s *Model) destination(port int) int {
	for i := range s.dsts {
		if s.dsts[i].port == port {
			return i
		}
	}
	s.dsts = append(s.dsts, destination{port: port})
	return len(s.dsts) - 1
}

// flow returns a flow.
func (s *Model) flow(group, dst int, cells int64) *flow {
	for i := range s.flows {
		if f := &s.flows[i]; f.group == group && f.dst == dst && f.cells == cells {
			return f
		}
	}
	s.flows = append(s.flows, flow{group: group, dst: dst, cells: cells})
	return &s.flows[len(s.flows)-1]
}

// Hold stops an egress port; packets leak out of each new stop. It tells whether it is one.
func (s *Model) Hold(dst int) (stops bool) {
	d := &s.dsts[s.destination(dst)]
	if stops = !d.held; stops {
		d.held, d.leak = true, s.p.Numbers[Leak]
	}
	return stops
}

// Sent is what became of packets that were sent.
type Sent struct {
	Stored, Leaked int64
	Dropped        int64
	Paused         bool  // the group is paused afterwards
	XOFF           int64 // the packet, counted from 1, that caused XOFF; 0: none
	Marks          Marks // afterwards
}

// Marks is what a switch holds in cells: the group in the shared part, the group in its headroom, and all groups of
// all slices in the pool. As long as nothing leaves, these are its watermarks.
type Marks [3]int64

// marks returns what is held.
func (s *Model) marks(gi int) Marks {
	out := Marks{s.groups[gi].shared, s.groups[gi].head}
	for i := range s.slices {
		sl := &s.slices[i]
		out[2] += sl.shared
		if s.p.Rule[Minimum] == MinimumCounted {
			out[2] += sl.reserved
		}
		if s.p.Rule[Owner] == OwnerShared {
			out[2] += sl.head
		}
	}
	return out
}

// Send sends packets of a length to a group, for an egress port, which it stops before if it is not stopped.
func (s *Model) Send(port, pg, dst int, packets, length int64) (out Sent) {
	s.Hold(dst)
	gi, di, n := s.find(port, pg), s.destination(dst), s.p.Cells(length)
	out = s.send(gi, di, packets, n, false)
	s.flow(gi, di, n).packets += out.Stored
	out.Marks = s.marks(gi)
	return out
}

// Answer is [Model.Send] as the spans of one number each.
func (s *Model) Answer(port, pg, dst int, packets, length int64) (a Answers) {
	got := s.Send(port, pg, dst, packets, length)
	n := packets - got.Dropped
	a.Accepted = Span{n, n}
	for i, m := range got.Marks {
		a.Marks[i] = Span{m, m}
	}
	return a
}

// send sends packets of n cells for a port that is stopped; with untilXOFF the one that causes XOFF is the last.
func (s *Model) send(gi, di int, packets, n int64, untilXOFF bool) (out Sent) {
	d := &s.dsts[di]
	out.Leaked = min(d.leak, packets)
	d.leak -= out.Leaked
	f := s.filler(gi, n)
	left := packets - out.Leaked
	for left > 0 && (!untilXOFF || out.XOFF == 0) {
		a := f.ingress()
		if k := min(f.alike(a), left); k > 0 {
			f.store(a, k)
			left -= k
			continue
		}
		left--
		if f.one(a) {
			out.XOFF = packets - left
		}
		if a.drop { // nothing changes any more, so that all others are dropped too
			out.Dropped, left = left+1, 0
		}
	}
	out.Stored = packets - left - out.Leaked - out.Dropped
	f.finish()
	out.Paused = f.g.paused
	return out
}

// Release starts an egress port: what waits for it leaves, and groups of slices that it leaves resume.
func (s *Model) Release(dst int) {
	di := s.destination(dst)
	s.dsts[di].held = false
	s.left = [4]bool{}
	for i := range s.flows {
		f := &s.flows[i]
		if f.dst != di || f.packets == 0 {
			continue
		}
		g := &s.groups[f.group]
		s.left[g.slice] = true
		if s.p.Rule[XOFF] == XOFFHeadroom {
			for range f.packets {
				s.leaveStaged(f.group, f.cells)
			}
		} else {
			s.leave(g, f.cells*f.packets)
		}
		f.packets = 0
	}
	for i := range s.groups {
		if g := &s.groups[i]; g.paused && s.left[g.slice] && s.resumes(i) {
			g.paused = false
		}
	}
}

// leave gives back cells of a group.
func (s *Model) leave(g *group, n int64) {
	sl := &s.slices[g.slice]
	take := func(account, sum *int64) {
		k := min(n, *account)
		*account -= k
		*sum -= k
		n -= k
	}
	if s.p.Rule[XOFF] != XOFFHeadroom {
		take(&g.head, &sl.head)
	}
	if s.p.Rule[Minimum] == MinimumLast {
		take(&g.reserved, &sl.reserved)
	}
	take(&g.shared, &sl.shared)
	take(&g.reserved, &sl.reserved)
	take(&g.head, &sl.head)
}

// leaveStaged gives back the cells of a packet, and lets waiting cells move on: first those of its group, then those
// of the other groups of the slice by their ports and numbers, as mmu.MMU does.
func (s *Model) leaveStaged(gi int, n int64) {
	g := &s.groups[gi]
	s.leave(g, n)
	first := 8*g.port + g.pg
	last := -1
	for {
		next, order := -1, 0
		for i := range s.groups {
			x := &s.groups[i]
			o := (8*x.port + x.pg - first + groups) % groups
			if x.slice == g.slice && x.head > 0 && o > last && (next < 0 || o < order) {
				next, order = i, o
			}
		}
		if next < 0 {
			return
		}
		s.moveOn(next)
		last = order
	}
}

// moveOn moves waiting cells of a group to the shared part, as many as it takes.
func (s *Model) moveOn(gi int) {
	g := &s.groups[gi]
	f := s.filler(gi, 1)
	for g.head > 0 {
		a := f.ingress()
		if a.refused {
			break
		}
		f.store(a, 1)
		g.head--
	}
	f.finish()
}

// resumes tells whether a paused group sends XON.
func (s *Model) resumes(gi int) bool { return s.margin(gi) >= 0 }

// margin returns by how many cells a paused group is below its XON level, or less than 0.
func (s *Model) margin(gi int) int64 {
	g, x, r := &s.groups[gi], &s.p.Numbers, &s.p.Rule
	if r[XOFF] == XOFFHeadroom {
		return x[Offset] - 1 - g.head
	}
	if g.head > 0 {
		return -g.head
	}
	level := x[Offset]
	switch r[XON] {
	case XONCurrent:
		f := s.filler(gi, 1)
		level = f.limit(f.free(), 1) + x[Reserved] - x[Offset]
	case XONLatched:
		level = g.level - x[Offset]
	}
	return max(level, 0) - g.reserved - g.shared
}

// Pauses is [Model.Paused] as the span of one number.
func (s *Model) Pauses(port, pg int) Span {
	n := One(s.Paused(port, pg))
	return Span{n, n}
}

// Paused tells whether a group is paused.
func (s *Model) Paused(port, pg int) bool { return s.groups[s.find(port, pg)].paused }

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
func (s *Model) Fill(groups int, n int64, inTurn bool, out []Filled) []Filled {
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
func (s *Model) filled(gi int, n, leaked, xoff int64) Filled {
	g := &s.groups[gi]
	return Filled{xoff, (g.reserved+g.shared)/n + leaked + 1, g.shared}
}

// rotate fills groups one packet each. It counts the rounds in which every group stores its packet and none pauses,
// and sends the packets of the others one by one.
func (s *Model) rotate(di int, n int64, out []Filled) []Filled {
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
func (s *Model) XONBelow(gi int, n int64) int64 {
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
