package buffer

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// errOvercommits says that a layout, or a state on the way to it, takes more cells than a slice has.
var errOvercommits = errors.New("over-commits")

// CheckTransition proves a transition by making it: step by step as Diff orders the steps, and back by their inverses.
// It returns an error if a state on the way takes more of a slice than there is, or has a group whose headroom exceeds
// the slice's headroom pool, or if the steps do not lead to want, or the inverses not back to have. Pipes says on which
// ingress pipe each port is: see Intent.Pipes.
func CheckTransition(chip Chip, pipes map[string]int, have, want Layout) error {
	if err := chip.Validate(); err != nil {
		return err
	}
	steps := Diff(have, want)
	w, err := have.on(chip, pipes)
	if err != nil {
		return err
	}
	if err := w.check(have); err != nil {
		return fmt.Errorf("the layout to begin with %w", err)
	}
	if err := w.all(steps, want); err != nil {
		return err
	}
	if err := w.all(Undo(steps), have); err != nil {
		return fmt.Errorf("on the way back: %w", err)
	}
	return nil
}

// Cells returns the cells that a layout takes of each slice: the shared pool, the minima of ports, groups and queues,
// and the headroom, which is that of the pool where the slice has one and else of the groups. What the chip keeps for
// itself ([Slice.Taken]) is not among them: a layout fits into a slice that has as many cells beside it. Queues have
// their minima in every slice, ports and groups in those of their ingress pipe, see [Intent.Pipes]. A register of a
// slice that the chip does not have, or of a port without a pipe, is an error that wraps [ErrInvalid].
func (l Layout) Cells(chip Chip, pipes map[string]int) ([]cells.Count, error) {
	w, err := l.on(chip, pipes)
	if err != nil {
		return nil, err
	}
	return grouped.Each(w.use, use.taken), nil
}

// on returns a device that holds the layout.
func (l Layout) on(chip Chip, pipes map[string]int) (*walk, error) {
	w := &walk{chip: chip, pipes: pipes, values: map[Register]int64{}, use: make([]use, len(chip.Slices))}
	for _, s := range l {
		if err := w.set(s.Register, s.Value); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Pipes returns the ingress pipe of each port.
func (in *Intent) Pipes() map[string]int {
	out := make(map[string]int, len(in.Ports))
	for i := range in.Ports {
		out[in.Ports[i].Name] = in.PipeOf(i)
	}
	return out
}

// walk is a model of a device during a transition. It books the cells of each register on its own, not as Admission
// does, so that the proof does not share its mistakes.
type walk struct {
	chip   Chip
	pipes  map[string]int
	values map[Register]int64
	use    []use // of each slice
}

// use is the cells of a slice that registers take.
type use struct{ shared, pool, reserved, groups cells.Count }

// taken sums the cells. With a headroom pool only the pool is charged, not the groups' headroom.
func (u use) taken() cells.Count {
	if u.pool > 0 {
		return u.shared + u.reserved + u.pool
	}
	return u.shared + u.reserved + u.groups
}

// set writes a register and books the cells that it takes.
func (w *walk) set(r Register, v int64) error {
	old, known := w.values[r]
	if !known {
		old = r.Kind.Empty()
	}
	if w.values[r] = v; v == r.Kind.Empty() {
		delete(w.values, r)
	}
	if !r.Kind.Allocates() {
		return nil
	}
	in, err := w.slicesOf(r)
	if err != nil {
		return err
	}
	for _, s := range in {
		switch more, u := cells.Count(v-old), &w.use[s]; r.Kind {
		case PoolShared:
			u.shared += more
		case PoolHeadroom:
			u.pool += more
		case GroupHeadroom:
			u.groups += more
		default:
			u.reserved += more
		}
	}
	return nil
}

// slicesOf returns where a register takes cells.
func (w *walk) slicesOf(r Register) ([]int, error) {
	switch pipe, known := w.pipes[r.Port]; {
	case r.Kind.Scope() == SliceScope:
		if r.Index < 0 || r.Index >= len(w.use) {
			return nil, fmt.Errorf("%w: %v: %s has slices 0 to %d", ErrInvalid, r, w.chip.Name, len(w.use)-1)
		}
		return []int{r.Index}, nil
	case r.Kind.Scope() == QueueScope:
		all := Chip{Slices: w.chip.Slices}
		return all.SlicesOf(0), nil
	case !known || pipe < 0 || pipe >= w.chip.PipeCount():
		return nil, fmt.Errorf("%w: %v: which pipe the port is on is not known", ErrInvalid, r)
	default:
		return w.chip.SlicesOf(pipe), nil
	}
}

// check looks at every slice, and at the groups of these settings.
func (w *walk) check(groups Layout) error {
	for i, u := range w.use {
		if has := w.chip.Slices[i].Cells - w.chip.Slices[i].Taken(); u.taken() > has {
			return fmt.Errorf("%w slice %d: %d cells of %d", errOvercommits, i, u.taken(), has)
		}
	}
	for _, g := range groups {
		if g.Kind != GroupHeadroom {
			continue
		}
		in, err := w.slicesOf(g.Register)
		if err != nil {
			return err
		}
		for _, s := range in {
			if n := cells.Count(w.values[g.Register]); w.use[s].pool > 0 && n > w.use[s].pool {
				return fmt.Errorf("%w the headroom pool of slice %d: %v of %d cells", errOvercommits, s,
					Setting{g.Register, int64(n)}, w.use[s].pool)
			}
		}
	}
	return nil
}

// all makes the steps one by one and compares the end with the layout that they should lead to. Only a step of a
// headroom pool can make a group too large that did not change itself, so all groups are checked after such steps only.
func (w *walk) all(steps []Step, to Layout) error {
	groups := make(Layout, 0, len(w.values))
	for r, v := range w.values {
		if r.Kind == GroupHeadroom {
			groups = append(groups, Setting{r, v})
		}
	}
	for _, s := range steps {
		if err := w.set(s.Register, s.To); err != nil {
			return err
		}
		look := Layout{{s.Register, s.To}}
		if s.Kind == PoolHeadroom {
			look = groups
		} else if s.Kind == GroupHeadroom {
			groups = append(groups, look...)
		}
		if err := w.check(look); err != nil {
			return fmt.Errorf("after %v (%v): %w", s, s.Phase(), err)
		}
	}
	if len(w.values) != len(to) {
		return fmt.Errorf("the steps lead to %d registers that hold something, not %d", len(w.values), len(to))
	}
	for _, s := range to {
		if w.values[s.Register] != s.Value {
			return fmt.Errorf("the steps do not lead to %v", s)
		}
	}
	return nil
}
