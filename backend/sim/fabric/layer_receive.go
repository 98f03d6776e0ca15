package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/credit"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// layerArrived handles a frame whose last bit is at a port with a link layer.
func (s *part) layerArrived(i int32, p *port, l *layer, f *layerFrame) {
	if f.kind == layerInit {
		s.layerReset(i, l, f.init)
		return
	}
	if l.replay != nil && !l.seq.Accept(f.number, !f.bad) {
		return
	}
	switch {
	case f.bad && f.kind == layerCC:
		l.count.CCLost++
	case f.bad:
		s.loseOnLayer(i, f, dropCorrupted)
	case f.kind == layerCC:
		for _, c := range f.consumed {
			n := l.rx.Reconcile(c)
			l.count.Channels[c.Channel].Repaired += int64(n)
			l.leaked[c.Channel] -= n
		}
	default:
		s.acceptLayer(i, p, l, f)
	}
}

// acceptLayer takes a frame of a flow that has arrived whole and in order.
func (s *part) acceptLayer(i int32, p *port, l *layer, f *layerFrame) {
	k := f.packet
	p.framesIn++
	p.bytesIn += int64(k.Bytes)
	if f.counted {
		l.rx.Ends[f.channel].Arrive(f.credits)
	}
	if !p.isSwitch {
		s.deliver(p, &k)
		if f.counted {
			s.freeLater(i, l, f.channel, f.credits)
		}
		return
	}
	prio := p.lookup.priority(&k) & (Priorities - 1)
	before := p.past().Drops[prio]
	if l.to != nil && (f.counted && prio != f.channel || !f.counted && l.to.Channels.Has(int(prio))) {
		k.Priority = prio
		s.dropArriving(i, p, &k, -1, dropChannel)
	} else {
		s.admit(i, p, &k)
	}
	if f.counted && p.past().Drops[prio] > before {
		// It takes no cell.
		l.rx.Free(int(f.channel), f.credits)
		l.count.Channels[f.channel].Freed += int64(f.credits)
	}
}

// freeLater frees credits of a channel after the time for which the receiver holds them.
func (s *part) freeLater(i int32, l *layer, channel uint8, n cbfc.Credits) {
	l.count.Channels[channel].Freed += int64(n)
	l.freed.Push(freeing{s.Now + l.hold, channel, n})
	s.SetAtLatest(i*perPort+onLLDP, l.freed.First().at)
}

// freeCredits frees the credits of a frame that leaves a switch, if it arrived with some.
func (s *part) freeCredits(in int32, prio uint8, bytes uint16) {
	if l := s.ports[in].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(prio)) {
		s.freeLater(in, l, prio, l.to.Account.Packet(unit.Bytes(bytes)))
	}
}

// loseOnLayer loses a frame of a flow that never arrives whole at a port: its credits leak.
func (s *part) loseOnLayer(i int32, f *layerFrame, why mmu.Cause) {
	l := s.ports[i].pausing.layer
	s.ports[i].record().LostIn++
	if f.counted {
		l.leaked[f.channel] += f.credits
		l.count.Channels[f.channel].Leaked += int64(f.credits)
	}
	s.lost(i, -1, &f.packet, why)
}

// loseFromLayer loses a frame that a port sends into a dead link. With LLR it is repeated.
func (s *part) loseFromLayer(to int32, f *layerFrame) {
	switch l := s.ports[to].pausing.layer; {
	case l.replay != nil:
	case f.kind == layerCC:
		l.count.CCLost++
	default:
		s.loseOnLayer(to, f, dropLink)
	}
}

// layerReset handles an INIT: the frames that were given up and have not arrived are lost.
func (s *part) layerReset(i int32, l *layer, init *credit.Init[layerFrame]) {
	for n := range init.Given {
		k := &init.Given[n]
		switch {
		case k.Number < l.seq.Expected():
		case k.Frame.kind == layerCC:
			l.count.CCLost++
		default:
			l.count.GivenUp++
			s.loseOnLayer(i, &k.Frame, dropCorrupted)
		}
	}
	l.seq.Reset(init.Next)
}

// loseLayer loses what is on its way to a port whose link fell.
func (s *part) loseLayer(i int32, p *port) {
	l := p.pausing.layer
	if l == nil {
		return
	}
	for l.frames.Len > 0 {
		f := l.frames.Pop()
		if f.kind != layerInit {
			s.loseFromLayer(i, &f)
		}
	}
	for l.sets.Len > 0 {
		l.sets.Pop()
	}
}
