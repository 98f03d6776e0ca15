package ets

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// maxWeight is the largest weight of a queue within its group, as SAI has it (SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT).
const maxWeight = 100

// Queue is an egress queue of a port: which group it is in, and how it competes with the queues of its group.
type Queue struct {
	Priority int  // 0 to 7; also the number of the queue
	Group    int  // number of its group
	Strict   bool // it sends before the queues of its group that have weights, and the higher queue first
	Weight   int  // its share among the queues of its group that are not strict; 0: 1
}

// Schedule is both levels of a port: its groups, sorted by traffic class, and its queues, sorted by priority.
type Schedule struct {
	Groups []Group // all that the port has, also those without a queue
	Queues []Queue
	class  []int // the traffic class of each group
	of     []int // the index of the group of each queue
}

// NewSchedule returns the schedule of a port, or everything that is wrong with it.
func NewSchedule(groups []Group, queues []Queue) (*Schedule, error) {
	var bad fielderr.List
	bad.Join(ValidateGroups(groups))
	var seen pfc.Priorities
	for i, q := range queues {
		path := fmt.Sprintf("queues[%d]", i)
		bad.Within(path+".priority", int64(q.Priority), 0, pfc.PerLink-1)
		bad.Check(!seen.Has(q.Priority), path+".priority", q.Priority, "a priority that no other queue has")
		seen |= pfc.Of(min(max(q.Priority, 0), pfc.PerLink-1))
		bad.Check(indexOf(groups, q.Group) >= 0, path+".group", q.Group, "the number of a group")
		bad.Within(path+".weight", int64(q.Weight), 0, maxWeight)
		bad.Check(!q.Strict || q.Weight == 0, path+".weight", q.Weight, "no weight beside strict")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	class := classOf(groups)
	s := &Schedule{
		Groups: slices.SortedFunc(slices.Values(groups), func(a, b Group) int { return class(a) - class(b) }),
		Queues: slices.SortedFunc(slices.Values(queues), func(a, b Queue) int { return a.Priority - b.Priority }),
	}
	s.class = grouped.Each(s.Groups, class)
	s.of = grouped.Each(s.Queues, func(q Queue) int { return indexOf(s.Groups, q.Group) })
	return s, nil
}

// indexOf returns the index of the group with a number, or -1.
func indexOf(groups []Group, number int) int {
	return slices.IndexFunc(groups, func(g Group) bool { return g.Number == number })
}

// Class returns the traffic class of the i-th group.
func (s *Schedule) Class(i int) int { return s.class[i] }

// GroupOf returns the index of the group of the i-th queue.
func (s *Schedule) GroupOf(i int) int { return s.of[i] }

// Rest returns the index of the group that takes the priorities without a queue: the lowest group with ETS, and the
// lowest of all if none has ETS. It is a choice: the standards give every priority a class.
func (s *Schedule) Rest() int {
	return max(0, slices.IndexFunc(s.Groups, func(g Group) bool { return g.Selection == dcbx.Enhanced }))
}

// Share is a part of a link, as a fraction. The zero Share has no bandwidth.
type Share struct{ Part, Whole int64 }

// Percent returns the share in hundredths of a percent, rounded to the nearest.
func (f Share) Percent() unit.Percent {
	if f.Whole == 0 {
		return 0
	}
	return unit.Percent((f.Part*int64(unit.Whole)*2 + f.Whole) / (2 * f.Whole))
}

// Shares returns the share of each queue if all queues send all the time: of what strict and shaped groups leave, and
// for a queue of a strict or shaped group of what its group gets. A group without a queue counts for nothing. A strict
// queue, and one beside a strict queue of its group, has no share: it has the zero Share.
func (s *Schedule) Shares() []Share {
	out := s.parts()
	for i := range s.Queues {
		if s.hasStrict(s.of[i]) {
			out[i] = Share{}
		}
	}
	return out
}

// parts is Shares with equal shares in groups that have a strict queue. All shares of groups with ETS have the same
// Whole: 100 or less times the product of the sums of weights, at most 100 * 200^4 for eight queues.
func (s *Schedule) parts() []Share {
	whole, product := s.bandwidth(), int64(1)
	sums := make([]int64, len(s.Groups))
	for i := range s.Queues {
		sums[s.of[i]] += s.weight(i)
	}
	for g := range s.Groups {
		if s.shares(g) {
			product *= sums[g]
		}
	}
	out := make([]Share, len(s.Queues))
	for i := range s.Queues {
		if g := s.of[i]; s.shares(g) {
			out[i] = Share{int64(s.Groups[g].Bandwidth) * s.weight(i) * (product / sums[g]), whole * product}
		} else {
			out[i] = Share{s.weight(i), sums[g]}
		}
	}
	return out
}

// weight is the weight of the i-th queue in its group. It is 1 where no other queue is compared with it.
func (s *Schedule) weight(i int) int64 {
	if all, strict := s.count(s.of[i]); all == 1 || strict > 0 {
		return 1
	}
	return int64(max(s.Queues[i].Weight, 1))
}

// count is the number of a group's queues, and of those that are strict within it.
func (s *Schedule) count(group int) (all, strict int) {
	for i, q := range s.Queues {
		if s.of[i] == group {
			all++
		}
		if s.of[i] == group && q.Strict {
			strict++
		}
	}
	return all, strict
}

// shares tells whether a group shares the bandwidth: it has ETS, and a queue.
func (s *Schedule) shares(group int) bool {
	all, _ := s.count(group)
	return s.Groups[group].Selection == dcbx.Enhanced && all > 0
}

// bandwidth is the sum of the bandwidths of the groups that have queues.
func (s *Schedule) bandwidth() (sum int64) {
	for i := range s.Groups {
		if s.shares(i) {
			sum += int64(s.Groups[i].Bandwidth)
		}
	}
	return sum
}

// hasStrict tells whether a queue of the group is strict within it.
func (s *Schedule) hasStrict(group int) bool {
	_, strict := s.count(group)
	return strict > 0
}

// Table returns the first level as IEEE's TLVs have it. A priority without a queue is in the class of [Schedule.Rest].
// The TLVs have no field for an idle slope, and none for the second level.
func (s *Schedule) Table() (t dcbx.Table) {
	if len(s.Groups) == 0 {
		return t
	}
	for p := range t.Class {
		t.Class[p] = uint8(s.class[s.Rest()])
	}
	for i, q := range s.Queues {
		t.Class[q.Priority] = uint8(s.class[s.of[i]])
	}
	for i := range s.Groups {
		t.Selection[s.class[i]], t.Bandwidth[s.class[i]] = s.Groups[i].Selection, uint8(s.Groups[i].Bandwidth)
	}
	return t
}
