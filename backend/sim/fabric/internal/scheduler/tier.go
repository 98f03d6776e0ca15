package scheduler

import (
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// tier is one of the two levels: the queues of a port, or its groups. Each uint8 is a set with one bit for each
// member.
type tier struct {
	first   uint8 // members that are strict or shaped
	shaped  uint8
	byBytes uint8         // members whose quantum is in bytes (DWRR), not in packets (WRR)
	quantum [Queues]int64 // what a turn is worth, in bytes or packets
	deficit [Queues]int64 // what is left of it
	kept    uint8         // members that may have a deficit other than 0
	shapers [Queues]shaper
}

// configure sets up the members of a level. It refuses idle slopes whose sum is
// above the port's rate.
func (t *tier) configure(what string, members *[Queues]Member, rate unit.BitRate) error {
	var idle unit.BitRate
	for i, m := range members {
		t.quantum[i] = m.Quantum
		switch m.Algorithm {
		case ByBytes:
			t.byBytes |= 1 << i
		case Strict:
			t.first |= 1 << i
		case Shaped:
			t.first |= 1 << i
			t.shaped |= 1 << i
			t.shapers[i] = shaper{idle: int64(m.IdleSlope / slopeUnit), sendSlope: int64((rate - m.IdleSlope) / slopeUnit)}
			idle = min(idle, rate) + min(m.IdleSlope, rate+1)
		}
	}
	if t.shaped != 0 && (idle > rate || rate%slopeUnit != 0) {
		return fmt.Errorf("%s: idle slopes of %v in all on a port of %v (want up to its rate, which must be "+
			"whole kilobits per second)", what, idle, rate)
	}
	return nil
}

// weighted returns the member whose deficit covers its next frame: the one that has the turn, or else the first one
// after it whose next turn covers it. Members that have nothing to send lose their deficit. open are the members that
// may send, at least one. turn is changed to the member that is returned.
func (t *tier) weighted(turn *uint8, open, members uint8, cost *costs) uint8 {
	idle := members &^ open & t.kept
	t.kept &^= idle
	for ; idle != 0; idle &= idle - 1 {
		t.deficit[bits.TrailingZeros8(idle)] = 0
	}
	m := *turn & (Queues - 1)
	if open>>m&1 != 0 && t.deficit[m] >= cost.price(m) {
		return m
	}
	t.kept |= open
	for {
		// Those after the one that has the turn, and then the others, up to that one.
		for round := bits.RotateLeft8(open, -int(m+1)); round != 0; round &= round - 1 {
			n := (m + 1 + uint8(bits.TrailingZeros8(round))) & (Queues - 1)
			if t.deficit[n] += t.quantum[n]; t.deficit[n] >= cost.price(n) {
				*turn = n
				return n
			}
		}
		// Then at least one member can pay in the next round, so the loop ends.
		t.skipEmptyRounds(open, cost)
	}
}

// skipEmptyRounds adds at once the quanta of all rounds in which no member
// could send: a quantum can be much smaller than a frame, and each round would
// take time.
func (t *tier) skipEmptyRounds(open uint8, cost *costs) {
	rounds := never
	for m := open; m != 0; m &= m - 1 {
		i := uint8(bits.TrailingZeros8(m))
		rounds = min(rounds, (cost.price(i)-t.deficit[i]-1)/t.quantum[i])
	}
	for m := open; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		t.deficit[i] += rounds * t.quantum[i]
	}
}

// cost is what a frame takes from a member's deficit.
func (t *tier) cost(m uint8, bytes int64) int64 {
	if t.byBytes>>m&1 != 0 {
		return bytes
	}
	return 1
}

// charge takes a frame's cost from the deficit of a weighted member that begins to send it.
func (t *tier) charge(m uint8, bytes int64) {
	if t.first>>m&1 == 0 {
		t.deficit[m] -= t.cost(m, bytes)
	}
}
