package linkcheck

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
)

// Compare compares two ends of a link.
func Compare(a, b *End) Result {
	r := Result{A: a.Name, B: b.Name, Settled: settle(a, b)}
	r.aspects(a, b)
	r.neighbours(a, b)
	x, y := r.inForce(a, b)
	r.alone(a, x)
	r.alone(b, y)
	r.flowControl(a, b)
	r.credits(a, b)
	r.classification(a, b)
	r.frames(a, b)
	r.losslessFrames(a, b)
	r.losslessFrames(b, a)
	r.bandwidths(a, b)
	r.cable(a, b)
	r.measured(a, b)
	r.applications(a, b)
	slices.SortStableFunc(r.Findings,
		func(x, y finding.Finding) int { return strings.Compare(string(x.Severity), string(y.Severity)) })
	r.Keep(r.Findings)
	return r
}

// add adds a finding with the severity of its code and the first scenario that shows it; the caller changes what is
// otherwise in its case. Its object is the link, and its values are its message, which has those of both ends.
func (r *Result) add(code finding.Code, message, effect, repair string) *finding.Finding {
	m := codes.About(code)
	f := finding.Finding{Code: code, Severity: m.Severity, Certain: m.Certain, Object: r.A + " and " + r.B,
		Values: message, Message: message, Effect: effect, Repair: repair}
	if len(m.Shown) > 0 {
		f.Shown = m.Shown[0]
	}
	r.Findings = append(r.Findings, f)
	return &r.Findings[len(r.Findings)-1]
}

// CreditsAspect is the aspect of a [Gap] where an end has credits, and nothing says whether the other has.
const CreditsAspect = "credits"

// flowAspect is the aspect of PFC.
const flowAspect = "PFC"

// aspects notes what both ends say something of, and what they do not.
func (r *Result) aspects(a, b *End) {
	credited := a.Credits.Or(0) != 0 && b.Credits.Or(0) != 0
	// The longest frames of lossless classes decide about the headroom of the other end. An end without such classes has
	// none to compare.
	lossless := (a.LosslessFrame.IsGiven() || b.LosslessFrame.IsGiven()) && !lossy(a) && !lossy(b)
	for _, x := range []struct {
		name  string
		asked bool
		knows func(e *End) bool
	}{
		{flowAspect, true, func(e *End) bool { return e.PFC.IsGiven() }},
		{CreditsAspect, counting(a, b), func(e *End) bool { return e.Credits.IsGiven() }},
		{"channel map", credited, func(e *End) bool { return len(e.Channels.List) > 0 }},
		{"credits of each channel", credited && alikeLinks(a, b), func(e *End) bool { return len(e.Channels.List) > 0 }},
		{"credit size", credited, func(e *End) bool { return e.Account.Validate() == nil }},
		{"classification", true, func(e *End) bool { return e.Trust != pg.TrustUnknown }},
		{"longest lossless frames", lossless, func(e *End) bool { return e.LosslessFrame.IsGiven() }},
		{"longest frame", true, func(e *End) bool { return e.MaxFrame.IsGiven() }},
		{"bandwidths", true, func(e *End) bool { return e.Shares.IsGiven() }},
		{"speed", true, func(e *End) bool { return e.Rate.IsGiven() }},
		{"cable", true, func(e *End) bool { return e.Cable.IsGiven() }},
		// A measurement is an extra: without one, the length of the cable is compared.
		{"measured delay", a.Measured.IsGiven() || b.Measured.IsGiven(), func(e *End) bool { return e.Measured.IsGiven() }},
		{"willing", true, func(e *End) bool { flow, _ := e.Willing(); return flow.IsGiven() }},
	} {
		var not []string
		for _, e := range []*End{a, b} {
			if !x.knows(e) {
				not = append(not, e.Name)
			}
		}
		switch {
		case !x.asked:
		case len(not) == 0:
			r.Compared = append(r.Compared, x.name)
		default:
			r.Unknown = append(r.Unknown, Gap{x.name, not})
		}
	}
}

// lossy tells whether an end is known to have no lossless priority.
func lossy(e *End) bool {
	enabled, known := e.PFC.Get()
	return known && enabled|e.Credits.Or(0) == 0
}

