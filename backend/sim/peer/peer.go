// Package peer runs the admission rules of two well-known simulators, ns-3 with
// HPCC's switch model and ns3-datacenter, inside this project's event loop, so
// that the loop can be compared with theirs event by event. The rules live here,
// apart from the product's own: they count bytes, not cells, know neither
// pause times nor response times, give memory back when a frame begins to
// leave, and send pause frames of 43 bytes.
//
// Their formulas are restated from the published sources
// (alibaba-edu/High-Precision-Congestion-Control and inet-tub/ns3-datacenter,
// switch-mmu.cc) and checked against event logs of both programs.
package peer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Rule is a peer's admission with the numbers that its event log shows.
type Rule interface {
	fabric.AdmissionRule
	// Columns returns ingress bytes and headroom bytes of the port and priority,
	// bytes and headroom bytes of the switch, bytes of the egress queue (0 if out
	// is below 0), and the pause threshold now.
	Columns(in, out, priority int) [6]int64
}

// Names lists the rules.
func Names() []string { return []string{"hpcc", "ns3-datacenter"} }

// RuleName is the rule by which the scenario's model admits.
func (s *Scenario) RuleName() string {
	if s.Model == "ns3dc" {
		return "ns3-datacenter"
	}
	return "hpcc"
}

// NewRule returns a rule by name, with the sizes of the scenario.
func NewRule(name string, s *Scenario) (Rule, error) {
	switch name {
	case "hpcc":
		return newHPCC(s), nil
	case "ns3-datacenter":
		return newNS3DC(s), nil
	}
	return nil, fmt.Errorf("rule %q: accepted: hpcc, ns3-datacenter", name)
}

// Result is what came of a run.
type Result struct {
	fabric.Summary
	MaxHeadroom    unit.Bytes // of one port and priority
	MaxAllHeadroom unit.Bytes // of the switch
	MaxUsed        unit.Bytes // of the switch: with headroom by ns3-datacenter's count, without by HPCC's
	Complete       bool       // it was not cancelled
}

// Run plays the scenario by the rule and writes its event log as CSV in the
// columns of the peers' logs; a nil log writes none. A cancelled context stops
// it between events; the log then ends with a whole line.
func Run(ctx context.Context, s *Scenario, rule Rule, log io.Writer) (Result, error) {
	sim, err := fabric.New(s.network(rule))
	if err != nil {
		return Result{}, err
	}
	w := writer{rule: rule, payload: int64(s.Payload)}
	if log != nil {
		w.out = bufio.NewWriterSize(log, 1<<16)
		w.out.WriteString("time_ps,event,in_port,out_port,queue,size,ingress_bytes,headroom_bytes," +
			usedColumn(rule) + ",total_headroom_used,egress_bytes,pfc_threshold_now\n")
	}
	sim.Observe(w.observe)
	r := Result{Complete: true}
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

// usedColumn is what the rule's log calls the memory in use: one counts
// headroom in it, the other does not.
func usedColumn(r Rule) string {
	if _, ok := r.(*ns3dc); ok {
		return "total_used"
	}
	return "shared_used"
}

// writer turns what happens into rows.
type writer struct {
	rule                        Rule
	payload                     int64
	out                         *bufio.Writer
	row                         []byte
	headroom, allHeadroom, used unit.Bytes
}

func (w *writer) observe(e *fabric.Event) {
	in := e.Where.Port
	switch e.Kind {
	case fabric.Enqueued:
		w.state(e, "enq", in, e.Out)
	case fabric.Departed:
		w.state(e, "deq", in, e.Out)
	case fabric.Dropped:
		w.state(e, "drop", in, e.Out)
	case fabric.PauseWanted:
		w.state(e, "pause", in, -1)
	case fabric.PauseReleased:
		w.state(e, "resume", in, -1)
	case fabric.Paused:
		w.host(e, "pause_rx_host", e.Where.Node, -1, 0)
	case fabric.Resumed:
		w.host(e, "resume_rx_host", e.Where.Node, -1, 0)
	case fabric.Delivered:
		w.host(e, "rx", e.From, e.Where.Node, int64(e.Seq)*w.payload)
	}
}

// state writes a row of the switch.
func (w *writer) state(e *fabric.Event, name string, in, out int) {
	c := w.rule.Columns(in, out, e.Priority)
	w.headroom = max(w.headroom, unit.Bytes(c[1]))
	w.used = max(w.used, unit.Bytes(c[2]))
	w.allHeadroom = max(w.allHeadroom, unit.Bytes(c[3]))
	w.write(e, name, in, out, e.Priority, c)
}

// host writes a row of a host: of a frame with the payload sent before it, of a
// pause without its priority, as the peers' logs have it.
func (w *writer) host(e *fabric.Event, name string, in, out int, before int64) {
	if e.Where.Switch {
		return
	}
	priority := e.Priority
	if out < 0 {
		priority = 0
	}
	w.write(e, name, in, out, priority, [6]int64{before})
}

func (w *writer) write(e *fabric.Event, name string, in, out, priority int, state [6]int64) {
	if w.out == nil {
		return
	}
	b := append(strconv.AppendInt(w.row[:0], int64(e.At), 10), ',')
	b = append(append(b, name...), ',')
	for _, n := range [4]int64{int64(in), int64(out), int64(priority), int64(e.Bytes)} {
		b = append(strconv.AppendInt(b, n, 10), ',')
	}
	for i, n := range state {
		b = strconv.AppendInt(b, n, 10)
		if i < len(state)-1 {
			b = append(b, ',')
		}
	}
	w.row = append(b, '\n')
	w.out.Write(w.row)
}

// network is the scenario as this project's simulator knows it: a switch whose
// port h+1 leads to host h, with port 0 unused.
func (s *Scenario) network(rule Rule) fabric.Network {
	n := fabric.Network{Wire: fabric.Wire{Bare: true, Pause: s.PauseFrame, Endless: true, InOrder: true},
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
	for _, f := range s.Flows {
		n.Flows = append(n.Flows, fabric.Flow{From: f.From, To: f.To, Priority: f.Priority, PCP: f.Priority,
			Frame: s.Payload + s.Header, Header: s.Header,
			Size: f.Payload, Start: f.Start})
	}
	return n
}
