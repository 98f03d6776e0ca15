package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
)

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
