package ets

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Group is a group of priorities that the link serves as one: a traffic class of 802.1Q, or a priority group of CEE.
type Group struct {
	Number int    // 0 to 7, or [dcbx.StrictGroup]
	Name   string // its purpose, for people; empty: none

	// Selection is the algorithm by which the group is chosen to send. [dcbx.Vendor] is refused, because a vendor's
	// algorithm is not known.
	Selection dcbx.Selection
	// Bandwidth is the least part of what strict and shaped groups leave, 1 to 100 percent. Only groups with
	// [dcbx.Enhanced] have it, and theirs are 100 in sum.
	Bandwidth int
	// IdleSlope is the rate on the wire of a group with [dcbx.CreditBased], in whole kilobits per second. Others have 0.
	IdleSlope unit.BitRate
}

// SlopeUnit is the unit of an idle slope. The simulator computes credit in it.
const SlopeUnit = unit.Kbps

// ValidateGroups returns nil, or everything that is wrong with the groups of a port, which the paths call groups[0] and
// so on.
//
// An ETS group with 0 percent is refused. The standard has no minimum, but drivers differ in what 0 does: mlx5e lets
// such groups send last, hns3 refuses them ("ets dwrr bandwidth cannot be 0", Linux netdev, 2021-10-19).
func ValidateGroups(groups []Group) error {
	if len(groups) == 0 { // most switches have no groups
		return nil
	}
	var bad fielderr.List
	bad.Check(len(groups) <= dcbx.MaxClasses, "groups", fmt.Sprintf("%d groups", len(groups)),
		"at most %d (802.1Q, 8.6.6)", dcbx.MaxClasses)
	seen, sum, enhanced := map[int]bool{}, 0, false
	for i := range groups {
		g := &groups[i]
		path := fmt.Sprintf("groups[%d]", i)
		bad.Check(g.Number >= 0 && g.Number < dcbx.MaxClasses || g.Number == dcbx.StrictGroup, path+".number", g.Number,
			"0 to 7; a priority group of CEE also 15, and 8 to 14 are reserved")
		bad.Check(!seen[g.Number], path+".number", g.Number, "a number that no other group has")
		seen[g.Number] = true
		g.validate(path, &bad)
		if g.Selection == dcbx.Enhanced {
			sum, enhanced = sum+g.Bandwidth, true
		}
	}
	bad.Check(!enhanced || sum == 100, "groups", fmt.Sprintf("bandwidths of %d%% in sum", sum),
		"100%% in sum for the groups with ETS (802.1Q, D.2.8)")
	if seen[dcbx.StrictGroup] {
		for i := range groups {
			g := &groups[i]
			bad.Check(g.Number == dcbx.StrictGroup || g.Selection == dcbx.Enhanced, fmt.Sprintf("groups[%d].tsa", i),
				g.Selection, "ets, because group 15 is CEE's, and CEE has no other strict or shaped group")
		}
	}
	return bad.Err()
}

// validate refuses values that the algorithm does not have.
func (g *Group) validate(path string, bad *fielderr.List) {
	switch g.Selection {
	case dcbx.Enhanced:
		bad.Check(g.Number != dcbx.StrictGroup, path+".tsa", g.Selection, "strict: group 15 has no limit of bandwidth")
		bad.Check(g.Bandwidth >= 1 && g.Bandwidth <= 100, path+".bandwidth", fmt.Sprintf("%d%%", g.Bandwidth),
			"1%% to 100%% of a group with ETS; what 0%% does differs from device to device")
	case dcbx.CreditBased:
		bad.Check(g.Number != dcbx.StrictGroup, path+".tsa", g.Selection, "strict: group 15 has no limit of bandwidth")
		bad.Check(g.IdleSlope > 0 && g.IdleSlope%SlopeUnit == 0, path+".idle_slope", g.IdleSlope,
			"whole kilobits per second above 0 (802.1Q, 8.6.8.2)")
	case dcbx.Strict:
	case dcbx.Vendor:
		bad.Add(path+".tsa", g.Selection.String(), "strict, credit-based, ets: what a vendor's algorithm does is not known")
	default:
		bad.Add(path+".tsa", g.Selection.String(), "strict, credit-based, ets (802.1Q, table 8-6)")
	}
	bad.Check(g.Bandwidth == 0 || g.Selection == dcbx.Enhanced, path+".bandwidth", fmt.Sprintf("%d%%", g.Bandwidth),
		"none: a %v group has no part of the bandwidth", g.Selection)
	bad.Check(g.IdleSlope == 0 || g.Selection == dcbx.CreditBased, path+".idle_slope", g.IdleSlope,
		"none: a %v group has no idle slope", g.Selection)
}

// ParseSelection reads the name of an algorithm: "strict", "credit-based", "ets" or "vendor", or its number in table
// 8-6 of 802.1Q.
func ParseSelection(text string) (dcbx.Selection, error) {
	for _, s := range []dcbx.Selection{dcbx.Strict, dcbx.CreditBased, dcbx.Enhanced, dcbx.Vendor} {
		if text == s.String() || text == fmt.Sprint(uint8(s)) {
			return s, nil
		}
	}
	return 0, fmt.Errorf("%q: want strict, credit-based, ets, vendor, or the numbers 0, 1, 2, 255 of the standard",
		text)
}

// classOf returns what gives a group its traffic class: its number, and for group 15 the highest class that no other
// group has. The groups must be valid.
func classOf(groups []Group) func(Group) int {
	free := dcbx.MaxClasses - 1
	for slices.ContainsFunc(groups, func(g Group) bool { return g.Number == free }) {
		free--
	}
	return func(g Group) int {
		if g.Number == dcbx.StrictGroup {
			return free
		}
		return g.Number
	}
}
