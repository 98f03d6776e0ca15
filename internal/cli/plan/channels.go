package plan

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file prints the virtual channels of a plan (CBFC).

// channelSection lists the channels, in credits: a credit is a cell of the chip. Ports with equal channels share a row.
func channelSection(p *buffer.Plan) cli.Section {
	s := cli.Section{Name: "channels", Title: "Virtual channels (CBFC), in credits of a cell each",
		Columns: []string{"ports", "channels", "class", "traffic classes", "in slices", "reserved", "limit of shared",
			"shared of port", "alone", "full rate"}}
	for _, f := range foldChannels(p.Channels) {
		full := cli.Number("not known")
		if f.line.like.FullRate > 0 {
			full = cli.Count(f.line.like.FullRate)
		}
		s.Row(buffer.FoldPorts(f.ports), f.line.channels, f.line.like.Class, f.line.traffic, cli.Count(f.line.slices),
			cli.Count(f.line.like.Reserved),
			f.line.like.LimitText(), cli.Count(f.line.like.Shared), cli.Count(f.line.like.Alone), full)
	}
	return s
}
