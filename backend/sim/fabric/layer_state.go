package fabric

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// LayerState is what the link layer of a port did so far, and its credits now.
type LayerState struct {
	LayerCounters
	Gives  pfc.Priorities           // channels for which it gives credits to its peer
	Takes  pfc.Priorities           // channels for which its peer gives it credits
	InUse  [Priorities]cbfc.Credits // of what it sends: consumed, and not returned yet
	Leaked [Priorities]cbfc.Credits // of what it gives: by frames that never arrived, and not repaired yet
}

// LinkLayer returns the state of a port's link layer; false if its link has none.
func (s *Sim) LinkLayer(e End) (LayerState, bool) {
	p := &s.ports[s.port(e)]
	l := p.pausing.layer
	if l == nil {
		return LayerState{}, false
	}
	out := LayerState{LayerCounters: l.count, Leaked: l.leaked}
	out.Acks, out.Nacks, out.Duplicates = l.seq.Acks, l.seq.Nacks, l.seq.Duplicates
	if l.replay != nil {
		out.ReplayCounters = l.replay.Counters
	}
	if l.to != nil {
		out.Gives = l.to.Channels
	}
	if l.from != nil {
		out.Takes = l.from.Channels
		for n := range Priorities {
			out.InUse[n] = l.tx.Ends[n].InUse()
		}
	}
	for m := l.short; m != 0; m &= m - 1 {
		n := bits.TrailingZeros8(m)
		out.Channels[n].Waited += unit.Time(s.now - l.since[n])
	}
	if l.full {
		out.Full += unit.Time(s.now - l.fullAt)
	}
	return out, true
}

// underWayTo returns the frames of flows on a link with a link layer to a port. With LLR these are the frames that the
// sender keeps and the port has not accepted.
func (s *shared) underWayTo(i int32) (n int64) {
	s.eachUnderWay(i, func(*layerFrame) { n++ })
	return n
}

// eachUnderWay visits the frames of underWayTo.
func (s *shared) eachUnderWay(i int32, visit func(*layerFrame)) {
	l := s.ports[i].pausing.layer
	if l == nil {
		return
	}
	if l.replay == nil {
		for k := range l.frames.Len {
			if f := l.frames.At(k); f.kind == layerData {
				visit(f)
			}
		}
		return
	}
	kept, given := s.ports[s.ports[i].peer].pausing.layer.replay.Kept()
	for _, list := range [2][]keptFrame{given, kept} {
		for k := range list {
			if list[k].Number >= l.seq.Expected() && list[k].Frame.kind == layerData {
				visit(&list[k].Frame)
			}
		}
	}
}

// checkLayers returns an error if credits are not conserved: each one that a sender has consumed belongs to a frame
// under way, has leaked, is in the receiver's buffer, or is freed.
func (s *Sim) checkLayers() error {
	var bad []error
	stored := s.storedCredits()
	for i := range s.ports {
		p := &s.ports[i]
		l := p.pausing.layer
		if l == nil || l.to == nil {
			continue
		}
		var way [Priorities]cbfc.Credits
		s.eachUnderWay(int32(i), func(f *layerFrame) { way[f.channel] += f.credits })
		from := s.ports[p.peer].pausing.layer
		for n := range Priorities {
			if !l.to.Channels.Has(n) {
				continue
			}
			tx, rx := &from.tx.Ends[n], &l.rx.Ends[n]
			most := l.to.Pool.Most(n)
			if sent := tx.Consumed.Since(rx.Consumed); sent != way[n]+l.leaked[n] || l.leaked[n] < 0 {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits sent and not arrived, %d under way, %d leaked", i,
					n, sent, way[n], l.leaked[n]))
			}
			if in := rx.Stored(); in != stored[[2]int32{int32(i), int32(n)}] {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits arrived and not freed, %d in the buffer", i, n, in,
					stored[[2]int32{int32(i), int32(n)}]))
			}
			if u := tx.InUse(); u > most {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits in use of %d", i, n, u, most))
			}
		}
	}
	return errors.Join(bad...)
}

// storedCredits returns the credits of the frames in the buffers behind each port, by port and channel, with those
// that do not count as freed yet.
func (s *Sim) storedCredits() map[[2]int32]cbfc.Credits {
	out := map[[2]int32]cbfc.Credits{}
	add := func(in int32, prio uint8, bytes uint16) {
		if l := s.ports[in].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(prio)) {
			out[[2]int32{in, int32(prio)}] += l.to.Account.Packet(unit.Bytes(bytes))
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		if l := p.pausing.layer; l != nil {
			for k := range l.freed.Len {
				f := l.freed.At(k)
				out[[2]int32{int32(i), int32(f.channel)}] += f.credits
			}
		}
		if !p.isSwitch || !s.switches[p.node].credits {
			continue
		}
		if p.leaving.held {
			add(p.leaving.in, p.leaving.prio, p.leaving.bytes)
		}
		for q := range p.queues {
			at := p.queues[q].Head
			for range p.queues[q].Len {
				k := &s.partOf(int32(i)).store.Packets[at]
				add(k.In, k.Priority, k.Bytes)
				at = k.Next
			}
		}
	}
	return out
}
