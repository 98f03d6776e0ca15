// Package peers runs the admission rules of two other simulators in this project's event loop: ns-3 with HPCC's switch
// model, and ns3-datacenter. With the same rule the loop must produce the same event log as they do, row by row, which
// is how the loop is tested.
//
// These rules are for comparison only. They count bytes and not cells. They have no pause times and no response times,
// give memory back when a frame begins to leave, and send pause frames of 43 bytes.
//
// The formulas are taken from the published sources (alibaba-edu/High-Precision-Congestion-Control and
// inet-tub/ns3-datacenter, file switch-mmu.cc) and written anew. They are checked against event logs of both programs,
// which are in testdata.
package peers

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Rule is an admission rule, with the numbers that its event log shows.
type Rule interface {
	fabric.AdmissionRule
	// Columns returns, for a port and priority, the ingress bytes and the headroom bytes; for the switch, its bytes and
	// its headroom bytes; the bytes of the egress queue (0 if out is negative); and the present pause threshold.
	Columns(in, out, priority int) [6]int64
}

// Names lists the names of the rules.
func Names() []string { return []string{"hpcc", "ns3-datacenter"} }

// RuleName returns the rule of the simulator from which the scenario is.
func (s *Scenario) RuleName() string {
	if s.Model == "ns3dc" {
		return "ns3-datacenter"
	}
	return "hpcc"
}

// NewRule returns a rule by its name, with the sizes of the scenario.
func NewRule(name string, s *Scenario) (Rule, error) {
	switch name {
	case "hpcc":
		return ofScenario(s), nil
	case "ns3-datacenter":
		return newNS3DC(s), nil
	}
	return nil, fmt.Errorf("rule %q: want hpcc, ns3-datacenter", name)
}

// Result is the result of a run.
type Result struct {
	fabric.Summary
	MaxHeadroom    unit.Bytes // most headroom of a port and priority
	MaxAllHeadroom unit.Bytes // most headroom of the switch
	// MaxUsed is the most memory in use in the switch. ns3-datacenter includes headroom in it, HPCC does not.
	MaxUsed  unit.Bytes
	Complete bool // the run was not cancelled
}

// Run runs the scenario with a rule. It writes the event log as CSV with the columns of the other simulators' logs,
// unless log is nil. When the context is cancelled it stops between events, after a complete line.
func Run(ctx context.Context, s *Scenario, rule Rule, log io.Writer) (Result, error) {
	sim, err := fabric.New(s.network(rule))
	if err != nil {
		return Result{}, err
	}
	w := logWriter{rule: rule, payload: int64(s.Payload)}
	if log != nil {
		w.out = bufio.NewWriterSize(log, 1<<16)
		w.out.WriteString("time_ps,event,in_port,out_port,queue,size,ingress_bytes,headroom_bytes," +
			usedColumn(rule) + ",total_headroom_used,egress_bytes,pfc_threshold_now\n")
	}
	sim.Observe(w.observe)
	r := Result{Complete: true}
	// The context is checked every 100 us of model time.
	const part = 100 * unit.Microsecond
	for at := part; ; at += part {
		end := min(at, s.Stop)
		sim.Run(end)
		if end == s.Stop {
			break
		}
		if ctx.Err() != nil {
			r.Complete = false
			break
		}
	}
	r.Summary, r.MaxHeadroom, r.MaxAllHeadroom, r.MaxUsed = sim.Summary(), w.headroom, w.allHeadroom, w.used
	if w.out != nil {
		return r, w.out.Flush()
	}
	return r, nil
}

// network converts the scenario. The other simulators number a switch's ports
// from 1, so port h+1 leads to host h and port 0 has no link.
func (s *Scenario) network(rule Rule) fabric.Network {
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
