package fabric

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Marking marks packets of an egress queue with CE: with a probability along
// WRED's curve or, with KMin equal to KMax, above a step. The zero Marking
// marks nothing.
//
// The queue depth is the bytes of the frames that wait in the queue at that
// moment. The packet itself does not count, whether it arrives or leaves, and
// neither does the frame that the port is sending. This is how sonic-mgmt's ECN
// accuracy test counts: with KMax + 10 packets in the queue, the first nine
// packets to leave have more than KMax behind them and are all marked. The
// depth is not averaged, and chips that count cells are not modelled.
//
// Only ECT packets are marked. A packet that already carries CE keeps it. It is
// not counted again and takes no random number.
type Marking struct {
	ecn.Thresholds

	// Dequeue decides about a packet when it begins to leave, from the bytes
	// behind it. Without it the decision is made when the packet arrives, from
	// the bytes in front of it.
	Dequeue bool
	// DropOthers drops packets that are not ECT with the probability with which
	// ECT packets are marked, as WRED does. The decision is made when they
	// arrive, also with Dequeue. Without it they pass.
	DropOthers bool
}

// Validate refuses a curve that is out of order, and Dequeue or DropOthers
// without a curve.
func (m Marking) Validate() error {
	var bad fielderr.List
	bad.Join(m.Thresholds.Validate())
	if m.KMax == 0 && (m.Dequeue || m.DropOthers) {
		bad.Addf("marking at dequeue %v, dropping others %v without a kmax: nothing would be marked or dropped", m.Dequeue,
			m.DropOthers)
	}
	return bad.Err()
}

// marker is the marking state of a queue.
type marker struct {
	kmin, kmax int64 // up to kmin bytes nothing is marked, above kmax everything
	span       uint64
	pmax       uint64
	shift      uint     // spans beyond 512 TiB are computed in coarser steps, as in package ecn
	lots       rand.PCG // random numbers of this queue
	on         bool
	dequeue    bool
	dropOthers bool
}

// markerOf numbers the queues of all ports.
func markerOf(port int32, queue int) uint64 { return uint64(port)*Priorities + uint64(queue) }

// newMarker computes everything that does not depend on the depth. Every queue
// has random numbers of its own, so a change of traffic in one queue does not
// change the marks of another.
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

// hits decides whether to mark a packet at a depth. It is
// [ecn.Thresholds.Marking] without the division: a random number of 64 bits,
// scaled to [0, span), is below pmax*(depth-kmin) with the wanted probability,
// to less than span/2^64.
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

// share is the part of span that is marked, at a depth between kmin and kmax.
func (m *marker) share(depth int64) uint64 { return uint64(depth-m.kmin) >> m.shift * m.pmax }

// markers are the markers of a port's queues. The masks tell which queues need a look at a frame at all.
type markers struct {
	arriving, leaving uint8             // queues that mark frames when they arrive, and when they begin to leave
	drops             uint8             // queues that drop frames that cannot be marked
	waiting           [Priorities]int64 // bytes in each queue
	queues            [Priorities]marker
}

// set gives a queue its marker.
func (m *markers) set(queue int, k marker) {
	m.queues[queue] = k
	bit := uint8(1) << queue
	m.arriving, m.leaving, m.drops = m.arriving&^bit, m.leaving&^bit, m.drops&^bit
	if !k.on {
		return
	}
	if k.dropOthers {
		m.drops |= bit
	}
	if k.dequeue {
		m.leaving |= bit
	} else {
		m.arriving |= bit
	}
}
