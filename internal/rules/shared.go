package rules

// filler is a group that gets packets of n cells: what it holds, and what the others hold, which does not change
// meanwhile.
type filler struct {
	s      *Model
	p      *Point
	g      *group
	n      int64 // cells of a packet
	must   int64 // of these, those that must fit below a limit
	before group
	used   int64 // of others in the pool
	inside int64 // headroom of others in the pool
	spare  int64 // headroom of others in the headroom pool, or at the port
	port   int64 // shared cells of others at the port
}

// charge returns what others hold. Of a box it is the one that leaves less at the lower end, and more at the upper end.
func (s *Model) charge(own, other int64) int64 {
	if s.upper {
		return min(own, other)
	}
	return max(own, other)
}

// filler prepares a group for packets.
func (s *Model) filler(gi int, n int64) filler {
	g, r := &s.groups[gi], &s.p.Rule
	f := filler{s: s, p: s.p, g: g, n: n, must: n, before: *g}
	if r[Last] == LastStraddles {
		f.must = min(n, 1)
	}
	f.others()
	if o := s.other; o != nil {
		there := filler{s: o, p: o.p, g: &o.groups[o.find(g.port, g.pg)]}
		there.others()
		if r[Form] == FormStatic { // the limit does not follow the pool, so the ends of the box are not tied
			f.used = s.charge(f.used, there.used)
		}
		f.inside, f.spare = s.charge(f.inside, there.inside), s.charge(f.spare, there.spare)
	}
	return f
}

// others sums what the other groups hold.
func (f *filler) others() {
	r, g := &f.p.Rule, f.g
	sl := &f.s.slices[g.slice]
	f.used = sl.shared - g.shared
	if r[Minimum] == MinimumCounted {
		f.used += sl.reserved - g.reserved
	}
	switch r[Owner] {
	case OwnerShared:
		f.inside = sl.head - g.head
	case OwnerPool:
		f.spare = sl.head - g.head
	case OwnerPort:
		f.spare = f.atPort(func(x *group) int64 { return x.head })
	}
	if r[Form] == FormPort {
		f.port = f.atPort(func(x *group) int64 { return x.shared })
	}
}

// atPort sums an account over the other groups of the port.
func (f *filler) atPort(account func(*group) int64) (sum int64) {
	for i := range f.s.groups {
		if x := &f.s.groups[i]; x != f.g && x.port == f.g.port {
			sum += account(x)
		}
	}
	return sum
}

// free returns the free cells of the pool.
func (f *filler) free() int64 {
	free := f.p.Numbers[Shared] - f.used - f.g.shared - f.inside
	if f.p.Rule[Minimum] == MinimumCounted {
		free -= f.g.reserved
	}
	if f.p.Rule[Owner] == OwnerShared {
		free -= f.g.head
	}
	return free
}

// shift returns floor(n * 2^a), and 0 for n below 0.
func shift(n int64, a int8) int64 {
	switch {
	case n <= 0:
		return 0
	case a < 0:
		return n >> min(-a, 62)
	}
	return n << min(a, 22)
}

// limit returns the limit of the group for a packet that needs n shared cells, with free cells.
func (f *filler) limit(free, n int64) int64 {
	r := &f.p.Rule
	if r[Limit] == LimitAfter {
		if r[Last] == LastStraddles {
			n = min(n, 1)
		}
		free -= n
	}
	switch r[Form] {
	case FormOthers:
		return shift(max(free, 0)+f.g.shared, f.p.Alpha)
	case FormPort:
		return max(min(shift(free, f.p.Alpha), shift(free, f.p.Alpha+1)-f.port), 0)
	case FormStatic:
		return f.p.Numbers[Static]
	}
	return shift(free, f.p.Alpha)
}

// takes tells whether the shared part takes n cells.
func (f *filler) takes(n int64) bool {
	free := f.free()
	k := min(n, f.must)
	return f.g.shared+k <= f.limit(free, n) && k <= free
}

// headroom returns how many cells are left for the group in its headroom.
func (f *filler) headroom() int64 {
	x, g := &f.p.Numbers, f.g
	room := x[Headroom] - g.head
	switch f.p.Rule[Owner] {
	case OwnerPort:
		room -= f.spare
	case OwnerPool:
		room = min(room, x[Pool]-f.spare-g.head)
	case OwnerShared:
		room = min(room, f.free())
	}
	return room
}

