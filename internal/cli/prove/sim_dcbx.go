package prove

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints the DCBX of the ports of a run.

// simDCBX is the DCBX of a port.
type simDCBX struct {
	Port       string          `json:"port"`
	Configured []int           `json:"configured_pfc_priorities"`
	InForce    []int           `json:"pfc_priorities"` // at the end
	Reason     dcbx.Reason     `json:"pfc_reason"`     // empty: the port had not begun to speak
	Sent       int64           `json:"lldp_sent"`
	Heard      int64           `json:"lldp_heard"`
	Refused    int64           `json:"lldp_refused"` // of those heard, not used
	Drops      int64           `json:"drops"`        // of frames that entered by the port
	LastDrop   *int64          `json:"last_drop_ps"` // null: there is none
	Changed    int64           `json:"changes_count"`
	Changes    []simDCBXChange `json:"changes"` // the first of them
	// Shares is how the link is shared at the end; null: the port does not speak of it.
	Shares *simShares `json:"shares"`
}

// simShares is the ETS of a port.
type simShares struct {
	Taken   bool            `json:"taken"` // over from the neighbour
	Reason  dcbx.Reason     `json:"reason"`
	Changed int64           `json:"changes_count"`
	Since   *int64          `json:"since_ps"` // the last change; null: none
	Groups  []simShareGroup `json:"groups"`
}

// simShareGroup is a traffic class with priorities. Bandwidth is 0 unless the algorithm is ets.
type simShareGroup struct {
	Priorities []int  `json:"priorities"`
	Algorithm  string `json:"algorithm"`
	Bandwidth  int    `json:"bandwidth_percent"`
}

// simDCBXChange is a moment at which other priorities came into force.
type simDCBXChange struct {
	At     int64       `json:"at_ps"`
	PFC    []int       `json:"pfc_priorities"`
	Reason dcbx.Reason `json:"pfc_reason"`
}

// priorityList returns the priorities of a set.
func priorityList(set pfc.Priorities) []int {
	out := []int{}
	for p := range pfc.PerLink {
		if set.Has(p) {
			out = append(out, p)
		}
	}
	return out
}

// negotiated returns the DCBX of all ports that speak it.
func negotiated(r *scenario.Result) (out []simDCBX) {
	for i := range r.DCBX {
		n := &r.DCBX[i]
		d := simDCBX{Port: n.Name, Configured: priorityList(n.Configured), InForce: priorityList(n.PFC),
			Reason: n.Operational.PFC.Reason, Sent: n.Sent, Heard: n.Heard, Refused: n.Refused, Changed: n.Changed,
			Changes: []simDCBXChange{}}
		at := slices.IndexFunc(r.Ports, func(p scenario.PortResult) bool { return p.At == n.At })
		for prio, dropped := range r.Ports[at].Counters.Drops {
			last := int64(r.Ports[at].Counters.LastDrop[prio])
			if d.Drops += dropped; dropped > 0 && (d.LastDrop == nil || *d.LastDrop < last) {
				d.LastDrop = &last
			}
		}
		for _, c := range n.Changes {
			d.Changes = append(d.Changes, simDCBXChange{int64(c.At), priorityList(c.PFC), c.Reason})
		}
		d.Shares = negotiatedShares(n)
		out = append(out, d)
	}
	return out
}

// negotiatedShares returns the ETS of a port; nil if it does not speak of it, or has not begun to speak.
func negotiatedShares(n *scenario.Negotiated) *simShares {
	in := &n.Operational
	if !n.SaysShares || !n.Up {
		return nil
	}
	s := &simShares{Taken: in.ETS.FromPeer, Reason: in.ETS.Reason, Changed: n.Rescheduled, Groups: []simShareGroup{}}
	if n.Rescheduled > 0 {
		s.Since = new(int64(n.RescheduledAt))
	}
	for class, how := range in.Table.Selection {
		var of pfc.Priorities
		for p, c := range in.Table.Class {
			if int(c) == class {
				of |= pfc.Of(p)
			}
		}
		if of != 0 {
			g := simShareGroup{priorityList(of), how.String(), 0}
			if how == dcbx.Enhanced {
				g.Bandwidth = int(in.Table.Bandwidth[class])
			}
			s.Groups = append(s.Groups, g)
		}
	}
	return s
}

// simShared is the table of the ports that speak of their shares.
func simShared(ports []simDCBX) cli.Section {
	s := cli.Section{Name: "shares", Title: "Shares by DCBX", Columns: []string{"port", "shares at the end", "of",
		"changes", "since", "why"}}
	for i := range ports {
		x := ports[i].Shares
		if x == nil || len(s.Rows) == simRows {
			continue
		}
		var groups []string
		for _, g := range x.Groups {
			how := g.Algorithm
			if how == dcbx.Enhanced.String() {
				how = fmt.Sprintf("%d%%", g.Bandwidth)
			}
			groups = append(groups, priorityText(g.Priorities)+": "+how)
		}
		of, since := "its own", "the start"
		if x.Taken {
			of = "the neighbour"
		}
		if x.Since != nil {
			since = unit.Time(*x.Since).String()
		}
		s.Row(ports[i].Port, strings.Join(groups, "; "), of, cli.Count(x.Changed), since, string(x.Reason))
	}
	return s
}

// simNegotiated is the table of the ports that speak DCBX.
func simNegotiated(ports []simDCBX) cli.Section {
	s := cli.Section{Name: "dcbx", Title: "DCBX", Columns: []string{"port", "configured PFC", "PFC at the end", "since",
		"why", "LLDP sent", "LLDP heard", "drops", "last drop"}}
	for i := range ports[:min(len(ports), simRows)] {
		d := &ports[i]
		since, last, why := "the start", "-", string(d.Reason)
		if n := len(d.Changes); n > 0 {
			since = unit.Time(d.Changes[n-1].At).String()
		}
		if d.LastDrop != nil {
			last = unit.Time(*d.LastDrop).String()
		}
		if why == "" {
			why = "it has not begun to speak"
		}
		s.Row(d.Port, priorityText(d.Configured), priorityText(d.InForce), since, why, cli.Count(d.Sent), cli.Count(d.Heard),
			cli.Count(d.Drops), last)
	}
	if n := len(ports) - simRows; n > 0 {
		s.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
	}
	return s
}

// priorityText prints priorities.
func priorityText(list []int) string {
	var out []string
	for _, p := range list {
		out = append(out, strconv.Itoa(p))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ",")
}
