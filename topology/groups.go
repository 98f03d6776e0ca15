package topology

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// The keys of `ets`: the groups in the words of 802.1Q, or in those of CEE.
const (
	trafficClasses = "traffic_classes"
	priorityGroups = "priority_groups"
)

// ets reads the groups by which the queues of every port share its bandwidth.
func (r *reader) ets(v *document.Value) []ets.Group {
	f := v.Fields(trafficClasses, priorityGroups)
	classes, groups := f[trafficClasses], f[priorityGroups]
	// The words tell the standard, and the standard decides the numbers and the algorithms: a file has one of them.
	switch {
	case classes != nil && groups != nil:
		groups.Refuse(trafficClasses + " or " + priorityGroups + ", not both")
		return nil
	case classes != nil:
		r.etsKey = trafficClasses
		return grouped.Each(classes.Items(), trafficClass)
	case groups != nil:
		r.etsKey = priorityGroups
		return grouped.Each(groups.Items(), priorityGroup)
	case v.IsMapping():
		r.Complain(v.Line, v.Path(), "no groups", trafficClasses+" or "+priorityGroups)
	}
	return nil
}

// trafficClass reads a traffic class of 802.1Q. Enhanced transmission selection has a bandwidth, the credit-based
// shaper an idle slope, strict priority neither (802.1Q, 8.6.8).
func trafficClass(v *document.Value) ets.Group {
	f := v.Fields("number", "name", "tsa", "bandwidth", "idle_slope")
	v.Need(f, "number", "tsa")
	// Eight traffic classes, 0 to 7 (802.1Q, 8.6.6). The idle slope is a rate on the wire, that of the credit-based
	// shaper (802.1Q, 8.6.8.2).
	g := ets.Group{Number: int(f["number"].Integer(0, dcbx.MaxClasses-1)), Name: f["name"].Label(),
		Bandwidth: wholePercent(f["bandwidth"]), IdleSlope: document.Quantity(f["idle_slope"], unit.ParseBitRate)}
	if f["tsa"] == nil {
		return g
	}
	// Which keys belong to a group depends on its algorithm. One that was refused decides nothing.
	before := v.Complaints()
	if g.Selection = document.Quantity(f["tsa"], ets.ParseSelection); v.Complaints() == before {
		has(v, f, "bandwidth", g.Selection == dcbx.Enhanced)
		has(v, f, "idle_slope", g.Selection == dcbx.CreditBased)
	}
	return g
}

// priorityGroup reads a priority group of CEE. Group 15 is strict, the others share.
func priorityGroup(v *document.Value) ets.Group {
	f := v.Fields("number", "name", "bandwidth")
	v.Need(f, "number")
	// CEE (DCBX 1.01) has groups 0 to 7 and 15. The reserved numbers 8 to 14 are refused by the intent, which also
	// says why.
	g := ets.Group{Number: int(f["number"].Integer(0, dcbx.StrictGroup)), Name: f["name"].Label(),
		Selection: dcbx.Enhanced, Bandwidth: wholePercent(f["bandwidth"])}
	if g.Number == dcbx.StrictGroup {
		g.Selection = dcbx.Strict
	}
	has(v, f, "bandwidth", g.Selection == dcbx.Enhanced)
	return g
}

// wholePercent reads a percentage as the TLVs have it.
func wholePercent(v *document.Value) int {
	// The TLVs have one byte for each group, in whole percents of 0 to 100 (802.1Q, D.2.8). A fraction would be
	// rounded on the wire, and the sum would no longer be 100.
	p := document.Quantity(v, unit.ParsePercent)
	if p%unit.OnePercent != 0 {
		v.Refuse("whole percents, as the TLVs of ETS have them")
		return 0
	}
	return int(p / unit.OnePercent)
}

// has refuses a group without a value that its algorithm needs, and one with a value that it does not have, also an
// explicit zero, which the intent does not tell from none. The first argument is the group, for a key that is
// missing, and f has its keys.
func has(v *document.Value, f map[string]*document.Value, key string, needed bool) {
	switch {
	case needed:
		v.Need(f, key)
	case f[key] != nil:
		f[key].Refuse("none: a group with this algorithm does not have it")
	}
}

// ets writes the groups, in CEE's words if one of them is group 15.
func (w *writer) ets() {
	groups := w.in.ETS
	if len(groups) == 0 {
		return
	}
	// An intent does not keep which words its file had. Without group 15 both say the same, and 802.1Q's can say
	// more.
	cee := slices.ContainsFunc(groups, func(g ets.Group) bool { return g.Number == dcbx.StrictGroup })
	key := trafficClasses
	if cee {
		key = priorityGroups
	}
	fmt.Fprintf(&w.out, "ets:\n  %s:\n", key)
	for _, g := range groups {
		var m mapping
		m.add("number", fmt.Sprint(g.Number))
		m.addIf(g.Name != "", "name", fmt.Sprintf("%q", g.Name))
		// CEE has no such key: the number of a group says its algorithm.
		m.addIf(!cee, "tsa", g.Selection)
		m.addIf(g.Bandwidth > 0, "bandwidth", fmt.Sprintf("%d%%", g.Bandwidth))
		m.addIf(g.IdleSlope > 0, "idle_slope", g.IdleSlope)
		fmt.Fprintf(&w.out, "    - %v\n", m)
	}
}
