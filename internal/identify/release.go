package identify

import (
	"slices"
	"sort"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// releases looks at groups that are filled until they pause, with a part of their packets for an egress port that is
// started then. What is left in a session that goes on is filled again.
func (e *Identification) releases(best *option, all []particle, s Session, fresh bool) {
	for _, groups := range []int{1, -1, 3, -3, 7, -7, 15} {
		now, from := clones(all), all
		var steps []Step
		if fresh { // with the steps that the session begins with
			steps, from = slices.Clone(s), e.particles(nil)
		}
		if l := e.o.Known[rules.Leak]; e.o.Stray == 0 && l.Lo == l.Hi && l.Lo > 0 {
			for dst := range 1 + rules.One(fresh) { // of a session that goes on, the other one is stopped still
				x := e.group(0, int(dst)).send(l.Lo, shortest) // what leaks out, so that packets that follow stay
				foretell(now, &x)
				steps = append(steps, x)
			}
		}
		read := e.parts(&steps, now, s, groups)
		if len(read) == 0 {
			return
		}
		steps = append(steps, Step{Release: true, Dst: e.o.Dsts[0], Paused: read})
		e.better(best, from, option{steps: steps, fresh: fresh})
		if len(read) < max(groups, -groups) {
			return
		}
	}
}

// parts adds the steps that fill groups until they pause, each with another part for the egress port that will be
// started, and returns what to read then. For groups below 0 the parts divide the numbers that are possible, and not
// the possible switches.
func (e *Identification) parts(steps *[]Step, all []particle, s Session, groups int) (read []Pause) {
	stride := 4
	one := e.left[0].rule[rules.Slices]
	if !slices.ContainsFunc(e.left, func(h *hypothesis) bool { return h.rule[rules.Slices] != one }) {
		stride = 1 // it is known which ports share a slice
	}
	first := 0
	if e.o.Stray > 0 { // the first group is full of what was sent to begin with
		first = stride
	}
	for i := first; i < len(e.o.Ports) && len(read) < max(groups, -groups); i += stride {
		t, other := e.group(i, 0), e.group(i, 1)
		fill := int64(0)
		for _, p := range all {
			e.state.Become(p.state)
			e.work++
			fill = max(fill, e.state.Send(t.Port, t.PG, other.Dst, everything, shortest).XOFF)
		}
		if fill < 2 {
			if len(s) > 0 { // it is paused still
				continue
			}
			break
		}
		d := e.part(all, t, fill, len(read), groups)
		for _, x := range []Step{t.send(d, shortest), other.send(fill-d, shortest)} {
			foretell(all, &x)
			*steps = append(*steps, x)
		}
		read = append(read, Pause{Port: t.Port, PG: t.PG})
	}
	return read
}

// part returns the part of a group's packets, so that about i/groups of the possible switches resume the group if it
// leaves.
func (e *Identification) part(all []particle, t Step, fill int64, i, groups int) int64 {
	var at []int64
	for k := 0; k < len(all); k += 1 + len(all)/32 {
		at = append(at, e.leaves(all[k].state, t, e.o.Dsts[1], fill))
	}
	slices.Sort(at)
	distinct := slices.Compact(slices.Clone(at))
	if groups < 0 {
		at, groups = distinct, -groups
	}
	d := at[len(at)*(2*i+1)/(2*groups)]
	switch n := len(distinct); {
	case n > 1 && d == distinct[n-1]: // all would resume
		d = distinct[n-2]
	case n == 1:
		d += int64(i) - int64(groups/2)
	}
	return min(max(d, 1), fill-1)
}

// leaves returns how many packets of a group, of those that fill it, must leave until it resumes; the others wait for
// another egress port.
func (e *Identification) leaves(m *rules.Model, t Step, other int, fill int64) int64 {
	return 1 + int64(sort.Search(int(fill)-2, func(i int) bool {
		c, d := &e.state, int64(i)+1
		c.Become(m)
		e.work += 3
		c.Send(t.Port, t.PG, t.Dst, d, shortest)
		c.Send(t.Port, t.PG, other, fill-d, shortest)
		c.Release(t.Dst)
		return !c.Paused(t.Port, t.PG)
	}))
}
