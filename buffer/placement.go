package buffer

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// A port is wired to one ingress pipe, and its groups are charged in the slices that this pipe feeds. Which ports fit
// depends on it. A plan assumes that ports whose pipe is not given take the pipes in turn; that is inferred. So it
// tries other placements of these ports as well, and says what comes of each.

// Placed says to which ingress pipe a port was planned.
type Placed struct {
	Port  string
	Pipe  int
	Given bool // by the intent; else assumed
}

// Placement is one way to place the ports whose pipe is not given, and how many ports fit in it.
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

// Way is a way to place the ports whose pipe the intent does not give.
type Way struct {
	Name  string
	Pipes []int // of every port, in the order of the intent
}

// Ways returns the placements that a plan tries, its own first; none if the intent gives every pipe, or the chip has
// one. Ports that the intent places stay where they are.
func (a *Admission) Ways() []Way {
	ports, free := len(a.ports), make([]int, 0, len(a.ports))
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
	const ways = 5
	room := make([]int, pipes+ways*ports)
	together, room := room[:pipes], room[pipes:] // pipes that feed the same slices are neighbours
	for i := range together {
		together[i] = i
	}
	slices.SortStableFunc(together, func(i, j int) int { return slices.Compare(a.slices[i], a.slices[j]) })
	fours := func(k, pipes, _ int) int { return k / 4 % pipes }
	blocks := func(k, pipes, ports int) int { return k * pipes / ports }
	turns := func(k, pipes, _ int) int { return k % pipes }
	out := make([]Way, ways)
	for i, r := range [ways]struct {
		name  string
		order []int                         // of the ports that are placed
		pipe  func(k, pipes, ports int) int // of the k-th of them
		among []int                         // pipes in the order of which the rule speaks; nil: of their numbers
	}{
		{inTurn, nil, nil, nil}, // as they are
		{"in blocks of four", free, fours, nil},
		{"in equal blocks", free, blocks, nil},
		{"largest in turn", bySize, turns, nil},
		{"largest together", bySize, blocks, together},
	} {
		to := room[i*ports : (i+1)*ports]
		for k := range a.ports {
			to[k] = a.ports[k].pipe
		}
		for k, port := range r.order {
			if to[port] = r.pipe(k, pipes, n); r.among != nil {
				to[port] = r.among[to[port]]
			}
		}
		out[i] = Way{r.name, to}
	}
	return out
}

// placements tries the ways to place the ports.
func (a *Admission) placements() []Placement {
	var trial *Admission
	ways := a.Ways()
	out := make([]Placement, 0, len(ways))
	for i, way := range ways {
		if i == 0 {
			out = append(out, Placement{inTurn, a.Fitting(), len(a.ports)})
			continue
		}
		if trial == nil {
			trial = a.otherPlaces()
		}
		for k, pipe := range way.Pipes {
			trial.ports[k].pipe = pipe
		}
		if a.byRatio() {
			trial.placePools()
		}
		trial.Replan()
		out = append(out, Placement{way.Name, trial.Fitting(), len(a.ports)})
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

// size is what a port is charged in each of its slices, or would be if its headroom were its own.
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
