package linkcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// counted returns the priorities that have credits at an end, as far as it is known.
func counted(a, b *End) pfc.Priorities { return a.Credits.Or(0) | b.Credits.Or(0) }

// counting tells whether an end of the link has credits.
func counting(a, b *End) bool { return counted(a, b) != 0 }

// onlyCredits tells whether priorities have credits and none has pauses.
func (r *Result) onlyCredits(a, b *End) bool {
	return counting(a, b) && (r.paused(a)|r.paused(b)) == 0 && a.PFC.IsGiven() && b.PFC.IsGiven()
}

// credits compares the credits of both ends: for which priorities they are, and how packets are counted in them.
func (r *Result) credits(a, b *End) {
	x, first := a.Credits.Get() // none if it is not known
	y, second := b.Credits.Get()
	switch {
	case x|y == 0:
	case !first:
		r.pausedAgainst(b, a, y)
	case !second:
		r.pausedAgainst(a, b, x)
	case x == 0:
		r.creditsAlone(b, a, y, y)
	case y == 0:
		r.creditsAlone(a, b, x, x)
	default:
		if x != y {
			r.channels(a, b, x, y)
		}
		r.accounts(a, b)
		r.virtualChannels(a, b)
	}
}

// pausedAgainst compares an end with credits and one with only its PFC known: a priority that sends pauses has
// no credits. Of the others nothing is known.
func (r *Result) pausedAgainst(with, without *End, credits pfc.Priorities) {
	if paused := credits & r.paused(without); paused != 0 {
		r.creditsAlone(with, without, credits, paused)
	}
}

// paused returns the priorities with PFC in force at an end of the result.
func (r *Result) paused(e *End) pfc.Priorities {
	switch {
	case r.Settled == nil:
		return e.PFC.Or(0)
	case e.Name == r.A:
		return r.Settled.A.Enabled
	}
	return r.Settled.B.Enabled
}

// creditsAlone adds the finding of credits at one end, for those priorities that the other end has without credits.
func (r *Result) creditsAlone(with, without *End, credits, missing pfc.Priorities) {
	r.add("credits-one-end", fmt.Sprintf("%s has credits (CBFC) for %v, %s has %s", with.Name, credits, without.Name,
		r.instead(without, missing)), r.uncounted(with, without, missing), r.agree(with, without, missing))
}

// instead says what an end has for priorities for which it has no credits.
func (r *Result) instead(e *End, missing pfc.Priorities) string {
	var out []string
	paused := missing & r.paused(e)
	if paused != 0 {
		out = append(out, fmt.Sprintf("pauses (PFC) for %v", paused))
	}
	switch lossy := missing &^ paused; {
	case lossy == 0:
	case e.PFC.IsGiven():
		out = append(out, fmt.Sprintf("neither credits nor pauses for %v", lossy))
	default:
		out = append(out, fmt.Sprintf("no credits for %v", lossy))
	}
	return strings.Join(out, " and ")
}

// uncounted says what happens to priorities that have credits at one end alone.
func (r *Result) uncounted(with, without *End, missing pfc.Priorities) string {
	text := fmt.Sprintf("for %v, %s does not say which credits are free, so %s sends nothing once its credits are used; "+
		"%s does not count the credits of %s, which has no room beside them and drops what arrives when they are used",
		missing, without.Name, with.Name, without.Name, with.Name)
	if paused := missing & r.paused(without); paused != 0 {
		text += fmt.Sprintf("; %s neither sends pauses for %v nor obeys those of %s", with.Name, paused, without.Name)
	}
	return text
}

// agree says how both ends become lossless in the same way.
func (r *Result) agree(with, without *End, missing pfc.Priorities) string {
	text := fmt.Sprintf("set lossless: cbfc for %v at %s", missing, without.Name)
	if r.paused(without)&missing == missing {
		return text + fmt.Sprintf(", or lossless: pfc at %s", with.Name)
	}
	return text + fmt.Sprintf(", or use no credits for %v at %s", missing, with.Name)
}

// channels adds the finding of credits at both ends for different priorities.
func (r *Result) channels(a, b *End, x, y pfc.Priorities) {
	message := []string{fmt.Sprintf("%s has %s (CBFC), for priorities %v; %s has %s, for priorities %v", a.Name,
		channelCount(a, x), x, b.Name, channelCount(b, y), y)}
	var what, repair []string
	for _, side := range []struct {
		with, without *End
		missing       pfc.Priorities
	}{{a, b, x &^ y}, {b, a, y &^ x}} {
		if side.missing != 0 {
			message = append(message, side.without.Name+" has "+r.instead(side.without, side.missing))
			what = append(what, r.uncounted(side.with, side.without, side.missing))
			repair = append(repair, r.agree(side.with, side.without, side.missing))
		}
	}
	r.add("credit-channels", strings.Join(message, "; "), strings.Join(what, "; "), strings.Join(repair, "; "))
}

// channelCount prints the number of virtual channels of an end: those that are known, else one for each priority.
func channelCount(e *End, p pfc.Priorities) string {
	if n := cmp.Or(len(e.Channels.List), size(p)); n != 1 {
		return fmt.Sprintf("%d virtual channels", n)
	}
	return "1 virtual channel"
}

