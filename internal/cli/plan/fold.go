package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file merges the rows of a plan into the lines of its tables: one line has all that are alike.

// groupLine is what groups of one class have in common. groups are numbers with commas. A group that is charged in two
// slices has two rows in the plan and is one here.
type groupLine struct {
	like   buffer.GroupGrant
	groups string
	slices int // how many each of them is charged in
}

// foldGroups merges the groups of a plan, which are sorted by port: those of one port that differ only in group and
// slice, and then the ports that are alike.
func foldGroups(rows []buffer.Group) *grouped.By[groupLine, []string] {
	return grouped.Lines(rows, func(g buffer.Group) string { return g.Port }, func(rows []buffer.Group) (out []groupLine) {
		type set struct{ groups, slices []int }
		var sets grouped.By[buffer.GroupGrant, set]
		for _, g := range rows {
			// All that they have is compared by ==: a new field of it then splits lines, and is not hidden in one.
			s := sets.Of(*g.GroupGrant)
			s.groups, s.slices = append(s.groups, g.Group), append(s.slices, g.Slice)
		}
		for like, s := range sets.All() {
			out = append(out, groupLine{like, cli.Join(s.groups), distinct(s.slices)})
		}
		return out
	})
}

// channelLine is what virtual channels of one class have in common. traffic says which traffic classes are in which
// channel, such as "3 in 3; 4 in 4".
type channelLine struct {
	like              buffer.Channel
	channels, traffic string
	slices            int // how many each of them is charged in
}

// foldChannels merges the virtual channels of a plan, as foldGroups does groups. The traffic classes differ from
// channel to channel of one class, so they are no part of what is compared.
func foldChannels(rows []buffer.Channel) *grouped.By[channelLine, []string] {
	port := func(c buffer.Channel) string { return c.Port }
	return grouped.Lines(rows, port, func(rows []buffer.Channel) (out []channelLine) {
		type set struct {
			channels, slices []int
			in               []string
		}
		var sets grouped.By[buffer.Channel, set]
		for _, c := range rows {
			like := c
			like.Port, like.Channel, like.Slice, like.Traffic = "", 0, 0, 0
			s := sets.Of(like)
			// A channel has a row for each slice that it is charged in; its traffic classes are named once.
			s.in = grouped.Add(s.in, fmt.Sprintf("%v in %d", c.Traffic, c.Channel))
			s.channels, s.slices = append(s.channels, c.Channel), append(s.slices, c.Slice)
		}
		for like, s := range sets.All() {
			out = append(out, channelLine{like, cli.Join(s.channels), strings.Join(s.in, "; "), distinct(s.slices)})
		}
		return out
	})
}

// distinct counts different numbers. It sorts the numbers in place.
func distinct(numbers []int) int {
	slices.Sort(numbers)
	return len(slices.Compact(numbers))
}
