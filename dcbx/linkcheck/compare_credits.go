package linkcheck

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
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
	r.add(creditsOneEnd, fmt.Sprintf("%s has credits (CBFC) for %v, %s has %s", with.Name, credits, without.Name,
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
	message := fmt.Sprintf("%s has %s (CBFC), for priorities %v; %s has %s, for priorities %v", a.Name,
		channelCount(a, x), x, b.Name, channelCount(b, y), y)
	var what, repair []string
	for _, side := range []struct {
		with, without *End
		missing       pfc.Priorities
	}{{a, b, x &^ y}, {b, a, y &^ x}} {
		if side.missing != 0 {
			message += fmt.Sprintf("; %s has %s", side.without.Name, r.instead(side.without, side.missing))
			what = append(what, r.uncounted(side.with, side.without, side.missing))
			repair = append(repair, r.agree(side.with, side.without, side.missing))
		}
	}
	r.add(creditChannels, message, strings.Join(what, "; "), strings.Join(repair, "; "))
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
	r.add(creditAccount, strings.Join(what, "; "), strings.Join(follows, "; "),
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
