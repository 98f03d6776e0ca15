package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/credit"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// layer is the link layer of a port: its end of the credits of both directions, of LLR, and the errors of what it
// sends. A port with a link layer always counts as one with a control frame to send (port.pend), so that it takes no
// short way: each of its frames asks here whether it may be sent.
type layer struct {
	// of what the port sends
	from    *Credits // by which it sends; nil: none
	tx      credit.Sender
	ccDue   bool
	ccAt    int64                      // when the next CC_Update is due
	ccEvery int64                      // the timer of CC_Updates
	replay  *credit.Replay[layerFrame] // nil: no LLR
	noise   credit.Noise
	blocked uint8             // queues (a host: classes) whose next frame has no credits, or no place in the replay buffer
	short   uint8             // channels whose next frame has no credits
	since   [Priorities]int64 // when each of these had none
	full    bool              // the replay buffer has no place for a frame that waits
	fullAt  int64             // since when

	// of what the port receives
	to     *Credits // that it gives; nil: none
	rx     credit.Receiver
	seq    credit.Sequence
	leaked [Priorities]cbfc.Credits
	frames packet.Ring[layerFrame] // on their way to this port, in order of arrival
	sets   packet.Ring[orderedSet] // the same, in order of effect
	freed  packet.Ring[freeing]    // credits of frames that have left the buffer, and do not count as freed yet

	set, gap, apply, hold int64 // times of an ordered set, of the gap before a frame, of LinkLayer.Apply, Credits.Hold
	count                 LayerCounters
}

// layerFrame is a frame on a link with a link layer: of a flow, or a CC_Update or INIT without a packet.
type layerFrame struct {
	at       int64 // arrival of its last bit
	number   int64 // of LLR
	credits  cbfc.Credits
	kind     layerKind
	channel  uint8
	counted  bool // credits were counted for the channel
	bad      bool // corrupted on its last way
	packet   packet.Packet
	consumed []credit.Consumed // of a CC_Update
	init     *credit.Init[layerFrame]
}

// keptFrame is a frame in the replay buffer.
type keptFrame = credit.Kept[layerFrame]

// layerKind is what a frame of the link layer is.
type layerKind uint8

const (
	layerData layerKind = iota
	layerCC
	layerInit
)

// orderedSet is an ordered set on its way.
type orderedSet struct {
	at   int64 // of its effect
	kind setKind
	free credit.Freed
	ack  credit.Acknowledgement
	next int64 // of an INIT_ECHO
}

// setKind is what an ordered set is.
type setKind uint8

const (
	setFreed setKind = iota
	setAck
	setEcho
)

// freeing is credits that will count as freed.
type freeing struct {
	at      int64
	channel uint8
	credits cbfc.Credits
}

// layerLetter is a frame or an ordered set that crosses from one part to another.
type layerLetter struct {
	to    int32
	isSet bool
	frame layerFrame
	set   orderedSet
}

// LayerCounters count what the link layer of a port did.
type LayerCounters struct {
	Channels  [Priorities]ChannelCounters
	CFSent    int64     // CF_Updates that it sent
	CFLost    int64     // of these, corrupted or sent into a dead link
	CCSent    int64     // CC_Updates that it sent
	CCLost    int64     // CC_Updates that arrived corrupted
	Corrupted int64     // frames that it sent and that were corrupted, CC_Updates and each repetition counted
	Full      unit.Time // for which its replay buffer had no place for the next frame
	credit.ReplayCounters
	Acks, Nacks int64 // that it sent
	Duplicates  int64 // frames that it had already
	GivenUp     int64 // frames to it that its peer gave up after all repetitions
}

// ChannelCounters count the credits of a virtual channel at one end.
type ChannelCounters struct {
	Consumed  int64        // by frames that the port sent
	Returned  int64        // by CF_Updates that the port received
	MostInUse cbfc.Credits // the largest difference of both
	Waited    unit.Time    // for which its next frame had no credits
	Freed     int64        // by frames that left the port's buffer, or were dropped there
	Leaked    int64        // by frames to the port that never arrived
	Repaired  int64        // of these, by CC_Updates
}

// add adds the counters of another channel, for sums. The largest is the largest of all.
func (c *ChannelCounters) add(o *ChannelCounters) {
	c.Consumed += o.Consumed
	c.Returned += o.Returned
	c.MostInUse = max(c.MostInUse, o.MostInUse)
	c.Waited += o.Waited
	c.Freed += o.Freed
	c.Leaked += o.Leaked
	c.Repaired += o.Repaired
}

// layers gives the ports of a link their link layers.
func (b *build) layers(l *Link) {
	c := l.Layer
	if c == nil {
		return
	}
	for _, end := range [2]struct {
		e        End
		to, from *Credits
	}{{l.A, c.ToA, c.ToB}, {l.B, c.ToB, c.ToA}} {
		i := b.end(end.e)
		p := &b.s.ports[i]
		p.pausing.layer = newLayer(p, c, end.to, end.from, mix(b.n.Seed^uint64(i)<<32))
		p.pend, p.crosses = true, true
		if end.e.Switch {
			b.s.switches[end.e.Node].credits = b.s.switches[end.e.Node].credits || end.to != nil
		}
	}
}

