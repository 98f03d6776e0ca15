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

// placed lists the pipe of every port, in the order of their names, which is given. A chip with one pipe has nothing to
// place.
func (a *Admission) placed(order []int) []Placed {
	out := []Placed{}
	if a.in.Chip.PipeCount() == 1 {
		return out
	}
	out = slices.Grow(out, len(a.ports))
	for _, i := range order {
		out = append(out, Placed{a.in.Ports[i].Name, a.ports[i].pipe, !a.ports[i].assumed})
	}
	return out
}

// way is a way to place the ports of an order.
type way struct {
	name  string
	order []int
	rule  placing
	pipes []int // those that feed the same slices are neighbours
}

// placing is a rule that places ports.
type placing int

// The rules.
const (
	asPlanned placing = iota
	byFours
	byBlocks
	byTurns
	byNeighbours
)

// pipe returns the pipe of the k-th port of the order.
func (w *way) pipe(a *Admission, k int) int {
	n := len(w.pipes)
	switch w.rule {
	case asPlanned:
		return a.ports[w.order[k]].pipe
	case byFours:
		return k / 4 % n
	case byBlocks:
		return k * n / len(w.order)
	case byTurns:
		return k % n
	}
	return w.pipes[k*n/len(w.order)]
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
	together := make([]int, pipes)
	for i := range together {
		together[i] = i
	}
	slices.SortStableFunc(together, func(i, j int) int { return slices.Compare(a.slices[i], a.slices[j]) })
	return []way{
		{inTurn, free, asPlanned, together},
		{"in blocks of four", free, byFours, together},
		{"in equal blocks", free, byBlocks, together},
		{"largest in turn", bySize, byTurns, together},
		{"largest together", bySize, byNeighbours, together},
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
			out = append(out, Placement{inTurn, a.Fitting(), len(a.ports)})
			continue
		}
		if trial == nil {
			trial = a.otherPlaces()
		}
		for k, i := range way.order {
			trial.ports[i].pipe = way.pipe(a, k)
		}
		if a.byRatio() {
			trial.placePools()
		}
		trial.Replan()
		out = append(out, Placement{way.name, trial.Fitting(), len(a.ports)})
	}
	return out
}

// otherPlaces returns a copy whose ports can be placed elsewhere, and placed again: it shares all else.
func (a *Admission) otherPlaces() *Admission {
	c := *a
	c.trial = nil
	c.ports, c.pools = slices.Clone(a.ports), slices.Clone(a.pools)
	if a.byRatio() { // pools of its own
		c.part, c.initial = nil, nil
	}
	return &c
}

// size is what a port is charged in each of its slices, or would be if its
// headroom were its own.
func (a *Admission) size(i int) cells.Count {
	return a.ports[i].demand.reserved + a.ports[i].demand.headroom
}

// Fitting returns the number of ports that are admitted.
func (a *Admission) Fitting() (n int) {
	for i := range a.ports {
		if a.ports[i].short.Fits() {
			n++
		}
	}
	return n
}
