package capacity

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
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
	least := bisected(0, max(int64(k.in.Chip.TotalCells()/parts), 1), small)
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
	least := bisected(1, buffer.MaxRatio+1, safe)
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
