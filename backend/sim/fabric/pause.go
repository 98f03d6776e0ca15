package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// pausing is the part of a port that only pause frames need.
type pausing struct {
	sender   pfc.Sender
	receiver pfc.Receiver
	wait     int64 // time of the phantom frame before every pause frame
	response int64 // from the last bit of a pause frame to its effect
	// pause frames on their way to this port, and those that wait for the
	// response time
	arriving   packet.Ring[pauseFrame]
	orders     *packet.Ring[uint64] // with Wire.InOrder: the order of the frames on the line to this port
	masks      [Priorities]uint8    // queues that a pause of each priority stops
	held       pfc.Priorities       // priorities that may not send
	link       bool                 // it sends 802.3x PAUSE in place of PFC
	repeat     bool                 // a pause frame is due that the pause sender does not ask for
	quanta     uint16               // pause time of that frame
	stormEvery int64                // time between the pause frames of a storm; 0: as the pause sender decides
	afterPause int64                // how long a host still sends a paused class
	watchdog   *watchdog            // nil: off
	lldp       *lldp                // nil: the port does not speak LLDP
	layer      *layer               // credits, retry and errors of its link; nil: none
}

// pauseFrame is a pause frame on its way.
type pauseFrame struct {
	at    int64 // when it takes effect
	seq   uint64
	frame pfc.Frame
	link  bool // an 802.3x PAUSE
}

// pause makes a port stop or resume priorities of its peer. Priorities without
// PFC are ignored.
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
		p.busy = true
		s.Set(i*perPort+onSent, s.Now+p.pausing.wait)
		return
	}
	s.kick(i)
}

// sendControl sends the frame that goes before those of flows: a pause frame,
// or else LLDP. It returns false if neither is due.
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

// sendPause sends one pause frame for all priorities whose state has changed,
// or repeats the pause of those that stay stopped. It returns false if no frame
// is due.
func (s *part) sendPause(i int32, p *port) bool {
	before := p.pausing.sender.Stopped()
	f, due := p.pausing.sender.Set(unit.Time(s.Now), p.stopped)
	if !due {
		f, due = p.pausing.sender.Refresh(unit.Time(s.Now))
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
	// The frame names all stopped priorities, and those that resume.
	s.countPause(i, p, p.stopped, before&^p.stopped)
	s.planRefresh(i, p)
	end := s.Now + p.frameTime(s.pauseBytes)
	p.busy = true
	s.Set(i*perPort+onSent, end)
	if p.down > 0 || p.pausing.layer != nil && p.pausing.layer.noise.Hits(s.Now+p.pausing.layer.gap, end) {
		return true
	}
	// The peer's response time is added here, so that one event per frame
	// suffices.
	peer := &s.ports[p.peer]
	c := pauseFrame{at: end + p.delay + peer.pausing.response, seq: s.Order(), frame: f, link: p.pausing.link}
	if peer.part != p.part {
		s.pauses = append(s.pauses, pauseLetter{p.peer, c})
		return true
	}
	s.expectPause(p.peer, peer, &c)
	return true
}

// expectPause puts a pause frame on its way to a port. Only the first one has
// an event.
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

// countPause counts a pause frame that the port begins to send.
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

// refreshPause repeats the pause of all priorities that are still stopped.
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

// endless returns what a frame changes when pauses do not expire: of the
// enabled priorities it stops those that are not held, and starts those that
// are.
func (c *pauseFrame) endless(enabled, held pfc.Priorities) (stop, start pfc.Priorities) {
	for n, quanta := range c.frame.Quanta {
		if quanta > 0 {
			stop |= pfc.Of(n)
		}
	}
	named := c.frame.Enabled & enabled
	return named & stop &^ held, named & held &^ stop
}

// pauseExpired resumes the priorities whose pause has expired. The timer is not set anew with every pause frame: a
// pause that was renewed since then has expired later.
func (s *part) pauseExpired(i int32) {
	p := &s.ports[i]
	if at, ok := p.pausing.receiver.NextExpiry(); ok && int64(at) > s.Now {
		s.Set(i*perPort+onExpiry, int64(at))
		return
	}
	s.applyPause(i, p, 0, p.pausing.receiver.Expire(unit.Time(s.Now)))
}

// applyPause stops and starts queues.
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
		if p.pausing.afterPause > 0 {
			p.finishClass(s.Now, n)
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
		p.release()
	}
	if at, ok := p.pausing.receiver.NextExpiry(); ok {
		s.SetAtLatest(i*perPort+onExpiry, int64(at))
	}
	if d := p.pausing.watchdog; d != nil {
		s.updateWatchdog(i, p, d)
	}
	s.kick(i)
}

// release resumes the queues that no paused priority stops.
func (p *port) release() { p.paused = p.heldQueues() &^ p.finishing }

// heldQueues returns the queues that the paused priorities stop.
func (p *port) heldQueues() (mask uint8) {
	for m := p.pausing.held; m != 0; m &= m - 1 {
		mask |= p.pausing.masks[m.Lowest()]
	}
	return mask
}

// reportPriority reports an event of a priority to an observer, if there is
// one.
func (s *part) reportPriority(what EventKind, port int32, priority int) {
	if s.observer != nil {
		s.reportPause(what, port, priority)
	}
}
