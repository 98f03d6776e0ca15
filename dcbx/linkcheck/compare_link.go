package linkcheck

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
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
	f := finding.Finding{
		Code:     frameLength,
		Severity: finding.Warning,
		Message:  fmt.Sprintf("%s has frames of up to %v, %s of up to %v", a.Name, x, b.Name, y),
		Effect: fmt.Sprintf("%s drops frames of more than %v, whatever their class, and no %s prevents it", short.Name,
			least, message),
		Repair: fmt.Sprintf("set the same length at both ends; at %s, plan the %s anew, which grows with the longest frame",
			short.Name, room),
	}
	if sent, ok := long.LosslessFrame.Get(); ok && sent > least {
		f.Severity = finding.Error
		f.Effect = fmt.Sprintf("%s sends lossless frames of up to %v, and %s drops those of more than %v: no %s prevents it",
			long.Name, sent, short.Name, least, message)
	}
	r.add(f)
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
	r.add(r.tooShort(e, sender, finding.Finding{
		Code: losslessFrame,
		Message: fmt.Sprintf("priority %v: %s is planned for lossless frames of up to %v, %s sends up to %v", longer,
			e.Name, planned, sender.Name, sent),
		Repair: fmt.Sprintf("set the mtu of the class to %v at %s, and plan its %s anew; or to %v at %s", sent, e.Name,
			room, planned, sender.Name),
	}, fmt.Sprintf("with frames of %v", sent), e))
}

// cable compares the speed, and the length of the one cable.
func (r *Result) cable(a, b *End) {
	_, room := r.guard(a, b)
	if x, y := a.Rate.Or(0), b.Rate.Or(0); a.Rate.IsGiven() && b.Rate.IsGiven() && x != y {
		r.add(finding.Finding{
			Code:     linkRate,
			Severity: finding.Error,
			Shown:    r.unplanned(a, b),
			Message:  fmt.Sprintf("%s has %v, %s has %v", a.Name, x, b.Name, y),
			Effect: "the link does not come up, or it comes up at a speed for which one end's " + room +
				" was not planned",
			Repair: "plan both ends for the speed of the link",
		})
	}
	x, y := a.Cable.Or(0), b.Cable.Or(0)
	if !a.Cable.IsGiven() || !b.Cable.IsGiven() || x == y {
		return
	}
	short, longest := a, max(x, y)
	if y < x {
		short = b
	}
	r.add(r.tooShort(a, b, finding.Finding{
		Code:    cableLength,
		Message: fmt.Sprintf("one cable: %s has %v, %s has %v", a.Name, x, b.Name, y),
		Repair:  "measure the cable, and plan both ends with its length",
	}, fmt.Sprintf("if the cable has %v", longest), short))
}

// unplanned is what shows a link that comes up faster than it was planned for: its headroom, or its credits, are too
// few. Without lossless priorities nothing shows it.
func (r *Result) unplanned(a, b *End) string {
	switch {
	case r.onlyCredits(a, b):
		return runTooFew
	case (r.paused(a) | r.paused(b)) != 0:
		return tooSmall
	}
	return ""
}

// guard returns the message that makes the link lossless, and the room that it needs: pauses and headroom, or credits
// and their buffer where no priority of either end has pauses.
func (r *Result) guard(a, b *End) (message, room string) {
	if r.onlyCredits(a, b) {
		return "credit", "buffer of credits"
	}
	return "pause", "headroom"
}

// tooShort completes a finding of an end that was planned for a shorter link than the other: if it has pauses, it drops
// frames; with credits alone the link is slower.
func (r *Result) tooShort(a, b *End, f finding.Finding, given string,
	short *End) finding.Finding {
	if r.onlyCredits(a, b) {
		f.Severity, f.Shown = finding.Warning, runTooFew
		f.Effect = fmt.Sprintf("%s, the credits of %s are too few to keep the link full: no frame is dropped, and "+
			"the link is slower", given, short.Name)
		return f
	}
	f.Severity, f.Shown = finding.Error, tooSmall
	f.Effect = fmt.Sprintf("%s, the headroom of %s is too small for the bytes in flight after a pause, and lossless "+
		"frames are dropped", given, short.Name)
	return f
}

// applications compares the priorities of protocols, and whether these have PFC.
func (r *Result) applications(a, b *End) {
	if a.Sent == nil || b.Sent == nil {
		return
	}
	x, y := r.inForce(a, b)
	type key struct {
		how      dcbx.Selector
		protocol uint16
	}
	theirs := map[key]pfc.Priorities{}
	for _, z := range assignments(b) {
		theirs[key{z.Selector, z.Protocol}] |= pfc.Of(int(z.Priority))
	}
	mine := map[key]pfc.Priorities{}
	for _, z := range assignments(a) {
		mine[key{z.Selector, z.Protocol}] |= pfc.Of(int(z.Priority))
	}
	seen := map[key]bool{}
	for _, z := range assignments(a) {
		k := key{z.Selector, z.Protocol}
		if seen[k] {
			continue
		}
		seen[k] = true
		if other, ok := theirs[k]; ok && other != mine[k] && (mine[k]|other)&(x|y) != 0 {
			r.add(finding.Finding{
				Code:     applications,
				Severity: finding.Error,
				Shown:    "application-priority.yaml",
				Message:  fmt.Sprintf("%s has priority %v for %s, %s has %v", a.Name, mine[k], protocol(z), b.Name, other),
				Effect: fmt.Sprintf("its frames are of another class in each direction; PFC is in force for %v at %s and %v at %s",
					x, a.Name, y, b.Name),
				Repair: "give the protocol the same priority at both ends",
			})
		}
	}
}

// assignments returns the priorities of protocols that an end sends.
func assignments(e *End) []dcbx.Assignment {
	if e.Sent.Application == nil {
		return nil
	}
	return e.Sent.Application.Assignments
}

// protocol prints what an assignment is about: "udp 4791".
func protocol(x dcbx.Assignment) string {
	if x.Selector == dcbx.ByEtherType {
		return fmt.Sprintf("%v 0x%04x", x.Selector, x.Protocol)
	}
	return fmt.Sprintf("%v %d", x.Selector, x.Protocol)
}
