package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// pause makes a port stop or resume priorities of its peer. Priorities without PFC are ignored. i is the port that
// sends the pause frame, on is true to stop. A frame leaves only if the state differs from what was sent last.
func (s *part) pause(i int32, mask pfc.Priorities, on bool) {
	p := &s.ports[i]
	if !p.pausing.link {
		mask &= p.pfc
	}
	if mask == 0 {
		return
	}
	if on {
		p.stopped |= mask
	} else {
		p.stopped &^= mask
	}
	if s.observer != nil {
		s.reportWanted(i, mask, on)
	}
	p.pend = true
	// The worst case: a frame of the longest size has just begun. It is not
	// sent, but the pause frame waits for its end.
	if on && p.pausing.wait > 0 && !p.busy {
		s.occupy(i, p, p.pausing.wait)
		return
	}
	s.kick(i)
}

// sendControl sends the frame that goes before those of flows: a pause frame, or else LLDP. It returns false if
// neither is due. With a link layer there is more than these two, and pend is kept there.
func (s *part) sendControl(i int32, p *port) bool {
	if l := p.pausing.layer; l != nil {
		return s.sendLayer(i, p, l)
	}
	p.pend = false
	if s.sendPause(i, p) {
		p.pend = p.pausing.lldp != nil && p.pausing.lldp.due
		return true
	}
	return p.pausing.lldp != nil && s.sendLLDP(i, p)
}

// sendPause sends one pause frame for all priorities whose state has changed, or repeats the pause of those that stay
// stopped. It returns false if no frame is due. With LLR and errors a pause frame can be lost too: it is not
// repeated, but for the refreshing.
func (s *part) sendPause(i int32, p *port) bool {
	before := p.pausing.sender.Stopped()
	f, due := p.pausing.sender.Set(unit.Time(s.Now), p.stopped)
	if !due {
		f, due = p.pausing.sender.Refresh(unit.Time(s.Now))
	}
	// A storm, and a link that is up again, send a pause that has not changed.
	if p.pausing.repeat {
		p.pausing.repeat = false
		if !due {
			f, due = pfc.Stop(f.Source, p.stopped, p.pausing.quanta), p.stopped != 0
		}
	}
	if !due {
		s.planRefresh(i, p)
		return false
	}
	// The frame names all stopped priorities, and those that resume.
	s.countPause(i, p, p.stopped, before&^p.stopped)
	s.planRefresh(i, p)
	end := s.occupy(i, p, p.frameTime(s.pauseBytes))
	// The frame was sent and counted, and does not arrive.
	if p.down > 0 || p.pausing.layer != nil && p.pausing.layer.end.Corrupts(s.Now+p.pausing.layer.gap, end) {
		return true
	}
	// The peer's response time is added here, so that one event per frame
	// suffices.
	peer := &s.ports[p.peer]
	c := pauseFrame{at: end + p.delay + peer.pausing.response, seq: s.Order(), frame: f, link: p.pausing.link}
	if peer.part != p.part {
		m := s.mailTo(p.crossing)
		m.pauses = append(m.pauses, c)
		return true
	}
	s.expectPause(p.peer, peer, &c)
	return true
}

// expectPause puts a pause frame on its way to a port. Only the first one has an event. The number of the order is
// that of the sending, so that ties are decided by it in a network that keeps the order.
func (s *part) expectPause(i int32, p *port, c *pauseFrame) {
	if p.pausing.arriving.Len == 0 {
		s.Put(i*perPort+onPause, c.at, c.seq)
	}
	p.pausing.arriving.Push(*c)
}

// planRefresh schedules the repetition of a pause. An earlier pause can have
// left a timer that expires too early for this one, so the timer is set after
// every frame.
func (s *part) planRefresh(i int32, p *port) {
	if again, ok := p.pausing.sender.NextRefresh(); ok && p.pausing.stormEvery == 0 && !s.endless {
		s.SetAtLatest(i*perPort+onRefresh, int64(again))
	}
}

