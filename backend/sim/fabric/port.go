package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/scheduler"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Each port has this many event sources, of these kinds.
const (
	onSent    = iota // the frame that the port sends has left
	onArrival        // the last bit of a frame has arrived
	onPause          // a pause frame takes effect
	onExpiry         // a pause has expired
	onRefresh        // a pause must be repeated
	onReady          // a queue may send again
	onWatch          // a storm may begin or end
	onLLDP           // the port sends LLDP, a frame of it takes effect, or what it heard is too old
	perPort   = 8
)

// port is one end of a link, or a port without a link. The fields that every
// frame needs come first: they fill cache lines of 64 bytes.
type port struct {
	busy           bool           // it sends a frame
	linked         bool           // it has a link
	elidesSends    bool           // it sends without events of its own: see lazy.go
	elidesLastEnd  bool           // a host's port that may leave out the end of a frame: see rest.go
	elidesEnds     bool           // a switch's port that may: see late.go
	endElided      bool           // the end of its last frame has no event
	isSwitch       bool           // it is a switch's port
	elidesArrivals bool           // its frames are counted at the host when they are sent: see lazy.go
	crosses        bool           // its link leads to another part of the network: see parts.go
	elidable       bool           // a switch's port without scheduler and markers: see plain.go
	pend           bool           // a pause frame may be due, or one of LLDP is
	waiting        uint8          // queues (a host: classes) that have something to send
	paused         uint8          // queues (a host: classes) that must not send
	urgent         uint8          // a host's classes with feedback to send, which goes first
	dropping       uint8          // queues whose frames the watchdog drops
	down           uint8          // number of active failures of its link
	finishing      uint8          // a host's classes that are paused and still send: see Host.AfterPause
	stopped        pfc.Priorities // priorities that its peer must stop
	last           uint8          // queue that sent last
	pfc            pfc.Priorities // priorities with PFC
	gap            int32          // bytes sent with each frame
	node           int32          // index of the host or switch
	number         int32          // number of the port at its switch
	peer           int32          // port at the other end of the link
	part           int32          // part of the network to which it belongs: see parts.go
	perByte        int64          // picoseconds per byte; 0: not a whole number
	delay          int64          // one way
	freeAt         int64          // of a host's port that is lazy or rests: the end of its last frame

	line packet.Ring[onLine] // frames on their way to this port
	traffic

	leaving leaving              // the packet that it sends
	sw      *node                // its switch
	lookup  *lookup              // what packets need of its SwitchPort
	ets     *scheduler.Scheduler // of its queues; nil: round robin by packets
	ecn     *markers             // markers of its queues; nil: none

	queues  [Priorities]packet.Queue
	history *history // nil: nothing but frames and bytes has been counted
	pausing *pausing
	rate    unit.BitRate
	_       [5]int64 // each port begins a line of the cache
}

// leaving is what the MMU gets back when a packet has been sent.
type leaving struct {
	held  bool // the packet's cells have not been given back
	prio  uint8
	queue uint8
	bytes uint16
	slice int16
	in    int32
	out   int32 // port of the switch
	flow  int32
	seq   int32
	group int32 // in the MMU
	cell  int32 // the queue in the MMU
}

// newLeaving returns what the MMU gets back of a packet that leaves a queue.
func newLeaving(k *packet.Packet, out int32, queue uint8, cell int32) leaving {
	return leaving{held: true, prio: k.Priority, queue: queue, bytes: k.Bytes, slice: k.Slice, in: k.In, out: out,
		flow: k.Flow, seq: k.Seq, group: k.Group, cell: cell}
}

// charged is the packet as the MMU has charged it.
func (l *leaving) charged() mmu.Packet {
	return mmu.Packet{Slice: int(l.slice), Group: int(l.group), Queue: int(l.cell), Bytes: bytesOf(l.bytes)}
}

// traffic holds the counters that every frame changes. They stand in the port
// itself, the others behind a pointer.
type traffic struct {
	framesIn, framesOut int64
	bytesIn, bytesOut   int64
}

// PortCounters are the counters of a port.
type PortCounters struct {
	FramesIn, FramesOut int64
	BytesIn, BytesOut   int64
	PauseSent           [Priorities]int64 // frames that pause this priority, repetitions included
	ResumeSent          [Priorities]int64 // frames that resume this priority
	PauseReceived       [Priorities]int64
	ResumeReceived      [Priorities]int64
	// for which this priority was paused; a pause that still lasts is not
	// included
	PausedTime [Priorities]unit.Time
	Drops      [Priorities]int64 // frames that arrived here and were dropped
	Marked     [Priorities]int64 // frames that were marked with CE in each egress queue
	// time of the last of Drops of each priority; 0 if there is none
	LastDrop       [Priorities]unit.Time
	Lost           int64 // frames that it sent and a dead link lost
	LostIn         int64 // frames to it that its link lost: corrupted, or on a dead link with a link layer
	PauseFramesOut int64 // all PFC and 802.3x frames, also those that resume
	PauseFramesIn  int64 // all PFC and 802.3x frames that have taken effect
}

