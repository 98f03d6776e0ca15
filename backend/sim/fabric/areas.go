package fabric

// areas are sets of switches (union-find): each switch names another one of its set, and the one that names itself
// stands for the set.
type areas []int

// newAreas returns n sets of one switch each.
func newAreas(n int) areas {
	a := make(areas, n)
	for i := range a {
		a[i] = i
	}
	return a
}

// find returns the switch that stands for a switch's set.
func (a areas) find(i int) int {
	for a[i] != i {
		a[i] = a[a[i]]
		i = a[i]
	}
	return i
}

// join makes one set of those of two switches.
func (a areas) join(i, j int) { a[a.find(i)] = a.find(j) }
