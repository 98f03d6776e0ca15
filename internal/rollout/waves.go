package rollout

import (
	"cmp"
	"slices"
)

// Switch is a switch to be changed.
type Switch struct {
	Name, Role string
	Plane      string   // switches of two planes are not changed together; empty: of none
	Peers      []string // switches that must not be changed together with it
}

// Limits say how many switches of a role a wave has, in percent of those to be changed, at least one.
type Limits struct {
	Second int // of the second wave; the first has one of each role
	Later  int // of each later wave
}

// set is switches that go together.
type set struct {
	members []int
	first   int
}

// Waves sorts switches into waves. Ties are pairs that go together; cut are those that cannot, because peers or two
// planes would go together, or more than a later wave of their role has. The order is that of the switches.
func Waves(all []Switch, ties [][2]string, l Limits) (waves [][]string, cut [][2]string) {
	w := &sorter{all: all, at: map[string]int{}, roles: map[string]int{}, limits: l}
	for i, s := range all {
		w.at[s.Name] = i
		w.roles[s.Role]++
	}
	units, cut := w.units(ties)
	for len(units) > 0 {
		var wave, rest []set
		for _, u := range units {
			if w.fits(wave, u, len(waves)) {
				wave = append(wave, u)
			} else {
				rest = append(rest, u)
			}
		}
		var members []int
		for _, u := range wave {
			members = append(members, u.members...)
		}
		slices.Sort(members)
		names := make([]string, len(members))
		for i, m := range members {
			names[i] = all[m].Name
		}
		waves, units = append(waves, names), rest
	}
	return waves, cut
}

// sorter sorts switches into waves.
type sorter struct {
	all    []Switch
	at     map[string]int
	roles  map[string]int // how many of each role there are
	limits Limits
}

// quota is how many switches of a role a wave has at most.
func (w *sorter) quota(role string, wave int) int {
	part := w.limits.Later
	switch wave {
	case 0:
		return 1
	case 1:
		part = w.limits.Second
	}
	return max(1, (w.roles[role]*part+99)/100)
}

// apart tells whether two switches must not be changed together.
func (w *sorter) apart(i, j int) bool {
	a, b := &w.all[i], &w.all[j]
	return a.Plane != "" && b.Plane != "" && a.Plane != b.Plane || slices.Contains(a.Peers, b.Name) ||
		slices.Contains(b.Peers, a.Name)
}

// fits tells whether a set may go with the units of a wave. A set that is larger than the wave goes alone.
func (w *sorter) fits(wave []set, u set, n int) bool {
	count := map[string]int{}
	for _, o := range append(slices.Clone(wave), u) {
		for _, m := range o.members {
			count[w.all[m].Role]++
		}
	}
	for _, o := range wave {
		for _, x := range o.members {
			for _, y := range u.members {
				if w.apart(x, y) {
					return false
				}
			}
		}
	}
	for _, m := range u.members {
		if role := w.all[m].Role; count[role] > w.quota(role, n) && len(wave) > 0 {
			return false
		}
	}
	return true
}

// units are the sets of switches that ties join. A set that must not go together is no set: its switches go one by one,
// as if they had no ties, and all of its ties are cut.
func (w *sorter) units(ties [][2]string) (out []set, cut [][2]string) {
	of := make([]int, len(w.all)) // the number of its set
	sets := make([][]int, len(w.all))
	for i := range w.all {
		of[i], sets[i] = i, []int{i}
	}
	for _, t := range ties {
		i, known1 := w.at[t[0]]
		j, known2 := w.at[t[1]]
		if !known1 || !known2 || w.apart(i, j) { // one end is not to be changed, or they cannot go together anyway
			continue
		}
		a, b := of[i], of[j]
		if a == b {
			continue
		}
		if len(sets[a]) < len(sets[b]) {
			a, b = b, a
		}
		for _, m := range sets[b] {
			of[m] = a
		}
		sets[a], sets[b] = append(sets[a], sets[b]...), nil
	}
	kept := map[int]bool{}
	for i, s := range sets {
		if kept[i] = w.together(s); kept[i] && len(s) > 0 {
			out = append(out, set{members: s, first: slices.Min(s)})
			continue
		}
		for _, m := range s {
			out = append(out, set{members: []int{m}, first: m})
		}
	}
	for _, t := range ties {
		i, known1 := w.at[t[0]]
		j, known2 := w.at[t[1]]
		if !known1 || !known2 || of[i] != of[j] || !kept[of[i]] {
			cut = append(cut, t)
		}
	}
	slices.SortFunc(out, func(a, b set) int { return cmp.Compare(a.first, b.first) })
	return out, cut
}

// together tells whether a set may go in one wave.
func (w *sorter) together(some []int) bool {
	count := map[string]int{}
	for _, m := range some {
		count[w.all[m].Role]++
	}
	for role, n := range count {
		if n > max(2, w.quota(role, 2)) || len(some) > 2 && n > 1 && n == w.roles[role] { // not a whole role at once
			return false
		}
	}
	for i, x := range some {
		for _, y := range some[i+1:] {
			if w.apart(x, y) {
				return false
			}
		}
	}
	return true
}