// newLayer returns the link layer of a port that has its rate.
func newLayer(p *port, c *LinkLayer, to, from *Credits, seed uint64) *layer {
	l := &layer{to: to, from: from, set: int64(p.rate.TimeFor(8 * int64(cbfc.OrderedSetBytes))),
		gap: int64(p.rate.TimeFor(8 * int64(min(credit.GapBytes, unit.Bytes(p.gap))))), apply: int64(c.Apply), ccAt: clock.Never}
	if from != nil {
		l.tx = credit.NewSender(Priorities, &from.Pool)
		l.ccEvery = int64(from.updates().Timer)
		l.ccAt = l.ccEvery
	}
	if to != nil {
		u := to.updates()
		l.rx = credit.NewReceiver(Priorities, int64(p.rate.TimeFor(8*int64(u.Least))), int64(p.rate.TimeFor(8*int64(u.Most))))
		for n := range Priorities {
			l.rx.Off[n] = !to.Channels.Has(n)
		}
		l.hold = int64(to.Hold)
	}
	if r := c.LLR; r != nil {
		spacing := int64(p.rate.TimeFor(8 * int64(r.Spacing)))
		l.replay = credit.NewReplay[layerFrame](credit.Retry{Frames: r.Frames, Bytes: r.Bytes, Spacing: spacing,
			Timer: int64(r.Timer), Count: r.Count})
		l.seq.Spacing = spacing
	}
	// A time beyond the run is no error at all.
	l.noise = credit.NewNoise(min(int64(p.rate.TimeFor(c.Errors)), clock.Never), seed, 1)
	return l
}

// scheduleLayers schedules the first message of each link layer. The clocks must exist.
func (b *build) scheduleLayers() {
	for i := range b.s.ports {
		if p := &b.s.ports[i]; p.pausing.layer != nil {
			b.s.partOf(int32(i)).planLayer(int32(i), p, p.pausing.layer)
		}
	}
}

// linkDue handles what is due at a port besides frames and pauses: of its link layer, and of LLDP.
func (s *part) linkDue(i int32) {
	p := &s.ports[i]
	if l := p.pausing.layer; l != nil {
		s.layerDue(i, p, l)
	}
	if p.pausing.lldp != nil {
		s.lldpDue(i)
	}
}

// layerDue handles everything that is due now at a port with a link layer. All that happens at a time counts for what
// begins then.
func (s *part) layerDue(i int32, p *port, l *layer) {
	for l.frames.Len > 0 && l.frames.First().at <= s.Now {
		f := l.frames.Pop()
		s.layerArrived(i, p, l, &f)
	}
	s.updateLayer(l)
	s.kick(i)
	s.planLayer(i, p, l)
}

// settleLayer takes over what a port knows by now: credits that count as freed, answers, and timers.
func (s *part) updateLayer(l *layer) {
	for l.freed.Len > 0 && l.freed.First().at <= s.Now {
		f := l.freed.Pop()
		l.rx.Free(int(f.channel), f.credits)
	}
	for l.sets.Len > 0 && l.sets.First().at <= s.Now {
		a := l.sets.Pop()
		switch a.kind {
		case setFreed:
			n := l.tx.Ends[a.free.Channel].Update(a.free.Counter)
			l.count.Channels[a.free.Channel].Returned += int64(n)
		case setAck:
			l.replay.Answer(s.Now, a.ack)
		case setEcho:
			l.replay.Echo(a.next)
		}
	}
	for l.ccAt <= s.Now {
		l.ccDue = true
		l.ccAt += l.ccEvery
	}
	if l.replay != nil {
		l.replay.Expire(s.Now)
	}
}

// planLayer schedules the next event of a port's link layer.
func (s *part) planLayer(i int32, p *port, l *layer) {
	next := l.ccAt
	if l.frames.Len > 0 {
		next = min(next, l.frames.First().at)
	}
	if l.sets.Len > 0 {
		next = min(next, l.sets.First().at)
	}
	if l.freed.Len > 0 {
		next = min(next, l.freed.First().at)
	}
	if l.replay != nil {
		next = min(next, l.replay.Deadline())
	}
	if !p.busy {
		// A busy port looks again when its frame ends.
		next = min(next, l.seq.Next(s.Now), l.rx.Next(s.Now))
	}
	if next < clock.Never {
		s.SetAtLatest(i*perPort+onLLDP, max(next, s.Now))
	}
}

// expectLayer puts a frame or an ordered set on its way to a port.
func (s *part) expectLayer(m *layerLetter) {
	l := s.ports[m.to].pausing.layer
	at := m.frame.at
	if m.isSet {
		at = m.set.at
		l.sets.Push(m.set)
	} else {
		l.frames.Push(m.frame)
	}
	s.SetAtLatest(m.to*perPort+onLLDP, at)
}

// handOver sends a frame or an ordered set to the other end of a port's link.
func (s *part) handOver(p *port, m *layerLetter) {
	m.to = p.peer
	if s.ports[p.peer].part != p.part {
		s.layers = append(s.layers, *m)
		return
	}
	s.expectLayer(m)
}
