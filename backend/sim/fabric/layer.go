package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

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
// begins then. The order is: what arrives, what is known by now, what can be sent by it, and the time of the next
// look.
func (s *part) layerDue(i int32, p *port, l *layer) {
	for l.frames.Len > 0 && l.frames.First().at <= s.Now {
		f := l.frames.Pop()
		s.layerArrived(i, p, l, &f)
	}
	s.updateLayer(l)
	s.kick(i)
	s.planLayer(i, p, l)
}

// updateLayer takes over what a port knows by now: credits that count as freed, answers, and timers. The lists are in
// the order of their times, so only their fronts are looked at.
func (s *part) updateLayer(l *layer) {
	for l.freed.Len > 0 && l.freed.First().at <= s.Now {
		f := l.freed.Pop()
		l.end.Receiver.Free(int(f.channel), f.credits)
	}
	for l.sets.Len > 0 && l.sets.First().at <= s.Now {
		a := l.sets.Pop()
		l.end.Apply(s.Now, &a.set)
	}
	// CC_Updates are due at equal distances of time, whatever else is sent.
	for l.ccAt <= s.Now {
		l.end.CCDue = true
		l.ccAt += l.ccEvery
	}
	l.end.Expire(s.Now)
}

// planLayer schedules the next event of a port's link layer. One event serves all: the source is that of LLDP, whose
// look comes with it (linkDue).
func (s *part) planLayer(i int32, p *port, l *layer) {
	next := min(l.ccAt, l.end.Deadline())
	if l.frames.Len > 0 {
		next = min(next, l.frames.First().at)
	}
	if l.sets.Len > 0 {
		next = min(next, l.sets.First().at)
	}
	if l.freed.Len > 0 {
		next = min(next, l.freed.First().at)
	}
	if !p.busy {
		// A busy port looks again when its frame ends.
		next = min(next, l.end.NextAnswer(s.Now))
	}
	if next < clock.Never {
		s.SetAtLatest(i*perPort+onLLDP, max(next, s.Now))
	}
}

// expectLayer puts a frame or an ordered set on its way to a port. An ordered set has the time at which it may be
// used, and a frame that of its last bit.
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
		// What goes to another part is kept until the parts exchange what they have for each other.
		mail := s.mailTo(p.crossing)
		mail.layers = append(mail.layers, *m)
		return
	}
	s.expectLayer(m)
}

// sendLayer sends what goes before the frames of queues at a port with a link layer; false if nothing is due. Then
// only the queues whose next frame may be sent are not paused. pend stays true, so that every kick comes here first:
// credits decide anew which queues may send.
func (s *part) sendLayer(i int32, p *port, l *layer) bool {
	if l.frames.Len > 0 && l.frames.First().at <= s.Now {
		return true // a frame arrives now: layerDue takes it first, and looks again
	}
	s.updateLayer(l)
	// One of them is sent, and this order decides which. || ends at the first that has sent, since the port is busy
	// then.
	sent := s.sendPause(i, p) || p.pausing.lldp != nil && s.sendLLDP(i, p) || s.sendSet(i, p, l) ||
		s.sendRepeat(i, p, l) || s.sendCC(i, p, l)
	p.pend = true
	if !sent {
		s.blockQueues(p, l)
	}
	s.planLayer(i, p, l)
	return sent
}

// sendSet sends the ordered set that is due, unless an error falls on it. A set that is lost takes its time on the
// link all the same.
func (s *part) sendSet(i int32, p *port, l *layer) bool {
	a, lost, due := l.end.NextSet(s.Now, l.set, p.down > 0)
	if !due {
		return false
	}
	end := s.occupy(i, p, l.set)
	if !lost {
		s.handOver(p, &layerLetter{isSet: true, set: orderedSet{at: end + p.delay + l.apply, set: a}})
	}
	return true
}

// sendRepeat sends an INIT, or the next frame that is repeated. An INIT comes before the frames that are repeated.
func (s *part) sendRepeat(i int32, p *port, l *layer) bool {
	if init, due := l.end.NextInit(); due {
		end := s.occupy(i, p, l.set)
		if p.down == 0 {
			s.handOver(p, &layerLetter{frame: layerFrame{at: end + p.delay, init: &init}})
		}
		return true
	}
	f, due := l.end.NextRepeat()
	if due {
		s.launch(p, l, &f, s.occupy(i, p, p.frameTime(int64(f.Size))))
	}
	return due
}

