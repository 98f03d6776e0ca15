package pools

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Origin is what a size and an xoff were computed from, as far as a sum gives them.
type Origin struct {
	Reserved unit.Bytes // memory in KiB, less size and xoff
	// Declared is what the sum subtracts for all ports of the folder, by the workbook that is nearest to Reserved.
	Declared unit.Bytes
	Workbook string
	Each     unit.Bytes // the weight of one more of the first ports of the highest speed, by the workbook
	Kept     bool       // the workbook keeps memory for packets over the maximum
	// Ports is how many ports the sum counts; 0: no number of ports gives it. All says that they are those of the folder.
	Ports int
	All   bool
	// Roles are ports with cables that xoff is the sum of, by Ratio; none: no roles give it. Spoken says that the folder
	// declares ports of these speeds.
	Roles  []Ports
	Ratio  int
	Spoken bool
	Others int // other roles that give the same xoff
}

// Find reads size and xoff backwards. Ports of the question need no cables.
func Find(q *Question, size, xoff unit.Bytes) (out Origin) {
	whole := unit.Bytes(kibs(q.Memory)) * unit.KiB
	out.Reserved = whole - size - xoff
	if q.Kind == Two {
		out.Reserved = whole - 2*size
		findTwo(q, &out)
		return out
	}
	best := unit.Bytes(-1)
	for _, w := range q.workbooks() {
		all := w.weight(q, q.Ports)
		if d := max(all-out.Reserved, out.Reserved-all); best < 0 || d < best {
			best, out.Declared, out.Workbook, out.Kept = d, all, w.name, w.drop
		}
	}
	switch main := withoutService(q.Ports); {
	case near(out.Declared, out.Reserved):
		out.Ports, out.All = Number(q.Ports), true
	case Number(main) < Number(q.Ports) && q.gives(main, &out):
		out.Ports, out.All = Number(main), true
	default:
		findNumber(q, &out)
	}
	if out.Workbook != "" && len(outside(q.Ports)) > 0 {
		w := &workbooks[slices.IndexFunc(workbooks, func(w workbook) bool { return w.name == out.Workbook })]
		fast := fastest(outside(q.Ports))
		out.Each = w.each(q, q.Ports, slices.Index(q.Ports, fast))
	}
	if q.Kind == Shared && q.Table != nil {
		findRoles(q, xoff, &out)
	}
	return out
}

// gives tells whether a sum gives what is reserved for some of the ports: from September 2026 on Spectrum-6's folders
// do not count ports of service (sonic-buildimage pull request 29478).
func (q *Question) gives(some []Ports, out *Origin) bool {
	for _, w := range q.workbooks() {
		if all := w.weight(q, some); near(all, out.Reserved) {
			out.Declared, out.Workbook, out.Kept = all, w.name, w.drop
			return true
		}
	}
	return false
}

// workbooks lists those of the kind that folders of the chip can have: Spectrum-6 has terms of its own.
func (q *Question) workbooks() (out []*workbook) {
	for i := range workbooks {
		w := &workbooks[i]
		if w.kind == q.Kind && (w.kind != Lossy || (i == lossySix) == (q.Chip == "spectrum-6")) {
			out = append(out, w)
		}
	}
	return out
}

// findNumber looks for another number of ports that gives what is reserved: of the narrow ports, beside the others or
// alone, and of the ports of eight lanes.
func findNumber(q *Question, out *Origin) {
	kinds := merged(q.Ports)
	for _, w := range q.workbooks() {
		for k := range kinds {
			for _, rest := range [][]Ports{kinds, withoutGroups(kinds), nil} {
				others := slices.DeleteFunc(slices.Clone(rest), func(p Ports) bool { return p == kinds[k] })
				some := append([]Ports{kinds[k]}, others...)
				if all := w.number(q, some, 0, out.Reserved); all > 0 {
					out.Ports, out.Workbook, out.Declared = all, w.name, w.weight(q, q.Ports)
					return
				}
			}
		}
	}
}

// withoutGroups returns the ports without lossless groups.
func withoutGroups(all []Ports) []Ports {
	return slices.DeleteFunc(slices.Clone(all), func(p Ports) bool { return !p.Lossy })
}