// countPause counts a pause frame that the port begins to send. A frame that stops some priorities and starts others
// counts as both.
func (s *part) countPause(i int32, p *port, stop, start pfc.Priorities) {
	count := p.record()
	count.PauseFramesOut++
	if stop != 0 {
		s.total.PauseSent++
	}
	if start != 0 {
		s.total.ResumeSent++
	}
	for ; stop != 0; stop &= stop - 1 {
		count.PauseSent[stop.Lowest()]++
		s.reportPriority(XOFFSent, i, stop.Lowest())
	}
	for ; start != 0; start &= start - 1 {
		count.ResumeSent[start.Lowest()]++
		s.reportPriority(XONSent, i, start.Lowest())
	}
}

// refreshPause repeats the pause of all priorities that are still stopped. In a storm the pause is repeated whether
// or not its time is near its end.
func (s *part) refreshPause(i int32) {
	p := &s.ports[i]
	p.pend = true
	if p.pausing.stormEvery > 0 {
		p.pausing.repeat = true
		s.SetAtLatest(i*perPort+onRefresh, s.Now+p.pausing.stormEvery)
	}
	s.kick(i)
}

// pauseArrived applies a pause frame. It happens a response time after the last
// bit. The response time delays the end of the pause as well.
func (s *part) pauseArrived(i int32) {
	p := &s.ports[i]
	c := p.pausing.arriving.Pop()
	if p.pausing.arriving.Len > 0 {
		next := p.pausing.arriving.First()
		s.Put(i*perPort+onPause, next.at, next.seq)
	}
	var stop, start pfc.Priorities
	if s.endless {
		stop, start = c.endless(p.pfc, p.pausing.held)
	} else if c.link {
		stop, start = p.pausing.receiver.ReceiveLink(unit.Time(s.Now), c.frame.LinkPause())
	} else {
		stop, start = p.pausing.receiver.Receive(unit.Time(s.Now), c.frame)
	}
	count := p.record()
	count.PauseFramesIn++
	for named := c.frame.Enabled; named != 0; named &= named - 1 {
		if n := named.Lowest(); c.frame.Quanta[n] > 0 {
			count.PauseReceived[n]++
		} else {
			count.ResumeReceived[n]++
		}
	}
	s.applyPause(i, p, stop, start)
}

// pauseExpired resumes the priorities whose pause has expired. The timer is not set anew with every pause frame: a
// pause that was renewed since then has expired later. A pause without renewal ends by itself after its quanta (IEEE
// 802.1Q, clause 36).
func (s *part) pauseExpired(i int32) {
	p := &s.ports[i]
	if at, ok := p.pausing.receiver.NextExpiry(); ok && int64(at) > s.Now {
		s.Set(i*perPort+onExpiry, int64(at))
		return
	}
	s.applyPause(i, p, 0, p.pausing.receiver.Expire(unit.Time(s.Now)))
}

// applyPause stops and starts queues. The order of elided frames, shapers and masks matters: all that was sent until
// now was sent under the old masks.
func (s *part) applyPause(i int32, p *port, stop, start pfc.Priorities) {
	s.applyElided(i)
	if p.ets != nil {
		// Shapers earn credit for as long as a queue could have sent: bring
		// them up to date before that changes.
		p.ets.Update(s.Now, p.waiting&^p.paused)
	}
	for ; stop != 0; stop &= stop - 1 {
		n := stop.Lowest()
		p.record().since[n] = s.Now
		p.pausing.held |= pfc.Of(n)
		// A host may have handed frames to the transmitter, which it still sends: see [Host.AfterPause].
		if after := p.pausing.afterPause[n]; after > 0 {
			p.finishing |= 1 << n
			p.record().finishBy[n] = s.Now + after
		} else {
			p.paused |= p.pausing.masks[n]
		}
		s.reportPriority(Paused, i, n)
	}
	for m := start; m != 0; m &= m - 1 {
		n := m.Lowest()
		p.pausing.held &^= pfc.Of(n)
		p.finishing &^= 1 << n
		p.record().PausedTime[n] += unit.Time(s.Now - p.past().since[n])
		s.reportPriority(Resumed, i, n)
	}
	if start != 0 {
		p.paused = p.heldQueues() &^ p.finishing
	}
	if at, ok := p.pausing.receiver.NextExpiry(); ok {
		s.SetAtLatest(i*perPort+onExpiry, int64(at))
	}
	if d := p.pausing.watchdog; d != nil {
		s.updateWatchdog(i, p, d)
	}
	s.kick(i)
}

