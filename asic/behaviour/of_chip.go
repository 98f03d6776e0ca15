package behaviour

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
)

// RuleOf returns the rule by which a chip compares counters with limits, and
// whether it measures the XON offset from the limit at XOFF. It returns false if
// that is not known of the chip.
func RuleOf(c *buffer.Chip) (rule mmu.Rule, latched, ok bool) {
	if c.LimitRule == "" || c.XOFFRule == "" || c.XONRule == "" {
		return mmu.Rule{}, false, false
	}
	rule.LimitAfter = c.LimitRule == buffer.LimitAfter
	rule.PauseAtLimit = c.XOFFRule == buffer.XOFFFull
	return rule, c.XONRule == buffer.XONLatched, true
}
