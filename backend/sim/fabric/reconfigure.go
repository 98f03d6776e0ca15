package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Advance runs up to a time, as Run does, and leaves the clock at that time
// even if no event is pending. A change that the caller makes next then happens
// at that time.
func (s *Sim) Advance(until unit.Time) int64 {
	n := s.Run(until)
	s.now = max(s.now, min(int64(until), clock.Never-1))
	s.setNow()
	return n
}

// Ports returns the number of ports of a switch.
func (s *Sim) Ports(node int) int { return len(s.switches[node].ports) }

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

// setPFC puts other priorities in force at a port that has a link. It is the
// same for the priorities of an operator and those that DCBX negotiates.
func (s *part) setPFC(i int32, mask pfc.Priorities) error {
	s.applyElided(i)
	p := &s.ports[i]
	start, err := p.pausing.receiver.Enable(unit.Time(s.Now), mask)
	if err != nil {
		return err
	}
	if s.endless {
		start |= p.pausing.held &^ mask
	}
	s.pause(i, p.stopped&^mask, false) // while the port may still send the frame that resumes them
	gained := mask &^ p.pfc
	p.pfc = mask
	s.applyPause(i, p, 0, start)
	s.pause(i, gained&s.wanted(p), true)
	return nil
}

// wanted returns the priorities of a switch's port whose groups want a pause.
func (s *part) wanted(p *port) (mask pfc.Priorities) {
	if !p.isSwitch {
		return 0
	}
	sw := &s.switches[p.node]
	if sw.rule != nil {
		return 0 // a rule says it again with every frame
	}
	for prio, g := range sw.ports[p.number].Groups {
		if sw.pausedSlices[g] > 0 && sw.owner[g] == sw.first+p.number {
			mask |= pfc.Of(prio)
		}
	}
	return mask
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
		p.setElidable()
		for q := range Priorities {
			p.ecn.set(q, newMarker(Marking{}, s.seed, markerOf(i, q)))
		}
	}
	was := p.ecn.queues[queue]
	now := newMarker(Marking{Thresholds: to, Dequeue: was.dequeue, DropOthers: was.dropOthers}, 0, 0)
	now.lots = was.lots
	p.ecn.set(queue, now)
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
	c, err := schedulerFor(to, p.rate)
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
}

// Block stops all queues of a switch's port for good, like a pause that never
// ends. It is for cases in which no frame leaves.
func (s *Sim) Block(node, port int) {
	p := &s.ports[s.switches[node].first+int32(port)]
	p.pausing.held, p.paused = pfc.All, 1<<Priorities-1
}
