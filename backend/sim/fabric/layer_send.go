package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/credit"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// sendLayer sends what goes before the frames of queues at a port with a link layer; false if nothing is due. Then
// only the queues whose next frame may be sent are not paused.
func (s *part) sendLayer(i int32, p *port, l *layer) bool {
	if l.frames.Len > 0 && l.frames.First().at <= s.Now {
		return true // a frame arrives now: layerDue takes it first, and looks again
	}
	s.updateLayer(l)
	sent := s.sendPause(i, p) || p.pausing.lldp != nil && s.sendLLDP(i, p) || s.sendSet(i, p, l) ||
		s.sendRepeat(i, p, l) || s.sendCC(i, p, l)
	p.pend = true
	if !sent {
		s.blockQueues(p, l)
	}
	s.planLayer(i, p, l)
	return sent
}

// sendSet sends the ordered set that is due, unless an error falls on it. INIT_ECHO is never corrupted (inferred:
// nothing is published about it).
func (s *part) sendSet(i int32, p *port, l *layer) bool {
	var a orderedSet
	if next, due := l.seq.Echo(); due {
		a.kind, a.next = setEcho, next
	} else if ack, due := l.seq.Answer(s.Now); due {
		a.kind, a.ack = setAck, ack
	} else if f, due := l.rx.Update(s.Now); due {
		a.kind, a.free = setFreed, f
		l.count.CFSent++
	} else {
		return false
	}
	end := s.occupy(i, p, l.set)
	if lost := l.noise.Hits(s.Now, end) && a.kind != setEcho; lost || p.down > 0 {
		if a.kind == setFreed {
			l.count.CFLost++
		}
		return true
	}
	a.at = end + p.delay + l.apply
	s.handOver(p, &layerLetter{isSet: true, set: a})
	return true
}

// sendRepeat sends an INIT, or the next frame that is repeated.
func (s *part) sendRepeat(i int32, p *port, l *layer) bool {
	if l.replay == nil {
		return false
	}
	if init, due := l.replay.Init(); due {
		end := s.occupy(i, p, l.set)
		if p.down == 0 {
			s.handOver(p, &layerLetter{frame: layerFrame{at: end + p.delay, kind: layerInit, init: &init}})
		}
		return true
	}
	k, ok := l.replay.Repeat()
	if ok {
		k.Frame.number = k.Number
		s.launch(p, l, &k.Frame, s.occupy(i, p, p.frameTime(int64(k.Size))))
	}
	return ok
}

// sendCC sends the CC_Update that is due, if there is a place for it.
func (s *part) sendCC(i int32, p *port, l *layer) bool {
	if !l.ccDue || !l.place(cbfc.CCUpdateBytes) {
		return false
	}
	l.ccDue = false
	l.count.CCSent++
	f := layerFrame{kind: layerCC}
	for n := range Priorities {
		if l.from.Channels.Has(n) {
			f.consumed = append(f.consumed, credit.Consumed{Channel: n, Counter: l.tx.Ends[n].Consumed})
		}
	}
	if l.replay != nil {
		f.number = l.replay.Keep(s.Now, cbfc.CCUpdateBytes, f)
	}
	s.launch(p, l, &f, s.occupy(i, p, p.frameTime(int64(cbfc.CCUpdateBytes))))
	return true
}

// place tells whether the replay buffer takes a frame; without LLR it does.
func (l *layer) place(size unit.Bytes) bool {
	return l.replay == nil || !l.replay.Blocks() && l.replay.Place(size)
}

// occupy takes the port for something that is no frame of a queue, and returns when it ends.
func (s *part) occupy(i int32, p *port, length int64) (end int64) {
	end = s.Now + length
	p.busy = true
	s.Set(i*perPort+onSent, end)
	return end
}

// launch puts a frame on the link that ends at a time, and finds out whether it arrives whole.
func (s *part) launch(p *port, l *layer, f *layerFrame, end int64) {
	f.at = end + p.delay
	f.bad = l.noise.Hits(s.Now+l.gap, end)
	if f.bad {
		l.count.Corrupted++
	}
	if p.down > 0 {
		s.loseFromLayer(p.peer, f)
		return
	}
	s.handOver(p, &layerLetter{frame: *f})
}

// transmitLayer is transmit at a port with a link layer: it counts the credits of a frame and keeps it for LLR.
func (s *part) transmitLayer(i int32, p *port, k *packet.Packet) {
	l := p.pausing.layer
	f := layerFrame{kind: layerData, channel: k.Priority & (Priorities - 1), packet: *k}
	if l.from != nil && l.from.Channels.Has(int(f.channel)) {
		f.counted, f.credits = true, l.from.Account.Packet(unit.Bytes(k.Bytes))
		e, c := &l.tx.Ends[f.channel], &l.count.Channels[f.channel]
		e.Send(f.credits)
		c.Consumed += int64(f.credits)
		c.MostInUse = max(c.MostInUse, e.InUse())
	}
	if l.replay != nil {
		f.number = l.replay.Keep(s.Now, unit.Bytes(k.Bytes), f)
	}
	s.launch(p, l, &f, s.Now+p.frameTime(int64(k.Bytes)))
	s.planLayer(i, p, l)
}

// blockQueues stops the queues whose next frame has no credits or no place in the replay buffer, and lets the others go
// that no pause stops. It is called when the port could send.
func (s *part) blockQueues(p *port, l *layer) {
	blocked, short, full := uint8(0), uint8(0), false
	for m := p.waiting; m != 0; m &= m - 1 {
		q := bits.TrailingZeros8(m)
		channel, bytes := s.nextOf(p, q)
		switch {
		case !l.place(bytes):
			blocked |= 1 << q
			full = true
		case l.from != nil && l.from.Channels.Has(channel) && !l.tx.May(channel, l.from.Account.Packet(bytes)):
			blocked |= 1 << q
			short |= 1 << channel
		}
	}
	for m := short &^ l.short; m != 0; m &= m - 1 {
		l.since[bits.TrailingZeros8(m)] = s.Now
	}
	for m := l.short &^ short; m != 0; m &= m - 1 {
		n := bits.TrailingZeros8(m)
		l.count.Channels[n].Waited += unit.Time(s.Now - l.since[n])
	}
	switch {
	case full && !l.full:
		l.fullAt = s.Now
	case !full && l.full:
		l.count.Full += unit.Time(s.Now - l.fullAt)
	}
	l.short, l.full, l.blocked = short, full, blocked
	paused := p.pausedByPFC() | blocked
	if p.ets != nil && paused != p.paused {
		p.ets.Update(s.Now, p.waiting&^p.paused)
	}
	p.paused = paused
}

// nextOf returns the priority and the length of the next frame of a queue, or of a host's class, that has one.
func (s *part) nextOf(p *port, q int) (channel int, size unit.Bytes) {
	if p.isSwitch || p.urgent>>q&1 == 1 {
		k := &s.store.Packets[p.queues[q].Head]
		return int(k.Priority), unit.Bytes(k.Bytes)
	}
	return q, unit.Bytes(s.nextFrame(&s.flows[s.classes[p.node][q].head]))
}
