package buffer

import (
	"fmt"
	"hash/fnv"
)

// Len returns the number of ports.
func (m *Manager) Len() int { return len(m.a.ports) }

// Port returns a port as it is configured, on the pipe that it was given.
func (m *Manager) Port(name string) (Port, bool) {
	i, known := m.index[name]
	if !known {
		return Port{}, false
	}
	p := m.a.in.Ports[i]
	p.Pipe = new(*p.Pipe)
	return p, true
}

// Intent returns what is admitted. Each port says its pipe. A plan made of it from nothing is this Manager's Plan,
// except that it does not warn of pipes that were assumed.
func (m *Manager) Intent() Intent { return m.a.in.clone() }

// Slices says where the cells of each slice are.
func (m *Manager) Slices() []SliceBill { return m.a.SliceBills() }

// Plan writes down all that is admitted. It does not change with the Manager.
func (m *Manager) Plan() *Plan { return m.a.Plan() }

// Layout returns the registers that a device must hold for it. It does not change with the Manager.
func (m *Manager) Layout() Layout { return m.a.layout() }

// Clone returns a Manager of its own with the same ports: to try something, or
// to hand to readers. `*m = *tried` keeps what was tried.
func (m *Manager) Clone() *Manager {
	c := &Manager{a: m.a.clone(), index: make(map[string]int, len(m.index)), pipes: m.pipes, next: m.next}
	for i := range c.a.in.Ports {
		c.index[c.a.in.Ports[i].Name] = i
	}
	return c
}

// Hash returns a number that two Managers share if they hold the same: the same classes and ports in the same order,
// the same cells in every account. It is the same on any machine. A Manager of another's Intent has the other's:
// whether a pipe was assumed, and which the next port takes, is no part of it.
func (m *Manager) Hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", m.Slices())
	for i := range m.a.in.Classes {
		fmt.Fprintf(h, "%+v", m.a.in.Classes[i].hashed())
	}
	for _, p := range m.a.in.Ports {
		pipe := *p.Pipe
		p.Pipe = nil // else its address is printed
		fmt.Fprintf(h, "%#v %d", p, pipe)
	}
	return h.Sum64()
}
