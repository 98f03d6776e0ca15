package sim

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// sufficient is what the whole plan is enough for; zero without groups.
func (v *verifier) sufficient() (all report.Sufficiency) {
	for i := range v.out.Groups {
		if i == 0 {
			all = v.out.Groups[i].Sufficient
		}
		all = all.And(v.out.Groups[i].Sufficient)
	}
	for i := range v.out.Pools {
		all = all.And(v.out.Pools[i].Sufficient)
	}
	return all
}

// arrival is what comes to a headroom after its group was paused: frames of one
// size, for so long as the sum of the delays.
type arrival struct {
	rate    unit.BitRate
	delays  int64      // bits: both interfaces and the response
	rest    int64      // bits: the other terms of the sum
	longest unit.Bytes // longest frame of the class
}

// arrivals are groups that are filled at the same time: how many of each sort.
type arrivals map[arrival]int64

// arrivalOf returns what comes over a link.
func (v *verifier) arrivalOf(l thresholds.Link) (arrival, error) {
	d, err := v.delays.LinkDelays(l)
	delays := 2*d.Interface + d.Response
	return arrival{l.Rate, delays, d.Total() - delays, l.LosslessMTU}, err
}

// need returns the cells that arriving bits bring. Together with the frame that
// caused the pause as many frames arrive as the sum of the delays holds, rounded
// up: see [report.Verification].
func (v *verifier) need(a arrival, bits int64, frame, gap unit.Bytes) cells.Count {
	frame = min(frame, a.longest)
	each := int64(frame+gap) * 8
	frames := (max(bits, 0) + each - 1) / each
	return cells.Count(frames) * v.in.Chip.Cell.Packet(frame, v.in.Chip.Overhead)
}

// enough is what the granted cells are enough for. frameOf returns the size of
// the worst case's frames for a class with this longest frame.
func (v *verifier) enough(all arrivals, granted cells.Count, gap unit.Bytes) report.Sufficiency {
	return report.Sufficiency{Frames: v.framesFrom(all, granted, gap), Delays: v.delaysWithin(all, granted, gap)}
}

// framesFrom returns the smallest size from which on the granted cells hold the
// frames of every size; 0 if they do not hold the longest.
func (v *verifier) framesFrom(all arrivals, granted cells.Count, gap unit.Bytes) (from unit.Bytes) {
	frame := thresholds.MinFrame
	for a := range all {
		frame = max(frame, a.longest)
	}
	for ; frame >= thresholds.MinFrame; frame-- {
		var need cells.Count
		for a, n := range all {
			need += cells.Count(n) * v.need(a, a.rest+a.delays, frame, gap)
		}
		if need > granted {
			return from
		}
		from = frame
	}
	return from
}

// delaysWithin returns the longest delays of both interfaces and the response
// with which the granted cells hold the frames of the worst case.
func (v *verifier) delaysWithin(all arrivals, granted cells.Count, gap unit.Bytes) unit.Time {
	low, high := -thresholds.MaxDelay, thresholds.MaxDelay
	for low < high {
		middle := low + (high-low+1)/2
		var need cells.Count
		for a, n := range all {
			bits := a.rate.BitsIn(max(middle, 0)) - a.rate.BitsIn(max(-middle, 0))
			need += cells.Count(n) * v.need(a, a.rest+bits, v.frame(a.longest, gap), gap)
		}
		if need <= granted {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
