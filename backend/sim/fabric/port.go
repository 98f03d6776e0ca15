package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/scheduler"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// port is one end of a link, or a port without a link. What every frame needs fills cache lines of 64 bytes, one for
// each thing that happens to a frame.
type port struct {
	// a frame arrives
	line              packet.Ring[packet.Packet] // frames on their way to this port
	framesIn, bytesIn int64
	sw                *node // its switch; nil: a host's port
	near              int32 // port at the other end, if it is in the same part and may elide events; otherwise -1
	part              int32 // part of the network to which it belongs: see windows.go

	// a frame begins to leave
	busy                bool    // it sends a frame
	linked              bool    // it has a link
	elidesSends         bool    // it sends without events of its own: see elided.go
	elidesLastEnd       bool    // a host's port that may leave out the last end of a frame
	elidesEnds          bool    // a switch's port that may leave out the ends of frames
	endElided           bool    // the end of its last frame has no event
	way                 linkWay // of the frames that it sends
	elidable            bool    // a switch's port whose frames may take a short way: see switch.go
	watched             bool    // a switch's port: more than the MMU looks at frames that leave through it
	pend                bool    // a pause frame may be due, or one of LLDP is
	waiting             uint8   // queues (a host: classes) that have something to send
	paused              uint8   // queues (a host: classes) that must not send
	urgent              uint8   // a host's classes with feedback to send, which goes first
	finishing           uint8   // a host's classes that are paused and still send: see Host.AfterPause
	last                uint8   // queue that sent last
	untagged            bool    // a switch's port that sends frames without a tag
	gap                 int32   // bytes sent with each frame
	perByte             int32   // picoseconds per byte; 0: not a whole number, or a large one
	peer                int32   // port at the other end of the link
	alone               int32   // of a host that elides its sends: the flow that goes on alone, from 1; 0: none
	delay               int64   // one way
	freeAt              int64   // of a host's port that elides events: the end of its last frame
	framesOut, bytesOut int64

	// the frame leaves a switch
	leaving leaving              // the packet that it sends
	to      *port                // port at the other end of the link: peer
	of      *node                // sw, once more
	ets     *scheduler.Scheduler // of its queues; nil: round robin by packets

	queues   [Priorities]packet.Queue
	ecn      *markers // markers of its queues; nil: none
	history  *history // nil: nothing but frames and bytes has been counted
	lookup   *lookup  // what packets need of its SwitchPort
	pausing  *pausing
	rate     unit.BitRate
	crossing int32          // number of its crossing in its part, if its link leads to another part
	number   int32          // number of the port at its switch
	node     int32          // index of the host or switch
	down     uint8          // number of active failures of its link
	dropping uint8          // queues whose frames the watchdog drops
	stopped  pfc.Priorities // priorities that its peer must stop
	pfc      pfc.Priorities // priorities with PFC
	_        int64
}

// isSwitch tells whether it is a switch's port.
func (p *port) isSwitch() bool { return p.sw != nil }

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

// linkWay is how the frames that a port sends reach the other end of its link.
type linkWay uint8

// The ways over a link.
const (
	onLink  linkWay = iota // on the line to the other port
	counted                // the host there only counts them, so they are counted when they are sent: see elided.go
	across                 // to another part of the network: see windows.go
	byLayer                // the link layer has them
	nowhere                // the link is down
)

// countNoMore makes a host see the frames that it has only counted so far.
func (p *port) countNoMore() {
	if p.way == counted {
		p.way = onLink
	}
}

// setDown notes whether frames are lost on the link. What a link layer sends is its own matter.
func (p *port) setDown() {
	switch {
	case p.way == byLayer:
	case p.down > 0:
		p.way = nowhere
	default:
		p.way = onLink // a network with failures is one part, and elides nothing
	}
}

// leaving is what the MMU gets back when a packet has been sent.
type leaving struct {
	packet.Packet
	out   int32 // port of the switch
	queue uint8
	held  bool // the packet's cells have not been given back
}

// beginsToLeave notes that a switch's port begins to send a packet of a queue. Without a tag the PCP is lost, and the
// next switch sees priority 0.
func (p *port) beginsToLeave(queue uint8, k *packet.Packet) {
	p.last = queue
	l := &p.leaving
	l.Packet, l.queue, l.held = *k, queue, true
	if p.untagged && k.PCP >= 0 {
		k.PCP = -1
	}
}

// countOut counts a frame that begins to leave.
func (p *port) countOut(bytes int64) {
	p.framesOut++
	p.bytesOut += bytes
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
	// time of the last of Drops of each priority; 0: no drop
	LastDrop       [Priorities]unit.Time
	Lost           int64 // frames that it sent and a dead link lost
	LostIn         int64 // frames to it that its link lost: corrupted, or on a dead link with a link layer
	PauseFramesOut int64 // all PFC and 802.3x frames, also those that resume
	PauseFramesIn  int64 // all PFC and 802.3x frames that have taken effect
}

