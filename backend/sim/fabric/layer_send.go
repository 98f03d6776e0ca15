package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

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
