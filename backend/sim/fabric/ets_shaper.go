package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// shaper is the credit of a queue or a group with the credit-based shaper.
// Rates in kilobits per second times picoseconds make credit in units of 10^-9
// bit, exactly.
type shaper struct {
	idle      int64 // idleSlope
	sendSlope int64 // how fast credit falls; its amount
	credit    int64
	at        int64 // credit is that of this time; of the end of its frame while it sends
}

// mostCredit is where credit stays: 144 MB are more than any wait earns.
const mostCredit = int64(1) << 60

// slopeUnit is the unit of a shaper's rates.
const slopeUnit = unit.Kbps

// settle brings the credit up to date. Up to now it had something to send all
// the time since the last settling, or had not.
func (s *shaper) settle(now int64, waits bool) {
	if now <= s.at {
		return
	}
	limit := int64(0)
	if waits {
		limit = mostCredit
	}
	high, low := bits.Mul64(uint64(s.idle), uint64(now-s.at))
	s.at = now
	switch {
	case s.credit >= limit || high != 0 || low >= uint64(limit-s.credit):
		s.credit = limit
	default:
		s.credit += int64(low)
	}
}

// send takes the credit of a frame that it begins to send.
func (s *shaper) send(now, time int64) {
	s.credit -= s.sendSlope * time
	s.at = now + time
}

// wait returns how long it takes until it may send, if it is not to send now.
func (s *shaper) wait() int64 { return (-s.credit + s.idle - 1) / s.idle }

// outOfCredit returns the members that may not send for want of credit.
func (t *tier) outOfCredit() (mask uint8) {
	for m := t.shaped; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if t.shapers[i].credit < 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// settle brings all credits up to date, before it changes which queues are
// ready: have something to send and may.
func (c *scheduler) settle(now int64, ready uint8) {
	c.queues.settle(now, ready)
	if c.groups.shaped != 0 {
		c.groups.settle(now, c.groupsOf(ready))
	}
}

func (t *tier) settle(now int64, ready uint8) {
	for m := t.shaped; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		t.shapers[i].settle(now, ready>>i&1 != 0)
	}
}

// wake returns when the first of those that wait for credit has it.
func (c *scheduler) wake(now int64, ready uint8) int64 {
	return now + min(c.queues.soonest(ready), c.groups.soonest(c.groupsOf(ready)))
}

func (t *tier) soonest(ready uint8) int64 {
	first := never
	for m := t.outOfCredit() & ready; m != 0; m &= m - 1 {
		first = min(first, t.shapers[bits.TrailingZeros8(m)].wait())
	}
	return first
}
