package fabric

import (
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Meter counts what the ports themselves do not, so that a switch can be read as
// package diagnosis wants it: bytes by class, and the drops that the memory is to
// blame for. It has to see every event: sim.Observe(meter.Observe), or a call
// from an observer of one's own.
type Meter struct {
	sim     *Sim
	in, out [][Priorities]unit.Bytes // by port
	drops   [][Priorities]int64      // by port, for want of memory
}

// NewMeter returns a meter that has counted nothing.
func NewMeter(s *Sim) *Meter {
	n := len(s.ports)
	return &Meter{s, make([][Priorities]unit.Bytes, n), make([][Priorities]unit.Bytes, n), make([][Priorities]int64, n)}
}

// Observe counts a frame that came into a switch or begins to leave it. Frames
// that are dropped on arrival are counted in, but for those that a watchdog
// drops: it drops waiting ones too, which have been counted. Drops count only if
// the ingress of the MMU, or the rule in its place, refused the frame: one that an
// egress limit, a watchdog, a dead link, its TTL, WRED or a missing route took says
// nothing about headroom.
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

// Read returns the counters of a switch's ports that have a link, as they are
// now. Its lossless classes are those with PFC.
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
			out.Classes[n] = diagnosis.Counters{PauseSent: p.count.PauseSent[n],
				PauseReceived: p.count.PauseReceived[n], Drops: m.drops[i][n],
				BytesIn: m.in[i][n], BytesOut: m.out[i][n], PausedTime: s.pausedTime(p, n)}
		}
		r.Ports = append(r.Ports, out)
	}
	return r
}

// pausedTime returns how long a priority was kept still, the pause that lasts
// counted.
func (s *Sim) pausedTime(p *port, priority int) unit.Time {
	t := p.count.PausedTime[priority]
	if p.pausing.receiver.Paused(unit.Time(s.now), priority) {
		t += unit.Time(s.now - p.pausing.since[priority])
	}
	return t
}
