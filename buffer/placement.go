package buffer

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// A port is wired to one ingress pipe, and its groups are charged in the slices
// that this pipe feeds. Which ports fit depends on it. A plan assumes that ports
// whose pipe is not given take the pipes in turn; that is inferred. So it tries
// other placements of these ports as well, and says what comes of each.

// Placed says to which ingress pipe a port was planned.
type Placed struct {
	Port  string
	Pipe  int
	Given bool // by the intent; else assumed
}

// Placement is one way to place the ports whose pipe is not given, and how many
// ports fit in it.
type Placement struct {
	Name string
	Fits int // ports
	Of   int // ports
}

// inTurn is the placement that a plan assumes.
const inTurn = "in turn"

// Assumed tells whether the plan assumes the pipe of any port.
func (p *Plan) Assumed() bool { return len(p.Placements) > 0 }

// BestPlacement returns the placement in which most ports fit, of those that were
// tried. It is the assumed one if none is better.
func (p *Plan) BestPlacement() Placement {
	return slices.MaxFunc(p.Placements, func(a, b Placement) int { return cmp.Compare(a.Fits, b.Fits) })
}

// WorstPlacement returns the placement in which fewest ports fit.
func (p *Plan) WorstPlacement() Placement {
	return slices.MinFunc(p.Placements, func(a, b Placement) int { return cmp.Compare(a.Fits, b.Fits) })
}

// placed lists the pipe of every port, in the order of their names. A chip with
// one pipe has nothing to place.
func (a *Admission) placed() []Placed {
	out := []Placed{}
	if a.in.Chip.PipeCount() == 1 {
		return out
	}
	out = slices.Grow(out, len(a.ports))
	for i := range a.ports {
		out = append(out, Placed{a.in.Ports[i].Name, a.ports[i].pipe, !a.ports[i].assumed})
	}
	slices.SortFunc(out, func(a, b Placed) int { return ComparePorts(a.Port, b.Port) })
	return out
}

// way is a way to place the ports of an order: the k-th of them on pipe(k).
type way struct {
	name  string
	order []int
	pipe  func(k int) int
}

// ways lists the placements of the ports whose pipe is assumed. The first is the plan's own. Ports that the intent
// places stay where they are.
func (a *Admission) ways() []way {
	free := make([]int, 0, len(a.ports))
	for i := range a.ports {
		if a.ports[i].assumed {
			free = append(free, i)
		}
	}
	pipes, n := a.in.Chip.PipeCount(), len(free)
	if pipes == 1 || n == 0 {
		return nil
	}
	bySize := slices.Clone(free) // largest first
	slices.SortStableFunc(bySize, func(i, j int) int { return cmp.Compare(a.size(j), a.size(i)) })
	together := make([]int, pipes) // those that feed the same slices are neighbours
	for i := range together {
		together[i] = i
	}
	slices.SortStableFunc(together, func(i, j int) int { return slices.Compare(a.slices[i], a.slices[j]) })
	return []way{
		{inTurn, free, func(k int) int { return a.ports[free[k]].pipe }},
		{"in blocks of four", free, func(k int) int { return k / 4 % pipes }},
		{"in equal blocks", free, func(k int) int { return k * pipes / n }},
		{"largest in turn", bySize, func(k int) int { return k % pipes }},
		{"largest together", bySize, func(k int) int { return together[k*pipes/n] }},
	}
}

// placements tries the ways to place the ports.
func (a *Admission) placements() []Placement {
	out := []Placement{}
	var trial *Admission
	ways := a.ways()
	out = slices.Grow(out, len(ways))
	for i, way := range ways {
		if i == 0 {
			out = append(out, Placement{inTurn, a.fitting(), len(a.ports)})
			continue
		}
		if trial == nil {
			trial = a.clone()
		}
		for k, i := range way.order {
			trial.ports[i].pipe = way.pipe(k)
		}
		trial.placePools() // their sizes can follow the ports
		trial.Replan()
		out = append(out, Placement{way.name, trial.fitting(), len(a.ports)})
	}
	return out
}

// size is what a port is charged in each of its slices, or would be if its
// headroom were its own.
func (a *Admission) size(i int) cells.Count {
	return a.ports[i].demand.reserved + a.ports[i].demand.headroom
}

// fitting returns the number of ports that are admitted.
func (a *Admission) fitting() (n int) {
	for i := range a.ports {
		if a.ports[i].short.Fits() {
			n++
		}
	}
	return n
}
