package eos

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// # Memory of the groups
//
// The commands are those that github.com/aristanetworks/avd writes for platform.trident.mmu, in their order (templates
// eos/platform-headroom-pool.j2 and eos/platform-trident.j2; issue 4921 has the ranges of a switch, pull requests 5459
// and 5479 the keys): headroom_pool.limit, and of a queue profile ingress.headroom, ingress.resume and
// ingress.priority_groups with reserved and threshold. A profile is applied to the whole switch, so that a group has
// the same at all ports; headroom and resume are the same for all groups, too.

// mostPool is the largest headroom-pool limit in bytes that the help of a switch had (AVD issue 4921).
const mostPool unit.Bytes = 33554432

// memoryName is the name of the queue profile that is written.
const memoryName = "cellwarden"

// planned is the memory of a plan as a queue profile and a headroom pool.
type planned struct {
	plan             nos.Plan
	why              map[buffer.Kind]string // of what a profile has not, or not as the plan has it
	least, headroom  unit.Bytes             // smallest and largest of the lossless groups
	limit            unit.Bytes             // of the headroom pool
	resume           unit.Bytes             // the largest XON offset; 0: none
	groups           []plannedGroup
	lossless, summed bool     // there are lossless groups; the plan has no pool of headroom
	alphas           []string // groups whose alpha is no threshold
}

// plannedGroup is what a profile says of a group at all ports.
type plannedGroup struct {
	id        int
	reserved  unit.Bytes // 0: not said
	threshold string     // empty: not said
}

// memoryOf computes the memory; it is empty where no group is lossless.
func memoryOf(p nos.Plan) *planned {
	c := &planned{plan: p, why: map[buffer.Kind]string{}}
	var groups [pg.PerPort][]nos.Group // of the ports that have the group
	var sum unit.Bytes
	for _, port := range p.Ports() {
		for n, g := range port.Groups {
			if g.Empty() {
				continue
			}
			groups[n] = append(groups[n], g)
			if !g.Lossless {
				continue
			}
			if !c.lossless {
				c.lossless, c.least = true, g.Headroom
			}
			c.least, c.headroom = min(c.least, g.Headroom), max(c.headroom, g.Headroom)
			c.resume, sum = max(c.resume, g.XONOffset), sum+g.Headroom
		}
	}
	if !c.lossless {
		return c
	}
	if _, c.limit = p.Pools(); c.limit == 0 {
		c.limit, c.summed = sum, true
	}
	for n, at := range groups {
		if g := c.group(n, at); g.reserved > 0 || g.threshold != "" {
			c.groups = append(c.groups, g)
		}
	}
	return c
}

// commands are the memory as commands of the configuration mode.
func (c *planned) commands() string {
	if !c.lossless {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "platform trident mmu headroom-pool limit bytes %d\n", int64(c.limit))
	fmt.Fprintf(&b, "platform trident mmu queue profile %s\n", memoryName)
	fmt.Fprintf(&b, "   ingress headroom bytes %d\n", int64(c.headroom))
	if c.resume > 0 {
		fmt.Fprintf(&b, "   ingress resume %d\n", int64(c.resume))
	}
	for _, g := range c.groups {
		if g.reserved > 0 {
			fmt.Fprintf(&b, "   ingress priority-group %d reserved bytes %d\n", g.id, int64(g.reserved))
		}
		if g.threshold != "" {
			fmt.Fprintf(&b, "   ingress priority-group %d threshold %s\n", g.id, g.threshold)
		}
	}
	fmt.Fprintf(&b, "platform trident mmu queue profile %s apply\n", memoryName)
	return b.String()
}

// group is what a group has at all ports. What differs by port is not said: neither value is that of the plan.
func (c *planned) group(n int, at []nos.Group) plannedGroup {
	out := plannedGroup{id: n}
	if len(at) == 0 {
		return out
	}
	first := at[0]
	switch reserved := first.Reserved; {
	case slices.ContainsFunc(at, func(g nos.Group) bool { return g.Reserved != reserved }):
		c.not(buffer.GroupReserved, fmt.Sprintf("group %d has different minima by port", n))
	case reserved > 0:
		out.reserved = reserved
	}
	alpha := first.Limit.Alpha()
	text, known := alphaText(alpha)
	switch dynamic := first.Limit.Mode() == thresholds.DynamicLimit; {
	case !dynamic:
	case slices.ContainsFunc(at, func(g nos.Group) bool { return g.Limit != first.Limit }):
		c.not(buffer.GroupAlpha, fmt.Sprintf("group %d has different alphas by port", n))
	case !known:
		c.alphas = append(c.alphas, fmt.Sprintf("group %d has alpha %v", n, alpha))
		c.not(buffer.GroupAlpha, fmt.Sprintf("group %d has alpha %v, and threshold is 1/128 to 8", n, alpha))
	default:
		out.threshold = text
	}
	return out
}

// not adds what a profile does not have of registers of a kind.
func (c *planned) not(kind buffer.Kind, why string) {
	if c.why[kind] != "" {
		why = c.why[kind] + "; " + why
	}
	c.why[kind] = why
}

// alphaText is a factor as EOS writes it; false: it is none of those that EOS has.
func alphaText(alpha thresholds.Alpha) (string, bool) {
	for text, n := range alphas {
		if n == int64(alpha) {
			return text, true
		}
	}
	return "", false
}

// inMemory are the kinds of registers that a queue profile and the headroom pool have.
var inMemory = []buffer.Kind{buffer.PoolHeadroom, buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupHeadroom,
	buffer.GroupXONOffset}

// omitted are the reasons of the kinds that the document does not have, with what mmu.cli has of them.
func (c *planned) omitted() map[buffer.Kind]string {
	out := maps.Clone(omitted)
	if !c.lossless {
		return out
	}
	for _, kind := range inMemory {
		out[kind] = "no writable leaf; the commands of mmu.cli set it"
		if why := c.why[kind]; why != "" {
			out[kind] += " where they can: a queue profile is the same for all ports, and " + why
		}
	}
	return out
}

// notes are what the operator has to know of the memory.
func (c *planned) notes() []string {
	if !c.lossless {
		return nil
	}
	var out []string
	if c.least != c.headroom {
		out = append(out, fmt.Sprintf("ingress headroom is one size for all groups of all ports: %v, the largest of the "+
			"plan, whose smallest is %v. The headroom-pool limit is that of the plan", c.headroom, c.least))
	}
	if c.summed {
		out = append(out, "the plan shares no headroom: the headroom-pool limit is the headroom of all its groups")
	}
	if slices := len(c.plan.Intent.Chip.Slices); slices > 1 {
		out = append(out, fmt.Sprintf("the headroom-pool limit is that of the whole chip, which has %d slices: no source "+
			"says whether the switch gives each of them the limit", slices))
	}
	if c.limit > mostPool {
		out = append(out, fmt.Sprintf("the headroom-pool limit, %v, is above %v, the largest that the help of a switch had "+
			"(AVD issue 4921)", c.limit, mostPool))
	}
	return out
}
