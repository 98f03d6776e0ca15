package fabric

import (
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// pausing is what a port needs only when it pauses its peer or is paused.
type pausing struct {
	sender     pfc.Sender
	receiver   pfc.Receiver
	link       bool              // sends 802.3x PAUSE in place of PFC
	wait       int64             // phantom frame before every pause frame
	response   int64             // from a pause frame's last bit to its effect
	arriving   ring[pauseFrame]  // pause frames on their way to this port, until they take effect
	held       pfc.Priorities    // priorities that may not send
	since      [Priorities]int64 // when each priority was paused
	masks      [Priorities]uint8 // queues that a pause of a priority stops
	stormEvery int64             // of a storm that repeats its frame by a clock of its own; 0: as the sender says
	repeat     bool              // a frame is due though the sender sees no reason
	quanta     uint16            // asked for by that frame
	watchdog   *watchdog         // nil: no watchdog
	afterPause int64             // how long a host goes on with a class that is paused
	finishBy   [Priorities]int64 // when that is over
}

// pauseFrame is a pause frame on its way.
type pauseFrame struct {
	at    int64 // when it takes effect
	seq   uint64
	frame pfc.Frame
	link  bool // it is an 802.3x PAUSE
}

// pause asks the port to stop these priorities of its peer, or to let them go
// on. Priorities without PFC are not asked for.
func (s *Sim) pause(i int32, mask pfc.Priorities, on bool) {
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
	if on && p.pausing.wait > 0 && !p.busy {
		p.busy = true
		s.set(i*perPort+onSent, s.now+p.pausing.wait)
		return
	}
	s.kick(i)
}

// sendPause sends one frame for all priorities whose state has changed, or
// asks again for what is still to be stopped; false if neither is due.
func (s *Sim) sendPause(i int32, p *port) bool {
	p.pend = false
	before := p.pausing.sender.Stopped()
	f, due := p.pausing.sender.Set(unit.Time(s.now), p.stopped)
	if !due {
		f, due = p.pausing.sender.Refresh(unit.Time(s.now))
	}
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
	s.countPause(i, p, p.stopped, before&^p.stopped)
	s.planRefresh(i, p)
	end := s.now + p.frameTime(s.pauseBytes)
	p.busy = true
	s.set(i*perPort+onSent, end)
	if p.down > 0 {
		return true
	}
	to := s.ports[p.peer].pausing
	c := pauseFrame{at: end + p.delay + to.response, seq: s.order(), frame: f, link: p.pausing.link}
	if to.arriving.n == 0 {
		s.put(p.peer*perPort+onPause, c.at, c.seq)
	}
	to.arriving.push(c)
	return true
}

// planRefresh makes sure that a pause is asked for again in time: also when the
// timer of an earlier one has gone off too early for it.
func (s *Sim) planRefresh(i int32, p *port) {
	if again, ok := p.pausing.sender.NextRefresh(); ok && p.pausing.stormEvery == 0 && !s.endless {
		s.setAtLatest(i*perPort+onRefresh, int64(again))
	}
}

// countPause counts a frame that is about to be sent.
func (s *Sim) countPause(i int32, p *port, stop, start pfc.Priorities) {
	p.count.PauseFramesOut++
	if stop != 0 {
		s.total.PauseSent++
	}
	if start != 0 {
		s.total.ResumeSent++
	}
	for ; stop != 0; stop &= stop - 1 {
		p.count.PauseSent[stop.Lowest()]++
		s.reportPriority(XOFFSent, i, stop.Lowest())
	}
	for ; start != 0; start &= start - 1 {
		p.count.ResumeSent[start.Lowest()]++
		s.reportPriority(XONSent, i, start.Lowest())
	}
}

// refreshPause asks again for what is still paused.
func (s *Sim) refreshPause(i int32) {
	p := &s.ports[i]
	p.pend = true
	if p.pausing.stormEvery > 0 {
		p.pausing.repeat = true
		s.setAtLatest(i*perPort+onRefresh, s.now+p.pausing.stormEvery)
	}
	s.kick(i)
}

// pauseArrived is the moment when a pause frame takes effect. The response time
// delays all that the frame does: the end of its pause too.
func (s *Sim) pauseArrived(i int32) {
	p := &s.ports[i]
	c := p.pausing.arriving.pop()
	if p.pausing.arriving.n > 0 {
		next := p.pausing.arriving.first()
		s.put(i*perPort+onPause, next.at, next.seq)
	}
	var stop, start pfc.Priorities
	if s.endless {
		stop, start = c.endless(p.pfc, p.pausing.held)
	} else if c.link {
		stop, start = p.pausing.receiver.ReceiveLink(unit.Time(s.now), c.frame.LinkPause())
	} else {
		stop, start = p.pausing.receiver.Receive(unit.Time(s.now), c.frame)
	}
	p.count.PauseFramesIn++
	for n := range c.frame.Quanta {
		switch {
		case !c.frame.Enabled.Has(n):
		case c.frame.Quanta[n] > 0:
			p.count.PauseReceived[n]++
		default:
			p.count.ResumeReceived[n]++
		}
	}
	s.applyPause(i, p, stop, start)
}

// endless is what a frame changes where pauses have no end of their own: of the
// enabled priorities it stops those that are not held yet, and starts held ones.
func (c *pauseFrame) endless(enabled, held pfc.Priorities) (stop, start pfc.Priorities) {
	for n, quanta := range c.frame.Quanta {
		if quanta > 0 {
			stop |= pfc.Of(n)
		}
	}
	named := c.frame.Enabled & enabled
	return named & stop &^ held, named & held &^ stop
}

// pauseExpired lets priorities go on whose pause has run out.
func (s *Sim) pauseExpired(i int32) {
	p := &s.ports[i]
	s.applyPause(i, p, 0, p.pausing.receiver.Expire(unit.Time(s.now)))
}

// applyPause stops and starts queues.
func (s *Sim) applyPause(i int32, p *port, stop, start pfc.Priorities) {
	s.catchUp(i)
	if p.ets != nil {
		p.ets.settle(s.now, p.waiting&^p.paused)
	}
	for ; stop != 0; stop &= stop - 1 {
		n := stop.Lowest()
		p.pausing.since[n] = s.now
		p.pausing.held |= pfc.Of(n)
		if p.pausing.afterPause > 0 {
			p.finishClass(s.now, n)
		} else {
			p.paused |= p.pausing.masks[n]
		}
		s.reportPriority(Paused, i, n)
	}
	for m := start; m != 0; m &= m - 1 {
		n := m.Lowest()
		p.pausing.held &^= pfc.Of(n)
		p.finishing &^= 1 << n
		p.count.PausedTime[n] += unit.Time(s.now - p.pausing.since[n])
		s.reportPriority(Resumed, i, n)
	}
	if start != 0 {
		p.release()
	}
	if at, ok := p.pausing.receiver.NextExpiry(); ok {
		s.setAtLatest(i*perPort+onExpiry, int64(at))
	}
	if d := p.pausing.watchdog; d != nil {
		s.updateWatchdog(i, p, d)
	}
	s.kick(i)
}

// release lets those queues go on that no paused priority stops.
func (p *port) release() { p.paused = p.heldQueues() &^ p.finishing }

// heldQueues returns the queues that the paused priorities stop.
func (p *port) heldQueues() (mask uint8) {
	for m := p.pausing.held; m != 0; m &= m - 1 {
		mask |= p.pausing.masks[m.Lowest()]
	}
	return mask
}

// reportPriority tells an observer, if there is one, of a priority.
func (s *Sim) reportPriority(what EventKind, port int32, priority int) {
	if s.observer != nil {
		s.reportPause(what, port, priority)
	}
}
