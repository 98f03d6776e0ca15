package many

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/prove"
)

// This file simulates a fabric, or one switch of it among hosts. Package fabric makes the scenario, and the verb sim
// runs it.

// sim runs the traffic of the fabric through the plans of its switches. a.only is the switch of FABRIC:SWITCH; empty:
// the whole fabric is simulated.
func sim(a *asked) error {
	data, made, what, err := a.Simulation(a.only, func(s *fabric.Switch) (*buffer.Intent, error) {
		plan, err := a.planOf(s)
		if err != nil {
			return nil, err
		}
		return &plan.Intent, nil
	})
	// A plan that does not fit has its own exit code; every other error is about the file.
	if err != nil {
		return err
	}
	// The verb finds the scenario in its context in place of a file. Head replaces its first lines and its exit code.
	a.cmd.SetContext(prove.WithMade(a.cmd.Context(), &prove.Made{Name: a.Name(), Data: data,
		// The scenario names files that were made for it, and no others.
		Open: func(path string) ([]byte, error) { return made[path], nil },
		Head: func(s *scenario.Scenario, r *scenario.Result) ([]string, int) { return a.simulated(what, s, r) }}))
	return a.alone(a.cmd, a.args)
}

// simulated is what a run says of the fabric: its first lines, and the exit code. LOCKED and NOT LOSSLESS have the
// code of a plan that does not fit. A fabric that is locked is LOCKED also where it has lost frames.
func (a *asked) simulated(what string, s *scenario.Scenario, r *scenario.Result) (lines []string, code int) {
	// A priority that no class names is not in the map, and counts as lossy.
	lossless := map[int]bool{}
	for _, c := range s.Classes {
		lossless[c.Priority] = c.Lossless
	}
	// Only frames of lossless classes count: lossy ones may be dropped. lost is a number of frames over all ports and
	// priorities.
	lost, first := int64(0), ""
	for i := range r.Ports {
		for priority, n := range r.Ports[i].Counters.Drops {
			if lossless[priority] && n > 0 {
				lost, first = lost+n, cmp.Or(first, r.Ports[i].Name)
			}
		}
	}
	in := fmt.Sprintf(" in %v: %s (%s, %s)", r.End, what, cli.Plural(len(s.Network.Switches), "switch", "switches"),
		cli.Plural(len(s.Network.Links), "cable", "cables"))
	head := "NO LOSSLESS FRAME LOST" + in
	switch {
	case r.InDeadlock:
		head = fmt.Sprintf("LOCKED%s; nothing is delivered after %v", in, r.Summary.LastDelivery)
	case lost > 0:
		head = fmt.Sprintf("NOT LOSSLESS%s; %s lossless frames are lost, first at %s", in, cli.Count(lost), first)
	case len(lossless) == 0:
		head = "NO LOSSLESS CLASS: nothing is claimed" + in
	}
	lines = []string{head,
		"this traffic alone was run: verify has the worst case of a switch, fabric deadlock that of routes"}
	// What the file says and a run does not have is said, since the first line would claim it too.
	lines = append(lines, cli.Prefixed("not run   ", a.NotSimulated())...)
	return lines, cli.CodeIf(r.InDeadlock || lost > 0, cli.ExitNoFit)
}
