package buffer

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/cellwarden/cellwarden/unit"
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
	h, word := fnv.New64a(), make([]byte, 8)
	add := func(numbers ...int64) {
		for _, n := range numbers {
			binary.LittleEndian.PutUint64(word, uint64(n))
			h.Write(word)
		}
	}
	say := func(text string) {
		add(int64(len(text)))
		h.Write([]byte(text))
	}
	for i := range m.a.pools {
		p := &m.a.pools[i]
		add(int64(p.Total), int64(p.Chip), int64(p.Reserved()), int64(p.Headroom()), int64(p.Shared()), int64(p.Unused()))
	}
	for i := range m.a.in.Classes {
		fmt.Fprintf(h, "%+v", m.a.in.Classes[i].hashed())
	}
	for i := range m.a.in.Ports {
		p := &m.a.in.Ports[i]
		say(p.Name)
		add(int64(p.Rate), int64(p.Cable), int64(p.Medium), measured(p.Delay), int64(p.Extra), int64(p.MTU),
			int64(p.Reserved), int64(p.Classes), int64(p.State), int64(*p.Pipe), int64(p.Lanes),
			measured(p.Response), int64(p.SharedCredits), int64(p.PFCWithoutHeadroom))
		add(int64(p.Measured.RoundTrip), int64(p.Measured.Uncertainty))
		say(p.Measured.Source)
		say(p.Measured.Date)
		for _, is := range [...]bool{p.MACsec, p.Credits} {
			n := int64(0)
			if is {
				n = 1
			}
			add(n)
		}
	}
	return h.Sum64()
}

// measured returns a delay as a number, -1 if it is absent.
func measured(delay unit.Optional[unit.Time]) int64 { return int64(delay.Or(-1)) }
