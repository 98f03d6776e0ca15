package calibrate

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// The speeds of light in a cable that are looked at if nothing narrows them, in picoseconds per metre: that of vacuum,
// below which nothing can be, and twice that. Fibre has 4,900, copper 4,300 to 5,300 (refractive index 1.47; velocity
// factors 0.63 to 0.77).
const leastPropagation, mostPropagation = 3336, 6672

// delays is what the links of one speed tell: the response time of the peer and the delays of both interfaces
// together, for each propagation delay that is possible.
type delays struct {
	rate        unit.BitRate
	delay       Range // ps
	propagation Range // ps per metre
	from        []string
}

// linkDelays solves the links of each speed. All links have the same propagation delay per metre. false: no delay
// agrees with all links of some speed.
func linkDelays(links []PausedLink, propagation Range) (out []delays, ok bool) {
	rates := grouped.Each(links, func(l PausedLink) unit.BitRate { return l.Rate })
	slices.Sort(rates)
	rates = slices.Compact(rates)
	out = make([]delays, len(rates))
	for p := propagation.Lo; p <= propagation.Hi; p++ {
		at := grouped.Each(rates, func(r unit.BitRate) Range { return delayAt(links, r, p) })
		if slices.ContainsFunc(at, func(r Range) bool { return r.Lo > r.Hi }) {
			continue
		}
		for i := range out {
			if !ok {
				out[i] = delays{rate: rates[i], delay: at[i], propagation: Exactly(p)}
			}
			out[i].delay, out[i].propagation.Hi = out[i].delay.join(at[i]), p
		}
		ok = true
	}
	for i := range out {
		for j := range links {
			if links[j].Rate == out[i].rate {
				out[i].from = append(out[i].from, links[j].From)
			}
		}
	}
	return out, ok
}

// delayAt returns the delays that agree with every link of a speed, if a metre takes p picoseconds; an empty range
// without one. What arrives after a pause is the frames that were begun and rate * (2 * cable * p + delay). Without
// drops that was at most the headroom, with drops it was more. A watermark is what arrived, or less if the sender had
// nothing to send: a lower bound.
func delayAt(links []PausedLink, rate unit.BitRate, p int64) Range {
	out := Range{0, NoBound}
	for i := range links {
		l := &links[i]
		if l.Rate != rate {
			continue
		}
		trip := 2 * int64(l.Cable) * p / int64(unit.Metre)
		frames := l.Frames.Or(0)
		switch room := l.Headroom - frames; {
		case l.Drops == 0 && room < 0: // the frames alone are more than the headroom
			return Range{1, 0}
		case l.Drops == 0:
			out.Hi = min(out.Hi, int64(rate.TimeWithin(8*int64(room)))-trip)
		case room >= 0:
			out.Lo = max(out.Lo, int64(rate.TimeWithin(8*int64(room)))+1-trip)
		}
		if mark, read := l.Mark.Get(); read && mark > frames {
			out.Lo = max(out.Lo, int64(rate.TimeWithin(8*int64(mark-frames)))-trip)
		}
	}
	return out
}