// merged returns the ports by what they weigh: narrow ones, those of eight lanes, those to a data processing unit.
func merged(all []Ports) (out []Ports) {
	for _, p := range all {
		k := slices.IndexFunc(out, func(o Ports) bool { return (o.Lanes == wide) == (p.Lanes == wide) && o.Lossy == p.Lossy })
		switch {
		case p.Inside:
		case k >= 0:
			out[k].Count += p.Count
		default:
			out = append(out, p)
		}
	}
	return out
}

// number returns how many ports give what is reserved if the other kinds are whole; 0: no number does.
func (w *workbook) number(q *Question, ports []Ports, at int, reserved unit.Bytes) int {
	ports = slices.Clone(ports)
	each := w.each(q, ports, at)
	if each <= 0 {
		return 0
	}
	ports[at].Count = 0
	rest := reserved - w.weight(q, ports)
	n := int((rest + unit.KiB/2) / each)
	if n <= 0 || n > mostPorts || !near(unit.Bytes(n)*each, rest) {
		return 0
	}
	ports[at].Count = n
	return Number(ports)
}

// each returns the weight of one port of a kind.
func (w *workbook) each(q *Question, ports []Ports, at int) unit.Bytes {
	one := slices.Clone(ports)
	one[at].Count++
	return w.weight(q, one) - w.weight(q, ports)
}

// weight is what a workbook subtracts for ports; 0: a headroom table has no row for some of them.
func (w *workbook) weight(q *Question, ports []Ports) unit.Bytes {
	items, _ := w.items(q, ports)
	return sum(items)
}

// The cables that folders have, in metres: of the ports that lead down, and of those that lead up.
var pairs = map[string][][2]unit.Length{
	"t0": {{5, 40}, {5, 300}, {300, 300}},
	"t1": {{40, 300}, {40, 2000}, {300, 2000}, {300, 1500}, {300, 300}},
	"":   {{5, 40}, {5, 300}, {40, 300}, {40, 2000}, {300, 2000}, {300, 1500}, {300, 300}},
}

// pairsOf returns the cables of a topology.
func pairsOf(topology string) [][2]unit.Length {
	if p, ok := pairs[topology]; ok {
		return p
	}
	return pairs[""]
}

// outside returns the ports that lead to other switches and hosts.
func outside(all []Ports) []Ports {
	return slices.DeleteFunc(slices.Clone(all), func(p Ports) bool { return p.Lossy || p.Inside })
}

// Splits returns the role splits that folders have, each over each pair of cables of the topology for which the table
// has rows: ports of one speed lead up, all of them or 8, a quarter or half of the switch and some other numbers, or
// all but those of the slowest speed do, and the others down. The fastest speed comes first.
func (q *Question) Splits() (out [][]Ports) {
	ports := outside(q.Ports)
	slices.SortStableFunc(ports, func(a, b Ports) int { return cmp.Compare(b.Speed, a.Speed) })
	if len(ports) == 0 {
		return nil
	}
	n := Number(ports)
	try := func(up []int) { // of each kind, how many ports lead up
		for _, cables := range pairsOf(q.Topology) {
			if cables[0] == cables[1] && up[0] < ports[0].Count {
				continue // the roles make no difference
			}
			var split []Ports
			for i, p := range ports {
				above, below := p, p
				above.Count, above.Cable = up[i], cables[1]*unit.Metre
				below.Count, below.Cable = p.Count-up[i], cables[0]*unit.Metre
				for _, part := range []Ports{above, below} {
					if part.Count > 0 {
						split = append(split, part)
					}
				}
			}
			with := *q
			with.Ports = split
			if _, err := with.headroom(); err == nil {
				out = append(out, split)
			}
		}
	}
	for i := range ports {
		var ups []int
		for _, up := range []int{8, n / 4, n / 2, ports[i].Count, 4, 12, 16, 24, 32} {
			if up > 0 && up <= ports[i].Count && !slices.Contains(ups, up) {
				ups = append(ups, up)
				of := make([]int, len(ports))
				of[i] = up
				try(of)
			}
		}
	}
	if len(ports) > 2 {
		of := make([]int, len(ports))
		for i := range len(ports) - 1 {
			of[i] = ports[i].Count
		}
		try(of)
	}
	return out
}

