package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/dcbx"
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
		out = append(out, d)
	}
	return out
}

// simNegotiated is the table of the ports that speak DCBX.
func simNegotiated(ports []simDCBX) section {
	s := section{name: "dcbx", title: "DCBX", columns: []string{"port", "configured PFC", "PFC at the end", "since",
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
		s.row(d.Port, priorityText(d.Configured), priorityText(d.InForce), since, why, count(d.Sent), count(d.Heard),
			count(d.Drops), last)
	}
	if n := len(ports) - simRows; n > 0 {
		s.title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
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
