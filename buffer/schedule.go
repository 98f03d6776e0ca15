package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// weight is Strict, the weight, or 0: the class has neither.
func (c *Class) weight() int64 {
	if c.Strict {
		return Strict
	}
	return int64(c.Weight)
}

// validateWeight refuses what is no weight, and a class without one beside classes of its group that have one: the
// share of its queues would be undefined.
func (in *Intent) validateWeight(c *Class, path string, bad *fielderr.List) {
	undefined := func() bool {
		for i := range in.Classes {
			if o := &in.Classes[i]; o.weight() != 0 && o.ETS == c.ETS {
				return true
			}
		}
		return false
	}
	switch {
	case c.Weight < 0 || c.Weight > MaxWeight:
		bad.Add(path+".weight", fmt.Sprint(c.Weight), fmt.Sprintf("1 to %d", MaxWeight))
	case c.Weight > 0 && c.Strict:
		bad.Add(path+".weight", fmt.Sprint(c.Weight), "no weight beside strict")
	case c.weight() == 0 && undefined():
		of := "every class"
		if c.ETS.IsGiven() {
			of = fmt.Sprintf("every class of group %v", c.ETS)
		}
		bad.Add(path+".weight", "none", "a weight or strict for "+of+", or for none")
	}
}

// validateETS refuses groups that the standards do not have, and a class that is in none of them.
func (in *Intent) validateETS(bad *fielderr.List) {
	bad.Under("ets", ets.ValidateGroups(in.ETS))
	for i := range in.Classes {
		n, given := in.Classes[i].ETS.Get()
		switch add := func(value, accepted string) { bad.Add(classPath(i)+".ets_group", value, accepted) }; {
		case given && len(in.ETS) == 0:
			add(fmt.Sprint(n), "none: there are no groups")
		case !given && len(in.ETS) > 0:
			add("none", "the number of a group, because there are groups")
		case given && !slices.ContainsFunc(in.ETS, func(g ets.Group) bool { return g.Number == n }):
			add(fmt.Sprint(n), "the number of a group")
		}
	}
}

// validateSlopes refuses a port that is slower than the idle slopes of its groups in sum (802.1Q, 8.6.8.2).
func (in *Intent) validateSlopes(p *Port, path string, bad *fielderr.List) {
	sum := unit.BitRate(0)
	for _, g := range in.ETS {
		for i := range in.Classes {
			if p.Classes.Has(i) && in.Classes[i].ETS == unit.Given(g.Number) && g.IdleSlope > 0 {
				sum = min(sum+g.IdleSlope, 1<<60)
				break
			}
		}
	}
	if sum > p.Rate {
		bad.Add(path+".speed", p.Rate.String(), fmt.Sprintf("at least the %v of all idle slopes", sum))
	}
}

// Schedule returns both levels by which the queues of a port share its bandwidth, also of a port that is down; nil: the
// intent has no groups. Without weights, the queues of a group with a bandwidth share it equally, and those of a strict
// or shaped group are strict, the higher first. The intent must be valid.
func (in *Intent) Schedule(p *Port) *ets.Schedule {
	if len(in.ETS) == 0 {
		return nil
	}
	var queues []ets.Queue
	for i := range in.Classes {
		c := &in.Classes[i]
		if !p.Classes.Has(i) {
			continue
		}
		number := c.ETS.Or(0)
		ordered := c.weight() == 0 && slices.ContainsFunc(in.ETS, func(g ets.Group) bool {
			return g.Number == number && g.Selection != dcbx.Enhanced
		})
		for _, n := range c.Priorities {
			queues = append(queues,
				ets.Queue{Priority: n, Group: number, Strict: c.Strict || ordered, Weight: c.Weight})
		}
	}
	s, err := ets.NewSchedule(in.ETS, queues)
	if err != nil {
		panic("buffer: a valid intent has a schedule: " + err.Error())
	}
	return s
}

