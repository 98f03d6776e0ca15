package fabric

import (
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Advance is Run, and leaves the clock at that time even if nothing is to come,
// so that what is changed then happens then.
func (s *Sim) Advance(until unit.Time) int64 {
	n := s.Run(until)
	s.now = max(s.now, min(int64(until), never-1))
	return n
}

// Ports is how many ports a switch has.
func (s *Sim) Ports(node int) int { return len(s.switches[node].ports) }

// Resume lets groups go on that may since the limits of a slice of a switch's
// MMU were changed from outside: without a packet that leaves, nobody else asks.
func (s *Sim) Resume(node, slice int) {
	sw := &s.switches[node]
	for g, ok := sw.mmu.Resume(slice); ok; g, ok = sw.mmu.Resume(slice) {
		s.xon(sw, int32(g))
	}
}

// SetPFC says for which priorities a switch's port sends and honours pause
// frames from now on. Those that it has paused and no longer has are let go
// on, and all that it honours begins anew.
func (s *Sim) SetPFC(node, port int, mask pfc.Priorities) error {
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	if p.pfc == mask || !p.linked {
		p.pfc = mask
		return nil
	}
	receiver, err := pfc.NewReceiver(pfc.Config{Enabled: mask, Link: s.switches[node].ports[port].Link, Rate: p.rate})
	if err != nil {
		return err
	}
	s.pause(i, p.stopped&^mask, false)
	p.pfc = mask
	start := p.pausing.receiver.Reset()
	p.pausing.receiver = receiver
	s.applyPause(i, p, 0, start)
	return nil
}

// SetMarking gives a switch's egress queue another curve from now on; the zero
// one ends its marking. Whether packets are marked as they leave, and what
// becomes of those that are not ECT, stays as it was, and so do the lots that
// are still to be drawn. A curve that ECN.Validate refuses is refused.
func (s *Sim) SetMarking(node, port, queue int, to ecn.Thresholds) error {
	if err := to.Validate(); err != nil {
		return err
	}
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	if p.ecn == nil {
		p.ecn = new([Priorities]marker)
		for q := range p.ecn {
			p.ecn[q] = newMarker(Marking{}, s.seed, markerOf(i, q))
		}
	}
	was := p.ecn[queue]
	p.ecn[queue] = newMarker(Marking{Thresholds: to, Dequeue: was.dequeue, DropOthers: was.dropOthers}, 0, 0)
	p.ecn[queue].lots = was.lots
	return nil
}

// SetSchedule gives a switch's port another scheduler from its next frame on, in
// which nobody has a deficit or credit yet. One that New would refuse is refused.
func (s *Sim) SetSchedule(node, port int, to Scheduler) error {
	i := s.switches[node].first + int32(port)
	p := &s.ports[i]
	var c *scheduler
	if to != (Scheduler{}) {
		err := to.Validate()
		if err == nil {
			c, err = newScheduler(to, p.rate)
		}
		if err != nil {
			return err
		}
	}
	if p.ets = c; p.linked {
		s.kick(i) // it may have waited for a shaper
	}
	return nil
}

// SetTrust says where a switch's port reads the priority of frames that arrive
// from now on; code is as SwitchPort's Map. Those that wait keep theirs.
func (s *Sim) SetTrust(node, port int, trust Trust, code *[64]uint8) {
	l := &s.switches[node].lookups[port]
	read := newLookup(&SwitchPort{Trust: trust, Map: code})
	l.code, l.dscp = read.code, read.dscp
}

// Block stops all queues of a switch's port for good, as a pause without end
// would: for cases in which nothing leaves.
func (s *Sim) Block(node, port int) {
	p := &s.ports[s.switches[node].first+int32(port)]
	p.pausing.held, p.paused = pfc.All, 1<<Priorities-1
}
