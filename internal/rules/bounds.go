package rules

import "slices"

// Box is a set of switches of one rule: every combination of numbers from Lo to Hi, each end included.
type Box struct {
	Rule   Rule
	Alpha  int8
	Lo, Hi Numbers
}

// Join widens the box to hold another.
func (b *Box) Join(o *Box) {
	for n := range b.Lo {
		b.Lo[n], b.Hi[n] = min(b.Lo[n], o.Lo[n]), max(b.Hi[n], o.Hi[n])
	}
}

// Point returns the box's lower end, and whether the box has no other point.
func (b *Box) Point() (Point, bool) { return Point{b.Rule, b.Alpha, b.Lo}, b.Lo == b.Hi }

// fixed tells whether all switches of the box have the same of some numbers.
func (b *Box) fixed(all ...Number) bool {
	return !slices.ContainsFunc(all, func(n Number) bool { return b.Lo[n] < b.Hi[n] })
}

// Bounds is what the switches of a box can do at least and at most, while they are filled and drained. The readings
// of a fill grow with every number but the overhead and the XON offset, as far as a group's own numbers go; what
// other groups take of a headroom pool is taken from the opposite end. So two states bound all. Where packets of
// several cells leave a rest to the next group, and where two limits compete, neighbours can be in another order: their
// bounds are wider by a few packets.
type Bounds struct {
	low, high   *Model
	plow, phigh Point
	box         *Box
	slack       int64     // cells
	charged     int64     // cells of slack, for neighbours at a port
	sent        [][3]int  // group and egress port of each request
	settled     bool      // only the offset and the size of cells are open
	alike       bool      // both ends stored the same, and what is open can only make them store more
	rough       bool      // packets were sent that take another number of cells at the other end
	alone       bool      // one group has got packets, of one cell each
	dropped     bool      // a packet was dropped, perhaps
	was         [][2]bool // which groups were paused before a release: at the lower end, and in any case
	loose       bool      // what a group leaves of the pool to others is at neither end
	marked      bool      // what is held is between both ends, but for rests
	released    bool      // an egress port was started
	is          []Span    // whether groups are paused
	vague       []bool    // groups that resumed at one end alone, at some time
}

// NewBounds returns the empty switches of a box.
func NewBounds(b *Box) *Bounds {
	o := &Bounds{low: &Model{}, high: &Model{}}
	o.Reset(b)
	return o
}

// Reset empties the switches, which become those of a box.
func (o *Bounds) Reset(b *Box) {
	*o = Bounds{low: o.low, high: o.high, sent: o.sent[:0], was: o.was[:0], is: o.is[:0],
		vague: o.vague[:0], box: b,
		plow: Point{b.Rule, b.Alpha, b.Lo}, phigh: Point{b.Rule, b.Alpha, b.Hi}}
	lo, hi := &o.plow.Numbers, &o.phigh.Numbers
	lo[Overhead], hi[Overhead] = b.Hi[Overhead], b.Lo[Overhead]
	if b.Rule[XON] != XONLevel && b.Rule[XOFF] != XOFFHeadroom {
		lo[Offset], hi[Offset] = b.Hi[Offset], b.Lo[Offset]
	}
	o.low.Reset(&o.plow)
	o.high.Reset(&o.phigh)
	o.low.other, o.high.other, o.high.upper = o.high, o.low, true
	o.alike = b.fixed(Reserved, Stage, Leak)
	o.settled = o.alike && b.fixed(Shared, Headroom, Pool, Static)
	o.marked = b.fixed(Reserved, Leak, Headroom)
	r := &b.Rule
	o.loose = !b.fixed(Reserved) && (r[Owner] != OwnerGroup || r[Minimum] == MinimumCounted || r[Form] == FormStatic) ||
		!b.fixed(Headroom) && (r[Owner] == OwnerShared || r[Owner] == OwnerPool)
	if o.settled { // both ends hold the same, as long as packets have a known number of cells
		o.low.other, o.high.other = nil, nil
		return
	}
	if r[Form] == FormPort || r[Minimum] == MinimumCounted || r[Owner] == OwnerShared {
		o.slack = o.rest()
	}
	if r[Form] == FormPort && r[Minimum] == MinimumCounted { // the minimum of one group lowers the limit of its neighbour
		o.slack *= 1 + b.Hi[Reserved] - b.Lo[Reserved]
	}
}

