package rules

// filler is a group that gets packets of n cells: what it holds, and what the others hold, which does not change
// meanwhile.
type filler struct {
	s       *State
	p       *Point
	g       *group
	gi, di  int
	n       int64 // cells of a packet
	must    int64 // of these, those that must fit below a limit
	before  group
	used    int64 // of others in the pool
	inside  int64 // headroom of others in the pool
	spare   int64 // headroom of others in the headroom pool, or at the port
	port    int64 // shared cells of others at the port
	packets int64 // of others in the slice
	queue   int64 // cells of others in the queue
}

// charge returns what others hold. Of a box it is the one that leaves less at the lower end, and more at the upper
// end.
func (s *State) charge(own, other int64) int64 {
	if s.upper {
		return min(own, other)
	}
	return max(own, other)
}

// othersAt sums an account over the groups of a port but one.
func (s *State) othersAt(port, but int, account func(*group) int64) (sum int64) {
	for i := range s.groups {
		if i != but && s.groups[i].port == port {
			sum += account(&s.groups[i])
		}
	}
	return sum
}

// headOf and sharedOf are accounts of a group.
func headOf(g *group) int64   { return g.head }
func sharedOf(g *group) int64 { return g.shared }

// queued returns the cells of other groups of the slice in a queue.
func (s *State) queued(group, dst int) (sum int64) {
	for i := range s.flows {
		if f := &s.flows[i]; f.dst == dst && f.group != group && s.groups[f.group].slice == s.groups[group].slice {
			sum += f.cells * f.packets
		}
	}
	return sum
}

// filler prepares a group for packets.
func (s *State) filler(gi, di int, n int64) filler {
	g := &s.groups[gi]
	f := filler{s: s, p: s.p, g: g, gi: gi, di: di, n: n, must: n, before: *g}
	r := &s.p.Rule
	if r[Last] == LastStraddles {
		f.must = min(n, 1)
	}
	f.others(s, gi, di)
	if o := s.other; o != nil {
		var there filler
		oi := o.find(g.port, g.pg)
		there.g, there.p = &o.groups[oi], o.p
		there.others(o, oi, o.destination(s.dsts[di].port))
		if r[Form] == FormStatic { // the limit does not follow the pool, so the ends of the box are not tied
			f.used = s.charge(f.used, there.used)
		}
		f.inside, f.spare = s.charge(f.inside, there.inside), s.charge(f.spare, there.spare)
		// Packets that leak out are not there: fewer of them and a larger limit together are at neither end.
		leak := max(o.p.Numbers[Leak], s.p.Numbers[Leak]) - min(o.p.Numbers[Leak], s.p.Numbers[Leak])
		if s.upper {
			leak = -leak
		}
		f.packets, f.queue = s.charge(f.packets, there.packets)+leak, s.charge(f.queue, there.queue)+leak*n
	}
	return f
}

// others sums what the other groups hold.
func (f *filler) others(s *State, gi, di int) {
	r, g := &f.p.Rule, f.g
	sl := &s.slices[g.slice]
	f.used = sl.shared - g.shared
	if r[Minimum] == MinimumCounted {
		f.used += sl.reserved - g.reserved
	}
	if r[Owner] == OwnerShared {
		f.inside = sl.head - g.head
	}
	switch r[Owner] {
	case OwnerPool:
		f.spare = sl.head - g.head
	case OwnerPort:
		f.spare = s.othersAt(g.port, gi, headOf)
	}
	if r[Form] == FormPort {
		f.port = s.othersAt(g.port, gi, sharedOf)
	}
	f.packets = sl.packets - g.packets
	if r[Egress] == EgressQueue {
		f.queue = s.queued(gi, di)
	}
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

// room returns the cells left in the queue, and the packets left in the slice.
func (f *filler) room() (queue, packets int64) {
	queue, packets = 1<<50, 1<<50
	if f.p.Rule[Egress] == EgressQueue {
		own := int64(0)
		for i := range f.s.flows {
			if x := &f.s.flows[i]; x.dst == f.di && x.group == f.gi {
				own += x.cells * x.packets
			}
		}
		queue = f.p.Numbers[Queue] - f.queue - own - (f.g.packets-f.before.packets)*f.n
	}
	if f.p.Rule[Second] == SecondPackets {
		packets = max(f.p.Numbers[MostPackets], 1) - f.packets - f.g.packets
	}
	return queue, packets
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

// one sends one packet.
func (f *filler) one() (drop, egress, capped bool) {
	r, x, g := &f.p.Rule, &f.p.Numbers, f.g
	queue, packets := f.room()
	var a account
	if packets <= 0 {
		a.drop = true
	} else {
		a = f.ingress()
	}
	staged := r[XOFF] == XOFFHeadroom
	if a.refused && !staged && !g.paused {
		g.paused, g.level = true, f.limit(f.free(), f.n)+x[Reserved]
	}
	if egress = !a.drop && f.must > queue; egress || a.drop {
		return true, egress, egress || packets <= 0
	}
	g.reserved += a.reserved
	g.shared += a.shared
	g.head += a.head
	g.packets++
	switch {
	case g.paused:
	case staged:
		g.paused = g.head > x[Stage]
	case r[XOFF] == XOFFFull && f.full():
		g.paused, g.level = true, f.limit(f.free(), f.n)+x[Reserved]
	}
	return false, false, false
}

// bulk returns a number of packets that go one like the other: they fill one account, and nothing else happens. 0:
// the next packet must be looked at.
func (f *filler) bulk() int64 {
	x, g, n := &f.p.Numbers, f.g, f.n
	queue, packets := f.room()
	most := min((queue/n)-1, packets-1)
	if most <= 0 {
		return 0
	}
	last := f.p.Rule[Minimum] == MinimumLast
	if !last && g.reserved < x[Reserved] {
		return min(most, (x[Reserved]-g.reserved)/n-1)
	}
	if f.takes(n) {
		return f.bulkShared(most)
	}
	if last && g.reserved+n <= x[Reserved] {
		return min(most, (x[Reserved]-g.reserved)/n-1)
	}
	room := f.headroom()
	switch staged := f.p.Rule[XOFF] == XOFFHeadroom; {
	case staged && !g.paused:
		room = min(room, x[Stage]-g.head)
	case !g.paused:
		return 0
	}
	return min(most, room/n-1)
}

// bulkShared returns how many packets the shared part takes, but for the last: after i packets the next one is taken
// as long as used + i n is at most the limit with free - i n cells, which is solved for i.
func (f *filler) bulkShared(most int64) int64 {
	g, r, n, free := f.g, &f.p.Rule, f.n, f.free()
	k := min(n, f.must)
	base := g.shared + k
	most = min(most, floor(free-k, n))
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

// store puts packets of bulk into their account.
func (f *filler) store(k int64) {
	x, g := &f.p.Numbers, f.g
	cells := k * f.n
	last := f.p.Rule[Minimum] == MinimumLast
	switch {
	case !last && g.reserved < x[Reserved]:
		g.reserved += cells
	case f.takes(f.n):
		g.shared += cells
	case last && g.reserved+f.n <= x[Reserved]:
		g.reserved += cells
	default:
		g.head += cells
	}
	g.packets += k
}

// finish brings the sums up to what was stored.
func (f *filler) finish(stored int64) {
	g, s := f.g, f.s
	sl := &s.slices[g.slice]
	sl.shared += g.shared - f.before.shared
	sl.reserved += g.reserved - f.before.reserved
	sl.head += g.head - f.before.head
	sl.packets += stored
}
