package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file merges the rows of a plan into the lines of its tables: one line has all that are alike.

// folded is a line of a table, and the ports that it is about.
type folded[L comparable] struct {
	line  L
	ports []string
}

// foldPorts merges a plan's rows, which are sorted by port: those of each port into lines, and then the ports that have
// the same line. R is a row of the plan and L a line that can be compared with ==; port names the port of a row, and
// lines makes the lines of one port's rows.
func foldPorts[R any, L comparable](rows []R, port func(*R) string, lines func([]R) []L) []folded[L] {
	var out []folded[L]
	at := map[L]int{} // of a line in out, which is in the order of first appearance
	for len(rows) > 0 {
		name, n := port(&rows[0]), 0
		// The first n rows are those of this port.
		for n < len(rows) && port(&rows[n]) == name {
			n++
		}
		for _, line := range lines(rows[:n]) {
			k, there := at[line]
			if !there {
				k = len(out)
				at[line] = k
				out = append(out, folded[L]{line: line})
			}
			out[k].ports = append(out[k].ports, name)
		}
		rows = rows[n:]
	}
	return out
}

// groupLine is what groups of one class have in common. groups are numbers with commas. A group that is charged in two
// slices has two rows in the plan and is one here.
type groupLine struct {
	like   buffer.GroupGrant
	groups string
	slices int // how many each of them is charged in
}

// foldGroups merges the groups of a plan.
func foldGroups(rows []buffer.Group) []folded[groupLine] {
	return foldPorts(rows, func(g *buffer.Group) string { return g.Port }, groupLines)
}

// groupLines merges the groups of one port that differ only in group and slice. The order is that of the first row of
// each line.
func groupLines(rows []buffer.Group) []groupLine {
	type set struct {
		like           buffer.GroupGrant
		groups, slices []int
	}
	var sets []set
	for _, g := range rows {
		// All that they have is compared by ==: a new field of it then splits lines, and is not hidden in one.
		k := slices.IndexFunc(sets, func(s set) bool { return s.like == *g.GroupGrant })
		if k < 0 {
			k = len(sets)
			sets = append(sets, set{like: *g.GroupGrant})
		}
		sets[k].groups = append(sets[k].groups, g.Group)
		sets[k].slices = append(sets[k].slices, g.Slice)
	}
	out := make([]groupLine, len(sets))
	for i, s := range sets {
		out[i] = groupLine{s.like, cli.Join(s.groups), distinct(s.slices)}
	}
	return out
}

// channelLine is what virtual channels of one class have in common. traffic says which traffic classes are in which
// channel, such as "3 in 3; 4 in 4".
type channelLine struct {
	like              buffer.Channel
	channels, traffic string
	slices            int // how many each of them is charged in
}

// foldChannels merges the virtual channels of a plan.
func foldChannels(rows []buffer.Channel) []folded[channelLine] {
	return foldPorts(rows, func(c *buffer.Channel) string { return c.Port }, channelLines)
}

// channelLines merges the channels of one port that differ in channel and slice alone, and says which traffic classes
// are in which. The traffic classes differ from channel to channel of one class, so they are no part of what is
// compared.
func channelLines(rows []buffer.Channel) []channelLine {
	type set struct {
		like             buffer.Channel
		channels, slices []int
		in               []string
	}
	var sets []set
	for _, c := range rows {
		like := c
		like.Port, like.Channel, like.Slice, like.Traffic = "", 0, 0, 0
		k := slices.IndexFunc(sets, func(s set) bool { return s.like == like })
		if k < 0 {
			k = len(sets)
			sets = append(sets, set{like: like})
		}
		// A channel has a row for each slice that it is charged in; its traffic classes are named once.
		if in := fmt.Sprintf("%v in %d", c.Traffic, c.Channel); !slices.Contains(sets[k].in, in) {
			sets[k].in = append(sets[k].in, in)
		}
		sets[k].channels, sets[k].slices = append(sets[k].channels, c.Channel), append(sets[k].slices, c.Slice)
	}
	out := make([]channelLine, len(sets))
	for i, s := range sets {
		out[i] = channelLine{s.like, cli.Join(s.channels), strings.Join(s.in, "; "), distinct(s.slices)}
	}
	return out
}

// distinct counts different numbers. It sorts the numbers in place.
func distinct(numbers []int) int {
	slices.Sort(numbers)
	return len(slices.Compact(numbers))
}
