package prove

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints the DCBX of the ports of a run.

// simShared is the table of the ports that speak of their shares. Shares are those that are in force at the end of the
// run.
func simShared(ports []report.SimDCBX) cli.Section {
	s := capped{Section: cli.Table("shares", "Shares by DCBX", "port", "shares at the end", "of", "changes", "since",
		"why")}
	for i := range ports {
		x := ports[i].Shares
		// Ports with PFC in DCBX and no shares have no row here.
		if x == nil {
			continue
		}
		var groups []string
		for _, g := range x.Groups {
			// The bandwidth of a group is in whole percents, as in the TLVs.
			how := g.Algorithm
			// Only ETS has a bandwidth; strict and credit-based groups have their algorithm.
			if how == dcbx.Enhanced.String() {
				how = fmt.Sprintf("%d%%", g.Bandwidth)
			}
			groups = append(groups, priorityText(g.Priorities)+": "+how)
		}
		// nil: nothing has changed since the start.
		of, since := "its own", "the start"
		if x.Taken {
			of = "the neighbour"
		}
		if x.Since != nil {
			since = unit.Time(*x.Since).String()
		}
		s.Row(ports[i].Port, strings.Join(groups, "; "), of, cli.Count(x.Changed), since, string(x.Reason))
	}
	return s.section()
}

// simNegotiated is the table of the ports that speak DCBX. Drops stand beside the negotiation, because frames that are
// lost before PFC is in force are lost by it.
func simNegotiated(ports []report.SimDCBX) cli.Section {
	s := capped{Section: cli.Table("dcbx", "DCBX", "port", "configured PFC", "PFC at the end", "since", "why", "LLDP sent",
		"LLDP heard", "drops", "last drop")}
	for i := range ports {
		d := &ports[i]
		// nil: nothing has changed since the start.
		since, last, why := "the start", "-", string(d.Reason)
		if d.Since != nil {
			since = unit.Time(*d.Since).String()
		}
		// A port that has dropped nothing has a dash.
		if d.LastDrop != nil {
			last = unit.Time(*d.LastDrop).String()
		}
		if why == "" {
			// No reason was noted, because no exchange took place before the end of the run.
			why = "it has not begun to speak"
		}
		s.Row(d.Port, priorityText(d.Configured), priorityText(d.InForce), since, why, cli.Count(d.Sent), cli.Count(d.Heard),
			cli.Count(d.Drops), last)
	}
	return s.section()
}

// priorityText prints priorities. An empty list is none.
func priorityText(list []int) string { return cmp.Or(cli.Joined(list), "none") }
