package linkcheck

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// frames compares the longest frames.
func (r *Result) frames(a, b *End) {
	x, first := a.MaxFrame.Get()
	y, second := b.MaxFrame.Get()
	if !first || !second || x == y {
		return
	}
	message, room := r.guard(a, b)
	long, short, least := a, b, min(x, y)
	if y > x {
		long, short = b, a
	}
	sent := long.LosslessFrame.Or(0)
	f := r.add("mtu", fmt.Sprintf("%s has frames of up to %v, %s of up to %v", a.Name, x, b.Name, y),
		fmt.Sprintf("%s sends lossless frames of up to %v, and %s drops those of more than %v: no %s prevents it", long.Name,
			sent, short.Name, least, message),
		fmt.Sprintf("set the same length at both ends; at %s, plan the %s anew, which grows with the longest frame",
			short.Name, room))
	if sent <= least {
		f.Severity = finding.Warning
		f.Effect = fmt.Sprintf("%s drops frames of more than %v, whatever their class, and no %s prevents it", short.Name,
			least, message)
	}
}

// losslessFrames finds priorities of which the other end sends longer frames than an end is planned for. A sender that
// has begun a frame ends it after the pause, so that the headroom grows with the longest frame of the sender. Frames
// that the port does not accept are dropped anyway: frames says so.
func (r *Result) losslessFrames(e, sender *End) {
	var longer pfc.Priorities
	planned, sent := unit.Bytes(0), unit.Bytes(0)
	for q, mine := range e.Frames {
		if arrives := min(sender.Frames[q], e.MaxFrame.Or(sender.Frames[q])); mine > 0 && arrives > mine {
			if longer == 0 || arrives-mine > sent-planned {
				planned, sent = mine, arrives
			}
			longer |= pfc.Of(q)
		}
	}
	if longer == 0 {
		return
	}
	_, room := r.guard(e, sender)
	r.tooShort(e, sender, e, "lossless-mtu", fmt.Sprintf("with frames of %v", sent),
		fmt.Sprintf("priority %v: %s is planned for lossless frames of up to %v, %s sends up to %v", longer, e.Name, planned,
			sender.Name, sent),
		fmt.Sprintf("set the mtu of the class to %v at %s, and plan its %s anew; or to %v at %s", sent, e.Name, room, planned,
			sender.Name))
}

// cable compares the speed, and the length of the one cable.
func (r *Result) cable(a, b *End) {
	if x, y := a.Rate.Or(0), b.Rate.Or(0); a.Rate.IsGiven() && b.Rate.IsGiven() && x != y {
		_, room := r.guard(a, b)
		f := r.add("rate", fmt.Sprintf("%s has %v, %s has %v", a.Name, x, b.Name, y),
			"the link does not come up, or it comes up at a speed for which one end's "+room+" was not planned",
			"plan both ends for the speed of the link")
		// The headroom, or the credits, are too few for a link that comes up faster than it was planned for. Without
		// lossless priorities nothing shows it.
		switch {
		case r.onlyCredits(a, b):
			f.Shown = runTooFew
		case r.paused(a)|r.paused(b) == 0:
			f.Shown = ""
		}
	}
	x, y := a.Cable.Or(0), b.Cable.Or(0)
	if !a.Cable.IsGiven() || !b.Cable.IsGiven() || x == y {
		return
	}
	short, longest := a, max(x, y)
	if y < x {
		short = b
	}
	r.tooShort(a, b, short, "cable", fmt.Sprintf("if the cable has %v", longest),
		fmt.Sprintf("one cable: %s has %v, %s has %v", a.Name, x, b.Name, y),
		"measure the cable, and plan both ends with its length")
}

// guard returns the message that makes the link lossless, and the room that it needs: pauses and headroom, or credits
// and their buffer where no priority of either end has pauses.
func (r *Result) guard(a, b *End) (message, room string) {
	if r.onlyCredits(a, b) {
		return "credit", "buffer of credits"
	}
	return "pause", "headroom"
}

// tooShort adds the finding of an end that was planned for a shorter link than the other: if it has pauses, it drops
// frames; with credits alone the link is slower.
func (r *Result) tooShort(a, b, short *End, code finding.Code, given, message, repair string) {
	f := r.add(code, message, fmt.Sprintf("%s, the headroom of %s is too small for the bytes in flight after a pause, "+
		"and lossless frames are dropped", given, short.Name), repair)
	if r.onlyCredits(a, b) {
		f.Severity, f.Shown = finding.Warning, runTooFew
		f.Effect = fmt.Sprintf("%s, the credits of %s are too few to keep the link full: no frame is dropped, and "+
			"the link is slower", given, short.Name)
	}
}

// applications compares the priorities of protocols, and whether these have PFC.
func (r *Result) applications(a, b *End) {
	if a.Sent == nil || b.Sent == nil {
		return
	}
	x, y := r.inForce(a, b)
	mine, theirs := assignments(a), assignments(b)
	for protocol, one := range mine.All() {
		if other := *theirs.Of(protocol); other != 0 && other != *one && (*one|other)&(x|y) != 0 {
			r.add("application", fmt.Sprintf("%s has priority %v for %s, %s has %v", a.Name, *one, protocol, b.Name, other),
				fmt.Sprintf("its frames are of another class in each direction; PFC is in force for %v at %s and %v at %s", x,
					a.Name, y, b.Name),
				"give the protocol the same priority at both ends")
		}
	}
}

// assignments returns the priorities of protocols that an end sends, by what the protocol is: "udp 4791".
func assignments(e *End) (out grouped.By[string, pfc.Priorities]) {
	if e.Sent.Application == nil {
		return out
	}
	for _, x := range e.Sent.Application.Assignments {
		form := "%v %d"
		if x.Selector == dcbx.ByEtherType {
			form = "%v 0x%04x"
		}
		*out.Of(fmt.Sprintf(form, x.Selector, x.Protocol)) |= pfc.Of(int(x.Priority))
	}
	return out
}

// measured compares the measured round trips of the one cable. Both are there and back, so that they are the same
// quantity whichever end measures. A difference above both uncertainties together cannot be chance.
func (r *Result) measured(a, b *End) {
	if !a.Measured.IsGiven() || !b.Measured.IsGiven() {
		r.measuredAgainstLength(a, b)
		r.measuredAgainstLength(b, a)
		return
	}
	long, short := a, b
	if b.Measured.RoundTrip > a.Measured.RoundTrip {
		long, short = b, a
	}
	x, y := long.Measured, short.Measured
	if x.RoundTrip-y.RoundTrip <= x.Uncertainty+y.Uncertainty {
		return
	}
	r.tooShort(a, b, short, "measured-delay", fmt.Sprintf("if the round trip is %v", x.RoundTrip),
		fmt.Sprintf("one cable: %s has %v, %s has %v", long.Name, x, short.Name, y),
		"measure again, and plan both ends with the same measurement")
}

// measuredAgainstLength finds a measurement at one end that the length of the cable at the other end excludes.
func (r *Result) measuredAgainstLength(with, other *End) {
	length, known := other.Cable.Get()
	if !known || !with.Measured.IsGiven() {
		return
	}
	impossible, _ := with.Measured.Against(length, thresholds.Fibre)
	if impossible == "" {
		return
	}
	r.tooShort(with, other, with, "measured-delay", fmt.Sprintf("no signal takes %s; if the length is right", impossible),
		fmt.Sprintf("one cable: %s has %v, %s has %v", with.Name, with.Measured, other.Name, length),
		"measure again, or correct the length")
}
