package main

import (
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
		if f.line.like.FullRate > 0 {
			full = count(f.line.like.FullRate)
		}
		s.row(buffer.FoldPorts(f.ports), f.line.channels, f.line.like.Class, f.line.traffic, count(f.line.slices),
			count(f.line.like.Reserved),
			f.line.like.LimitText(), count(f.line.like.Shared), count(f.line.like.Alone), full)
	}
	return s
}
