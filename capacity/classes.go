package capacity

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// classes answers how many priorities of a port can be lossless, each with a group of its own. The first lossless class
// is the pattern of those that are added: it takes priorities that no class has, then the highest of the lossy classes,
// which keep one each. Priorities are taken away from the last lossless class first.
func (k *asker) classes() Answer {
	pattern := slices.IndexFunc(k.in.Classes, func(c buffer.Class) bool { return c.Lossless })
	if pattern < 0 {
		return notAsked(Classes, "no class is lossless, so there is no pattern for another one")
	}
	order := losslessOrder(k.in.Classes, k.in.Chip.Groups)
	s := &search{1, int64(len(order)), func(in buffer.Intent, n int64) buffer.Intent {
		in.Classes = withLossless(k.in.Classes, pattern, order[:n])
		in.DSCP = pg.DSCPMap{} // which packets have a priority matters to no cell
		return in
	}, true, Constraint{acceptedRange, "every other class keeps a priority, and a chip has groups for no more"}, nil}
	return s.answer(k, Answer{Question: Classes}, same)
}

// losslessOrder lists the priorities that can be lossless, those that are so first. groups is how many of them the chip
// has groups for.
func losslessOrder(classes []buffer.Class, groups int) []int {
	var out, lossy []int
	taken := [pg.PerPort]bool{}
	for i := range classes {
		c := &classes[i]
		for _, p := range c.Priorities {
			taken[p] = true
		}
		if c.Lossless {
			out = append(out, c.Priorities...)
			continue
		}
		rest := slices.Sorted(slices.Values(c.Priorities))[1:]
		slices.Reverse(rest)
		lossy = append(lossy, rest...)
	}
	for p := range pg.PerPort {
		if !taken[p] {
			out = append(out, p)
		}
	}
	return slices.DeleteFunc(append(out, lossy...), func(p int) bool { return p >= groups })
}

// withLossless returns classes with exactly these priorities lossless. A lossless class that keeps none of its
// priorities becomes lossy.
func withLossless(classes []buffer.Class, pattern int, lossless []int) []buffer.Class {
	out := slices.Clone(classes)
	left := slices.Clone(lossless)
	for i := range out {
		c := &out[i]
		own := slices.Clone(c.Priorities)
		c.Priorities = slices.DeleteFunc(slices.Clone(own),
			func(p int) bool { return slices.Contains(lossless, p) != c.Lossless })
		if c.Lossless {
			left = slices.DeleteFunc(left, func(p int) bool { return slices.Contains(own, p) })
			if len(c.Priorities) == 0 {
				c.Lossless, c.Priorities = false, own
			}
		}
	}
	out[pattern].Priorities = append(out[pattern].Priorities, left...)
	return out
}

// placement answers where the ports whose pipe is not given fit best: among the placements that a plan tries, and one
// that gives each port, the largest first, the pipe whose slices are emptiest. That no other placement is better is not
// proved, unless all ports fit.
func (k *asker) placement() Answer {
	ways := k.admission.Ways()
	if len(ways) == 0 {
		if k.in.Chip.PipeCount() == 1 {
			return notAsked(Placement, "the chip has one pipe")
		}
		return notAsked(Placement, "the pipe of every port is given")
	}
	ways = append(ways, buffer.Way{Name: "emptiest pipe first", Pipes: k.emptiest()})
	a := Answer{Question: Placement, State: Found, Amount: -1}
	for _, w := range ways {
		in := placed(k.in, w.Pipes)
		trial, err := buffer.NewAdmission(in)
		if err != nil {
			continue
		}
		if n := int64(trial.Fitting()); n > a.Amount {
			a.Amount, a.Way, a.Pipes, a.at = n, w.Name, w.Pipes, always(in)
		}
	}
	if a.Amount == int64(len(k.in.Ports)) {
		a.Binding = Constraint{acceptedRange, "all ports fit"}
		return a
	}
	a.Binding, a.beyond = k.binding(a.At()), a.at
	return a
}

// AsPlaced tells whether an intent that fits does not fit in every placement that a plan tries of the ports whose pipe
// it does not give: "fits" then holds for the placement that is assumed.
func AsPlaced(in buffer.Intent, a *buffer.Admission) bool {
	for _, w := range a.Ways() {
		if trial := placed(in, w.Pipes); !trial.Fits() {
			return true
		}
	}
	return false
}

// placed returns an intent with the pipe of every port.
func placed(in buffer.Intent, pipes []int) buffer.Intent {
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		in.Ports[i].Pipe = new(pipes[i])
	}
	return in
}

// emptiest gives each port whose pipe is not given the pipe whose fullest slice is emptiest then.
func (k *asker) emptiest() []int {
	chip := &k.in.Chip
	pipes := make([]int, len(k.in.Ports))
	load := make([]int64, len(chip.Slices))
	size := func(i int) int64 {
		reserved, headroom := k.admission.PortCells(i)
		return int64(reserved + headroom)
	}
	put := func(i, pipe int) {
		pipes[i] = pipe
		for _, s := range chip.SlicesOf(pipe) {
			load[s] += size(i)
		}
	}
	var free []int
	for i := range k.in.Ports {
		if p := k.in.Ports[i].Pipe; p != nil {
			put(i, *p)
		} else {
			free = append(free, i)
		}
	}
	slices.SortStableFunc(free, func(i, j int) int { return int(size(j) - size(i)) })
	for _, i := range free {
		best, least := 0, int64(-1)
		for pipe := range chip.PipeCount() {
			fullest := int64(0)
			for _, s := range chip.SlicesOf(pipe) {
				fullest = max(fullest, load[s])
			}
			if least < 0 || fullest < least {
				best, least = pipe, fullest
			}
		}
		put(i, best)
	}
	return pipes
}
