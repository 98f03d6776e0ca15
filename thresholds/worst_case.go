package thresholds

import (
	"fmt"
	"sort"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// WorstCase is the exact maximum that a conforming link can bring after the decision to pause: the number that every
// headroom is compared with.
type WorstCase struct {
	// InFlight is what arrives by light and frames alone, in bytes on the link: the longest frame, the pause frame, the
	// cable twice and the frame that the sender has begun, as if neither end took any time. A headroom with fewer bytes is
	// too small whatever the ends are.
	InFlight unit.Bytes
	// Known tells whether the delays of the ends are known. If not, what follows is 0.
	Known    bool
	Sum      DelaySum    // how the delays of the ends add up
	Inferred bool        // whether a delay of the ends is scaled from another speed
	Ends     unit.Time   // the delays of both ends together
	Wire     unit.Bytes  // what arrives with these delays, in bytes on the link
	Frame    unit.Bytes  // the size that most of the frames of the worst mixture have
	Cells    cells.Count // what the worst mixture needs
	arrival  arrival
}

// arrival is what comes to a headroom after its group was paused: frames for so long as the sum of the delays.
type arrival struct {
	rate    unit.BitRate
	ends    int64      // bits: the delays of both ends
	rest    int64      // bits: the other terms of the sum
	longest unit.Bytes // longest frame of the class
	mem     Memory
}

// WorstDelays returns the delays of the worst case: both ends at the value of 31B.3.7, with the values that an IEEE
// sizer gives itself.
func WorstDelays(sizer Sizer) IEEE {
	own, _ := sizer.(IEEE)
	own.Delays.Sum = SumOfEnds
	return IEEE{Delays: own.Delays}
}

// WorstCaseOf returns the worst case of a link whose headroom a sizer gives: the one that verify of package backend/sim
// builds. A link that is not valid has none: the result is zero.
func WorstCaseOf(sizer Sizer, l Link, mem Memory) WorstCase {
	return WorstDelays(sizer).WorstCase(l, mem)
}

// WorstCase returns the worst case of a link with the delays of the method, whatever frames it assumes.
func (m IEEE) WorstCase(l Link, mem Memory) WorstCase {
	if l.Validate() != nil {
		return WorstCase{}
	}
	w := WorstCase{InFlight: unit.InBytes(FrameBits(l.MTU) + FrameBits(MinFrame) + FrameBits(l.LosslessMTU) +
		2*l.BitTimes())}
	m.Mix = WorstFrames()
	h, bits, ends, err := m.size(l, mem)
	if err != nil {
		return w
	}
	total := bits[2] + bits[4] + bits[5]
	w.Known, w.Sum, w.Ends, w.Wire, w.Cells = true, ends.sum, l.Rate.TimeFor(total), h.Wire, h.Cells
	w.Inferred = ends.receiver.Kind == Inferred || ends.response.Kind == Inferred
	w.arrival = arrival{l.Rate, total, h.BitTimes - total, l.LosslessMTU, mem}
	w.Frame = WorstArrival(h.BitTimes, MinFrame, l.LosslessMTU, WireBytes, mem).Mixture[3].Size
	return w
}

// Total returns the bit times after the decision to pause in which frames arrive.
func (w WorstCase) Total() int64 { return w.arrival.rest + w.arrival.ends }

// Need returns the cells for the worst mixture of frames from a size on, if both ends together take so long. A size
// above the longest frame of the class is cut to it. The worst case must be known.
func (w WorstCase) Need(shortest unit.Bytes, ends unit.Time) cells.Count {
	bits := w.arrival.rate.BitsIn(max(ends, 0)) - w.arrival.rate.BitsIn(max(-ends, 0))
	if ends == w.Ends {
		bits = w.arrival.ends // exactly
	}
	return w.arrival.need(shortest, max(w.arrival.rest+bits, 0))
}

// need returns the cells of the worst mixture of frames from a size on in so many bit times.
func (a *arrival) need(shortest unit.Bytes, bits int64) cells.Count {
	return WorstArrival(bits, min(shortest, a.longest), a.longest, WireBytes, a.mem).Cells
}

// HoldFrames returns the smallest size from which on n cells hold every mixture of frames of all these worst cases
// together, each so many times; 0 if they do not hold the longest frames alone.
func HoldFrames(all map[WorstCase]int64, n cells.Count) unit.Bytes {
	longest := MinFrame
	for w := range all {
		longest = max(longest, w.arrival.longest)
	}
	holds := func(size unit.Bytes) bool { return needOf(all, size, unit.Optional[unit.Time]{}) <= n }
	if !holds(longest) {
		return 0
	}
	// Fewer kinds of frames never need more.
	more := sort.Search(int(longest-MinFrame), func(i int) bool { return holds(MinFrame + unit.Bytes(i)) })
	return MinFrame + unit.Bytes(more)
}

// HoldDelays returns the longest delays of both ends together with which n cells hold the frames of all these worst
// cases, each so many times. Negative: frames and cable alone take so much more than there is.
func HoldDelays(all map[WorstCase]int64, n cells.Count) unit.Time {
	return exact.Last(-MaxDelay, MaxDelay+1, func(ends unit.Time) bool {
		return needOf(all, MinFrame, unit.Given(ends)) <= n
	})
}

// needOf sums the needs of worst cases.
func needOf(all map[WorstCase]int64, shortest unit.Bytes, ends unit.Optional[unit.Time]) (sum cells.Count) {
	for w, times := range all {
		sum += cells.Count(times) * w.Need(shortest, ends.Or(w.Ends))
	}
	return sum
}

// Holds says for what n cells of a group are enough: from which size of frames on, and with which delays of both ends.
// See HoldFrames and HoldDelays. The worst case must be known.
func (w WorstCase) Holds(n cells.Count) (frames unit.Bytes, ends unit.Time) {
	one := map[WorstCase]int64{w: 1}
	return HoldFrames(one, n), HoldDelays(one, n)
}

// Longer returns how many bit times more may pass until n cells are full; negative: how many fewer must. The worst case
// must be known.
func (w WorstCase) Longer(n cells.Count, shortest unit.Bytes) int64 {
	total := w.Total()
	most := 8 * (int64(n) + 1) * int64(w.arrival.longest+WireBytes) // a frame has at least one cell
	last := exact.Last(-1, max(most, total)+1, func(bits int64) bool {
		return bits >= 0 && w.arrival.need(shortest, bits) <= n
	})
	return last - total
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
	// First, because cells can have fewer bytes than the link: preamble and gap are not stored.
	case w.Known && n >= w.Cells:
		return Enough
	case cell.Bytes(n) < w.InFlight:
		return LessThanInFlight
	case !w.Known:
		return Unknown
	}
	return LessThanWorstCase
}

