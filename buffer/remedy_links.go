package buffer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// fewerPorts finds ports that fit where they are: those that the refused plan
// admits, or the first ones if these are more.
func (x *seeker) fewerPorts(in Intent) (Remedy, bool) {
	kept := in.onlyPorts(func(i int, a *Admission) bool { return a.ports[i].short.Fits() })
	if n := x.mostPorts(in); n > len(kept.Ports) || !x.fits(kept) {
		kept = in.onlyPorts(func(i int, _ *Admission) bool { return i < n })
	}
	n, all := len(kept.Ports), len(in.Ports)
	if n == 0 {
		return Remedy{}, false
	}
	names := make([]string, n)
	for i := range kept.Ports {
		names[i] = kept.Ports[i].Name
	}
	where := ""
	if !x.fits(kept.replaced(in)) {
		where = ", each with its pipe given as this plan has it"
	}
	r, ok := remedy("ports", n, "fewer ports: %d of %d fit where they are, %d fewer: %s%s", n, all, all-n,
		FoldPorts(names), where)
	r.Keep = names
	return r, ok
}

// onlyPorts returns the intent with some of its ports, each with the pipe that it has among all of them.
func (in *Intent) onlyPorts(keep func(i int, a *Admission) bool) Intent {
	out := *in
	out.Ports = nil
	a, err := NewAdmission(*in)
	if err != nil {
		return out
	}
	for i, p := range in.Ports {
		if keep(i, a) {
			p.Pipe = new(a.ports[i].pipe)
			out.Ports = append(out.Ports, p)
		}
	}
	return out
}

// replaced returns the intent with its ports as they are in another one: without pipes that were assumed.
func (in *Intent) replaced(other Intent) Intent {
	out := *in
	out.Ports = slices.Clone(in.Ports)
	for i := range out.Ports {
		k := slices.IndexFunc(other.Ports, func(p Port) bool { return p.Name == out.Ports[i].Name })
		out.Ports[i].Pipe = other.Ports[k].Pipe
	}
	return out
}

// mostPorts returns how many of the first ports, but not all, fit as they are.
func (x *seeker) mostPorts(in Intent) int {
	all := in.Ports
	return exact.Last(0, len(all), func(n int) bool {
		in.Ports = all[:n]
		return x.fits(in)
	})
}

// shorterCable finds the longest cable with which all ports fit.
func (x *seeker) shorterCable(in Intent) (Remedy, bool) {
	best, ok := x.longestCable(in)
	if !ok {
		return Remedy{}, false
	}
	return remedy("cable", best, "shorter cable: none longer than %v, instead of up to %v", best, in.longest())
}

// fewerAndShorter is for plans that shorter cables alone do not make fit. It halves the number of ports until some
// length of cable makes the rest fit. It gives up when fewer ports would be left than fit with the cables as they are.
func (x *seeker) fewerAndShorter(in Intent) (Remedy, bool) {
	if _, alone := x.longestCable(in); alone {
		return Remedy{}, false
	}
	all, enough := in.Ports, x.mostPorts(in)
	for n := len(all) / 2; n > enough; n /= 2 {
		in.Ports = all[:n]
		if best, ok := x.longestCable(in); ok {
			return remedy("ports and cable", fmt.Sprintf("%d, %v", n, best),
				"fewer ports and shorter cable: the first %d of %d, with none longer than %v", n, len(all), best)
		}
	}
	return Remedy{}, false
}

// longest returns the length of the longest cable.
func (in *Intent) longest() unit.Length {
	return slices.MaxFunc(in.Ports, func(a, b Port) int { return cmp.Compare(a.Cable, b.Cable) }).Cable
}

// capped returns the intent with every cable cut to at most l.
func (in *Intent) capped(l unit.Length) Intent {
	trial := *in
	trial.Ports = slices.Clone(in.Ports)
	for i := range trial.Ports {
		trial.Ports[i].Cable = min(trial.Ports[i].Cable, l)
	}
	return trial
}

// longestCable finds the greatest length, shorter than the longest cable, to which all longer cables may be cut: in
// whole metres, or among the lengths that a headroom table has.
func (x *seeker) longestCable(in Intent) (unit.Length, bool) {
	longest := in.longest()
	if sizes, ok := in.Sizing.(thresholds.Discrete); ok {
		for _, cable := range slices.Backward(sizes.Cables()) {
			if cable < longest && x.fits(in.capped(cable)) {
				return cable, true
			}
		}
		return 0, false
	}
	if longest == 0 || !x.fits(in.capped(0)) {
		return 0, false
	}
	metres := exact.Last(0, (longest-1)/unit.Metre+1,
		func(m unit.Length) bool { return x.fits(in.capped(m * unit.Metre)) })
	return metres * unit.Metre, true
}