// open tells whether what a group takes can differ within the box.
func (o *Bounds) open() bool { return !o.settled && !o.alike || o.rough }

// rest is how many packets of one cell one more or less in the pool can mean.
func (o *Bounds) rest() int64 { return 2 + 2*shift(1, max(o.box.Alpha, 0)) }

// Span is from the least to the most that a count can be.
type Span struct{ Lo, Hi int64 }

// Has tells whether a number is in the span, and Meets whether two spans have a number in common.
func (s Span) Has(n int64) bool  { return s.Lo <= n && n <= s.Hi }
func (s Span) Meets(o Span) bool { return s.Lo <= o.Hi && o.Lo <= s.Hi }

// Answers are the spans of what is read after a request.
type Answers struct {
	Accepted Span // packets that were not dropped
	Paused   Span // 1: the group is paused
	Marks    [len(Marks{})]Span
}

// endless are marks of which nothing is known.
var endless = [len(Marks{})]Span{{0, everything}, {0, everything}, {0, everything}}

// Answer bounds what [Model.Send] returns. Behind packets that take another number of cells at the other end nothing is
// bounded: what they leave to others is at neither end.
func (o *Bounds) Answer(port, pg, dst int, packets, length int64) (a Answers) {
	o.low.Hold(dst)
	o.high.Hold(dst)
	i := o.low.find(port, pg)
	for len(o.is) <= i {
		o.is = append(o.is, Span{0, One(o.rough)})
	}
	was := o.is[i]
	if !o.rough {
		o.spread(port, pg, dst, length)
	}
	if o.rough || o.loose && !o.alone {
		o.rough, o.is[i].Hi = true, 1
		return Answers{Span{0, packets}, Span{was.Lo, 1}, endless}
	}
	n := o.plow.Cells(length)
	o.rough = o.rough || n != o.phigh.Cells(length)
	if n > 1 && !(o.settled && !o.rough) {
		o.slack += n * o.rest()
	}
	l, h := o.low.Send(port, pg, dst, packets, length), o.high.Send(port, pg, dst, packets, length)
	o.dropped = o.dropped || l.Dropped+h.Dropped > 0
	m := o.phigh.Cells(length)
	k, most := (o.slack+n-1)/n, (o.slack+m-1)/m // packets at the lower end, and at the upper end
	o.alike = o.alike && !o.rough && o.same(port, pg)
	if o.alike || o.alone && n == 1 { // no other group has left it a rest
		k, most = 0, 0
	}
	a.Accepted = Span{max(min(packets-l.Dropped, packets-h.Dropped)-k, 0), min(packets-h.Dropped+most, packets)}
	a.Paused = Span{One(h.Paused), One(l.Paused)}
	if k > 0 {
		if !l.Paused {
			a.Paused.Hi = One(o.low.Clone().Send(port, pg, dst, k, length).Paused)
		}
		if was.Lo == 0 && (h.XOFF > packets-most || packets < most) {
			a.Paused.Lo = 0
		}
	}
	a.Paused = Span{max(a.Paused.Lo, was.Lo), max(a.Paused.Hi, was.Hi)} // nothing left meanwhile
	a.Paused.Hi = max(a.Paused.Lo, a.Paused.Hi)
	switch {
	case o.released && o.open(): // what was left by others is not bounded
		a.Accepted, a.Paused = Span{0, packets}, Span{0, 1}
	case i < len(o.vague) && o.vague[i],
		o.box.Rule[XOFF] == XOFFHeadroom && o.dropped && o.open(): // headroom that others took reaches no threshold
		a.Paused = Span{0, 1}
	}
	o.is[i] = a.Paused
	a.Marks = endless
	if o.marked && (!o.open() || !o.rough && !o.released) {
		for j := range a.Marks { // the pool has a rest of every group
			if j > 0 && o.open() && o.box.Rule[Owner] != OwnerGroup { // headroom that others may have is at neither end
				break
			}
			rest := k * n * int64(1+j/2*len(o.low.groups))
			a.Marks[j] = Span{min(l.Marks[j], h.Marks[j]) - rest, max(l.Marks[j], h.Marks[j]) + rest}
		}
	}
	return a
}

