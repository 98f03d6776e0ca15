package plan

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints the groups of a plan in time: how long their ports take to send as many bytes as a threshold has.
// One profile for ports of several speeds is a different time on each.

// timeSection lists the thresholds of the groups as times at the speed of their ports. Ports with equal groups and one
// speed share a row. The times are bytes of the cells at the line rate: how long a full threshold takes to leave the
// port.
func timeSection(p *buffer.Plan, in *buffer.Intent) cli.Section {
	s := cli.Section{Name: "groups", Title: "Groups, in time at the speed of the port",
		Columns: []string{"ports", "speed", "groups", "class", "reserved", "headroom", "xon offset", "limit alone"}}
	// The plan has no speeds of ports, and the intent has.
	rates := map[string]unit.BitRate{}
	for i := range in.Ports {
		rates[in.Ports[i].Name] = in.Ports[i].Rate
	}
	// A group is charged in one or several slices; the fewest shared cells of all is the safe side for its limit.
	least := p.Slices[0].Shared
	for _, b := range p.Slices {
		least = min(least, b.Shared)
	}
	for line, names := range foldGroups(p.Groups).All() {
		g := &line.like
		// Groups fold by their cells, and the same cells are another time at another speed: each speed has a row.
		for _, ports := range grouped.Lists(*names, func(name string) unit.BitRate { return rates[name] }) {
			rate := rates[ports[0]]
			at := func(n cells.Count) cli.Number { return cli.Number(cli.DrainText(p.Chip.Cell.Bytes(n), rate)) }
			s.Row(buffer.FoldPorts(ports), rate.String(), line.groups, g.Class, at(g.Reserved), at(g.Headroom), at(g.XONOffset),
				at(g.Reserved+aloneLimit(g.Limit, least)))
		}
	}
	return s
}

// aloneLimit is what a group may have of shared cells if it is the only one that is congested: alpha*S/(1 + alpha) of
// the slice with the fewest (Choudhury and Hahne 1998), or its static limit. The result is rounded down to whole cells.
func aloneLimit(l thresholds.Limit, shared cells.Count) cells.Count {
	if l.Mode() == thresholds.StaticLimit {
		return min(l.Cells(), shared)
	}
	// With alpha as num/den this is num/(den + num), and nothing is rounded on the way.
	num, den := l.Alpha().Ratio()
	return cells.Count(exact.Whole(shared).Times(num, den+num).Floor())
}
