package fabric

import (
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
)

// Resume resumes the paused groups of a switch's slice that may send again.
// Call it after changing limits of the MMU: without a packet that leaves, the
// simulation does not look for them.
func (s *Sim) Resume(node, slice int) {
	sw := &s.switches[node]
	for g, ok := sw.mmu.Resume(slice); ok; g, ok = sw.mmu.Resume(slice) {
		s.partOf(sw.first).xon(sw, int32(g))
	}
}

// SetPFC changes the priorities for which a switch's port sends and obeys pause
// frames. Priorities that it has paused and that lose PFC are resumed, and
// pauses of them that it obeys end; priorities that gain PFC while their group
// wants a pause are paused. A port that speaks DCBX has them as its own
// configuration from now on, and sends it; its neighbour may decide otherwise.
func (s *Sim) SetPFC(node, port int, mask pfc.Priorities) error {
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	if l := p.pausing.lldp; l != nil {
		at := &s.switches[node].ports[port]
		if err := l.DCBX.validate(mask, at.Link, at); err != nil {
			return err
		}
		if l.Settings.PFC.Enabled = mask; l.state.Up {
			return s.partOf(i).configureDCBX(i, l)
		}
	}
	if p.pfc == mask || !p.linked {
		p.pfc = mask
		return nil
	}
	return s.partOf(i).setPFC(i, mask)
}

// SetMarking changes the ECN curve of a switch's egress queue. The zero curve
// ends its marking. Dequeue and DropOthers stay as they were, and so does the
// sequence of random numbers. A curve that is not valid is refused.
func (s *Sim) SetMarking(node, port, queue int, to ecn.Thresholds) error {
	if err := to.Validate(); err != nil {
		return err
	}
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	if p.ecn == nil {
		p.ecn = new(markers)
		for q := range Priorities {
			p.ecn.set(q, newMarker(Marking{}, s.seed, markerOf(i, q)))
			p.ecn.waiting[q] = waitingBytes(&p.queues[q])
		}
	}
	was := p.ecn.queues[queue]
	now := newMarker(Marking{Thresholds: to, Dequeue: was.dequeue, DropOthers: was.dropOthers}, 0, 0)
	now.lots = was.lots
	p.ecn.set(queue, now)
	p.setElidable()
	return nil
}

// SetSchedule changes the scheduler of a switch's port from its next frame on.
// All deficits and credits start at 0. A scheduler that New would refuse is
// refused. A port with ETS in its DCBX has it as its own configuration from now
// on, and sends it; while it uses the shares of its neighbour, it goes on to.
func (s *Sim) SetSchedule(node, port int, to Scheduler) error {
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	if err := to.Validate(); err != nil {
		return err
	}
	c, err := newScheduler(to, p.rate)
	if err != nil {
		return err
	}
	if l := p.pausing.lldp; l != nil && !l.Settings.WithoutETS {
		at := s.switches[node].ports[port]
		at.ETS = to
		if err := l.DCBX.validate(l.Settings.PFC.Enabled, at.Link, &at); err != nil {
			return err
		}
		if l.own, l.Settings.ETS.Table = to, to.table(); l.state.Up {
			return s.partOf(i).configureDCBX(i, l)
		}
		l.state.Schedule = to
	}
	p.ets = c
	p.setElidable()
	if p.linked {
		s.partOf(i).kick(i) // the port may have waited for a shaper
	}
	return nil
}

// SetTrust changes where a switch's port reads the priority of arriving frames;
// code is as SwitchPort's Map. Waiting frames keep their priority.
func (s *Sim) SetTrust(node, port int, trust Trust, code *[64]uint8) {
	l := &s.switches[node].lookups[port]
	read := newLookup(&SwitchPort{Trust: trust, Map: code})
	l.codes, l.dscp = read.codes, read.dscp
	s.findWaypoints() // as many as before, so that all parts have them
}

// Block stops all queues of a switch's port for good, like a pause that never
// ends. It is for cases in which no frame leaves.
func (s *Sim) Block(node, port int) {
	p := &s.ports[s.switches[node].first+int32(port)]
	p.pausing.held, p.paused = pfc.All, 1<<Priorities-1
}
