package behaviour

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
)

// RuleOf returns the rule by which a chip compares counters with limits, and whether it measures the XON offset from
// the limit at XOFF. It returns false if that is not known of the chip.
func RuleOf(c *buffer.Chip) (rule mmu.Rule, latched, ok bool) {
	if c.LimitRule == "" || c.XOFFRule == "" || c.XONRule == "" {
		return mmu.Rule{}, false, false
	}
	rule.LimitAfter = c.LimitRule == buffer.LimitAfter
	rule.PauseAtLimit = c.XOFFRule == buffer.XOFFFull
	return rule, c.XONRule == buffer.XONLatched, true
}

// Reference returns the rules of no chip in particular: a packet must fit below a limit that is read before the packet,
// the first packet that does not fit causes XOFF, and XON is measured from the present limit. Its name is "reference".
func Reference() Family {
	return Family{Name: "reference", Title: "No chip in particular", Source: "assumed: the rules of no chip in particular",
		Pauses:  "the shared cells refuse a packet",
		Resumes: "the group uses at most max(floor, limit - offset) cells, by the present limit"}
}

// OfChip returns how a chip compares, by [RuleOf], under the chip's own name. If it is
// not known, it returns [Reference], and the source says so.
func OfChip(c *buffer.Chip) Family {
	rule, latched, known := RuleOf(c)
	if !known {
		f := Reference()
		f.Source = fmt.Sprintf("assumed: no source says how %s compares", c.Name)
		return f
	}
	f := Family{Name: c.Name, Title: c.Title, Rule: rule, Latched: latched, Source: c.Sources.Rules}
	f.Source = cmp.Or(f.Source, "not sourced: the chip file")
	return f
}

// Words are how a family compares, in the words of a chip file: when the limit is read, which packet causes XOFF, and
// the limit of XON.
func (f *Family) Words() (limit buffer.LimitRule, xoff buffer.XOFFRule, xon buffer.XONRule) {
	limit, xoff, xon = buffer.LimitBefore, buffer.XOFFRefused, buffer.XONCurrent
	if f.Rule.LimitAfter {
		limit = buffer.LimitAfter
	}
	if f.Rule.PauseAtLimit {
		xoff = buffer.XOFFFull
	}
	if f.Latched {
		xon = buffer.XONLatched
	}
	return limit, xoff, xon
}

// Compares says in a line how a family compares counters with limits.
func (f *Family) Compares() string {
	limit, xoff, xon := f.Words()
	return fmt.Sprintf("the limit is read %s the packet, XOFF at the shared part %s, XON by the limit %s", limit, xoff,
		xon)
}
