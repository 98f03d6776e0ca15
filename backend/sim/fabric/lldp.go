package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/unit"
)

// lldpDue handles everything of a port's LLDP that is due now: its start, frames that take effect, neighbours whose
// time to live is over, and the next frame. The order is that of one moment: the start first, then frames, then what
// has aged, then the next frame.
func (s *part) lldpDue(i int32) {
	p := &s.ports[i]
	l, now := p.pausing.lldp, unit.Time(s.Now)
	changed := false
	if !l.state.Up && now >= l.Start {
		// The settings are valid: New has made an agent of them.
		l.state.Up, changed = l.agent.Set(now, l.Settings) == nil, true
	}
	for l.arriving.Len > 0 && l.arriving.First().at <= s.Now {
		f := l.arriving.Pop()
		// Before its start a port hears frames and does nothing with them.
		l.state.Heard++
		if !l.state.Up {
			l.state.Refused++
			continue
		}
		c, err := l.agent.Receive(now, f.frame)
		if changed = changed || c; err != nil {
			l.state.Refused++
		}
		if s.observer != nil {
			s.reportLLDP(LLDPHeard, i, f.frame)
		}
	}
	if l.state.Up {
		if l.agent.Expire(now) || changed {
			s.useDCBX(i, l)
		}
		if l.agent.NextSend() <= now {
			// The frame goes before those of flows: see sendControl.
			l.due, p.pend = true, true
		}
	}
	s.planLLDP(i, l)
	s.kick(i)
}

// planLLDP schedules the next event of a port's LLDP. A frame that is due waits for the port and needs no event:
// sendLLDP plans the next.
func (s *part) planLLDP(i int32, l *lldp) {
	next := clock.Never
	if l.arriving.Len > 0 {
		next = l.arriving.First().at
	}
	if !l.state.Up {
		next = min(next, int64(l.Start))
	} else {
		if !l.due {
			next = min(next, int64(l.agent.NextSend()))
		}
		if at, ok := l.agent.NextExpiry(); ok {
			next = min(next, int64(at))
		}
	}
	if next < clock.Never {
		s.SetAtLatest(i*perPort+onLLDP, max(next, s.Now))
	}
}

// configureDCBX gives a port that speaks DCBX another configuration.
func (s *part) configureDCBX(i int32, l *lldp) error {
	if err := l.agent.Set(unit.Time(s.Now), l.Settings); err != nil {
		return err
	}
	s.useDCBX(i, l)
	s.planLLDP(i, l)
	return nil
}

// useDCBX puts the negotiated PFC and shares in force. maxDCBXChanges bounds what is kept of them; Changed counts
// all.
func (s *part) useDCBX(i int32, l *lldp) {
	in := l.agent.Operational()
	l.state.Operational = in
	s.useShares(i, l, &in)
	p := &s.ports[i]
	// Only another set of priorities counts as a change.
	before := p.pfc
	if before == in.Enabled {
		return
	}
	if err := s.setPFC(i, in.Enabled); err != nil {
		panic(fmt.Sprintf("port %d: %v", i, err)) // validate refuses every configuration that a receiver refuses
	}
	l.state.Changed, l.state.ChangedAt = l.state.Changed+1, unit.Time(s.Now)
	if len(l.state.Changes) < maxDCBXChanges {
		l.state.Changes = append(l.state.Changes, DCBXChange{unit.Time(s.Now), in.Enabled, in.PFC.Reason})
	}
	for m := before ^ in.Enabled; m != 0; m &= m - 1 {
		what := PFCOff
		if in.Enabled.Has(m.Lowest()) {
			what = PFCOn
		}
		s.reportPriority(what, i, m.Lowest())
	}
}

// useShares puts the shares in force that were negotiated: the port's own, or those of its neighbour. A host has no
// scheduler here, and shares say nothing to it.
func (s *part) useShares(i int32, l *lldp, in *dcbx.Operational) {
	p := &s.ports[i]
	if l.Settings.WithoutETS || !p.isSwitch() {
		return
	}
	to := l.own
	if in.ETS.FromPeer {
		to = l.own.adopt(&in.Table)
	}
	if to == l.state.Schedule {
		return
	}
	s.applyElided(i)
	// The scheduler is valid: the port's own was validated, and an agent takes over only what its port can have, which
	// are no shaped groups.
	p.ets, _ = newScheduler(to, p.rate)
	p.setElidable()
	l.state.Schedule, l.state.Rescheduled, l.state.RescheduledAt = to, l.state.Rescheduled+1, unit.Time(s.Now)
	s.reportPriority(SharesChanged, i, -1)
}

// sendLLDP sends the LLDP frame that is due; false if none is. The frame is made when it leaves, so that it says what
// is in force now.
func (s *part) sendLLDP(i int32, p *port) bool {
	l := p.pausing.lldp
	if l == nil || !l.due {
		return false
	}
	l.due = false
	f, err := l.agent.Send(unit.Time(s.Now))
	if err != nil {
		panic(fmt.Sprintf("port %d: %v", i, err)) // the settings were valid when the agent was made
	}
	s.planLLDP(i, l)
	l.state.Sent++
	if s.observer != nil {
		s.reportLLDP(LLDPSent, i, &f)
	}
	end := s.occupy(i, p, p.frameTime(int64(wireBytes(&f))))
	peer := &s.ports[p.peer]
	if p.down > 0 || peer.pausing.lldp == nil {
		return true // lost, or the neighbour does not read LLDP
	}
	// The neighbour's processing time is added here, as the response time is for a pause frame.
	c := lldpFrame{at: end + p.delay + int64(peer.pausing.lldp.Processing), seq: s.Order(), frame: &f}
	if peer.part != p.part {
		m := s.mailTo(p.crossing)
		m.lldps = append(m.lldps, c)
		return true
	}
	s.expectLLDP(p.peer, peer, &c)
	return true
}

// expectLLDP puts an LLDP frame on its way to a port. Frames come in the order in which they were sent: delay and
// processing are the same for all.
func (s *part) expectLLDP(i int32, p *port, c *lldpFrame) {
	p.pausing.lldp.arriving.Push(*c)
	s.SetAtLatest(i*perPort+onLLDP, p.pausing.lldp.arriving.First().at)
}

// loseLLDP loses the LLDP frames on their way to a port whose link fell. What the port heard before holds until its
// time to live is over (IEEE 802.1AB-2016, 9.2.7: a port that is not operational ages what it has). Its event stays,
// and finds nothing.
func (s *part) loseLLDP(p *port) {
	if l := p.pausing.lldp; l != nil {
		for l.arriving.Len > 0 {
			l.arriving.Pop()
		}
	}
}

// reportLLDP reports an LLDP frame. -1 stands for what an LLDP frame does not have.
func (s *part) reportLLDP(what EventKind, port int32, f *dcbx.Frame) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: -1, Priority: -1, Flow: -1,
		Bytes: wireBytes(f), PCP: -1, FrameKind: "lldp", LLDP: f})
}