// accounts compares how packets are counted in credits. Both ends count each packet for themselves, so they need the
// same credit size and overhead. A credit is at most a cell of the receiver, and the overhead at least what the
// receiver stores with a packet (SAI doc/CBFC, initialization, steps 3 and 5). Each end is a receiver.
func (r *Result) accounts(a, b *End) {
	x, y := a.Account, b.Account
	if x.Validate() != nil || y.Validate() != nil { // not known, see [End.Account]
		return
	}
	var what, follows []string
	if x != y {
		what = append(what, fmt.Sprintf("%s counts packets in %s, %s in %s", a.Name, account(x), b.Name, account(y)))
		follows = append(follows, disagree(a, b))
	}
	for _, side := range []struct{ sender, receiver *End }{{a, b}, {b, a}} {
		s, m := side.sender.Account, side.receiver.Memory
		if m.Cell == 0 {
			continue
		}
		var over []string
		if cell := unit.Bytes(m.Cell); s.Credit > cell {
			over = append(over, fmt.Sprintf("a credit of %s, %v, is larger than a cell of %s, %v", side.sender.Name, s.Credit,
				side.receiver.Name, cell))
		}
		if s.Overhead < m.Overhead {
			over = append(over, fmt.Sprintf("%s counts %v beside each packet, and %s stores %v", side.sender.Name, s.Overhead,
				side.receiver.Name, m.Overhead))
		}
		if len(over) == 0 {
			continue
		}
		if x == y {
			what = append(what, over...)
		} else {
			follows = append(follows, over...)
		}
		follows = append(follows, fmt.Sprintf("packets from %s can take more cells at %s than they have credits, and are "+
			"dropped when its buffer is full", side.sender.Name, side.receiver.Name))
	}
	if len(what) == 0 {
		return
	}
	r.add("credit-account", strings.Join(what, "; "), strings.Join(follows, "; "),
		fmt.Sprintf("set %s at both ends, and plan the credits of both with them: a credit is at most the smaller cell, "+
			"and the overhead at least the larger", account(common(a, b))))
}

// account prints how packets are counted.
func account(x cbfc.Account) string {
	return fmt.Sprintf("credits of %v with %v beside each packet", x.Credit, x.Overhead)
}

// common returns an account that suits both ends as receivers: the smaller cell, and the larger overhead.
func common(a, b *End) cbfc.Account {
	out := cbfc.Account{Credit: min(a.Account.Credit, b.Account.Credit),
		Overhead: max(a.Account.Overhead, b.Account.Overhead)}
	for _, e := range []*End{a, b} {
		if m := e.Memory; m.Cell != 0 {
			out.Credit, out.Overhead = min(out.Credit, unit.Bytes(m.Cell)), max(out.Overhead, m.Overhead)
		}
	}
	return out
}

// disagree says what follows if the ends count packets in other credits, by a packet for which the numbers differ: the
// longest of the link's lossless classes, or the shortest one that both count otherwise.
func disagree(a, b *End) string {
	longest := max(a.LosslessFrame.Or(0), b.LosslessFrame.Or(0), thresholds.MinFrame)
	length := longest
	for n := thresholds.MinFrame; a.Account.Packet(length) == b.Account.Packet(length); n++ {
		if length = n; n > longest {
			return "the ends count some packets otherwise, so credits are lost or given twice"
		}
	}
	return fmt.Sprintf("a packet of %v has %d credits at %s and %d at %s, so their counters of used and free credits "+
		"part with each packet: the sender stops although there is room, or sends what has none", length,
		a.Account.Packet(length), a.Name, b.Account.Packet(length), b.Name)
}

// Channels are the virtual channels of an end.
type Channels struct {
	List []buffer.VirtualChannel // ascending
	Pool cbfc.Pool               // what the end has room for; the profiles are in the order of List
}

// of names the channel of a traffic class.
func (c *Channels) of(traffic int) string {
	i := slices.IndexFunc(c.List, func(vc buffer.VirtualChannel) bool { return vc.Traffic&cbfc.Traffic(traffic) != 0 })
	if i < 0 {
		return noChannel
	}
	return fmt.Sprintf("channel %d", c.List[i].Number)
}

// noChannel is in the place of the channel of a traffic class that is in none.
const noChannel = "none"

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

// virtualChannels compares the maps and the credits of two ends that have credits. Both ends need one map (SAI
// doc/CBFC, initialization: "must be consistent across the network"). Their credits are of two directions: each end
// says what its own buffer has room for. Priorities that have credits at one end alone are a finding of their own.
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
		x, y := a.Channels.of(t), b.Channels.of(t)
		if alone := x == noChannel || y == noChannel; x != y && !(alone && t < pg.PerPort) {
			what = append(what, fmt.Sprintf("traffic class %d in %s and in %s", t, x, y))
		}
	}
	if len(what) == 0 {
		return
	}
	r.add("credit-map", fmt.Sprintf("%s and %s have other maps from traffic class to virtual channel (CBFC): %s", a.Name,
		b.Name, strings.Join(what, "; ")),
		"the sender counts a frame in one channel and the receiver frees its credits in another: those of the "+
			"first do not come back before the next CC_Update, and the second lets the sender send what has no room",
		fmt.Sprintf("set the same channels for these traffic classes at %s and %s: SAI wants the maps to be the "+
			"same in the whole network", a.Name, b.Name))
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
	r.add("credit-limits", fmt.Sprintf("%s and %s have room for other numbers of credits (CBFC): %s", a.Name, b.Name,
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