// sendCC sends the CC_Update that is due, if there is a place for it. A CC_Update is a frame, so it takes gap and
// preamble like the others.
func (s *part) sendCC(i int32, p *port, l *layer) bool {
	f, due := l.end.NextCC(s.Now)
	if due {
		s.launch(p, l, &f, s.occupy(i, p, p.frameTime(int64(f.Size))))
	}
	return due
}

// occupy takes the port for something that is no frame of a queue, and returns when it ends. length and end are in
// picoseconds.
func (s *part) occupy(i int32, p *port, length int64) (end int64) {
	end = s.Now + length
	p.busy = true
	s.Set(i*perPort+onSent, end)
	return end
}

// launch puts a frame on the link that ends at a time, and finds out whether it arrives whole.
func (s *part) launch(p *port, l *layer, f *credits.Frame[packet.Packet], end int64) {
	// Errors fall on the bits between the gap and the end.
	l.end.Launch(f, s.Now+l.gap, end)
	if p.down > 0 {
		s.loseFromLayer(p.peer, f)
		return
	}
	s.handOver(p, &layerLetter{frame: layerFrame{at: end + p.delay, frame: *f}})
}

// transmitLayer is transmit at a port with a link layer: it counts the credits of a frame and keeps it for LLR. The
// queue was not blocked, so there are credits and a place for the frame.
func (s *part) transmitLayer(i int32, p *port, k *packet.Packet) {
	l := p.pausing.layer
	// -1 is a frame that needs no credits.
	f := credits.Frame[packet.Packet]{Size: unit.Bytes(k.Bytes), Channel: -1, Load: *k}
	if n := int(k.Priority & (Priorities - 1)); l.from != nil && l.from.Channels.Has(n) {
		f.Channel, f.Credits = n, l.from.Account.Packet(f.Size)
	}
	l.end.Send(s.Now, &f)
	s.launch(p, l, &f, s.Now+p.frameTime(int64(k.Bytes)))
	s.planLayer(i, p, l)
}

// blockQueues stops the queues whose next frame has no credits or no place in the replay buffer, and lets the others
// go that no pause stops. It is called when the port could send. It also counts how long channels have waited for
// credits, and the port for a place.
func (s *part) blockQueues(p *port, l *layer) {
	blocked, short, full := uint8(0), uint8(0), false
	for m := p.waiting; m != 0; m &= m - 1 {
		q := bits.TrailingZeros8(m)
		channel, bytes := s.headOf(p, q)
		switch {
		case !l.end.HasPlace(bytes):
			blocked |= 1 << q
			full = true
		case l.from != nil && l.from.Channels.Has(channel) && !l.end.Sender.May(channel, l.from.Account.Packet(bytes)):
			blocked |= 1 << q
			short |= 1 << channel
		}
	}
	// since is when a channel has begun to wait for credits, and waited the sum of what is over, both in picoseconds.
	for m := short &^ l.short; m != 0; m &= m - 1 {
		l.since[bits.TrailingZeros8(m)] = s.Now
	}
	for m := l.short &^ short; m != 0; m &= m - 1 {
		n := bits.TrailingZeros8(m)
		l.waited[n] += s.Now - l.since[n]
	}
	switch {
	case full && !l.full:
		l.fullAt = s.Now
	case !full && l.full:
		l.fullFor += s.Now - l.fullAt
	}
	l.short, l.full, l.blocked = short, full, blocked
	paused := p.pausedByPFC() | blocked
	if p.ets != nil && paused != p.paused {
		p.ets.Update(s.Now, p.waiting&^p.paused)
	}
	p.paused = paused
}

// headOf returns the priority and the length of the next frame of a queue, or of a host's class, that has one. The
// length is in bytes, without preamble and gap. The caller has looked that the queue is not empty.
func (s *part) headOf(p *port, q int) (channel int, size unit.Bytes) {
	if p.isSwitch() || p.urgent>>q&1 == 1 {
		k := p.queues[q].First()
		return int(k.Priority), unit.Bytes(k.Bytes)
	}
	// A host makes a frame when it sends it, so the class has no queue to look into.
	return q, unit.Bytes(s.nextFrame(&s.flows[s.classes[p.node][q].head]))
}

