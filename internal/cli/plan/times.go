package plan

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
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
				at(cells.Count(ecn.SharingOf(g.Limit, least, g.Reserved).Together(1).Floor())))
		}
	}
	return s
}
