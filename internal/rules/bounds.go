package rules

// Box is a set of switches of one rule: every combination of numbers from Lo
// to Hi, each end included.
type Box struct {
	Rule   Rule
	Alpha  int8
	Lo, Hi Numbers
}

// Point returns the box's lower end, and whether the box has no other point.
func (b *Box) Point() (Point, bool) { return Point{b.Rule, b.Alpha, b.Lo}, b.Lo == b.Hi }

// Bounds is what the switches of a box can do at least and at most, while they
// are filled and drained. The readings of a fill grow with every number but the
// overhead and the XON offset, as far as a group's own numbers go; what other
// groups take of a headroom pool, of a queue or of the packets of a slice is
// taken from the opposite end. So two states bound all. Where packets of
// several cells leave a rest to the next group, and where two limits compete,
// neighbours can be in another order: their bounds are wider by a few packets.
type Bounds struct {
	low, high   *State
	plow, phigh Point
	box         *Box
	slack       int64    // cells
	sent        [][3]int // group and egress port of each request
	capped      bool     // something beside cells has refused a packet
}

// NewBounds returns the empty switches of a box.
func NewBounds(b *Box) *Bounds {
	o := &Bounds{box: b, plow: Point{b.Rule, b.Alpha, b.Lo}, phigh: Point{b.Rule, b.Alpha, b.Hi}}
	lo, hi := &o.plow.Numbers, &o.phigh.Numbers
	lo[Overhead], hi[Overhead] = b.Hi[Overhead], b.Lo[Overhead]
	if b.Rule[XON] != XONLevel && b.Rule[XOFF] != XOFFHeadroom {
		lo[Offset], hi[Offset] = b.Hi[Offset], b.Lo[Offset]
	}
	o.low, o.high = NewState(&o.plow), NewState(&o.phigh)
	o.low.other, o.high.other, o.high.upper = o.high, o.low, true
	r := &b.Rule
	if r[Form] == FormPort || r[Form] == FormOthers || r[Minimum] == MinimumCounted || r[Owner] == OwnerShared {
		o.slack = o.rest()
	}
	return o
}

// rest is how many packets of one cell one more or less in the pool can mean.
func (o *Bounds) rest() int64 { return 2 + 2*shift(1, max(o.box.Alpha, 0)) }

// Hold stops an egress port.
func (o *Bounds) Hold(dst int) {
	o.low.Hold(dst)
	o.high.Hold(dst)
}

// Span is from the least to the most that a count can be.
type Span struct{ Lo, Hi int64 }

// Has tells whether a number is in the span, and Meets whether two spans have a
// number in common.
func (s Span) Has(n int64) bool  { return s.Lo <= n && n <= s.Hi }
func (s Span) Meets(o Span) bool { return s.Lo <= o.Hi && o.Lo <= s.Hi }

// Answers are the spans of what is read after a request.
type Answers struct {
	Accepted Span // packets that were not dropped
	Egress   Span // packets that the egress dropped
	Paused   Span // 1: the group is paused
}

// Send bounds what [State.Send] returns.
func (o *Bounds) Send(port, pg, dst int, packets, length int64) (a Answers) {
	o.spread(port, pg, dst)
	n := o.plow.Cells(length)
	if n > 1 {
		o.slack = max(o.slack, n*o.rest())
	}
	was := o.high.groups[o.high.find(port, pg)].paused
	l, h := o.low.Send(port, pg, dst, packets, length), o.high.Send(port, pg, dst, packets, length)
	k := (o.slack + n - 1) / n
	a.Accepted = Span{max(min(packets-l.Dropped, packets-h.Dropped)-k, 0), min(packets-h.Dropped+k, packets)}
	a.Paused = Span{boolean(h.Paused), boolean(l.Paused)}
	if k > 0 {
		if !l.Paused {
			a.Paused.Hi = boolean(o.low.Clone().Send(port, pg, dst, k, length).Paused)
		}
		if !was && (h.XOFF == 0 || h.XOFF > packets-k) {
			a.Paused.Lo = 0
		}
	}
	// A packet that finds no descriptor or no place in the queue does not pause its group, and headroom that others
	// have taken does not reach its threshold.
	o.capped = o.capped || l.Capped || h.Capped || o.box.Rule[XOFF] == XOFFHeadroom && l.Dropped+h.Dropped > 0
	if o.capped && o.box.Lo != o.box.Hi {
		a.Paused = Span{0, 1}
	}
	// An earlier refusal at the ingress hides one at the egress.
	if o.capped {
		a.Egress.Hi = packets - a.Accepted.Lo
	}
	if o.box.Lo == o.box.Hi {
		a.Egress = Span{l.Egress, l.Egress}
	}
	a.Paused.Hi = max(a.Paused.Lo, a.Paused.Hi)
	if o.capped && o.box.Lo != o.box.Hi {
		o.slack = 1 << 40 // what is left to others is not known
	}
	return a
}

// spread widens the bounds where packets that leak out are at neither end: groups that are filled again after others,
// and a second egress port, hold less or more of them.
func (o *Bounds) spread(port, pg, dst int) {
	leaks := o.box.Hi[Leak] - o.box.Lo[Leak]
	here := [3]int{port, pg, dst}
	if leaks > 0 && len(o.sent) > 0 && o.sent[len(o.sent)-1] != here {
		for _, x := range o.sent {
			if x == here || x[2] != dst {
				o.slack = max(o.slack, (leaks*int64(len(o.low.dsts))+1)*o.rest())
			}
		}
	}
	o.sent = append(o.sent, here)
}

// Release bounds what [State.Release] makes of the paused groups: the spans of
// their pauses are those of [Bounds.Paused].
func (o *Bounds) Release(dst int) {
	o.low.Release(dst)
	o.high.Release(dst)
}

// Paused bounds whether a group is paused after a release. It is not bounded
// unless the offset is the only number that is open.
func (o *Bounds) Paused(port, pg int) Span {
	i, j := o.low.find(port, pg), o.high.find(port, pg)
	s := Span{boolean(o.high.groups[j].paused), boolean(o.low.groups[i].paused)}
	tied := o.box.Hi
	tied[Offset] = o.box.Lo[Offset]
	if o.box.Lo != tied {
		return Span{0, 1}
	}
	s.Hi = max(s.Lo, s.Hi)
	return s
}

// boolean returns 1 for true.
func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
