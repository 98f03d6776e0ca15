package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Trial answers what NewAdmission would of other ports on the same switch: which of them is the first that is refused,
// by its place in like, and why; -1: all are admitted. The i-th port is like that port of the intent, or, if like[i] is
// -1, it is p; its pipe is pipe[i]. Names are not looked at, and nothing changes. It costs a hundredth of an admission,
// because no kind of port is sized twice. The error is an *InvalidError, or says that p cannot be sized.
func (a *Admission) Trial(like, pipe []int, p *Port) (first int, short Shortfall, err error) {
	var d *demand
	if p != nil {
		var bad fielderr.List
		if a.in.validatePort(p, "port", &bad); len(bad) > 0 {
			return 0, Shortfall{}, Invalid(bad)
		}
		if d, err = a.demand(p); err != nil {
			return 0, Shortfall{}, err
		}
	}
	if err := a.validateTrial(like, p); err != nil {
		return 0, Shortfall{}, err
	}
	t := a.scratch(like, pipe, d)
	for i, k := range like {
		of := d
		if k >= 0 {
			of = a.ports[k].demand
		}
		if short := t.admit(of, pipe[i]); !short.Fits() {
			return i, short, nil
		}
	}
	return -1, Shortfall{}, nil
}

// validateTrial refuses a number of ports, and a speed of all together, that an intent may not have.
func (a *Admission) validateTrial(like []int, p *Port) error {
	var bad fielderr.List
	if n := len(like); n > MaxPorts {
		bad.Add("ports", fmt.Sprint(n), fmt.Sprintf("1 to %d ports", MaxPorts))
	}
	a.in.validateNumber(len(like), &bad)
	if a.in.Chip.Bandwidth > 0 {
		var sum speeds
		for _, k := range like {
			if k < 0 {
				sum.add(p.Rate)
			} else {
				sum.add(a.in.Ports[k].Rate)
			}
		}
		a.in.validateSpeeds(sum.carried(), &bad)
	}
	return Invalid(bad)
}

// scratch returns an admission without ports, whose pools are those that the ports of a trial have.
func (a *Admission) scratch(like, pipe []int, d *demand) *Admission {
	if a.trial == nil {
		a.trial = new(*a)
		a.trial.part, a.trial.initial, a.trial.ports, a.trial.pools = nil, nil, nil, slices.Clone(a.initial)
	}
	t := a.trial
	if a.in.Pool.SharedHeadroomRatio == 0 { // pools of one size, whatever the ports
		copy(t.pools, a.initial)
		t.shared, t.part, t.blocked = a.shared, a.part, a.blocked
		return t
	}
	t.ports = t.ports[:0]
	for i, k := range like {
		e := entry{demand: d, pipe: pipe[i]}
		if k >= 0 {
			e.demand = a.ports[k].demand
		}
		t.ports = append(t.ports, e)
	}
	t.placePools()
	return t
}

// speeds sums the speeds of ports, but for the slowest that may be management ports.
type speeds struct {
	sum     unit.BitRate
	fastest unit.BitRate
	slowest [mostManagement + 1]unit.BitRate // ascending; the last is room for one more
	found   int
}

func (s *speeds) add(r unit.BitRate) {
	if r <= 0 || r > 1<<50 { // refused already
		return
	}
	s.sum, s.fastest = min(s.sum+r, 1<<62), max(s.fastest, r)
	if s.found == mostManagement && r >= s.slowest[mostManagement-1] {
		return
	}
	s.slowest[s.found] = r
	slices.Sort(s.slowest[:s.found+1])
	s.found = min(s.found+1, mostManagement)
}

// carried returns the sum.
func (s *speeds) carried() unit.BitRate {
	sum := s.sum
	for _, r := range s.slowest[:s.found] {
		if r <= fastestManagement && r < s.fastest {
			sum -= r
		}
	}
	return sum
}
