package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/unit"
)

// Schedule is how ports of one speed with the same classes share their bandwidth: groups among each other, and queues
// within each group.
type Schedule struct {
	Ports  string          `json:"ports"` // folded: Ethernet1/1-32
	Speed  unit.BitRate    `json:"speed"`
	Groups []ScheduleGroup `json:"groups"`
	// OneLevel is what a device without groups makes of it, in weights of 1 to 100 or in percent, and TwoLevels what one
	// with groups does; Losses are what the device does not have.
	OneLevel  []OneLevel `json:"one_level,omitempty"`
	TwoLevels []OneLevel `json:"two_levels,omitempty"`
	Losses    []Loss     `json:"one_level_losses"`
}

// ScheduleGroup is a traffic class of 802.1Q, or a priority group of CEE.
type ScheduleGroup struct {
	Number       int             `json:"number"`
	TrafficClass int             `json:"traffic_class"` // the same but for group 15
	Name         string          `json:"name,omitempty"`
	Algorithm    string          `json:"tsa"`
	Bandwidth    int             `json:"bandwidth_percent,omitempty"` // of what strict and shaped groups leave
	IdleSlope    unit.BitRate    `json:"idle_slope,omitzero"`
	Queues       []ScheduleQueue `json:"queues"`
}

// ScheduleQueue is a queue of a group.
type ScheduleQueue struct {
	Queue  int           `json:"queue"`
	Strict bool          `json:"strict"`           // within its group
	Weight int           `json:"weight,omitempty"` // within its group
	Share  *unit.Percent `json:"share,omitempty"`  // see ets.Schedule.Shares; absent: it has none
	Least  unit.BitRate  `json:"least_rate,omitzero"`
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

// Loss is something of two levels that one level does not have.
type Loss struct {
	Code ets.LossCode `json:"code"`
	Text string       `json:"text"`
}

// Schedules writes the schedules of a plan; empty: it has no groups.
func Schedules(list []buffer.PortSchedule) []Schedule {
	return each(list, func(p buffer.PortSchedule) Schedule { return OnTarget(p, p.Flatten(ets.Weights)) })
}

// OnTarget writes a schedule and what a device makes of it.
func OnTarget(p buffer.PortSchedule, flat ets.Flat) Schedule {
	out := Schedule{Ports: buffer.FoldPorts(p.Ports), Speed: p.Speed, Groups: []ScheduleGroup{},
		Losses: each(flat.Losses, func(l ets.Loss) Loss { return Loss(l) })}
	turns := each(flat.Turns, func(t ets.Turn) OneLevel { return oneLevel(t, flat.Scale) })
	if flat.Levels == 1 {
		out.OneLevel = turns
	} else {
		out.TwoLevels = turns
	}
	shares := p.Shares()
	for i, g := range p.Groups {
		group := ScheduleGroup{Number: g.Number, TrafficClass: p.Class(i), Name: g.Name,
			Algorithm: g.Selection.String(), Bandwidth: g.Bandwidth, IdleSlope: g.IdleSlope, Queues: []ScheduleQueue{}}
		for k, q := range p.Queues {
			if p.GroupOf(k) != i {
				continue
			}
			row := ScheduleQueue{Queue: q.Priority, Strict: q.Strict}
			if !q.Strict {
				row.Weight = max(q.Weight, 1)
			}
			if f := shares[k]; f.Whole > 0 {
				row.Share = new(f.Percent())
				if g.Bandwidth > 0 {
					row.Least = p.Least(f)
				}
			}
			group.Queues = append(group.Queues, row)
		}
		out.Groups = append(out.Groups, group)
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
