package fabric

import (
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Meter counts bytes by class, which the ports themselves do not, so that a
// switch can be read as package diagnosis wants it. It has to see every event:
// sim.Observe(meter.Observe), or a call from an observer of one's own.
type Meter struct {
	sim     *Sim
	in, out [][Priorities]unit.Bytes // by port
}

// NewMeter returns a meter that has counted nothing.
func NewMeter(s *Sim) *Meter {
	return &Meter{s, make([][Priorities]unit.Bytes, len(s.ports)), make([][Priorities]unit.Bytes, len(s.ports))}
}

// Observe counts a frame that came into a switch or begins to leave it. Frames
// that are dropped on arrival are counted in, but for those that a watchdog
// drops: it drops waiting ones too, which have been counted.
func (m *Meter) Observe(e *Event) {
	if !e.Where.Switch {
		return
	}
	switch {
	case e.What == Enqueued, e.What == Dropped && e.Cause != dropLink && e.Cause != dropWatchdog:
		m.in[m.sim.port(e.Where)][e.Priority] += e.Bytes
	case e.What == Departs:
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
			out.Classes[n] = diagnosis.Counters{PauseSent: p.count.PauseSent[n], PauseReceived: p.count.PauseReceived[n], Drops: p.count.Drops[n],
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
