package fabric

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Each port has this many event sources, of these kinds.
const (
	onSent    = iota // the frame that it sends has left
	onArrival        // a frame's last bit is there
	onPause          // a pause frame takes effect
	onExpiry         // a pause has run out
	onRefresh        // a pause has to be asked for again
	onReady          // a flow or a queue may send again
	onWatch          // a storm may have begun or be over
	perPort   = 8
)

// port is one end of a link, or of nothing. What every frame needs stands
// first.
type port struct {
	busy      bool           // sending
	linked    bool           // there is another end
	lazy      bool           // sends without events of its own: see ahead.go
	isSwitch  bool           // of a switch
	countOnly bool           // what arrives is counted as it is sent: see ahead.go
	waiting   uint8          // queues (a host's: classes) that have something to send
	paused    uint8          // queues (a host's: classes) that may not
	urgent    uint8          // a host's classes that have answers to send, which go first
	pend      bool           // a pause frame may be due
	dropping  uint8          // queues whose frames the watchdog drops
	down      uint8          // failures that keep its link down
	finishing uint8          // of a host: classes that are paused and still send what they are committed to
	stopped   pfc.Priorities // those that this port wants its peer to stop
	last      uint8          // queue served last
	pfc       pfc.Priorities // those with PFC
	node      int32          // which host or switch
	number    int32          // which port of the switch
	peer      int32          // the other end
	perByte   int64          // picoseconds; 0: not a whole number
	delay     int64          // one way
	freeAt    int64          // of a port that sends ahead: the end of its last frame
	gap       int64          // bytes beside each frame
	line      ring[onLine]   // frames on their way to this port
	traffic
	count   *PortCounters
	leaving leaving // the packet that it sends
	queues  [Priorities]fifo
	ets     *scheduler          // of its queues; nil: round robin by packets
	ecn     *[Priorities]marker // of its queues; nil: none marks

	rate    unit.BitRate
	pausing *pausing
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
	packet mmu.Packet
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

// traffic is the part of a PortCounters that every frame changes.
type traffic struct {
	framesIn, framesOut int64
	bytesIn, bytesOut   int64
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
	Marked              [Priorities]int64     // frames that got CE in each egress queue
	Lost                int64                 // frames that it sent into a link that was or went down
	PauseFramesOut      int64                 // PFC and 802.3x frames, whatever they name; those that resume too
	PauseFramesIn       int64                 // the same, as they take effect
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
	case p.lazy:
		s.kickLazy(i, p)
	case p.busy || !p.linked:
	case p.pend && s.sendPause(i, p):
	case p.waiting&^p.paused == 0:
	case p.isSwitch:
		s.sendQueued(i, p)
	default:
		s.sendFlow(i, p, s.now)
	}
}

// transmit puts a packet on the line, its first bit at a time that is now, or
// was if the port sends ahead.
func (s *Sim) transmit(i int32, p *port, pkt int32, at int64) {
	bytes := int64(s.store.packets[pkt].bytes)
	p.framesOut++
	p.bytesOut += bytes
	if s.observer != nil {
		s.report(Departs, i, &s.store.packets[pkt], p.last, -1)
	}
	end := at + p.frameTime(bytes)
	if p.lazy {
		p.freeAt = end
		s.skipped++
		s.latest = max(s.latest, at)
	} else {
		p.busy = true
		s.set(i*perPort+onSent, end)
	}
	if p.down > 0 {
		s.loseOnLink(i, pkt, dropLink)
		return
	}
	peer := &s.ports[p.peer]
	if peer.countOnly && end+p.delay <= s.end {
		s.countDelivered(peer, pkt, end+p.delay)
		return
	}
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
	} else if from := &s.ports[p.peer]; from.lazy {
		s.sendLazy(p.peer, from)
	}
	p.framesIn++
	p.bytesIn += int64(s.store.packets[e.pkt].bytes)
	if p.isSwitch {
		s.admit(i, p, e.pkt)
		return
	}
	s.deliver(p, e.pkt)
}
