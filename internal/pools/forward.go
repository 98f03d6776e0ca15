package pools

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/unit"
)

// Choice is the pools for one split of roles, by one workbook.
type Choice struct {
	Answer
	Roles []Ports // of the ports with lossless groups; none: the pools do not depend on them
}

// Choices computes the pools forward. Where the ports have cables, there is one choice for each workbook that folders
// of the chip show; else one for each split of roles that folders have, too. The error says which number is missing.
func (q *Question) Choices(folders []Folder) (out []Choice, err error) {
	splits := [][]Ports{nil}
	switch ports := outside(q.Ports); {
	case q.Kind == Lossy:
	case !slices.ContainsFunc(ports, func(p Ports) bool { return p.Cable == 0 }):
		splits = [][]Ports{ports}
	case q.Kind == Shared:
		if found := q.Splits(); len(found) > 0 {
			splits = found
		}
	case len(ports) > 0:
		splits = [][]Ports{eachByTwoRoles(q.Topology, ports), twoRoles(q.Topology, usual, fastest(ports))}
	}
	inner := slices.DeleteFunc(slices.Clone(q.Ports), func(p Ports) bool { return !p.Lossy })
	for _, split := range splits {
		with := *q
		if split != nil {
			with.Ports = slices.Concat(split, inner)
		}
		answers, err := with.Static(folders)
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			out = append(out, Choice{a, split})
		}
	}
	return out, nil
}

// usual is the number of ports that folders with two pools count, whatever number they have.
const usual = 32

// fastest returns the ports of the highest speed.
func fastest(ports []Ports) Ports {
	return slices.MaxFunc(ports, func(a, b Ports) int { return cmp.Compare(a.Speed, b.Speed) })
}

// eachByTwoRoles divides the ports of each speed as folders with two pools do.
func eachByTwoRoles(topology string, ports []Ports) (out []Ports) {
	for _, p := range ports {
		for _, part := range twoRoles(topology, p.Count, p) {
			if part.Count > 0 {
				out = append(out, part)
			}
		}
	}
	return out
}

// Given returns roles with the lanes and the data processing units of a switch: ports of a speed are as wide as those
// of the switch. Others lists speeds that the switch does not have.
func Given(roles, ports []Ports) (out []Ports, others []unit.BitRate) {
	for _, r := range roles {
		at := slices.IndexFunc(ports, func(p Ports) bool { return p.Speed == r.Speed && !p.Lossy && !p.Inside })
		switch {
		case at >= 0 && r.Lanes == 0:
			r.Lanes = ports[at].Lanes
		case at < 0:
			others = append(others, r.Speed)
		}
		out = append(out, r)
	}
	for _, p := range ports {
		if p.Lossy {
			out = append(out, p)
		}
	}
	return out, others
}

// Tunnel gives the ports that carry the traffic of a tunnel between two ToR switches four lossless groups
// (tunnel_qos_remap): of a t0 those that lead up, which have the longest cables, of others those that lead down.
func Tunnel(topology string, roles []Ports) {
	longest, shortest := unit.Length(0), unit.Length(0)
	for i, r := range roles {
		longest = max(longest, r.Cable)
		if i == 0 || r.Cable < shortest {
			shortest = r.Cable
		}
	}
	for i := range roles {
		if r := &roles[i]; r.Cable > 0 && r.Cable == map[bool]unit.Length{true: longest, false: shortest}[topology == "t0"] {
			r.Groups = 4
		}
	}
}
