package linkcheck

import (
	"slices"

	"github.com/cellwarden/cellwarden/finding"
)

// State is what is known of a link after comparing its ends.
type State string

// The states.
const (
	Same    State = "same"    // no finding, and PFC was compared, and credits if an end has them
	Differ  State = "differ"  // there are findings
	Unknown State = "unknown" // no finding, but the PFC of an end, or credits beside those of the other, are not known
)

// Gap is something that could not be compared.
type Gap struct {
	Aspect string
	Ends   []string // the ends that do not say it
}

// Result is what comparing two ends gave.
type Result struct {
	A, B     string // names
	State    State
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
