package many

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/nos"
)

// route is the way from one fabric to another. from and to have the same switches. The embedded way has the waves,
// the stages, and what cables differ in meanwhile.
type route struct {
	*rollout.Way
	from, to *asked
	notes    []string // cables that are not compared
}

// routeTo plans a route. Codes of link that the user accepts are named and do not refuse it. Both fabrics are planned
// in full, since a wave that does not fit must be known before the first is sent. An error is wrong usage, or a plan
// that does not fit (exit code 3). A change that must not be made is no error: Way.Refused says why.
func routeTo(from, to *asked, limits rollout.Limits, accepted []string) (*route, error) {
	// A switch in one file alone would have no plan before or after.
	both, gone, added := pairs(from, to)
	if len(gone)+len(added) > 0 {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s has %s that %s lacks, and lacks %s: want the same switches in "+
			"both", from.Name(), cmp.Or(fold(gone), "no switch"), to.Name(), cmp.Or(fold(added), "none")))
	}
	// A switch that does not change is among them: its cables are compared, and it stands beside others that do.
	switches := make([]rollout.Changed, len(both))
	for i, p := range both {
		// Kinds are planned once in each fabric.
		before, err := from.planOf(p[0])
		if err != nil {
			return nil, err
		}
		after, err := to.planOf(p[1])
		if err != nil {
			return nil, err
		}
		switches[i] = rollout.Changed{Switch: p[1], Before: before, After: after}
	}
	// The cables are those of the new file: it says what will be connected. Hosts are left out: no wave changes a host,
	// so their cables have no state between two waves.
	wires, notes, err := to.wires(false)
	if err != nil {
		return nil, err
	}
	way, err := rollout.NewWay(switches, wires, limits, accepted)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s and %s: %w", from.Name(), to.Name(), err))
	}
	return &route{way, from, to, notes}, nil
}

// planOf plans a switch whose plan has to fit. A refused plan is never sent, so its switch has none. The plan is that
// of the kind, and is shared by its switches: package rollout compares plans by pointer.
func (a *asked) planOf(s *fabric.Switch) (*nos.Plan, error) {
	if p := a.plans[s.Kind]; p != nil {
		return p, nil
	}
	f, err := a.topology(s)
	if err != nil {
		return nil, err
	}
	plan, err := buffer.New(f.Intent)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", a.member(s).Name, err))
	}
	if err := plan.Err(); err != nil {
		return nil, cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s: nothing was sent: %w", a.member(s).Name, err))
	}
	a.plans[s.Kind] = &nos.Plan{Intent: f.Intent, Layout: plan.Layout()}
	return a.plans[s.Kind], nil
}