// findRoles looks for roles that xoff is the sum of: of the declared ports, without ports of service if need be, else
// of as many ports as the sum counts, of a declared speed and one down to half of it.
func findRoles(q *Question, xoff unit.Bytes, out *Origin) {
	try := func(ports []Ports, spoken bool, ratios ...int) {
		for _, ratio := range ratios {
			with := *q
			with.Ports, with.Ratio = ports, ratio
			items, err := with.headroom()
			switch {
			case err != nil || !near(sum(items), xoff):
			case out.Roles == nil:
				out.Roles, out.Ratio, out.Spoken = ports, ratio, spoken
			default:
				out.Others++
			}
		}
	}
	for _, ports := range [][]Ports{q.Ports, withoutService(q.Ports)} {
		if out.Roles != nil {
			break
		}
		with := *q
		with.Ports = ports
		for _, split := range with.Splits() {
			try(split, true, 2, 8, 4)
		}
	}
	if out.Roles != nil || out.Ports == 0 {
		return
	}
	var speeds []unit.BitRate
	for _, r := range q.Table.Rows {
		speeds = grouped.Add(speeds, r.Rate)
	}
	for _, cables := range pairsOf(q.Topology) {
		for _, up := range []int{8, out.Ports / 4, out.Ports / 2} {
			for _, fast := range speeds {
				for _, slow := range speeds {
					if up == 0 || up >= out.Ports || slow > fast || 2*slow < fast || !declares(q.Ports, fast) {
						continue
					}
					try([]Ports{{Count: up, Speed: fast, Cable: cables[1] * unit.Metre},
						{Count: out.Ports - up, Speed: slow, Cable: cables[0] * unit.Metre}}, declares(q.Ports, slow), 2)
				}
			}
		}
	}
}

// withoutService returns the ports without those of at most an eighth of the fastest speed.
func withoutService(all []Ports) []Ports {
	var fast unit.BitRate
	for i := range all {
		fast = max(fast, all[i].Speed)
	}
	return slices.DeleteFunc(slices.Clone(all), func(p Ports) bool { return 8*p.Speed <= fast })
}

// declares tells whether a folder has ports of a speed.
func declares(ports []Ports, speed unit.BitRate) bool {
	return slices.ContainsFunc(ports, func(p Ports) bool { return p.Speed == speed })
}

// twoRoles are the roles of folders with two pools: of t0 an eighth of the ports leads up, of t1 half of them.
func twoRoles(topology string, n int, p Ports) []Ports {
	up, cables := n/8, pairs["t0"][0]
	if topology == "t1" {
		up, cables = n/2, pairs["t1"][0]
	}
	a, b := p, p
	a.Count, a.Cable = n-up, cables[0]*unit.Metre
	b.Count, b.Cable = up, cables[1]*unit.Metre
	return []Ports{a, b}
}

// findTwo looks for the number of ports of two pools: of the folder's fastest ones, in the roles of a topology. The
// pools of chips after Spectrum-3 are by another sum, which is not known.
func findTwo(q *Question, out *Origin) {
	w := &workbooks[twoPools]
	out.Workbook = w.name
	ports := slices.DeleteFunc(outside(q.Ports), func(p Ports) bool { return p.Speed == 0 })
	if q.Table == nil || len(ports) == 0 || !early(q.Chip) {
		return
	}
	fast := fastest(ports)
	all := Number(q.Ports)
	for _, topology := range []string{"t0", "t1"} {
		if q.Topology != topology && (q.Topology == "t0" || q.Topology == "t1") {
			continue
		}
		if items, err := w.items(q, twoRoles(topology, all, fast)); err == nil {
			out.Declared = sum(items)
		}
		for _, n := range []int{all, 16, 32, 48, 64, 128, 256} {
			roles := twoRoles(topology, n, fast)
			if items, err := w.items(q, roles); err == nil && near(sum(items), out.Reserved) {
				out.Ports, out.All, out.Roles, out.Ratio = n, n == all, roles, 1
				return
			}
		}
	}
}
