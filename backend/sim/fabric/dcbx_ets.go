package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the shares of a link (ETS) in DCBX: what a port says of its scheduler, and what becomes of its
// scheduler when it takes over the shares of its neighbour.

// table returns the scheduler as the TLVs of ETS have it. With one group, each queue is a traffic class: every queue
// competes with every other. With several, a group is a class, and the TLVs have no field for the level below.
//
// Weights become whole percents of the classes that have priorities, as near as they come ([ets.Scale]). Round robin by
// packets shares packets and not bandwidth, which no algorithm of 802.1Q does, so it is a vendor's.
func (s *Scheduler) table() (t dcbx.Table) {
	of, member := s.Group, &s.Groups
	if single(&s.Group) {
		of, member = [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}, &s.Queues
	}
	for p, c := range of {
		t.Class[p] = uint8(c)
	}
	sum, used := int64(0), t.Used()
	for c := range member {
		switch member[c].Algorithm {
		case DWRR:
			t.Selection[c] = dcbx.Enhanced
			sum += weightOf(&member[c], used, c)
		case Shaped:
			t.Selection[c] = dcbx.CreditBased
		case WRR:
			if t.Selection[c] = dcbx.Vendor; used>>c&1 == 0 {
				t.Selection[c] = dcbx.Strict // of no priority: it does not matter
			}
		}
	}
	var shares []ets.Share
	var classes []int
	for c := range member {
		if n := weightOf(&member[c], used, c); n > 0 {
			shares, classes = append(shares, ets.Share{Part: n, Whole: sum}), append(classes, c)
		}
	}
	for i, r := range ets.Percents.Round(shares) {
		t.Bandwidth[classes[i]] = uint8(r.Number)
	}
	if len(classes) == 0 { // ETS of no priority would have to be 100 % in sum
		for c := range t.Selection {
			if t.Selection[c] == dcbx.Enhanced {
				t.Selection[c] = dcbx.Strict
			}
		}
	}
	return t
}

// single tells whether all queues are in one group.
func single(group *[Priorities]int) bool {
	for _, g := range group {
		if g != group[0] {
			return false
		}
	}
	return true
}

// weightOf returns the weight of a class that shares bandwidth; 0 for another, and for one without priorities.
func weightOf(t *Selection, used uint8, class int) int64 {
	if t.Algorithm != DWRR || used>>class&1 == 0 {
		return 0
	}
	return int64(max(t.Weight, 1))
}

// adopt returns the scheduler with the groups of a neighbour's table. Its queues compete within their new groups as
// before: the table says nothing of them.
func (s Scheduler) adopt(t *dcbx.Table) Scheduler {
	s.Groups = [Priorities]Selection{}
	for p, c := range t.Class {
		s.Group[p] = int(c)
	}
	for c, how := range t.Selection {
		if s.Groups[c] = (Selection{Algorithm: Strict}); how == dcbx.Enhanced {
			s.Groups[c] = Selection{Algorithm: DWRR, Weight: int(t.Bandwidth[c])}
		}
	}
	return s
}

// validateETS complains about ETS that the port cannot have or say, and completes the settings by the scheduler of a
// switch's port. at is nil for a host, which says what it recommends.
func (d *DCBX) validateETS(bad *complain.List, at *SwitchPort) {
	s := &d.Settings
	if s.WithoutETS {
		return
	}
	const path = "settings.ets"
	bad.Check(!s.ETS.CreditBased, path, "with the credit-based shaper",
		"without: the TLVs have no idle slope that a neighbour could take over")
	if at == nil {
		bad.Check(!s.ETS.Willing, path, "a willing host", "a switch's port: a host has no queues that share its link")
		return
	}
	bad.Check(at.Queues == [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}, path, at.Queues, "queue N for each priority N")
	s.ETS.Table = at.ETS.table()
	for p, c := range s.ETS.Class {
		how := s.ETS.Selection[c]
		if s.Mode != dcbx.OnlyIEEE && (how == dcbx.CreditBased || how == dcbx.Vendor) {
			bad.Add(path, fmt.Sprintf("priority %d, %v", p, how),
				"dwrr or strict: CEE has bandwidths and strict groups alone (IEEE 802.1Qaz has more)")
			return
		}
	}
}

// useShares puts the shares in force that were negotiated: the port's own, or those of its neighbour.
func (s *part) useShares(i int32, l *lldp, in *dcbx.Operational) {
	p := &s.ports[i]
	if l.Settings.WithoutETS || !p.isSwitch {
		return
	}
	to := l.own
	if in.ETS.FromPeer {
		to = l.own.adopt(&in.Table)
	}
	if to == l.state.Schedule {
		return
	}
	s.applyElided(i)
	// The scheduler is valid: the port's own was validated, and an agent takes over only what its port can have, which
	// are no shaped groups.
	p.ets, _ = schedulerFor(to, p.rate)
	p.setElidable()
	l.state.Schedule, l.state.Rescheduled, l.state.RescheduledAt = to, l.state.Rescheduled+1, unit.Time(s.Now)
	if s.observer != nil {
		s.reportPriority(SharesChanged, i, -1)
	}
}
