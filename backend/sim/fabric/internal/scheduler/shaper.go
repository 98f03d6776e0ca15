package scheduler

import (
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/unit"
)

// never is later than every time.
const never = int64(math.MaxInt64)

// shaper is the credit of a queue or group with the credit-based shaper. Rates
// are in kilobits per second and times in picoseconds, so credit is exact in
// units of 10^-9 bit.
type shaper struct {
	idle      int64 // idleSlope
	sendSlope int64 // rate at which credit falls while the member sends, as a positive number
	credit    int64
	at        int64 // time of the credit; while it sends, the end of its frame
}

// mostCredit is the largest credit. It is 144 MB, more than any wait earns.
const mostCredit = int64(1) << 60

// slopeUnit is the unit of a shaper's rates.
const slopeUnit = unit.Kbps

// earn brings the credit up to date. waits says whether the member had
// something to send in all the time since the last call.
func (s *shaper) earn(now int64, waits bool) {
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

// send takes the credit for a frame that begins.
func (s *shaper) send(now, time int64) {
	s.credit -= s.sendSlope * time
	s.at = now + time
}

// wait returns how long it takes until the credit is no longer negative.
func (s *shaper) wait() int64 { return (-s.credit + s.idle - 1) / s.idle }

// outOfCredit returns the members whose credit is negative.
func (t *tier) outOfCredit() (mask uint8) {
	for m := t.shaped; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if t.shapers[i].credit < 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// Update brings all credits up to date. It must be called before a change of
// which queues are ready: have something to send and are not paused.
func (c *Scheduler) Update(now int64, ready uint8) {
	if c.shapes {
		c.updateShaped(now, ready)
	}
}

// updateShaped is Update for a scheduler with shapers.
func (c *Scheduler) updateShaped(now int64, ready uint8) {
	c.queues.earn(now, ready)
	if c.groups.shaped != 0 {
		c.groups.earn(now, c.groupsOf(ready))
	}
}

// earn brings the credits of one level up to date.
func (t *tier) earn(now int64, ready uint8) {
	for m := t.shaped; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		t.shapers[i].earn(now, ready>>i&1 != 0)
	}
}

// Spend takes the credit for a frame that a queue begins to send, from it and from its group.
func (c *Scheduler) Spend(q uint8, now, time int64) {
	if c.queues.shaped>>q&1 != 0 {
		c.queues.shapers[q].send(now, time)
	}
	if g := c.groupOf[q]; !c.single && c.groups.shaped>>g&1 != 0 {
		c.groups.shapers[g].send(now, time)
	}
}

// Wake returns the time at which the first of the waiting members has credit
// again.
func (c *Scheduler) Wake(now int64, ready uint8) int64 {
	return now + min(c.queues.soonest(ready), c.groups.soonest(c.groupsOf(ready)))
}

// soonest returns the shortest wait for credit; never if no member waits for
// it.
func (t *tier) soonest(ready uint8) int64 {
	first := never
	for m := t.outOfCredit() & ready; m != 0; m &= m - 1 {
		first = min(first, t.shapers[bits.TrailingZeros8(m)].wait())
	}
	return first
}
