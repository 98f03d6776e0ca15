package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

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
