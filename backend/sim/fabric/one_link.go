package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
)

// CreditLink is one link with credits (CBFC) and link-layer retry (LLR), alone, in bit times: Way, Hold, Apply, Spacing
// and so on are numbers of bits, so all results are exact. Its Run gives what happened up to a time. It has what links
// of a [Network] have not: channels that begin or are initialized in the wrong order, egresses that stop, ends that do
// not agree. The same state machines drive both, and a test compares both to the picosecond.
type CreditLink = credits.Link

// CreditChannel is a virtual channel of a [CreditLink]: its Limit, the Sizes of its frames, how many Frames it sends, and
// how Slow its egress is. Its sender always has a frame, until all are sent.
type CreditChannel = credits.Channel

// BufferToBuffer is a link with the credits of Fibre Channel, to compare: one credit for each frame, whatever its length.
// Its method Link returns it as a [CreditLink], and Full how many credits keep it busy.
type BufferToBuffer = credits.BufferToBuffer

// CreditDisagreement returns runs that show what happens on a link whose ends do not agree about credits; false if there
// are none of this name. Findings about the two ends of a link name them: "credits-at-one-end", "credits-too-large",
// "credits-too-few".
func CreditDisagreement(name string) (runs credits.Disagreement, ok bool) {
	all := credits.Disagreements()
	i := slices.IndexFunc(all, func(d credits.Disagreement) bool { return d.Name == name })
	if i < 0 {
		return credits.Disagreement{}, false
	}
	return all[i], true
}
