package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Each port has this many event sources, of these kinds.
const (
	onSent    = iota // the frame that it sends has left
	onArrival        // a frame's last bit is there
	onControl        // a pause frame takes effect
	onExpiry         // a pause has run out
	onRefresh        // a pause has to be asked for again
	onReady          // a flow or a queue may send again
	perPort   = 8
)

// port is one end of a link, or of nothing. What every frame needs stands
// first.
type port struct {
	busy     bool  // sending
	linked   bool  // there is another end
	isSwitch bool  // of a switch
	waiting  uint8 // queues (a host's: classes) that have something to send
	paused   uint8 // queues (a host's: classes) that may not
	pend     uint8 // priorities whose pause frame waits to be sent
	xoff     uint8 // priorities that this port has paused
	last     uint8 // queue served last
	pfc      uint8 // priorities with PFC
	node     int32 // which host or switch
	number   int32 // which port of the switch
	peer     int32 // the other end
	perByte  int64 // picoseconds; 0: not a whole number
	delay    int64 // one way
	gap      int64 // bytes beside each frame
	line     line  // frames on their way to this port
	count    *PortCounters
	leaving  leaving // the packet that it sends
	queues   [Priorities]fifo

	rate     unit.BitRate
	control  line              // pause frames on their way to this port, until they take effect
	until    [Priorities]int64 // end of each priority's pause
	since    [Priorities]int64 // beginning of it
	response int64             // from a pause frame's last bit to its effect
	wait     int64             // phantom frame before every pause frame
	refresh  int64             // after which a pause is asked for again
	quanta   uint16
	masks    [Priorities]uint8 // queues that a pause of a priority stops
}

// leaving is what the MMU gets back when a packet has been sent.
type leaving struct {
	held   bool // there is something to give back
	in     int32
	out    int32 // of the switch
	prio   uint8
	queue  uint8
	flow   int32
	seq    int32
	packet buffer.Packet
}

// fifo is a queue of packets.
type fifo struct {
	head, tail int32
	bytes      int64
	packets    int
}

func (q *fifo) push(s *store, i int32) {
	p := &s.packets[i]
	p.next = -1
	if q.packets == 0 {
		q.head = i
	} else {
		s.packets[q.tail].next = i
	}
	q.tail = i
	q.packets++
	q.bytes += int64(p.bytes)
}

func (q *fifo) pop(s *store) int32 {
	i := q.head
	q.head = s.packets[i].next
	q.packets--
	q.bytes -= int64(s.packets[i].bytes)
	return i
}

// PortCounters counts what went through a port.
type PortCounters struct {
	FramesIn, FramesOut int64
	BytesIn, BytesOut   int64
	PauseSent           [Priorities]int64 // frames that pause this priority, repeated ones too
	ResumeSent          [Priorities]int64 // frames that resume it
	PauseReceived       [Priorities]int64
	ResumeReceived      [Priorities]int64
	PausedTime          [Priorities]unit.Time // for which it had to keep still, pauses that are over
	Drops               [Priorities]int64     // frames that arrived here and were dropped
}

// frameTime returns how long the port sends a frame, with preamble and gap.
func (p *port) frameTime(bytes int64) int64 {
	if p.perByte > 0 {
		return (bytes + p.gap) * p.perByte
	}
	return int64(p.rate.TimeFor((bytes + p.gap) * 8))
}

// kick lets a port begin its next frame if it can.
func (s *Sim) kick(i int32) {
	p := &s.ports[i]
	switch {
	case p.busy || !p.linked:
	case p.pend != 0:
		s.sendPause(i, p)
	case p.waiting&^p.paused == 0:
	case p.isSwitch:
		s.sendQueued(i, p)
	default:
		s.sendFlow(i, p)
	}
}

// transmit puts a packet on the line.
func (s *Sim) transmit(i int32, p *port, pkt int32) {
	bytes := int64(s.store.packets[pkt].bytes)
	p.busy = true
	p.count.FramesOut++
	p.count.BytesOut += bytes
	if s.observer != nil {
		s.tell(Departs, i, &s.store.packets[pkt], p.last, -1)
	}
	end := s.now + p.frameTime(bytes)
	s.set(i*perPort+onSent, end)
	peer := &s.ports[p.peer]
	e := onLine{at: end + p.delay, seq: s.order(), pkt: pkt}
	if peer.line.n == 0 {
		s.put(p.peer*perPort+onArrival, e.at, e.seq)
	}
	peer.line.push(e)
}

// sent is the moment when a frame's last bit has left.
func (s *Sim) sent(i int32) {
	p := &s.ports[i]
	p.busy = false
	if p.leaving.held {
		p.leaving.held = false
		s.giveBack(&s.switches[p.node], &p.leaving)
	}
	s.kick(i)
}

