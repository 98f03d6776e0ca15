package linkcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pg"
)

// This file compares the virtual channels of both ends: which traffic classes are in which, and how many credits each
// has. Both ends need one map (SAI doc/CBFC, initialization: "must be consistent across the network"). Their credits
// are of two directions: each end says what its own buffer has room for.

// Channels are the virtual channels of an end.
type Channels struct {
	List []buffer.VirtualChannel // ascending
	Pool cbfc.Pool               // what the end has room for; the profiles are in the order of List
}

// of returns the channel of a traffic class; false if the class is in none.
func (c *Channels) of(traffic int) (int, bool) {
	i := slices.IndexFunc(c.List, func(vc buffer.VirtualChannel) bool { return vc.Traffic&cbfc.Traffic(traffic) != 0 })
	if i < 0 {
		return 0, false
	}
	return c.List[i].Number, true
}

// traffic returns the traffic classes that are in a channel.
func (c *Channels) traffic() (all cbfc.TrafficClasses) {
	for _, vc := range c.List {
		all |= vc.Traffic
	}
	return all
}

// profile returns the place of a channel in the pool; -1 if the end does not have it.
func (c *Channels) profile(number int) int {
	return slices.IndexFunc(c.List, func(vc buffer.VirtualChannel) bool { return vc.Number == number })
}

// effective returns the profile of a channel. A limit on shared credits has no effect without shared credits.
func (c *Channels) effective(i int) cbfc.Profile {
	p := c.Pool.Profiles[i]
	if c.Pool.Shared() == 0 {
		return cbfc.Profile{Reserved: p.Reserved}
	}
	return p
}

// virtualChannels compares the maps and the credits of two ends that have credits. Priorities that have credits at one
// end alone are a finding of their own.
func (r *Result) virtualChannels(a, b *End) {
	if len(a.Channels.List) == 0 || len(b.Channels.List) == 0 {
		return
	}
	r.channelMap(a, b)
	if alikeLinks(a, b) {
		r.limits(a, b)
	}
}

// alikeLinks tells whether the numbers of credits of two ends can be compared: other credits cannot, and another speed,
// length, measurement or frame needs other numbers.
func alikeLinks(a, b *End) bool {
	return a.Account == b.Account && a.Rate == b.Rate && a.Cable == b.Cable && a.MaxFrame == b.MaxFrame &&
		a.LosslessFrame == b.LosslessFrame && a.Measured.OneWay() == b.Measured.OneWay()
}

// channelMap adds the finding of a traffic class that is in other channels.
func (r *Result) channelMap(a, b *End) {
	var what []string
	one := a.Channels.traffic() | b.Channels.traffic()
	for _, t := range one.List() {
		x, first := a.Channels.of(t)
		y, second := b.Channels.of(t)
		if first == second && x == y || first != second && t < pg.PerPort {
			continue
		}
		what = append(what, fmt.Sprintf("traffic class %d in %s and in %s", t, channelText(x, first), channelText(y, second)))
	}
	if len(what) == 0 {
		return
	}
	r.add(creditMap, fmt.Sprintf("%s and %s have other maps from traffic class to virtual channel (CBFC): %s", a.Name,
		b.Name, strings.Join(what, "; ")),
		"the sender counts a frame in one channel and the receiver frees its credits in another: those of the "+
			"first do not come back before the next CC_Update, and the second lets the sender send what has no room",
		fmt.Sprintf("set the same channels for these traffic classes at %s and %s: SAI wants the maps to be the "+
			"same in the whole network", a.Name, b.Name))
}

// channelText names a channel, or says that the end has none.
func channelText(number int, there bool) string {
	if !there {
		return "none"
	}
	return fmt.Sprintf("channel %d", number)
}

// limits adds the finding of channels with other credits. Nothing is lost by it, if each sender has the profile of the
// other end: the directions of the link are of different speed when frames wait.
func (r *Result) limits(a, b *End) {
	var what []string
	for i, vc := range a.Channels.List {
		k := b.Channels.profile(vc.Number)
		if k < 0 || a.Channels.effective(i) == b.Channels.effective(k) &&
			a.Channels.Pool.Alone(i) == b.Channels.Pool.Alone(k) {
			continue
		}
		what = append(what, fmt.Sprintf("channel %d: %s at %s, %s at %s", vc.Number, profileText(&a.Channels.Pool, i), a.Name,
			profileText(&b.Channels.Pool, k), b.Name))
	}
	if len(what) == 0 {
		return
	}
	r.add(creditLimits, fmt.Sprintf("%s and %s have room for other numbers of credits (CBFC): %s", a.Name, b.Name,
		strings.Join(what, "; ")),
		fmt.Sprintf("no frame is lost as long as %s sends by the credits of %s, and %s by those of %s; the "+
			"direction with fewer is slower when frames wait", a.Name, b.Name, b.Name, a.Name),
		fmt.Sprintf("plan the same reserved, limit and shared_credits at %s and %s, or set at each sender the "+
			"profile of the other end", a.Name, b.Name))
}

// profileText says how many credits a channel has.
func profileText(p *cbfc.Pool, i int) string {
	c := &p.Profiles[i]
	switch c.Mode {
	case cbfc.UpTo:
		return fmt.Sprintf("%d reserved and at most %d of %d shared ones", c.Reserved, c.Most, p.Shared())
	case cbfc.Dynamic:
		return fmt.Sprintf("%d reserved and 2^%d of the free ones of %d shared", c.Reserved, c.N, p.Shared())
	}
	return fmt.Sprintf("%d reserved", c.Reserved)
}