// history is what a port knows beside the frames and bytes that it has counted.
type history struct {
	PortCounters                   // FramesIn, FramesOut, BytesIn and BytesOut are in port
	since        [Priorities]int64 // when each priority was paused
	finishBy     [Priorities]int64 // when the time of Host.AfterPause is over, for each class
}

// noHistory is that of a port to which nothing has happened. It is never changed.
var noHistory history

// past returns the history of the port, to be read.
func (p *port) past() *history {
	if p.history == nil {
		return &noHistory
	}
	return p.history
}

// record returns the history of the port, to be changed.
func (p *port) record() *history {
	if p.history == nil {
		p.history = new(history)
	}
	return p.history
}

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
	afterPause [Priorities]int64    // how long a host still sends each paused class
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

// frameTime returns how long the port sends a frame, with preamble and gap.
func (p *port) frameTime(bytes int64) int64 {
	if p.perByte > 0 {
		return (bytes + int64(p.gap)) * int64(p.perByte)
	}
	return p.oddFrameTime(bytes)
}

// oddFrameTime is frameTime for a rate that does not take a whole number of
// picoseconds per byte.
func (p *port) oddFrameTime(bytes int64) int64 {
	return int64(p.rate.TimeFor((bytes + int64(p.gap)) * 8))
}

// Most ports of a large fabric never see a pause, a mark or a drop. What these leave behind takes more memory than the
// rest of a port, so a port has a history from the first such event on.

// heldQueues returns the queues that the paused priorities stop.
func (p *port) heldQueues() (mask uint8) {
	for m := p.pausing.held; m != 0; m &= m - 1 {
		mask |= p.pausing.masks[m.Lowest()]
	}
	return mask
}

// pausedByPFC returns the queues that pauses stop.
func (p *port) pausedByPFC() uint8 {
	mask := p.heldQueues() &^ p.finishing
	if d := p.pausing.watchdog; d != nil && d.forward {
		mask &^= d.active
	}
	return mask
}

// roundRobin returns the next queue after the last one that may send.
func (p *port) roundRobin() uint8 {
	ready := p.waiting &^ p.paused
	if ready&(ready-1) == 0 {
		return uint8(bits.TrailingZeros8(ready)) & 7
	}
	ready = bits.RotateLeft8(ready, -int(p.last+1))
	return (p.last + 1 + uint8(bits.TrailingZeros8(ready))) & 7
}

// setElidable notes whether what looks at the frames that leave a switch's port asks for no event: the MMU of its
// switch, markers and a scheduler without shapers do not; a watchdog and a link layer do. It is called when that may
// have changed.
func (p *port) setElidable() {
	p.elidable = p.sw.elidable && (p.ets == nil || !p.ets.Shapes()) && p.pausing.layer == nil &&
		p.pausing.watchdog == nil
	p.elidesEnds = p.elidesEnds && p.elidable
	p.watched = !p.elidable || p.ets != nil || p.ecn != nil
}

// passes tells whether a frame of a queue of a switch's port needs no queue: the port is free, and sends nothing before
// it.
func (p *port) passes(queue uint8) bool {
	return !p.busy && !p.pend && p.linked && p.waiting&^p.paused == 0 && p.paused>>(queue&(Priorities-1))&1 == 0
}

// sendsAtOnce tells whether feedback of a class needs no queue: the host's port
// is free, and sends nothing before it.
func (p *port) sendsAtOnce(class uint8) bool {
	return !p.busy && !p.elidesSends && p.linked && !p.pend && p.finishing == 0 && p.urgent&^p.paused == 0 &&
		p.paused>>(class&(Priorities-1))&1 == 0
}

// elidesThisEnd tells whether a host's port has nothing to send after the frame that it begins now, and may leave out
// the event of its end. A network with failures or looks for deadlocks keeps all events.
func (p *port) elidesThisEnd() bool { return p.elidesLastEnd && p.waiting == 0 && !p.pend }

// wait notes that bytes more wait in a queue, for markers.
func (p *port) wait(queue uint8, bytes int64) {
	if p.ecn != nil {
		p.ecn.waiting[queue&(Priorities-1)] += bytes
	}
}

// hits decides whether a queue marks or drops a packet, at its present depth.
func (p *port) hits(queue uint8) bool {
	return p.ecn.queues[queue&(Priorities-1)].hits(p.ecn.waiting[queue&(Priorities-1)])
}