// Limits says in words for what n cells are enough, if they are less than the worst case: "they hold frames of 82B and
// more, or all frames if the ends take at most 2.54us (the standard allows 4.03us)".
func (w WorstCase) Limits(n cells.Count) string {
	frames, ends := w.Holds(n)
	var parts []string
	if frames > 0 {
		parts = append(parts, fmt.Sprintf("frames of %v and more", frames))
	}
	if ends >= 0 {
		parts = append(parts, fmt.Sprintf("all frames if the ends take at most %v (the standard allows %v)",
			Cut(ends), Cut(w.Ends)))
	}
	if len(parts) == 0 {
		return "they hold no frames and no delays"
	}
	return "they hold " + strings.Join(parts, ", or ")
}

// Cut returns a time for a sentence, rounded down: to 10 ns from a microsecond on, and to nanoseconds below.
func Cut(t unit.Time) unit.Time {
	step := 10 * unit.Nanosecond
	if t < unit.Microsecond {
		step = unit.Nanosecond
	}
	return t / step * step
}

// Note says in a line why nobody knows that a headroom of n cells is enough; empty if it is.
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
		return fmt.Sprintf("%d cells are %d less than a conforming link can bring: %s", n, w.Cells-n, w.Limits(n))
	case Unknown:
		return fmt.Sprintf("whether %d cells are enough is not known: no source gives the delays of both ends", n)
	default:
		return ""
	}
}
