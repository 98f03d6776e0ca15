package ets

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

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

// CEE returns the first level as CEE's TLV has it. It refuses what CEE cannot say: a shaped group, and more than one
// strict group, because CEE has group 15 alone.
func (s *Schedule) CEE() (dcbx.PriorityGroups, error) {
	var bad fielderr.List
	out := dcbx.PriorityGroups{Feature: dcbx.Feature{Enabled: true}, Classes: dcbx.MaxClasses}
	number := make([]uint8, len(s.Groups))
	strict := 0
	for i := range s.Groups {
		g := &s.Groups[i]
		path := fmt.Sprintf("group %d", g.Number)
		switch g.Selection {
		case dcbx.Enhanced:
			number[i], out.Bandwidth[g.Number] = uint8(g.Number), uint8(g.Bandwidth)
		case dcbx.Strict:
			number[i], strict = dcbx.StrictGroup, strict+1
			bad.Check(strict == 1, path, "a second strict group", "one, because CEE has group 15 alone")
		default:
			bad.Add(path, g.Selection.String(), "strict or ets, because CEE has no shaper")
		}
	}
	for p := range out.Group {
		out.Group[p] = number[s.Rest()]
	}
	for i, q := range s.Queues {
		out.Group[q.Priority] = number[s.of[i]]
	}
	return out, bad.Err()
}

// FromTable returns the schedule that IEEE's TLVs say: all eight priorities with a queue, and equal weights in each
// class, about which the TLVs say nothing. Classes that no priority is in are left out unless they have a bandwidth.
// Refused, beside what [dcbx.Table.Validate] and [ValidateGroups] refuse, is a class with the credit-based shaper,
// because the TLVs do not say its idle slope.
func FromTable(t *dcbx.Table) (*Schedule, error) {
	var bad fielderr.List
	bad.Join(t.Validate())
	var groups []Group
	var queues []Queue
	for c, how := range t.Selection {
		used := t.Used()>>c&1 == 1
		if how == dcbx.CreditBased && used {
			bad.Add(fmt.Sprintf("traffic class %d", c), "credit-based, and the TLV has no idle slope", "strict or ets")
		}
		g := Group{Number: c, Selection: how}
		if how == dcbx.Enhanced {
			g.Bandwidth = int(t.Bandwidth[c])
		}
		if used || g.Bandwidth > 0 {
			groups = append(groups, g)
		}
	}
	for p, c := range t.Class {
		queues = append(queues, Queue{Priority: p, Group: int(c)})
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return NewSchedule(groups, queues)
}

// FromCEE returns the schedule that CEE's TLV says, as [FromTable] does. A percentage of a group counts also where no
// priority is in the group; group 15 has none.
func FromCEE(g *dcbx.PriorityGroups) (*Schedule, error) {
	var groups []Group
	var queues []Queue
	used := map[uint8]bool{}
	for p, n := range g.Group {
		used[n] = true
		queues = append(queues, Queue{Priority: p, Group: int(n)})
	}
	for n, b := range g.Bandwidth {
		if used[uint8(n)] || b > 0 {
			groups = append(groups, Group{Number: n, Selection: dcbx.Enhanced, Bandwidth: int(b)})
		}
	}
	if used[dcbx.StrictGroup] {
		groups = append(groups, Group{Number: dcbx.StrictGroup, Selection: dcbx.Strict})
	}
	return NewSchedule(groups, queues)
}
