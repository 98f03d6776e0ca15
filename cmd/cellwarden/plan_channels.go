package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// This file prints the virtual channels of a plan (CBFC).

// channelSection lists the channels, in credits: a credit is a cell of the chip. Ports with equal channels share a row.
func channelSection(p *buffer.Plan) section {
	s := section{name: "channels", title: "Virtual channels (CBFC), in credits of a cell each",
		columns: []string{"ports", "channels", "class", "traffic classes", "in slices", "reserved", "limit of shared",
			"shared of port", "alone", "full rate"}}
	for _, f := range foldChannels(p.Channels) {
		full := number("not known")
		if f.like.FullRate > 0 {
			full = count(f.like.FullRate)
		}
		s.row(buffer.FoldPorts(f.ports), f.channels, f.like.Class, f.traffic, count(f.slices), count(f.like.Reserved),
			f.like.LimitText(), count(f.like.Shared), count(f.like.Alone), full)
	}
	return s
}

// foldedChannels is a set of ports whose channels of one class are equal.
type foldedChannels struct {
	like              buffer.Channel
	channels, traffic string
	slices            int // how many each of them is charged in
	ports             []string
}

// foldChannels merges the plan's rows, which are sorted by port: those of a port that differ in channel and slice
// alone, and then the ports that are equal.
func foldChannels(rows []buffer.Channel) []foldedChannels {
	var out []foldedChannels
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && rows[n].Port == rows[0].Port {
			n++
		}
		for _, f := range foldPortChannels(rows[:n]) {
			k := slices.IndexFunc(out, func(o foldedChannels) bool {
				return o.like == f.like && o.channels == f.channels && o.traffic == f.traffic && o.slices == f.slices
			})
			if k < 0 {
				out = append(out, f)
			} else {
				out[k].ports = append(out[k].ports, f.ports...)
			}
		}
		rows = rows[n:]
	}
	return out
}

// foldPortChannels merges the rows of one port. Where there are several channels, it is said which traffic classes are
// in which.
func foldPortChannels(rows []buffer.Channel) []foldedChannels {
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
		if in := fmt.Sprintf("%v in %d", c.Traffic, c.Channel); !slices.Contains(sets[k].in, in) {
			sets[k].in = append(sets[k].in, in)
		}
		sets[k].channels, sets[k].slices = append(sets[k].channels, c.Channel), append(sets[k].slices, c.Slice)
	}
	out := make([]foldedChannels, len(sets))
	for i, s := range sets {
		slices.Sort(s.slices)
		out[i] = foldedChannels{s.like, join(s.channels), strings.Join(s.in, "; "),
			len(slices.Compact(s.slices)), []string{rows[0].Port}}
	}
	return out
}
