package plan

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file prints how ports share their bandwidth by groups, and what a device with one level of queues makes of it.

// groupsSection lists both levels of each kind of port, by queue. The bandwidth of a group is a part of what strict and
// shaped groups leave; so is the share of a queue, and the rate that is the least of it if those send nothing. Ports of
// one kind and speed share their rows: see buffer.PortSchedule.
func groupsSection(schedules []buffer.PortSchedule) cli.Section {
	// In its group is how a queue competes with the others of its group, by weight or strictly.
	s := cli.Section{Name: "ets", Title: "Shares of the bandwidth, by groups (ETS)",
		Columns: []string{"ports", "speed", "group", "name", "algorithm", "bandwidth", "queue", "in its group", "share",
			"least rate"}}
	for i := range schedules {
		p := &schedules[i]
		for group := range p.Groups {
			sharesOf(&s, p, group)
		}
	}
	return s
}

// sharesOf adds the queues of a group. share is the queue's part of what strict and shaped groups leave, and least rate
// what that is of the speed.
func sharesOf(s *cli.Section, p *buffer.PortSchedule, group int) {
	shares, g := p.Shares(), &p.Groups[group]
	for k, q := range p.Queues {
		if p.GroupOf(k) != group {
			continue
		}
		// A rate is guaranteed only among groups that share what others leave. Strict and shaped queues have no least
		// rate of their own.
		rate := cli.Number("-")
		if g.Selection == dcbx.Enhanced && shares[k].Whole > 0 {
			rate = cli.Number(p.Least(shares[k]).String())
		}
		s.Row(buffer.FoldPorts(p.Ports), cli.Number(p.Speed.String()), cli.Count(g.Number), cli.Dash(g.Name),
			g.Selection.String(), bandwidthText(g), cli.Count(q.Priority), withinText(q), shareText(shares[k]), rate)
	}
}

// bandwidthText is the part of a group, or its idle slope. A strict group has neither.
func bandwidthText(g *ets.Group) cli.Number {
	switch g.Selection {
	case dcbx.Enhanced:
		return cli.Number(fmt.Sprintf("%d%%", g.Bandwidth))
	case dcbx.CreditBased:
		return cli.Number(g.IdleSlope.String())
	}
	return "-"
}

// withinText is how a queue competes in its group.
func withinText(q ets.Queue) string {
	if q.Strict {
		return "strict"
	}
	// Queues without weights share their group equally, which is a weight of 1 for each.
	return fmt.Sprintf("weight %d", max(q.Weight, 1))
}

// shareText is a share in percent; a strict queue has none. The fraction is exact, and is rounded for the screen alone.
func shareText(f ets.Share) cli.Number {
	// Whole is the sum of the weights; it is 0 for a strict queue, which takes what it needs.
	if f.Whole == 0 {
		return "-"
	}
	return cli.Number(f.Percent().String())
}
