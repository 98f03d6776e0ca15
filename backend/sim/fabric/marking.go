package fabric

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Marking marks the packets of an egress queue with CE, by WRED's curve or, with
// KMin equal to KMax, by a step. The zero Marking marks nothing.
//
// The depth that counts is the bytes of the frames that wait in the queue at
// that moment. Neither the packet itself, arriving or leaving, is among them,
// nor the frame that the port is sending. That is how the ECN accuracy test of
// sonic-mgmt counts: with KMax + 10 packets in the queue, the first nine to
// leave see more than KMax behind them and are marked for certain. There is no
// averaging, and chips that count cells are not modelled.
//
// Only ECT packets are marked. Those that carry CE already keep it, are not
// counted again and draw no lot.
type Marking struct {
	ecn.Thresholds

	// Dequeue decides when a packet begins to leave, by what stays behind it,
	// and not when it arrives, by what is before it.
	Dequeue bool
	// DropOthers drops packets that are not ECT with the probability with which
	// others are marked: what WRED was made for. It is decided when they arrive,
	// with Dequeue too. Without it they pass untouched.
	DropOthers bool
}

// Validate refuses a curve that is out of order, and DropOthers without one.
func (m Marking) Validate() error {
	bad := []error{m.Thresholds.Validate()}
	if m.KMax == 0 && (m.Dequeue || m.DropOthers) {
		bad = append(bad, fmt.Errorf(
			"marking at dequeue %v, dropping others %v without a kmax: nothing would be marked or dropped", m.Dequeue,
			m.DropOthers))
	}
	return errors.Join(bad...)
}

// marker is the marking of a queue at work.
type marker struct {
	kmin, kmax int64 // depths; above kmin there is a chance, above kmax certainty
	span       uint64
	pmax       uint64
	shift      uint // coarser steps of spans beyond 512 TiB, as in thresholds
	lots       rand.PCG
	on         bool
	dequeue    bool
	dropOthers bool
}

// markerOf numbers the queues of all ports.
func markerOf(port int32, queue int) uint64 { return uint64(port)*Priorities + uint64(queue) }

// newMarker prepares all that does not depend on the depth. Every queue has
// lots of its own, so that what one queue draws does not shift another's.
func newMarker(m Marking, seed, queue uint64) marker {
	k := marker{kmin: int64(m.KMin), kmax: int64(m.KMax), pmax: uint64(m.PMax), on: m.KMax > 0, dequeue: m.Dequeue,
		dropOthers: m.DropOthers}
	span := k.kmax - k.kmin
	for ; span > 1<<49; span >>= 1 {
		k.shift++
	}
	k.span = uint64(span) * uint64(unit.Whole)
	k.lots = *rand.NewPCG(mix(seed^0x6563_6e6d_6172_6b73), mix(queue))
	return k
}

// hits draws a lot for a packet at this depth. It is [ecn.Thresholds.Marking]
// without its division: a lot r of 64 bits, scaled to [0, span), is below
// pmax*(depth-kmin) with the probability wanted, to less than span/2^64.
func (m *marker) hits(depth int64) bool {
	switch {
	case depth <= m.kmin:
		return false
	case depth > m.kmax:
		return true
	}
	lot, _ := bits.Mul64(m.lots.Uint64(), m.span)
	return lot < m.share(depth)
}

// share is the part of span that is marked at a depth between kmin and kmax.
func (m *marker) share(depth int64) uint64 { return uint64(depth-m.kmin) >> m.shift * m.pmax }

// dropsEarly tells whether an arriving packet that cannot be marked is dropped.
func (p *port) dropsEarly(queue int, k *packet) bool {
	m := &p.ecn[queue]
	return m.on && m.dropOthers && !k.ect && m.hits(p.queues[queue].bytes)
}

// mark marks a packet that enters a queue, or leaves it, if its lot falls so.
func (s *Sim) mark(i int32, p *port, queue uint8, k *packet, leaving bool) {
	m := &p.ecn[queue]
	if !m.on || m.dequeue != leaving || !k.ect || k.ce || !m.hits(p.queues[queue].bytes) {
		return
	}
	k.ce = true
	p.count.Marked[queue]++
	s.total.Marked++
	if t := s.switches[p.node].tallies; t != nil {
		t.marked(k, p.number, queue)
	}
	if s.observer != nil {
		s.report(Marked, i, k, queue, -1)
	}
}

// marking gives a switch's port its markers, if a queue of it marks.
func (b *build) marking(i int, p *port, config *[Priorities]Marking) error {
	if *config == [Priorities]Marking{} {
		return nil
	}
	p.ecn = new([Priorities]marker)
	var bad []error
	for q, m := range config {
		if err := m.Validate(); err != nil {
			bad = append(bad, fmt.Errorf("ecn[%d]: %w", q, err))
		}
		p.ecn[q] = newMarker(m, b.n.Seed, markerOf(int32(i), q))
	}
	return errors.Join(bad...)
}
