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