// scheduleSettings lists the registers of a port's groups. The weights of its queues are what is left of both levels on
// a device with one: a device that has the registers of the groups uses those alone.
func scheduleSettings(out []Setting, port string, s *ets.Schedule) []Setting {
	flat := s.Flatten(ets.Weights)
	for i, q := range s.Queues {
		weight, share := int64(Strict), int64(Strict)
		if t := &flat.Turns[i]; !t.Strict {
			weight = int64(t.Rounded.Number)
		}
		if !q.Strict {
			share = int64(max(q.Weight, 1))
		}
		out = append(out, Setting{Register{QueueWeight, port, q.Priority}, weight},
			Setting{Register{QueueClass, port, q.Priority}, int64(s.Class(s.GroupOf(i)))},
			Setting{Register{QueueShare, port, q.Priority}, share})
	}
	for i, g := range s.Groups {
		class := func(k Kind, v int64) { out = appendSetting(out, Register{k, port, s.Class(i)}, v) }
		switch g.Selection {
		case dcbx.Strict:
			class(ClassBandwidth, Strict)
		case dcbx.CreditBased:
			class(ClassIdleSlope, int64(g.IdleSlope/ets.SlopeUnit))
		default:
			class(ClassBandwidth, int64(g.Bandwidth))
		}
	}
	return out
}

// PortSchedule is how ports of one speed with the same classes share their bandwidth.
type PortSchedule struct {
	Ports []string // as the intent has them in order
	Speed unit.BitRate
	*ets.Schedule
}

// Least is the rate that a share of a port of this speed is at least, on the wire, rounded down.
func (s *PortSchedule) Least(f ets.Share) unit.BitRate {
	if f.Whole == 0 {
		return 0
	}
	whole, rest := s.Speed/unit.BitRate(f.Whole), s.Speed%unit.BitRate(f.Whole)
	return whole*unit.BitRate(f.Part) + rest*unit.BitRate(f.Part)/unit.BitRate(f.Whole)
}

// QueueRow is a queue of a schedule as tables have it. A text is "-" where it has none.
type QueueRow struct {
	ets.Queue
	Of        ets.Group
	Bandwidth string // of the group: its part of what strict and shaped groups leave, or its idle slope
	Within    string // how the queue competes with the others of its group: "strict", "weight 1"
	Share     string // of the queue, of what strict and shaped groups leave
	Least     string // rate of the queue, at least, if those send nothing
}

// Rows lists the queues group by group.
func (s *PortSchedule) Rows() (out []QueueRow) {
	shares := s.Shares()
	for group, g := range s.Groups {
		for k, q := range s.Queues {
			if s.GroupOf(k) != group {
				continue
			}
			row := QueueRow{Queue: q, Of: g, Bandwidth: "-", Within: "strict", Share: "-", Least: "-"}
			if shares[k].Whole > 0 {
				row.Share = shares[k].Percent().String()
			}
			switch g.Selection {
			case dcbx.Enhanced:
				row.Bandwidth = fmt.Sprintf("%d%%", g.Bandwidth)
				if shares[k].Whole > 0 {
					row.Least = s.Least(shares[k]).String()
				}
			case dcbx.CreditBased:
				row.Bandwidth = g.IdleSlope.String()
			}
			if !q.Strict { // a queue without a weight has a weight of 1
				row.Within = fmt.Sprintf("weight %d", max(q.Weight, 1))
			}
			out = append(out, row)
		}
	}
	return out
}

// Schedules lists the schedules of the ports, in the order of the ports; empty: the intent has no groups. The intent
// must be valid.
func (in *Intent) Schedules() []PortSchedule {
	type kind struct {
		classes ClassSet
		speed   unit.BitRate
	}
	out, at := []PortSchedule{}, map[kind]int{}
	if len(in.ETS) == 0 {
		return out
	}
	for i := range in.Ports {
		p := &in.Ports[i]
		k := kind{p.Classes, p.Rate}
		if _, known := at[k]; !known {
			at[k] = len(out)
			out = append(out, PortSchedule{Speed: p.Rate, Schedule: in.Schedule(p)})
		}
		s := &out[at[k]]
		s.Ports = append(s.Ports, p.Name)
	}
	return out
}
