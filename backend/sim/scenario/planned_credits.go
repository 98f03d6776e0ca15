package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// This file gives links the credits (CBFC) that the plan of a switch has for its port.

// plannedAt returns the credits that the plan of a switch gives at a port; nil: no plan, or no credits. The error says
// which channels a link of a scenario cannot carry. A plan has profiles for its channels, and the network has one for
// each priority: others stay empty.
func (r *reader) plannedAt(e fabric.End) (*fabric.Credits, error) {
	if !e.Switch || r.specs[e.Node].plan == nil {
		return nil, nil
	}
	// Ports of a scenario have the names of neighbours. The plan knows them by the names of interfaces.
	p := &r.specs[e.Node]
	name := p.names[e.Port]
	planned, err := p.plan.in.Credits(slices.Index(p.plan.ports, name))
	if err != nil || len(planned.Channels) == 0 {
		return nil, err
	}
	where := fmt.Sprintf("switch %s, port %s of its plan", r.s.Network.Switches[e.Node].Name, name)
	if err := carried(&planned); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	out := &fabric.Credits{Account: planned.Account,
		Pool: cbfc.Pool{Size: planned.Pool.Size, Profiles: make([]cbfc.Profile, fabric.Priorities)}}
	for i, vc := range planned.Channels {
		out.Channels |= pfc.Of(vc.Number)
		out.Pool.Profiles[vc.Number] = planned.Pool.Profiles[i]
		// A class that may lose frames does not wait for credits, so the plan and the scenario would not mean the same.
		if c := r.s.classAt(vc.Number); c != nil && !c.Lossless {
			return nil, fmt.Errorf("%s: class %s of the plan has credits for priority %d, and class %s of the scenario is "+
				"not lossless: want lossless: true", where, planned.Classes[i], vc.Number, c.Name)
		}
	}
	return out, nil
}

// carried refuses channels that a link of a scenario cannot carry: there a virtual channel is one of 8 priorities, and
// has its number. Other numbers would give a channel other turns in CF_Updates, so they are refused too. All channels
// that do not fit are named at once.
func carried(planned *buffer.Credits) error {
	var bad []string
	for i, vc := range planned.Channels {
		if vc.Number >= fabric.Priorities || vc.Traffic != cbfc.Traffic(vc.Number) {
			bad = append(bad, fmt.Sprintf("virtual channel %d of class %s has traffic classes %v", vc.Number,
				planned.Classes[i], vc.Traffic))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s: accepted in a scenario: virtual channels 0 to %d, each with the traffic class of its number "+
		"alone", strings.Join(bad, "; "), fabric.Priorities-1)
}

// creditsByPlan returns the credits that both ends of a link give by plans; nil: no plan has any. A neighbour without a
// plan is taken to give as many. Two plans can give different numbers, and not different channels: a sender that has no
// credits for a class would have pauses for it. toA is what end A gives its neighbour, for frames to A, and toB what
// B gives.
func (r *reader) creditsByPlan(l *fabric.Link) (toA, toB *fabric.Credits, err error) {
	ends := [2]fabric.End{l.A, l.B}
	var given [2]*fabric.Credits
	for i, e := range ends {
		if given[i], err = r.plannedAt(e); err != nil {
			return nil, nil, err
		}
	}
	if given == [2]*fabric.Credits{} {
		return nil, nil, nil
	}
	// Both ends count by one account: the smaller cell and the larger overhead.
	account := cbfc.Native(r.smallest(l))
	for i, e := range ends {
		// A plan without credits beside a plan with some is a difference too, and no neighbour about which nothing is known.
		switch o := 1 - i; {
		case given[i] == nil && r.hasPlan(e), given[i] != nil && given[o] != nil && given[i].Channels != given[o].Channels:
			a, b := r.s.Network.Switches[l.A.Node].Name, r.s.Network.Switches[l.B.Node].Name
			return nil, nil, fmt.Errorf("the plans of the switches %s and %s have credits for other classes on their link: "+
				"want the same virtual channels at both ends", a, b)
		case given[i] == nil:
			given[i] = given[o]
		}
	}
	for i, e := range ends {
		given[i].Account = account
		if r.hasPlan(e) {
			r.assume(e, ends[1-i], account)
		}
	}
	return given[0], given[1], nil
}

// hasPlan tells whether an end of a link is a switch with a plan.
func (r *reader) hasPlan(e fabric.End) bool { return e.Switch && r.specs[e.Node].plan != nil }

// assume notes by which account a switch with a plan and a neighbour count, and whether that is assumed. A switch has
// an entry for each account that its links count by, which differ with the neighbours' cells.
func (r *reader) assume(e, neighbour fabric.End, account cbfc.Account) {
	name := r.s.Network.Switches[e.Node].Name
	k := slices.IndexFunc(r.s.PlannedCredits, func(p report.SimCredits) bool {
		return p.Switch == name && p.Credit == account.Credit && p.Overhead == account.Overhead
	})
	if k < 0 {
		k = len(r.s.PlannedCredits)
		r.s.PlannedCredits = append(r.s.PlannedCredits, report.SimCredits{Switch: name, Credit: account.Credit,
			Overhead: account.Overhead, Assumed: []string{}})
	}
	if !r.hasPlan(neighbour) {
		p := &r.s.PlannedCredits[k]
		p.Assumed = append(p.Assumed, r.s.Network.Switches[e.Node].Ports[e.Port].Name)
	}
}

// smallest returns the smaller cell of the switches of a link, and the larger overhead; without a cell on a link
// between hosts.
func (r *reader) smallest(l *fabric.Link) (m thresholds.Memory) {
	for _, e := range [2]fabric.End{l.A, l.B} {
		if !e.Switch {
			continue
		}
		p := &r.specs[e.Node]
		own := thresholds.Memory{Cell: p.cell, Overhead: p.overhead}
		if p.plan != nil {
			own = p.plan.in.Chip.Memory()
		}
		if m.Cell == 0 || own.Cell < m.Cell {
			m.Cell = own.Cell
		}
		m.Overhead = max(m.Overhead, own.Overhead)
	}
	return m
}
