package peers

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/unit"
)

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
		return s.HPCC(), nil
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
	sim, err := fabric.New(s.Network(rule))
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