// account says where the cells of a packet go.
type account struct {
	reserved, shared, head int64
	refused, drop          bool
}

// ingress decides where a packet goes.
func (f *filler) ingress() (a account) {
	x, g, n := &f.p.Numbers, f.g, f.n
	if f.p.Rule[Minimum] == MinimumLast {
		switch {
		case f.takes(n):
			return account{shared: n}
		case g.reserved+n <= x[Reserved]:
			return account{reserved: n}
		}
	} else {
		a.reserved = min(n, max(x[Reserved]-g.reserved, 0))
		n -= a.reserved
		switch {
		case n == 0:
			return a
		case f.takes(n):
			a.shared = n
			return a
		}
	}
	a.refused = true
	if x[Headroom] > 0 && min(n, f.must) <= f.headroom() {
		a.head = n
		return a
	}
	a.drop = true
	return a
}

// full tells whether the next packet would find no cells but headroom.
func (f *filler) full() bool { return f.ingress().refused }

// pause pauses the group, at the present limit.
func (f *filler) pause() {
	f.g.paused, f.g.level = true, f.limit(f.free(), f.n)+f.p.Numbers[Reserved]
}

// one sends the packet that ingress has decided about. It tells whether that causes XOFF.
func (f *filler) one(a account) (xoff bool) {
	was, staged := f.g.paused, f.p.Rule[XOFF] == XOFFHeadroom
	if a.refused && !staged && !was {
		f.pause()
	}
	if a.drop {
		return f.g.paused != was
	}
	f.store(a, 1)
	switch {
	case f.g.paused:
	case staged:
		f.g.paused = f.g.head > f.p.Numbers[Stage]
	case f.p.Rule[XOFF] == XOFFFull && f.full():
		f.pause()
	}
	return f.g.paused != was
}

// alike returns a number of packets that go as ingress has decided about the next one: they fill one account, and
// nothing else happens. 0 or less: the next packet must be looked at.
func (f *filler) alike(a account) int64 {
	x, g, staged := &f.p.Numbers, f.g, f.p.Rule[XOFF] == XOFFHeadroom
	switch {
	case a.shared == f.n:
		return f.bulkShared()
	case a.reserved == f.n:
		return (x[Reserved]-g.reserved)/f.n - 1
	case a.head == f.n:
		room := f.headroom()
		if !g.paused {
			room = min(room, x[Stage]-g.head)
		}
		if g.paused || staged {
			return room/f.n - 1
		}
	}
	return 0
}

// bulkShared returns how many packets the shared part takes, but for the last: after i packets the next one is taken
// as long as used + i n is at most the limit with free - i n cells, which is solved for i.
func (f *filler) bulkShared() int64 {
	g, r, n, free := f.g, &f.p.Rule, f.n, f.free()
	k := min(n, f.must)
	base := g.shared + k
	most := floor(free-k, n)
	if r[Limit] == LimitAfter {
		free -= k
	}
	switch a := f.p.Alpha; r[Form] {
	case FormOthers:
		most = min(most, floor(shift(free+g.shared, a)-base, n))
	case FormStatic:
		most = min(most, floor(f.p.Numbers[Static]-base, n))
	case FormPort:
		most = min(most, fills(free, base, n, a), fills(free, base+f.port, n, a+1))
	default:
		most = min(most, fills(free, base, n, a))
	}
	return most - 1
}

// fills returns the largest i with base + i n at most 2^a (free - i n), rounded down, or less than 0.
func fills(free, base, n int64, a int8) int64 {
	if a < 0 {
		b := int64(1) << -a
		return floor(free-base*b, n*(b+1))
	}
	b := int64(1) << min(a, 22)
	return floor(free*b-base, n*(b+1))
}

// floor returns a/b rounded down.
func floor(a, b int64) int64 {
	if a < 0 {
		return -1
	}
	return a / b
}

// store puts packets into their accounts.
func (f *filler) store(a account, packets int64) {
	f.g.reserved += a.reserved * packets
	f.g.shared += a.shared * packets
	f.g.head += a.head * packets
}

// finish brings the sums up to what was stored.
func (f *filler) finish() {
	sl := &f.s.slices[f.g.slice]
	sl.shared += f.g.shared - f.before.shared
	sl.reserved += f.g.reserved - f.before.reserved
	sl.head += f.g.head - f.before.head
}
