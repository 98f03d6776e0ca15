package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/unit"
)

// Schedule is how ports of one speed with the same classes share their bandwidth: groups among each other, and queues
// within each group.
type Schedule struct {
	Ports  string       `json:"ports"` // folded: Ethernet1/1-32
	Speed  unit.BitRate `json:"speed"`
	Groups []struct {
		Number       int          `json:"number"`
		TrafficClass int          `json:"traffic_class"` // the same but for group 15
		Name         string       `json:"name,omitempty"`
		Algorithm    string       `json:"tsa"`
		Bandwidth    int          `json:"bandwidth_percent,omitempty"` // of what strict and shaped groups leave
		IdleSlope    unit.BitRate `json:"idle_slope,omitzero"`
		Queues       []struct {
			Queue  int           `json:"queue"`
			Strict bool          `json:"strict"`           // within its group
			Weight int           `json:"weight,omitempty"` // within its group
			Share  *unit.Percent `json:"share,omitempty"`  // see ets.Schedule.Shares; absent: it has none
			Least  unit.BitRate  `json:"least_rate,omitzero"`
		} `json:"queues"`
	} `json:"groups"`
	// OneLevel is what a device without groups makes of it, in weights of 1 to 100 or in percent, and TwoLevels what one
	// with groups does; Losses are what the device does not have.
	OneLevel  []OneLevel `json:"one_level,omitempty"`
	TwoLevels []OneLevel `json:"two_levels,omitempty"`
	Losses    []struct {
		Code ets.LossCode `json:"code"`
		Text string       `json:"text"`
	} `json:"one_level_losses"`
}

// OneLevel is how a device serves a queue.
type OneLevel struct {
	Queue   int           `json:"queue"`
	Strict  bool          `json:"strict"`
	Weight  int           `json:"weight,omitempty"`
	Percent int           `json:"percent,omitempty"` // of what strict queues leave; with two levels of its group
	Asked   *unit.Percent `json:"asked,omitempty"`
	Got     *unit.Percent `json:"got,omitempty"`
	Off     *unit.Percent `json:"off,omitempty"` // of the share that was asked for, rounded up
}

// schedules writes the schedules of a plan; empty: it has no groups.
func schedules(list []buffer.PortSchedule) []Schedule {
	return grouped.Each(list, func(p buffer.PortSchedule) Schedule { return OnTarget(p, p.Flatten(ets.Weights)) })
}

// OnTarget writes a schedule and what a device makes of it.
func OnTarget(p buffer.PortSchedule, flat ets.Flat) Schedule {
	out := Schedule{Ports: buffer.FoldPorts(p.Ports), Speed: p.Speed}
	losses := unnamed.List(&out.Losses, len(flat.Losses))
	for i, l := range flat.Losses {
		losses[i].Code, losses[i].Text = l.Code, l.Text
	}
	turns := grouped.Each(flat.Turns, func(t ets.Turn) OneLevel { return oneLevel(t, flat.Scale) })
	if flat.Levels == 1 {
		out.OneLevel = turns
	} else {
		out.TwoLevels = turns
	}
	shares := p.Shares()
	groups := unnamed.List(&out.Groups, len(p.Groups))
	for i, g := range p.Groups {
		group := &groups[i]
		group.Number, group.TrafficClass, group.Name = g.Number, p.Class(i), g.Name
		group.Algorithm, group.Bandwidth, group.IdleSlope = g.Selection.String(), g.Bandwidth, g.IdleSlope
		unnamed.List(&group.Queues, 0)
		for k, q := range p.Queues {
			if p.GroupOf(k) != i {
				continue
			}
			row := unnamed.Add(&group.Queues)
			row.Queue, row.Strict = q.Priority, q.Strict
			if !q.Strict {
				row.Weight = max(q.Weight, 1)
			}
			if f := shares[k]; f.Whole > 0 {
				row.Share = new(f.Percent())
				if g.Bandwidth > 0 {
					row.Least = p.Least(f)
				}
			}
		}
	}
	return out
}

func oneLevel(t ets.Turn, scale ets.Scale) OneLevel {
	out := OneLevel{Queue: t.Priority, Strict: t.Strict}
	if t.Strict {
		return out
	}
	out.Got = new(t.Rounded.Got.Percent())
	if scale == ets.Percents {
		out.Percent = t.Rounded.Number
	} else {
		out.Weight = t.Rounded.Number
	}
	if t.Exact {
		out.Asked, out.Off = new(t.Rounded.Asked.Percent()), new(t.Rounded.Off())
	}
	return out
}
