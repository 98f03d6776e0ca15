package fabric

import (
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Meter counts what ports themselves do not count, and gives a switch's
// counters in the form that package diagnosis reads: bytes by class, and drops
// for want of memory. It must see every event: sim.Observe(meter.Observe), or a
// call from another observer.
type Meter struct {
	sim     *Sim
	in, out [][Priorities]unit.Bytes // by port
	drops   [][Priorities]int64      // by port: drops for want of memory
}

// NewMeter returns a meter with all counters at 0.
func NewMeter(s *Sim) *Meter {
	n := len(s.ports)
	return &Meter{s, make([][Priorities]unit.Bytes, n), make([][Priorities]unit.Bytes, n), make([][Priorities]int64, n)}
}

// Observe counts a frame that arrives at a switch or begins to leave it. Frames
// that are dropped on arrival count as arrived, except those that a watchdog
// drops: a watchdog also drops waiting frames, which have been counted.
//
// A drop counts only if the ingress of the MMU, or the admission rule in its
// place, refused the frame. Drops at an egress limit, by a watchdog, on a dead
// link, by TTL, by WRED or without a route say nothing about headroom.
func (m *Meter) Observe(e *Event) {
	if !e.Where.Switch {
		return
	}
	if e.Kind == Dropped && (e.Cause < dropNoRoute && !e.Cause.Egress() || e.Cause == dropRule) {
		m.drops[m.sim.port(e.Where)][e.Priority]++
	}
	switch {
	case e.Kind == Enqueued, e.Kind == Dropped && e.Cause != dropLink && e.Cause != dropWatchdog:
		m.in[m.sim.port(e.Where)][e.Priority] += e.Bytes
	case e.Kind == Departs:
		m.out[m.sim.port(e.Where)][e.Priority] += e.Bytes
	}
}

// Read returns the present counters of a switch's ports that have a link. The
// lossless classes are those with PFC.
func (m *Meter) Read(node int) diagnosis.Reading {
	s := m.sim
	sw := &s.switches[node]
	r := diagnosis.Reading{At: s.Now()}
	for j := range sw.ports {
		i := sw.first + int32(j)
		p := &s.ports[i]
		if !p.linked {
			continue
		}
		out := diagnosis.Port{Name: s.portName(i), Rate: p.rate, Lossless: p.pfc}
		for n := range out.Classes {
			out.Classes[n] = diagnosis.Counters{PauseSent: p.past().PauseSent[n],
				PauseReceived: p.past().PauseReceived[n], Drops: m.drops[i][n],
				BytesIn: m.in[i][n], BytesOut: m.out[i][n], PausedTime: s.pausedTime(p, n)}
		}
		r.Ports = append(r.Ports, out)
	}
	return r
}