// arrived is the moment when a frame's last bit is there.
func (s *Sim) arrived(i int32) {
	p := &s.ports[i]
	e := p.line.pop()
	if p.line.n > 0 {
		next := p.line.first()
		s.put(i*perPort+onArrival, next.at, next.seq)
	}
	p.count.FramesIn++
	p.count.BytesIn += int64(s.store.packets[e.pkt].bytes)
	if p.isSwitch {
		s.admit(i, p, e.pkt)
		return
	}
	s.deliver(p, e.pkt)
}

// pause asks the port to stop these priorities of its peer, or to let them go
// on.
func (s *Sim) pause(i int32, mask uint8, on bool) {
	p := &s.ports[i]
	mask &= p.pfc
	if on {
		p.xoff |= mask
	} else {
		p.xoff &^= mask
	}
	if mask == 0 {
		return
	}
	if s.observer != nil {
		s.tellMask(i, mask, on)
	}
	p.pend |= mask
	if on && p.wait > 0 && !p.busy {
		p.busy = true
		s.set(i*perPort+onSent, s.now+p.wait)
		return
	}
	s.kick(i)
}

// sendPause sends one frame for all priorities whose state has changed.
func (s *Sim) sendPause(i int32, p *port) {
	end := s.now + p.frameTime(s.pauseBytes)
	p.busy = true
	s.set(i*perPort+onSent, end)
	peer := &s.ports[p.peer]
	e := onLine{at: end + p.delay + peer.response, seq: s.order(), vector: p.pend, xoff: p.pend & p.xoff, quanta: p.quanta}
	p.pend = 0
	for v := e.vector; v != 0; v &= v - 1 {
		n := bits.TrailingZeros8(v)
		if e.xoff&(1<<n) != 0 {
			p.count.PauseSent[n]++
			s.notice(XOFFSent, i, n)
		} else {
			p.count.ResumeSent[n]++
			s.notice(XONSent, i, n)
		}
	}
	if e.xoff != 0 {
		s.total.PauseSent++
		s.sooner(i*perPort+onRefresh, s.now+p.refresh)
	} else {
		s.total.ResumeSent++
	}
	if peer.control.n == 0 {
		s.put(p.peer*perPort+onControl, e.at, e.seq)
	}
	peer.control.push(e)
}

// refreshPause asks again for what is still paused.
func (s *Sim) refreshPause(i int32) {
	p := &s.ports[i]
	if p.xoff == 0 {
		return
	}
	p.pend |= p.xoff
	s.kick(i)
}

// controlled is the moment when a pause frame takes effect.
func (s *Sim) controlled(i int32) {
	p := &s.ports[i]
	e := p.control.pop()
	if p.control.n > 0 {
		next := p.control.first()
		s.put(i*perPort+onControl, next.at, next.seq)
	}
	for v := e.vector & p.pfc; v != 0; v &= v - 1 {
		n := bits.TrailingZeros8(v)
		if e.xoff&(1<<n) != 0 {
			p.count.PauseReceived[n]++
			p.until[n] = s.now - p.response + int64(p.rate.TimeFor(int64(e.quanta)*512))
			s.stop(i, p, n)
		} else {
			p.count.ResumeReceived[n]++
			s.goOn(i, p, n)
		}
	}
	s.kick(i)
}

// stop pauses a priority until its time is over.
func (s *Sim) stop(i int32, p *port, n int) {
	if p.until[n] <= s.now {
		s.goOn(i, p, n)
		return
	}
	if p.since[n] == 0 {
		p.since[n] = s.now
	}
	p.paused |= p.masks[n]
	s.sooner(i*perPort+onExpiry, p.until[n])
	s.notice(Paused, i, n)
}

// goOn lets a priority send again.
func (s *Sim) goOn(i int32, p *port, n int) {
	if p.since[n] > 0 {
		p.count.PausedTime[n] += unit.Time(s.now - p.since[n])
	}
	p.until[n], p.since[n] = 0, 0
	p.paused &^= p.masks[n]
	s.notice(Resumed, i, n)
}

// notice tells an observer, if there is one, of a priority.
func (s *Sim) notice(what What, port int32, priority int) {
	if s.observer != nil {
		s.tellPause(what, port, priority)
	}
}

// expired lets priorities go on whose pause has run out.
func (s *Sim) expired(i int32) {
	p := &s.ports[i]
	next := never
	for n := range p.until {
		switch {
		case p.until[n] == 0:
		case p.until[n] <= s.now:
			s.goOn(i, p, n)
		default:
			next = min(next, p.until[n])
		}
	}
	if next < never {
		s.set(i*perPort+onExpiry, next)
	}
	s.kick(i)
}

// refreshAfter is when a pause of so many quanta is asked for again.
func refreshAfter(quanta uint16, rate unit.BitRate) int64 { return int64(pg.Refresh(quanta, rate)) }
