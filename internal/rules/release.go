package rules

// Release starts an egress port: what waits for it leaves, and groups of slices that it leaves resume.
func (s *State) Release(dst int) {
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
func (s *State) leave(g *group, n int64) {
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
func (s *State) leaveStaged(gi int, n int64) {
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
func (s *State) moveOn(gi int) {
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
func (s *State) resumes(gi int) bool { return s.margin(gi) >= 0 }

// margin returns by how many cells a paused group is below its XON level, or less than 0.
func (s *State) margin(gi int) int64 {
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

// Pauses is [State.Paused] as the span of one number.
func (s *State) Pauses(port, pg int) Span {
	n := One(s.Paused(port, pg))
	return Span{n, n}
}

// Paused tells whether a group is paused.
func (s *State) Paused(port, pg int) bool { return s.groups[s.find(port, pg)].paused }