// frameTime returns how long the port sends a frame, with preamble and gap.
func (p *port) frameTime(bytes int64) int64 {
	if p.perByte > 0 {
		return (bytes + int64(p.gap)) * p.perByte
	}
	return p.oddFrameTime(bytes)
}

// oddFrameTime is frameTime for a rate that does not take a whole number of
// picoseconds per byte.
func (p *port) oddFrameTime(bytes int64) int64 {
	return int64(p.rate.TimeFor((bytes + int64(p.gap)) * 8))
}

// kick lets a port begin its next frame if it can. It is called whenever
// something has changed that may allow it.
func (s *part) kick(i int32) {
	p := &s.ports[i]
	if p.endElided {
		s.restoreEnd(i, p)
	}
	switch {
	case p.elidesSends:
		s.kickEliding(i, p)
	case p.busy || !p.linked:
	// A pause frame goes before all other frames.
	case p.pend && s.sendControl(i, p):
	case p.waiting&^p.paused == 0:
	case p.isSwitch:
		s.sendQueued(i, p)
	default:
		s.sendFlow(i, p, s.Now)
	}
}

// transmit puts a packet on the link. Its first bit leaves now, or at an
// earlier time on a lazy port.
func (s *part) transmit(i int32, p *port, k *packet.Packet, at int64) {
	bytes := int64(k.Bytes)
	p.framesOut++
	p.bytesOut += bytes
	if s.observer != nil {
		s.report(Departs, i, k, p.last, -1)
	}
	end := at + p.frameTime(bytes)
	p.busy = !p.elidesSends
	switch {
	case p.elidesSends:
		p.freeAt = end
		s.elided++
		s.lastElided = max(s.lastElided, at)
	case p.elidesThisEnd():
		s.elideEnd(p, end)
	case p.elidesEnds && (p.endElided || p.sw.elidable && !p.pend && p.sw.mmu.Calm()):
		p.endElided = true
		p.sw.addElidedEnd(frameEnd{end, i})
	default:
		s.Set(i*perPort+onSent, end)
	}
	if p.down > 0 && p.pausing.layer == nil {
		s.loseOnLink(i, k, dropLink)
		return
	}
	arrives := end + p.delay
	switch {
	// A frame that arrives after the end of the run is not counted yet.
	case p.elidesArrivals && arrives <= s.end:
		s.countArrival(&s.ports[p.peer], k, arrives)
	case p.crosses && p.pend && p.pausing.layer != nil:
		s.transmitLayer(i, p, k)
	case p.crosses:
		s.frames = append(s.frames, frameLetter{p.peer, onLine{arrives, *k}})
	default:
		s.expect(p.peer, k, arrives)
	}
}

// expect puts a frame on the line to a port. Only the first frame on a line has
// an event.
func (s *part) expect(i int32, k *packet.Packet, at int64) {
	p := &s.ports[i]
	seq := s.Order()
	if s.Ordered() {
		p.pausing.orders.Push(seq)
	}
	if p.line.Len == 0 {
		s.Put(i*perPort+onArrival, at, seq)
	}
	e := p.line.Extend()
	e.at, e.packet = at, *k
}

// dropOrder forgets the order of the frame that has just been taken from a
// line, and returns that of the next one.
func (s *part) dropOrder(p *port) (next uint64) {
	if !s.Ordered() {
		return 0
	}
	if p.pausing.orders.Drop(); p.pausing.orders.Len > 0 {
		next = *p.pausing.orders.First()
	}
	return next
}

// sent handles the moment when a frame's last bit has left.
func (s *part) sent(i int32) {
	p := &s.ports[i]
	p.busy = false
	// The cells are in use until the last bit has left.
	if p.leaving.held {
		p.leaving.held = false
		s.giveBack(p.sw, &p.leaving)
	}
	switch {
	case p.pend:
		s.kick(i)
	case p.waiting&^p.paused == 0:
	case p.elidable && p.sw.elidable && !p.busy:
		s.departNext(i, p, s.Now)
	default:
		s.kick(i)
	}
}

// arrived handles the moment when a frame's last bit has arrived. Only the
// first frame on a link has an event: the next one is scheduled here.
func (s *part) arrived(i int32) {
	p := &s.ports[i]
	k := p.line.First().packet
	p.line.Drop()
	order := s.dropOrder(p)
	if p.line.Len > 0 {
		s.Put(i*perPort+onArrival, p.line.First().at, order)
	} else if from := &s.ports[p.peer]; from.elidesSends {
		s.sendNextElided(p.peer, from)
	} else if !p.crosses && from.elidesEnds && from.endElided {
		s.applyElidedEnds(from.sw, s.Now, s.source)
	}
	p.framesIn++
	p.bytesIn += int64(k.Bytes)
	if p.isSwitch {
		s.admit(i, p, &k)
		return
	}
	s.deliver(p, &k)
}

// onLine is a packet on a link.
type onLine struct {
	at     int64
	packet packet.Packet
}
