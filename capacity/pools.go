package capacity

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// pool answers how small a shared headroom pool can be, in steps of a cell in each slice: the headroom of the largest
// group, because a group that is larger than the pool is refused. Whether so small a pool is safe is the question of
// the ratio.
func (k *asker) pool() Answer {
	if !k.lossless() {
		return notAsked(Pool, "no class is lossless, so nothing needs headroom")
	}
	parts := cells.Count(len(k.in.Chip.Slices))
	with := func(in buffer.Intent, n int64) buffer.Intent {
		in.Pool.SharedHeadroom, in.Pool.SharedHeadroomRatio = k.in.Chip.Cell.Bytes(cells.Count(n)*parts), 0
		return in
	}
	// A pool is too small for a group, or leaves so much to share that the chip has no pool of that size. Both end at
	// some size; what is too large for the memory begins at a larger one.
	base, sizing := buffer.NewAdmission(with(k.in, 1))
	small := func(n int64) bool {
		if k.ended() || sizing != nil {
			return true
		}
		a, err := base.Under(with(k.in, n))
		if err != nil {
			return true
		}
		for _, d := range a.Denied() {
			if d.Reason == buffer.HeadroomOfPool || d.Reason == buffer.PoolTooLarge && d.Limit {
				return true
			}
		}
		return false
	}
	least := exact.Last(0, max(int64(k.in.Chip.TotalCells()/parts), 1), small)
	a := Answer{Question: Pool}
	at := with(k.in, least+1)
	if !k.fits(at) {
		a.State, a.beyond, a.Binding = NoneFits, always(at), k.binding(at)
		return a
	}
	a.State, a.at, a.Amount = Found, always(at), int64(at.Pool.SharedHeadroom)
	if least == 0 {
		a.Binding = Constraint{acceptedRange, "a pool has at least a cell in each slice"}
		return a
	}
	a.beyond = always(with(k.in, least))
	a.Binding = k.refusal(a.Beyond())
	return a
}

// ratio answers how far a shared headroom pool can be oversubscribed and still hold the worst case of all its groups at
// once, as verify builds it. A larger ratio is admitted, and is a risk.
func (k *asker) ratio() Answer {
	if !k.lossless() {
		return notAsked(Ratio, "no class is lossless, so nothing needs headroom")
	}
	with := func(in buffer.Intent, n int64) buffer.Intent {
		in.Pool.SharedHeadroom, in.Pool.SharedHeadroomRatio = 0, int(n)
		return in
	}
	worst := cells.Count(0) // whatever the ratio
	base, err := buffer.NewAdmission(with(k.in, 1))
	if err == nil && !k.ended() {
		worst = base.WorstHeadroom()
	}
	safe := func(n int64) bool {
		if k.ended() || err != nil {
			return false
		}
		a, err := base.Under(with(k.in, n))
		return err == nil && a.PoolPart() >= worst
	}
	if !safe(1) { // the method cannot size the groups as those of a pool
		return Answer{Question: Ratio, State: NoneFits, beyond: always(with(k.in, 1)), Binding: k.refusal(with(k.in, 1))}
	}
	least := exact.Last(1, buffer.MaxRatio+1, safe)
	a := Answer{Question: Ratio, State: Found, Amount: least, at: always(with(k.in, least))}
	switch {
	case !k.fits(a.At()):
		a.State, a.at, a.beyond, a.Binding = NoneFits, nil, a.at, k.binding(a.At())
		a.Binding.Text = fmt.Sprintf("at %d, the largest ratio that is safe: %s", least, a.Binding.Text)
	case least == buffer.MaxRatio:
		a.Binding = Constraint{acceptedRange, fmt.Sprintf("no ratio is larger than %d", buffer.MaxRatio)}
	default:
		a.beyond = always(with(k.in, least+1))
		part := cells.Count(0)
		if beyond, err := base.Under(a.Beyond()); err == nil {
			part = beyond.PoolPart()
		}
		a.Binding = Constraint{safety, fmt.Sprintf(
			"at %d a slice's pool has %d cells, and its groups together can bring %d", least+1, part, worst)}
	}
	return a
}

// frame answers which frames may fill the headroom: the shortest size for which it fits, with every mixture of this
// size and of longer ones that the lossless classes send. Fewer kinds of frames never need more cells.
func (k *asker) frame() Answer {
	if _, ok := method.WithFrames(k.in.Sizing, thresholds.WorstFrames()); !ok {
		return notAsked(Frame, "method "+k.in.Sizing.Method()+" does not reckon with frames of a size")
	}
	longest := k.longestOfAll()
	if longest == 0 {
		return notAsked(Frame, "no class is lossless, so nothing needs headroom")
	}
	with := func(n int64) buffer.Intent {
		in := k.in
		in.Sizing, _ = method.WithFrames(k.in.Sizing, thresholds.FramesFrom(unit.Bytes(n)))
		return in
	}
	high := 1 + exact.Last(int64(thresholds.MinFrame)-1, int64(longest)+1, func(n int64) bool { return !k.fits(with(n)) })
	a := Answer{Question: Frame, State: Found, Amount: high}
	switch {
	case high > int64(longest):
		a.State, a.Amount, a.beyond = NoneFits, 0, always(with(int64(longest)))
		a.Binding = k.binding(a.Beyond())
	case high == int64(thresholds.MinFrame):
		a.at = always(with(high))
		a.Binding = Constraint{acceptedRange, fmt.Sprintf("no frame is shorter than %v", thresholds.MinFrame)}
	default:
		a.at, a.beyond = always(with(high)), always(with(high-1))
		a.Binding = k.binding(a.Beyond())
	}
	return a
}

// longestOfAll returns the longest frame that all lossless classes can send on every port; 0 without lossless classes.
func (k *asker) longestOfAll() (longest unit.Bytes) {
	for i := range k.in.Ports {
		p := &k.in.Ports[i]
		for c := range k.in.Classes {
			class := &k.in.Classes[c]
			if !class.Lossless || !p.Classes.Has(c) {
				continue
			}
			n := class.Frame(p)
			if longest == 0 || n < longest {
				longest = n
			}
		}
	}
	return longest
}
