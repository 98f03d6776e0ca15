package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// readPlan is a buffer plan that the file gives to a switch. The memory of the
// switch is then what the registers of the plan make of it, and not a
// description in the scenario: the scenario tests the plan.
type readPlan struct {
	asic  *sim.ASIC
	in    buffer.Intent  // what was planned: egress pools and limits of queues are no registers of the ASIC
	ports []string       // names, in the plan's order
	named map[int]string // plan's port for each switch port that the file names
}

// plan reads the topology file of a switch, plans it, and writes the plan to a
// simulated ASIC. A plan that does not fit is refused. The path is relative to
// the scenario's directory. It returns nil after a complaint. The error of a plan that does not fit names the ports
// and the missing cells.
func (r *reader) plan(v *document.Value) *readPlan {
	// The path is the operator's, relative to the scenario as in every file that names another.
	path := document.Beside(r.File, v.Text())
	if p := r.plans[path]; p != nil { // the plan of a fabric is that of many switches
		return p
	}
	data, err := r.open(path)
	if err != nil {
		v.Refuse(fmt.Sprintf("the path of a topology file that can be read (%v)", err))
		return nil
	}
	p, err := planASIC(path, data, r.open)
	if err != nil {
		// A complaint is one line; a topology may have several.
		v.Fail(strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	}
	r.plans[path] = p
	return p
}

// planASIC plans a topology and returns an ASIC with the plan's registers. open reads the files that the topology
// names, beside the topology.
func planASIC(path string, data []byte, open topology.Open) (*readPlan, error) {
	in, err := topology.Parse(path, data, open)
	if err != nil {
		return nil, err
	}
	plan, err := buffer.New(in)
	if err != nil {
		return nil, err
	}
	// A scenario tests a plan that can be applied: one that is refused has no registers.
	if err := plan.Err(); err != nil {
		return nil, err
	}
	// The registers are written as a push writes them, so that the scenario runs what a switch would have.
	asic, err := sim.New(in.Chip, sim.Ports(in)...)
	if err != nil {
		return nil, err
	}
	p := &readPlan{asic: asic, in: in}
	for i := range in.Ports {
		p.ports = append(p.ports, in.Ports[i].Name)
	}
	return p, asic.Apply(context.Background(), buffer.Diff(nil, plan.Layout()))
}

// planPorts reads which port of the plan leads to which neighbour. It works on
// a copy, because other switches can have the same plan. Keys are the names of neighbours, as everywhere in a
// scenario, and values are interfaces of the plan.
func (r *reader) planPorts(v *document.Value, node int) {
	// The ASIC is shared and the names are not.
	p := *r.specs[node].plan
	p.named = map[int]string{}
	r.specs[node].plan = &p
	fields := v.Fields(v.Keys()...) // refuses a list, and keys that are given twice
	known := map[string]bool{}
	for _, name := range p.ports {
		known[name] = true
	}
	for _, key := range v.Keys() {
		port, ok := r.ports[node][key]
		if !ok {
			v.Fail(fmt.Sprintf("%s: want %s", fielderr.Quote(key), nodeNames(r.ports[node], "neighbours")))
			continue
		}
		x := fields[key]
		if !known[x.Text()] {
			x.Refuse("a port of the plan")
		}
		p.named[port] = x.Text()
	}
}

// namePorts says which port of the plan each port of a switch is. Ports that the file does not name take the plan's
// ports in order. A plan may have more ports than the scenario uses. It runs before the links get credits, because
// those of a plan are found by the name of its port.
func (r *reader) namePorts(i int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	names, taken := make([]string, len(w.Ports)), map[string]bool{}
	for j, name := range p.plan.named {
		names[j] = name
		taken[name] = true
	}
	// Two passes over the ports: the names that the file gives are taken before any is taken in turn.
	next := 0
	for j := range names {
		if names[j] != "" {
			continue
		}
		for next < len(p.plan.ports) && taken[p.plan.ports[next]] {
			next++
		}
		if next == len(p.plan.ports) {
			r.Fail(p.line, p.path, fmt.Sprintf(
				"switch %s has %d links, and its plan %d ports: want a port for each link", w.Name, len(w.Ports),
				len(p.plan.ports)))
			return
		}
		names[j] = p.plan.ports[next]
		next++
	}
	p.names = names
}

// buildPlanned makes a switch from a plan. What the file says of ports is added after that: portFromSpec keeps what
// the plan has set and the file has not.
func (r *reader) buildPlanned(i int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	names := p.names
	made, err := p.plan.asic.Switch(names, p.behaviour)
	if err != nil {
		r.Fail(p.line, p.path, err.Error())
		return
	}
	// Egress pools and limits of queues are in the intent and in no register; see readPlan. A switch of a plan has all
	// ports of the scenario, so that the limits are set at each of them.
	sim.LimitEgress(&p.plan.in, &made, 0)
	trimPlanned(&p.plan.in, &made)
	for j := range made.Ports {
		// Files name a port by its neighbour, not by its interface.
		made.Ports[j].Name = w.Ports[j].Name
	}
	made.Name = w.Name
	*w = made
	// These are settings of the scenario, which a plan does not have.
	w.Quanta, w.LinkPause, w.OwnXON, w.ReleaseAtStart = p.quanta, p.linkPause, p.ownXON, p.atStart
	// Pools of each slice, and a rule that the plan's chip has, are applied when the simulation is made.
	r.s.planned = append(r.s.planned, plannedSwitch{i, p.plan.asic, names, p.behaviour})
	r.s.Rules[i] = p.plan.asic.Family(p.behaviour)
	for j := range w.Ports {
		r.portFromSpec(i, j)
	}
}

// plannedSwitch is a switch with a plan. Its pools can have different sizes in
// each slice, which are set in the running MMU: see Scenario.network.
type plannedSwitch struct {
	node      int
	asic      *sim.ASIC // shared with other switches that have the same plan
	ports     []string  // the plan's names, in the order of the switch's ports
	behaviour behaviour.Family
}

// Attach makes the scenario's network, and returns one of its switches as an
// ASIC whose registers can be written while packets run: see [sim.ASIC.Attach].
// The simulation is at time 0. The caller advances it with [sim.ASIC.Traffic].
// Each call makes a new network.
//
// The memory of the switch must come from a plan, because a plan lays out
// registers. An empty name stands for the only switch with a plan. The ASIC's
// ports are those of the plan. Marking that the file gives to queues is in the
// ASIC's registers too, rounded to whole cells.
func (s *Scenario) Attach(name string) (*sim.ASIC, error) {
	t, err := s.plannedNamed(name)
	if err != nil {
		return nil, err
	}
	if w := s.Network.Switches[t.node].Name; slices.ContainsFunc(s.PlannedCredits, func(p report.SimCredits) bool {
		return p.Switch == w
	}) {
		return nil, fmt.Errorf("%w: switch %s has credits of its plan, and the credits of links do not follow registers "+
			"while packets run: want a plan without lossless: cbfc", buffer.ErrInvalid, w)
	}
	network, err := s.network(context.Background())
	if err != nil {
		return nil, err
	}
	// The ASIC of the plan is shared by switches with the same plan, and its registers are about to be written.
	asic := t.asic.Clone()
	if err := asic.Apply(context.Background(), s.markingSteps(t)); err != nil {
		return nil, err
	}
	var masks []pfc.Priorities
	for _, p := range s.Network.Switches[t.node].Ports {
		// The file can give a port other priorities with PFC than the plan.
		masks = append(masks, p.PFC)
	}
	return asic, asic.Attach(sim.Traffic{Sim: network, Node: t.node, Ports: t.ports, Behaviour: t.behaviour,
		PFC: masks})
}

// plannedNamed finds a switch with a plan by its name. The error lists the
// names that are accepted.
func (s *Scenario) plannedNamed(name string) (plannedSwitch, error) {
	var names []string
	for _, t := range s.planned {
		if w := s.Network.Switches[t.node].Name; w == name {
			return t, nil
		} else {
			names = append(names, w)
		}
	}
	accepted := "one of " + strings.Join(names, ", ")
	// From the most general mistake to the most exact one, so that the message says what to change first.
	switch unplanned := slices.ContainsFunc(s.Network.Switches, func(w fabric.Switch) bool { return w.Name == name }); {
	case len(names) == 0:
		return plannedSwitch{}, fmt.Errorf(
			"%w: %s: no switch has the key plan: want a scenario with a planned "+
				"switch, because the plan defines the registers", buffer.ErrInvalid, s.Name)
	case name == "" && len(names) == 1:
		return s.planned[0], nil
	case name == "":
		return plannedSwitch{}, fmt.Errorf("%w: several switches have a plan: want %s", buffer.ErrInvalid,
			accepted)
	case unplanned:
		return plannedSwitch{}, fmt.Errorf("%w: switch %s has no plan: want %s", buffer.ErrInvalid, name, accepted)
	}
	return plannedSwitch{}, fmt.Errorf("%w: switch %s: want %s", buffer.ErrInvalid, strconv.Quote(name), accepted)
}

// markingSteps returns the register writes for the marking that the file gives.
// Thresholds are rounded down to cells. Kmax is at least one cell, because a
// kmax of 0 means no marking. kmin and kmax are bytes in the file and cells in the register; pmax is hundredths of a
// percent in both.
func (s *Scenario) markingSteps(t plannedSwitch) (steps []buffer.Step) {
	size := t.asic.Chip().Cell
	for i, p := range s.Network.Switches[t.node].Ports {
		for q, m := range p.ECN {
			set := func(k buffer.Kind, v int64) {
				steps = append(steps, buffer.Step{Register: buffer.Register{Kind: k, Port: t.ports[i], Index: q},
					To: v})
			}
			if m.KMax > 0 {
				set(buffer.QueueECNMin, int64(size.Within(m.KMin)))
				set(buffer.QueueECNMax, int64(max(size.Within(m.KMax), 1)))
				set(buffer.QueueECNPMax, int64(m.PMax))
			}
		}
	}
	return steps
}
