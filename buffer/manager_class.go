package buffer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
)

// ErrNoClass says that a Manager has no class of that name.
var ErrNoClass = errors.New("no such class")

// SetClass puts another definition in the place of a class, on every port that carries it, or changes nothing. Its name
// does not change. Each kind of port is sized again, which allocates; the ports are admitted again in place. The error
// is the *Refusal of the first port that does not fit, or ErrNoClass, or says what is malformed.
func (m *Manager) SetClass(name string, c Class) error {
	a := m.a
	i := slices.IndexFunc(a.in.Classes, func(o Class) bool { return o.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrNoClass, name)
	}
	if c.Name = cmp.Or(c.Name, name); c.Name != name {
		return &InvalidError{[]Complaint{{"class.name", c.Name, "the name that the class has"}}}
	}
	before, demands := a.in.Classes, a.demands
	a.in.Classes = slices.Clone(before) // plans and clones keep the old ones
	a.in.Classes[i] = c.clone()
	err := m.resize()
	if err == nil {
		m.useDemands(a.demands)
		if k := m.a.refused(); k >= 0 {
			err = m.refusal(blamed{port: a.in.Ports[k].Name, short: a.ports[k].short})
			m.useDemands(demands)
		}
	}
	if err != nil {
		a.in.Classes, a.demands, a.last = before, demands, nil
	}
	return err
}

// resize sizes every kind of port again that some port is of.
func (m *Manager) resize() error {
	a := m.a
	var bad fielderr.List
	a.in.validateClasses(&bad)
	if len(bad) > 0 {
		return Invalid(bad)
	}
	a.demands, a.last = make(map[portKind]*demand, len(a.demands)), nil
	for i := range a.in.Ports {
		p := &a.in.Ports[i]
		if _, known := a.demands[p.kind()]; known {
			continue
		}
		if a.in.validatePort(p, "port "+p.Name, &bad); len(bad) > 0 {
			return Invalid(bad)
		}
		if _, err := a.demand(p); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	return nil
}

// useDemands gives every port the demand of its kind, and admits all of them again.
func (m *Manager) useDemands(to map[portKind]*demand) {
	for i := range m.a.ports {
		e := &m.a.ports[i]
		e.demand = to[e.demand.kind]
	}
	m.a.placePools()
	m.a.Replan()
}

// Remedies searches for what would make the ports of a refused request fit. A port that the Manager has is changed to
// the given one, the others are added. The search plans many times over and takes as long; nothing changes. The result
// is empty if the ports fit, or if no single change makes them fit.
func (m *Manager) Remedies(ports ...Port) ([]Remedy, error) {
	in := m.Intent()
	for _, p := range ports {
		i, known := m.index[p.Name]
		if !known {
			in.Ports = append(in.Ports, p)
			continue
		}
		if p.Pipe == nil {
			p.Pipe = in.Ports[i].Pipe
		}
		in.Ports[i] = p
	}
	a, err := NewAdmission(in)
	if err != nil || a.Fits() {
		return nil, err
	}
	return (&seeker{stop: func() error { return nil }}).remedies(in), nil
}

// clone returns a class that shares nothing with the caller's.
func (c Class) clone() Class {
	c.Priorities, c.Channels = slices.Clone(c.Priorities), slices.Clone(c.Channels)
	if c.Alpha != nil {
		c.Alpha = new(*c.Alpha)
	}
	if c.Egress.Alpha != nil {
		c.Egress.Alpha = new(*c.Egress.Alpha)
	}
	return c
}

// hashed is the class with the values of its alphas in place of the pointers to
// them, so that equal classes print alike.
func (c Class) hashed() any {
	alphas := []any{"-", "-"}
	for i, a := range []**thresholds.Alpha{&c.Alpha, &c.Egress.Alpha} {
		if *a != nil {
			alphas[i], *a = (*a).String(), nil
		}
	}
	return append(alphas, c)
}