// same tells whether a group is the same at both ends.
func (o *Bounds) same(port, pg int) bool {
	l, h := &o.low.groups[o.low.find(port, pg)], &o.high.groups[o.high.find(port, pg)]
	return l.reserved == h.reserved && l.shared == h.shared && l.head == h.head
}

// spread widens the bounds where packets that leak out are at neither end: groups that are filled again after others,
// and a second egress port, hold less or more of them.
func (o *Bounds) spread(port, pg, dst int, length int64) {
	leaks := o.box.Hi[Leak] - o.box.Lo[Leak]
	here := [3]int{port, pg, dst}
	if leaks > 0 && len(o.sent) > 0 && o.sent[len(o.sent)-1] != here {
		for _, x := range o.sent {
			if x == here || x[2] != dst {
				o.slack = max(o.slack, (leaks*int64(len(o.low.dsts))+1)*o.rest())
			}
		}
	}
	if o.box.Rule[Form] == FormPort && !o.settled && slices.ContainsFunc(o.sent, func(x [3]int) bool {
		return x[0] == port && x[1] != pg // and what the neighbour has taken is rounded once more
	}) {
		o.slack += o.rest()
		apart := o.apart(port, pg)
		o.slack += max(apart-o.charged, 0)
		o.charged = max(o.charged, apart)
	}
	o.alone = (len(o.sent) == 0 || o.alone && o.sent[0] == here) && o.plow.Cells(length) == 1
	o.sent = append(o.sent, here)
}

// apart is by how many shared cells the other groups of a port differ at both ends. A switch of the box can have the
// free cells of one end and neighbours as at the other: each cell of them is one less under the limit of the port.
func (o *Bounds) apart(port, pg int) (sum int64) {
	for i := range o.low.groups {
		if l := &o.low.groups[i]; l.port == port && l.pg != pg {
			d := l.shared - o.high.groups[o.high.find(port, l.pg)].shared
			sum += max(d, -d)
		}
	}
	return sum
}

// Release bounds what [Model.Release] makes of the paused groups: the spans of their pauses are those of
// [Bounds.Pauses].
func (o *Bounds) Release(dst int) {
	o.was = o.was[:0]
	for i := range o.low.groups {
		g := &o.low.groups[i]
		sure := i < len(o.is) && o.is[i].Lo == 1
		o.was = append(o.was, [2]bool{g.paused, sure && o.high.groups[o.high.find(g.port, g.pg)].paused})
	}
	o.low.Release(dst)
	o.high.Release(dst)
	o.is = o.is[:0]
	for i := range o.low.groups {
		g := &o.low.groups[i]
		if i == len(o.vague) {
			o.vague = append(o.vague, false)
		}
		s := Span{0, 1}
		if !o.vague[i] && !o.rough && !(o.released && o.open()) {
			s = o.paused(g.port, g.pg)
		}
		o.is, o.vague[i] = append(o.is, s), s.Lo != s.Hi
	}
	o.released = true
}

// Pauses bounds whether a group is paused: 1 is yes.
func (o *Bounds) Pauses(port, pg int) Span {
	if i := o.low.find(port, pg); i < len(o.is) {
		return o.is[i]
	}
	return Span{0, 1}
}

// paused is [Bounds.Pauses] after the first release. As long as no packet was dropped, a group is the further below
// its level the more room there is, and the fewer packets leaked in. Otherwise, and for groups of two stages, it is
// bounded only if the offset is the only number that is open.
func (o *Bounds) paused(port, pg int) Span {
	i, j := o.low.find(port, pg), o.high.find(port, pg)
	l, h := &o.low.groups[i], &o.high.groups[j]
	switch {
	case !o.open():
		return Span{One(h.paused), One(l.paused || h.paused)}
	case o.dropped || o.box.Rule[XOFF] == XOFFHeadroom || i >= len(o.was):
		return Span{0, 1}
	}
	k := o.slack
	could := o.was[i][0] && o.low.margin(i) < k || !o.was[i][0] && k > 0
	must := o.was[i][1] && o.high.margin(j) < -k
	if sl := l.slice; !o.low.left[sl] || !o.high.left[sl] { // nobody resumes where no packet leaves
		could = true
	}
	return Span{One(must), One(could || must)}
}

// One is 1 for true.
func One(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