// layerArrived handles a frame whose last bit is at a port with a link layer.
func (s *part) layerArrived(i int32, p *port, l *layer, f *layerFrame) {
	// An INIT restarts the retry: what was given up and has not arrived is lost.
	if f.init != nil {
		l.end.Reset(f.init, func(lost *credits.Frame[packet.Packet]) { s.loseOnLayer(i, lost, dropCorrupted) })
		return
	}
	switch l.end.Arrive(&f.frame) {
	// The other fates need nothing: retry repeats an ignored frame or had it already, and a CC_Update has been taken
	// over.
	case credits.Lost:
		s.loseOnLayer(i, &f.frame, dropCorrupted)
	case credits.Accepted:
		s.acceptLayer(i, p, l, &f.frame)
	}
}

// acceptLayer takes a frame of a flow that has arrived whole and in order. f.Channel is below 0 for a frame that came
// without credits.
func (s *part) acceptLayer(i int32, p *port, l *layer, f *credits.Frame[packet.Packet]) {
	k := f.Load
	p.framesIn++
	p.bytesIn += int64(k.Bytes)
	counted, channel := f.Channel >= 0, uint8(f.Channel)
	// A host has no buffer to fill: the credits are free after the hold.
	if !p.isSwitch() {
		s.deliver(p, &k)
		if counted {
			s.freeLater(i, l, channel, f.Credits)
		}
		return
	}
	prio := p.lookup.priority(&k) & (Priorities - 1)
	// admit does not say whether it has dropped the frame: the counter of the port does.
	before := p.past().Drops[prio]
	// A frame with credits has to be of the priority of its channel, and one without them of a priority without
	// credits.
	if l.to != nil && (counted && prio != channel || !counted && l.to.Channels.Has(int(prio))) {
		k.Priority = prio
		s.dropArriving(i, p, &k, -1, dropChannel)
	} else {
		s.admit(i, p, &k)
	}
	if counted && p.past().Drops[prio] > before {
		// It takes no cell.
		l.end.Receiver.Free(f.Channel, f.Credits)
		l.frees[channel] += int64(f.Credits)
	}
}

// freeLater frees credits of a channel after the time for which the receiver holds them. frees counts all that a
// channel has freed or will; hold is the same for all, so freed stays in order.
func (s *part) freeLater(i int32, l *layer, channel uint8, n cbfc.Credits) {
	l.frees[channel] += int64(n)
	l.freed.Push(freeing{s.Now + l.hold, channel, n})
	s.SetAtLatest(i*perPort+onLLDP, l.freed.First().at)
}

// freeCredits frees the credits of a frame that leaves a switch, if it arrived with some. prio is the priority with
// which it arrived, which is the number of its channel.
func (s *part) freeCredits(in int32, prio uint8, bytes uint16) {
	if l := s.ports[in].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(prio)) {
		s.freeLater(in, l, prio, l.to.Account.Packet(unit.Bytes(bytes)))
	}
}

// loseOnLayer counts a frame that never arrives whole at a port, if it is one of a flow. Its end has counted its
// credits.
func (s *part) loseOnLayer(i int32, f *credits.Frame[packet.Packet], why mmu.Cause) {
	if f.CC {
		return
	}
	s.ports[i].record().LostIn++
	s.lost(i, -1, &f.Load, why)
}

// loseFromLayer loses a frame that a port sends into a dead link. With LLR it is repeated. to is the port at the
// other end, whose counters have the loss.
func (s *part) loseFromLayer(to int32, f *credits.Frame[packet.Packet]) {
	if s.ports[to].pausing.layer.end.LoseOnDeadLink(f) {
		s.loseOnLayer(to, f, dropLink)
	}
}

// loseLayer loses what is on its way to a port whose link fell. Ordered sets are lost without a count: they are no
// frames.
func (s *part) loseLayer(i int32, p *port) {
	l := p.pausing.layer
	if l == nil {
		return
	}
	for l.frames.Len > 0 {
		f := l.frames.Pop()
		// An INIT that is lost belongs to no flow.
		if f.init == nil {
			s.loseFromLayer(i, &f.frame)
		}
	}
	for l.sets.Len > 0 {
		l.sets.Pop()
	}
}
