package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// WorstCase is what a link can bring after the decision to pause: the numbers that
// a headroom is compared with.
type WorstCase struct {
	// InFlight is what arrives by light and frames alone, in bytes on the link: the
	// longest frame, the pause frame, the cable twice and the frame that the sender
	// has begun, as if neither end took any time. A headroom with fewer bytes is too
	// small whatever the ends are.
	InFlight unit.Bytes
	// Known tells whether the delays of the ends are known. If not, what follows is 0.
	Known bool
	Sum   DelaySum    // the larger sum of the delays on this link
	Wire  unit.Bytes  // what arrives with these delays, in bytes on the link
	Frame unit.Bytes  // the size of frame that wastes most cells
	Cells cells.Count // what frames of this size need, rounded up to frames
}

// WorstDelays returns the method with the delays of the worst case: the larger sum
// on each link, with the values that an IEEE sizer gives itself.
func WorstDelays(sizer Sizer) IEEE {
	own, _ := sizer.(IEEE)
	own.Delays.Sum = LargerSum
	return IEEE{Delays: own.Delays}
}

// WorstCaseOf returns the worst case of a link whose headroom a sizer gives: the one
// that verify of package backend/sim builds. verify counts frames that end before
// the last moment, so it may need up to one frame less. A link that is not valid has
// none: the result is zero.
func WorstCaseOf(sizer Sizer, l Link, mem Memory) WorstCase {
	if !l.valid() {
		return WorstCase{}
	}
	w := WorstCase{InFlight: unit.InBytes(FrameBits(l.MTU) + FrameBits(MinFrame) + FrameBits(l.LosslessMTU) +
		2*l.BitTimes())}
	h, _, ends, err := WorstDelays(sizer).size(l, mem)
	if err != nil {
		return w
	}
	w.Known, w.Sum, w.Wire, w.Frame, w.Cells = true, ends.sum, h.Wire, h.Mix.Frame(), h.Cells
	return w
}

// Sufficiency says whether a headroom is enough for a worst case.
type Sufficiency string

// The answers, from the best to the worst.
const (
	Enough Sufficiency = "enough" // not less than the worst case
	// not less than in flight; the delays of the ends are not known
	Unknown           Sufficiency = "unknown"
	LessThanWorstCase Sufficiency = "less than the worst case" // but not less than in flight
	LessThanInFlight  Sufficiency = "less than in flight"      // light and frames alone are more: it cannot be enough
)

// Judge says whether a headroom of n cells is enough.
func (w WorstCase) Judge(n cells.Count, cell cells.Size) Sufficiency {
	switch {
	case cell.Bytes(n) < w.InFlight:
		return LessThanInFlight
	case !w.Known:
		return Unknown
	case n < w.Cells:
		return LessThanWorstCase
	}
	return Enough
}

// Note says in a line why nobody knows that a headroom of n cells is enough;
// empty if it is.
func (w WorstCase) Note(n cells.Count, cell cells.Size) string {
	switch w.Judge(n, cell) {
	case LessThanInFlight:
		text := fmt.Sprintf("%d cells (%v) cannot be enough: %v are in flight by light and frames alone", n,
			cell.Bytes(n), w.InFlight)
		if w.Known {
			text += fmt.Sprintf(", %v with the delays of both ends, %d cells", w.Wire, w.Cells)
		}
		return text
	case LessThanWorstCase:
		return fmt.Sprintf("%d cells are less than the worst case of verify: up to %d cells, frames of %v, delays by %v",
			n, w.Cells, w.Frame, w.Sum)
	case Unknown:
		return fmt.Sprintf("whether %d cells are enough is not known: no source gives the delays of both ends", n)
	default:
		return ""
	}
}