// updateWatchdog tells a watchdog which queues are paused now. Queues that it forwards go on sending. since begins
// anew for a queue that has become paused or free.
func (s *part) updateWatchdog(i int32, p *port, d *watchdog) {
	paused := p.heldQueues()
	for q := range Priorities {
		if (paused^d.paused)>>q&1 == 1 {
			d.since[q] = s.Now
		}
	}
	d.paused = paused
	p.paused = paused
	if d.forward {
		p.paused &^= d.active
	}
	s.scheduleWatchdog(i, d)
}

// scheduleWatchdog schedules the next time at which a storm can begin or end. due is Never for a queue of which
// nothing can come by itself.
func (s *part) scheduleWatchdog(i int32, d *watchdog) {
	at := clock.Never
	for q := range Priorities {
		if d.watched>>q&1 == 1 {
			at = min(at, d.due(q))
		}
	}
	if at < clock.Never {
		s.SetAtLatest(i*perPort+onWatch, at)
	}
}

// watchdogDue handles the time at which storms can begin or end at a port. The source has one event, so other queues
// may not be due yet.
func (s *part) watchdogDue(i int32) {
	p := &s.ports[i]
	d := p.pausing.watchdog
	for q := range Priorities {
		if d.watched>>q&1 == 0 || d.due(q) > s.Now {
			continue
		}
		if d.active>>q&1 == 0 {
			s.startStorm(i, p, d, q)
		} else {
			s.endStorm(i, p, d, q)
		}
	}
	s.updateWatchdog(i, p, d)
	s.kick(i)
}

// startStorm acts on a queue in a storm. With forward the queue sends in spite of the pause, and loses nothing.
func (s *part) startStorm(i int32, p *port, d *watchdog, q int) {
	d.active |= 1 << q
	d.count.Storms[q]++
	s.reportPriority(StormFound, i, q)
	// By default a storm costs what waits in the queue and what comes to it.
	if !d.forward {
		p.dropping |= 1 << q
		s.drain(i, p, d, q)
	}
}

// endStorm releases a queue whose storm is over. The queue may be paused again at once, by the state that
// updateWatchdog finds.
func (s *part) endStorm(i int32, p *port, d *watchdog, q int) {
	d.active &^= 1 << q
	p.dropping &^= 1 << q
	d.count.Restored[q]++
	s.reportPriority(StormOver, i, q)
}

// drain drops everything that waits in a queue.
func (s *part) drain(i int32, p *port, d *watchdog, q int) {
	sw := &s.switches[p.node]
	p.waiting &^= 1 << q
	for p.queues[q].Len > 0 {
		l := leaving{Packet: p.queues[q].Pop(), out: p.number, queue: uint8(q)}
		p.wait(uint8(q), -int64(l.Bytes))
		s.dropInStorm(l.In(), &l.Packet, i, q)
		s.giveBack(sw, &l)
	}
}

// dropInStorm drops a frame for a queue in a storm. in is the port of arrival, at which the drop counts, and out the
// port of the watchdog.
func (s *part) dropInStorm(in int32, k *packet.Packet, out int32, q int) {
	p := &s.ports[out]
	p.pausing.watchdog.count.Dropped[q]++
	if t := s.switches[p.node].tallies; t != nil {
		t.queue(p.number, uint8(q)).drop(k)
	}
	s.dropArriving(in, &s.ports[in], k, -1, dropWatchdog)
}

// setPFC puts other priorities in force at a port that has a link. It is the same for the priorities of an operator
// and those that DCBX negotiates. The error is that of the receiver, which then has the priorities that it had.
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

// wanted returns the priorities of a switch's port whose groups want a pause. A group is paused by its owner port
// alone.
func (s *part) wanted(p *port) (mask pfc.Priorities) {
	if !p.isSwitch() {
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
