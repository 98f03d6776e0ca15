// Package peers runs the admission rules of two other simulators in this project's event loop: ns-3 with HPCC's switch
// model, and ns3-datacenter. With the same rule the loop must produce the same event log as they do, row by row, which
// is how the loop is tested. HPCC's rule is here, because libcellwarden has it too; the other rule and the event log
// are beside the tests.
//
// These rules are for comparison only. They count bytes and not cells. They have no pause times and no response times,
// give memory back when a frame begins to leave, and send pause frames of 43 bytes.
//
// The formulas are taken from the published sources (alibaba-edu/High-Precision-Congestion-Control and
// inet-tub/ns3-datacenter, file switch-mmu.cc) and written anew. They are checked against event logs of both programs,
// which are in testdata.
package peers

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pfc"
)

// Rule is an admission rule, with the numbers that its event log shows.
type Rule interface {
	fabric.AdmissionRule
	// Columns returns, for a port and priority, the ingress bytes and the headroom bytes; for the switch, its bytes and
	// its headroom bytes; the bytes of the egress queue (0 if out is negative); and the present pause threshold.
	Columns(in, out, priority int) [6]int64
}

// Network is the scenario as a network of the simulator, whose switch has a rule. The other simulators number the
// ports of a switch from 1, so port h+1 leads to host h and port 0 has no link.
func (s *Scenario) Network(rule fabric.AdmissionRule) fabric.Network {
	n := fabric.Network{Wire: fabric.Wire{Bare: true, Pause: s.PauseFrame, Endless: true, InOrder: true, OneRing: true},
		Hosts: make([]fabric.Host, s.Hosts)}
	sw := fabric.Switch{Rule: rule, ReleaseAtStart: true, Ports: make([]fabric.SwitchPort, s.Hosts+1)}
	for i := range sw.Ports {
		sw.Ports[i] = fabric.SwitchPort{PFC: pfc.All, Queues: [fabric.Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}}
	}
	for h := range n.Hosts {
		n.Hosts[h].PFC = pfc.All
		n.Links = append(n.Links, fabric.Link{A: fabric.AtHost(h), B: fabric.AtSwitch(0, h+1), Rate: s.Rate,
			Delay: s.Delay[h]})
	}
	n.Switches = []fabric.Switch{sw}
	// The other simulators number a host's flows as they start.
	flows := slices.Clone(s.Flows)
	slices.SortStableFunc(flows, func(a, b Flow) int { return cmp.Compare(a.Start, b.Start) })
	for _, f := range flows {
		n.Flows = append(n.Flows, fabric.Flow{From: f.From, To: f.To, Priority: f.Priority, PCP: f.Priority,
			Frame: s.Payload + s.Header, Header: s.Header,
			Size: f.Payload, Start: f.Start})
	}
	return n
}