// smallerFrames finds the longest frame that the ports could have, in steps of one byte. Frames of every class count:
// the pause frame waits behind one of any class, and the frames of the lossless class fill the headroom.
func (x *seeker) smallerFrames(in Intent) (Remedy, bool) {
	longest := slices.MaxFunc(in.Ports, func(a, b Port) int { return cmp.Compare(a.MTU, b.MTU) }).MTU
	least := thresholds.MinFrame
	if s, ok := in.Sizing.(thresholds.Framed); ok { // the method refuses shorter ones
		least = max(least, s.LongestFrame())
	}
	if longest <= least || !x.fits(in.framed(least)) {
		return Remedy{}, false
	}
	best := exact.Last(least, longest, func(b unit.Bytes) bool { return x.fits(in.framed(b)) })
	return remedy("mtu", best, "smaller frames: an MTU of at most %v, instead of up to %v", best, longest)
}

// framed returns the intent with frames of at most b bytes on every port and in every class.
func (in *Intent) framed(b unit.Bytes) Intent {
	trial := *in
	trial.Ports, trial.Classes = slices.Clone(in.Ports), slices.Clone(in.Classes)
	for i := range trial.Ports {
		trial.Ports[i].MTU = min(trial.Ports[i].MTU, b)
	}
	for i := range trial.Classes {
		trial.Classes[i].MTU = min(trial.Classes[i].MTU, b)
	}
	return trial
}

// conformingEnds takes the delays of both ends from the standard, where the plan has more: nothing that a conforming
// link can bring is lost by that.
func (x *seeker) conformingEnds(in Intent) (Remedy, bool) {
	m, ok := in.Sizing.(thresholds.IEEE)
	if !ok || m.Delays.Sum == thresholds.SumOfEnds || m.Delays.EveryInterface.IsGiven() {
		return Remedy{}, false
	}
	was := m.Delays.Sum
	m.Delays.Sum = thresholds.SumOfEnds
	if in.Sizing = m; !x.fits(in) {
		return Remedy{}, false
	}
	return remedy("headroom.delays", m.Delays.Sum, "delays of a conforming link: %v, which is the worst case, instead "+
		"of %v", m.Delays.Sum, was)
}

// longerFrames finds the shortest frame from which on it fits, if the lossless classes send no shorter ones.
func (x *seeker) longerFrames(in Intent) (Remedy, bool) {
	m, ok := in.Sizing.(thresholds.IEEE)
	if !ok || m.Mix.Shares != [len(m.Mix.Shares)]thresholds.FrameShare{} || m.Mix.WithoutGap {
		return Remedy{}, false
	}
	now, most := max(m.Mix.From, thresholds.MinFrame), longestLossless(in)
	with := func(size unit.Bytes) Intent {
		m.Mix = thresholds.FramesFrom(size)
		in.Sizing = m
		return in
	}
	// Fewer kinds of frames never need more cells, so what fits from a size on fits from every longer one on.
	n := exact.Last(0, most-now+1, func(n unit.Bytes) bool { return x.fits(with(most + 1 - n)) })
	if n == 0 {
		return Remedy{}, false
	}
	size := most + 1 - n
	return remedy("headroom.frame", thresholds.FramesFrom(size),
		"longer frames: it fits for frames of %v and more, if the lossless classes send no shorter ones (headroom: frame: "+
			"%v)", size, thresholds.FramesFrom(size))
}

// longestLossless returns the longest frame that all lossless classes send on every port that has one; 0 if none has.
func longestLossless(in Intent) (longest unit.Bytes) {
	for i := range in.Ports {
		for j := range in.Classes {
			if c, p := &in.Classes[j], &in.Ports[i]; c.Lossless && !c.CreditsOn(p) && p.Classes.Has(j) {
				if n := c.Frame(p); longest == 0 || n < longest {
					longest = n
				}
			}
		}
	}
	return longest
}

// fasterSenders finds the longest response time of the senders with which it fits, in whole nanoseconds. A link whose
// response time is given keeps it.
func (x *seeker) fasterSenders(in Intent) (Remedy, bool) {
	m, ok := in.Sizing.(thresholds.IEEE)
	if !ok {
		return Remedy{}, false
	}
	var most unit.Time
	for i := range in.Ports {
		p := &in.Ports[i]
		if r, err := m.Delays.ResponseOf(p.Link(p.MTU)); err == nil && !p.Response.IsGiven() {
			most = max(most, p.Rate.TimeFor(r.BitTimes))
		}
	}
	with := func(ns unit.Time) Intent {
		m.Delays.EveryResponse = unit.Given(ns * unit.Nanosecond)
		in.Sizing = m
		return in
	}
	if most < unit.Nanosecond || !x.fits(with(0)) {
		return Remedy{}, false
	}
	to := unit.Nanosecond * exact.Last(0, (most-1)/unit.Nanosecond+1, func(ns unit.Time) bool { return x.fits(with(ns)) })
	return remedy("headroom.response_delay", to, "faster senders: a response of at most %v to a pause frame at the "+
		"other end of every link, instead of up to %v (headroom: response_delay)", to, most)
}
