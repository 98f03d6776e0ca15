package golden

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the credits of ports (CBFC), in the slow model and at random.

// counted tells whether a class has credits on a port.
func counted(c buffer.Class, p buffer.Port) bool { return c.Credits || c.Lossless && p.Credits }

// HasCredits tells whether a class of a port has credits there.
func HasCredits(in buffer.Intent, p buffer.Port) bool {
	for i, c := range in.Classes {
		if counted(c, p) && carried(p, i) {
			return true
		}
	}
	return false
}

// credited lists the reserved credits of a port's virtual channels, by number.
func credited(in buffer.Intent, p buffer.Port) map[int]cells.Count {
	out := map[int]cells.Count{}
	for i, c := range in.Classes {
		if !carried(p, i) || !counted(c, p) || reclaimed(in, p) {
			continue
		}
		each, _ := creditsOf(in, c, p)
		in := map[int]int{} // the channel of each traffic class
		for _, priority := range c.Priorities {
			in[priority] = priority
		}
		for _, a := range c.Channels {
			in[a.Traffic] = a.Channel
		}
		for _, number := range in {
			out[number] = each
		}
	}
	return out
}

// creditsOf is the reserved credits of each channel of a class on a port; false if it states none and how many keep the
// link full is not known, or is more than 20 bits hold.
func creditsOf(in buffer.Intent, c buffer.Class, p buffer.Port) (cells.Count, bool) {
	if bytes, given := c.Reserved.Get(); given {
		return holding(in, bytes), true
	}
	longest := c.MTU
	if longest == 0 || longest > p.MTU {
		longest = p.MTU
	}
	vc := cbfc.Channel{Link: p.Link(longest), Memory: in.Chip.Memory()}
	if s, ok := in.Sizing.(thresholds.IEEE); ok {
		vc.Delays, vc.Frame = s.Delays, s.Mix.Frame()
	} else if s, ok := in.Sizing.(thresholds.Framed); ok {
		vc.Frame = s.LongestFrame()
	}
	full, err := cbfc.Size(vc)
	return full.Cells, err == nil && full.Cells <= cells.Count(cbfc.MaxLimit)
}

// grantCredits moves the cells behind a port's credits, channel by channel, and then those behind the credits that the
// channels share.
func (m *model) grantCredits(s int, pile *Slice, p buffer.Port) Answer {
	channels := credited(m.in, p)
	for _, number := range slices.Sorted(maps.Keys(channels)) {
		missing := take(pile, &pile.Reserved, channels[number], m.floors[s], m.reservedInSize())
		if missing > 0 {
			return Answer{Reason: buffer.NoCreditCells, Slice: s, Group: number, Missing: missing}
		}
	}
	shared := holding(m.in, p.SharedCredits)
	if missing := take(pile, &pile.Reserved, shared, m.floors[s], m.reservedInSize()); missing > 0 {
		return Answer{Reason: buffer.NoSharedCredits, Slice: s, Missing: missing}
	}
	return Answer{}
}

// giveCredits draws credits for some of the classes that lose nothing, and shared ones for some of the ports. What it
// draws depends on the intent alone, so an intent without credits is what its seed always gave.
func giveCredits(in *buffer.Intent) {
	rng := rand.New(rand.NewPCG(uint64(in.Ports[0].Cable)+uint64(in.Ports[0].Rate), uint64(len(in.Ports))))
	for i := range in.Ports {
		in.Ports[i].Credits, in.Ports[i].SharedCredits = false, 0
	}
	if !odds(rng, 30) {
		return
	}
	free := rng.Perm(cbfc.MaxChannels)
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Lossless && odds(rng, 60) {
			c.Lossless, c.Credits, c.XONOffset = false, true, unit.Optional[unit.Bytes]{}
			randomShare(rng, unit.Bytes(in.Chip.Cell), c)
			free = randomChannels(rng, c, free)
		}
	}
	credits := pick(rng, in.Ports...).Cable // ports of this length have credits for the other lossless classes too
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Lossless && (c.Alpha == nil || *c.Alpha < cbfc.LeastN || *c.Alpha > cbfc.MostN) {
			credits = -1
		} else if c.Lossless {
			free = randomChannels(rng, c, free)
		}
	}
	shared := pick(rng, 0, 1, unit.Bytes(in.Chip.Cell)+1, upTo(rng, 300*unit.Bytes(in.Chip.Cell)))
	for i := range in.Ports {
		p := &in.Ports[i]
		if p.Credits = p.Cable == credits; HasCredits(*in, *p) {
			p.SharedCredits = shared
		}
	}
	for i := range in.Classes {
		for _, p := range in.Ports {
			if c := &in.Classes[i]; counted(*c, p) {
				if n, known := creditsOf(*in, *c, p); !known || n > 1<<14 { // 32 channels of that size are below 20 bits
					c.Reserved = unit.Given(upTo(rng, 200*unit.Bytes(in.Chip.Cell)))
				}
			}
		}
	}
}

// randomShare draws a limit on shared credits: none, static or dynamic.
func randomShare(rng *rand.Rand, cell unit.Bytes, c *buffer.Class) {
	c.Alpha, c.StaticLimit = nil, 0
	switch rng.IntN(3) {
	case 0:
		c.Alpha = new(thresholds.Alpha(cbfc.LeastN + rng.IntN(cbfc.MostN-cbfc.LeastN+1)))
	case 1:
		c.StaticLimit = cell + upTo(rng, 200*cell)
	}
}

// randomChannels puts the traffic classes of a class into channels that are still free, some of them together, and
// returns those that are left. All priorities are named, because one that is not has the channel of its number.
func randomChannels(rng *rand.Rand, c *buffer.Class, free []int) []int {
	c.Channels = nil
	use := func(traffic, channel int) {
		c.Channels = append(c.Channels, cbfc.Assignment{Traffic: traffic, Channel: channel})
	}
	for _, p := range slices.Sorted(slices.Values(c.Priorities)) {
		if use(p, free[0]); len(free) > 12 && odds(rng, 70) {
			free = free[1:]
		}
	}
	free = free[1:]
	for range rng.IntN(4) {
		if len(free) > 8 {
			use(8+free[0], free[0])
			free = free[1:]
		}
	}
	return free
}