// neighbours finds links on which DCBX cannot work.
func (r *Result) neighbours(a, b *End) {
	if n := max(a.Neighbours, b.Neighbours); n > 2 {
		f := r.add("several-peers", fmt.Sprintf("%d ports send LLDP on the link of %s and %s", n, a.Name, b.Name),
			"DCBX needs one neighbour: with several, each port keeps its own configuration, and CEE turns PFC off",
			"connect two ports and nothing else, or turn LLDP off at the devices between them")
		if !speaksCEE(a) && !speaksCEE(b) {
			f.Shown = ""
		}
	}
	if a.Sent == nil || b.Sent == nil {
		return
	}
	x, y := a.Sent.Version(), b.Sent.Version()
	if x != y && x != dcbx.NoVersion && y != dcbx.NoVersion {
		older := b
		if x < y {
			older = a
		}
		r.add("version", fmt.Sprintf("%s speaks %v, %s speaks %v", a.Name, x, b.Name, y),
			"the ends do not understand each other: an IEEE port keeps its own PFC, and a CEE port turns PFC off",
			fmt.Sprintf("set the same version at both, best IEEE 802.1Qaz at %s", older.Name))
	}
}

// speaksCEE tells whether an end sends CEE.
func speaksCEE(e *End) bool { return e.Sent != nil && e.Sent.Version() == dcbx.CEEVersion }

// alone finds what is wrong at one end by itself, where these priorities have PFC.
func (r *Result) alone(e *End, enabled pfc.Priorities) {
	if e.Sent != nil && len(e.Sent.Unusable) > 0 {
		r.add("unusable", fmt.Sprintf("%s sends what cannot be used: %s", e.Name, strings.Join(e.Sent.Unusable, "; ")),
			"the other end ignores it, as if it were not sent",
			"update the software of "+e.Name+", or turn these TLVs off")
	}
	s, ok := e.Shares.Get()
	if !ok || !s.Grouped {
		return
	}
	// Priorities with credits wait for the neighbour as those with PFC do.
	enabled, kind := enabled|e.Credits.Or(0), "PFC"
	if e.Credits.Or(0) != 0 {
		kind = "PFC or credits"
	}
	groups, mixed := map[uint8]pfc.Priorities{}, pfc.Priorities(0)
	for p, g := range s.Group {
		groups[g] |= pfc.Of(p)
	}
	for _, set := range groups { // all priorities in one group: bandwidths are not configured
		if len(groups) > 1 && set&enabled != 0 && set&^enabled != 0 {
			mixed |= set
		}
	}
	if mixed != 0 {
		r.add("mixed-class", fmt.Sprintf("%s has priorities with %s (%v) and without (%v) in one group", e.Name, kind,
			mixed&enabled, mixed&^enabled), "they share one bandwidth: while the priorities with "+kind+
			" are busy, the others starve, or the reverse", "give the priorities with "+kind+" a group of their own")
	}
	if n, known := e.Classes.Get(); known && len(groups) > n {
		r.add("traffic-classes", fmt.Sprintf("%s uses %d groups and supports %d traffic classes", e.Name, len(groups), n),
			"some groups share a queue, and its bandwidth and pauses", fmt.Sprintf("use at most %d groups at %s", n, e.Name))
	}
}

// size is the number of priorities of a set.
func size(p pfc.Priorities) int { return bits.OnesCount8(uint8(p)) }

// Verdict is what is known of a link after comparing its ends.
type Verdict string

// The states.
const (
	Same    Verdict = "same"    // no finding, and PFC was compared, and credits if an end has them
	Differ  Verdict = "differ"  // there are findings
	Unknown Verdict = "unknown" // no finding, but the PFC of an end, or credits beside those of the other, are not known
)

// Gap is something that could not be compared.
type Gap struct {
	Aspect string
	Ends   []string // the ends that do not say it
}

// Result is what comparing two ends gave.
type Result struct {
	A, B     string // names
	State    Verdict
	Findings []finding.Finding // errors first
	Compared []string          // aspects about which both ends say something
	Unknown  []Gap
	// Settled is what is in force after the ends have negotiated; nil unless both send DCBX.
	Settled *Settled
}

// Keep keeps these findings and no others, such as those that a baseline does not accept, and says what is then known
// of the link.
func (r *Result) Keep(findings []finding.Finding) {
	r.Findings = findings
	switch {
	case len(findings) > 0:
		r.State = Differ
	case slices.Contains(r.Compared, flowAspect) &&
		!slices.ContainsFunc(r.Unknown, func(g Gap) bool { return g.Aspect == CreditsAspect }):
		r.State = Same
	default:
		r.State = Unknown
	}
}
