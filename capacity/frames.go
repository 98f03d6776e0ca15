package capacity

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

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
	high := 1 + bisected(int64(thresholds.MinFrame)-1, int64(longest)+1, func(n int64) bool { return !k.fits(with(n)) })
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
