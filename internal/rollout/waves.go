package rollout

import (
	"slices"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Limits say how many switches of a role a wave has, in percent of those to be changed, at least one.
type Limits struct {
	Second int // of the second wave; the first has one of each role
	Later  int // of each later wave
}

// Waves sorts switches into waves, by their roles, planes and peers. Ties are pairs that go together; cut are those
// that cannot, because peers or two planes would go together, or more than a later wave of their role has. The order is
// that of the switches.
func Waves(all []*fabric.Switch, ties [][2]string, l Limits) (waves [][]string, cut [][2]string) {
	w := &sorter{all: all, at: map[string]int{}, roles: map[string]int{}, limits: l}
	for i, s := range all {
		w.at[s.Name] = i
		w.roles[s.Role]++
	}
	units, cut := w.units(ties)
	for len(units) > 0 {
		var wave []int
		units = slices.DeleteFunc(units, func(unit []int) bool {
			fits := w.fits(wave, unit, len(waves))
			if fits {
				wave = append(wave, unit...)
			}
			return fits
		})
		slices.Sort(wave)
		waves = append(waves, grouped.Each(wave, func(m int) string { return all[m].Name }))
	}
	return waves, cut
}

// sorter sorts switches into waves. Switches are numbers of all, and units are those that go together.
type sorter struct {
	all    []*fabric.Switch
	at     map[string]int
	roles  map[string]int // how many of each role there are
	limits Limits
}

// quota is how many switches of a role a wave has at most.
func (w *sorter) quota(role string, wave int) int {
	part := []int{0, w.limits.Second, w.limits.Later}[min(wave, 2)]
	return max(1, (w.roles[role]*part+99)/100)
}

// count counts switches by role.
func (w *sorter) count(some ...int) map[string]int {
	out := map[string]int{}
	for _, m := range some {
		out[w.all[m].Role]++
	}
	return out
}

// apart tells whether one of some switches must not be changed together with one of others.
func (w *sorter) apart(some, others []int) bool {
	for _, i := range some {
		for _, j := range others {
			a, b := w.all[i], w.all[j]
			if a.Plane != "" && b.Plane != "" && a.Plane != b.Plane || slices.Contains(a.Peers, b.Name) ||
				slices.Contains(b.Peers, a.Name) {
				return true
			}
		}
	}
	return false
}

// fits tells whether a unit may go with the switches of a wave. One that is larger than the wave goes alone.
func (w *sorter) fits(wave, unit []int, n int) bool {
	count := w.count(slices.Concat(wave, unit)...)
	for _, m := range unit {
		if role := w.all[m].Role; count[role] > w.quota(role, n) && len(wave) > 0 {
			return false
		}
	}
	return !w.apart(wave, unit)
}

// units are the switches that ties join. Those that must not go together are no unit: they go one by one, as if they
// had no ties, and all of their ties are cut.
func (w *sorter) units(ties [][2]string) (out [][]int, cut [][2]string) {
	ends := func(tie [2]string) (i, j int, both bool) { // not both: one end is not to be changed
		i, first := w.at[tie[0]]
		j, second := w.at[tie[1]]
		return i, j, first && second
	}
	near := make([][]int, len(w.all))
	for _, tie := range ties {
		if i, j, both := ends(tie); both && !w.apart([]int{i}, []int{j}) { // else they cannot go together anyway
			near[i], near[j] = append(near[i], j), append(near[j], i)
		}
	}
	of, kept := map[int]int{}, map[int]bool{} // the first switch of each one's set; whether it is a unit
	for i := range w.all {
		if _, met := of[i]; !met {
			set := []int{i}
			of[i] = i
			for k := 0; k < len(set); k++ {
				for _, j := range near[set[k]] {
					if _, met := of[j]; !met {
						of[j], set = i, append(set, j)
					}
				}
			}
			if kept[i] = w.together(set); kept[i] {
				out = append(out, set)
			}
		}
		if !kept[of[i]] {
			out = append(out, []int{i})
		}
	}
	for _, tie := range ties {
		if i, j, both := ends(tie); !both || of[i] != of[j] || !kept[of[i]] {
			cut = append(cut, tie)
		}
	}
	return out, cut
}

// together tells whether a set may go in one wave.
func (w *sorter) together(some []int) bool {
	for role, n := range w.count(some...) {
		if n > max(2, w.quota(role, 2)) || len(some) > 2 && n > 1 && n == w.roles[role] { // not a whole role at once
			return false
		}
	}
	return !w.apart(some, some)
}
