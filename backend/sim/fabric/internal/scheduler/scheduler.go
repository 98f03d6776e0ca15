// Package scheduler selects which queue of a port sends next: transmission selection (IEEE 802.1Q clause 8.6.8) with
// enhanced transmission selection (ETS), deficit weighted round robin and the credit-based shaper.
//
// It has two levels: first a group of queues is selected, then a queue of that group. At both levels strict and shaped
// members go first, the highest number before the others; weighted members share what these leave. Times are in
// picoseconds.
package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/unit"
)

// Queues is the number of queues of a port, and the largest number of groups.
const Queues = 8

// Algorithm is how a queue or a group competes with the others of its level.
type Algorithm uint8

// The algorithms: package fabric says what each of them does.
const (
	WRR    Algorithm = iota // weighted round robin: a turn is in packets
	DWRR                    // deficit weighted round robin: a turn is in bytes
	Strict                  // before all members with a lower number or a weight
	Shaped                  // strict while its credit is not negative
)

// String returns the name of the algorithm in scenario files: "dwrr".
func (a Algorithm) String() string {
	return named.Of(a, "algorithm", "wrr", "dwrr", "strict", "shaped")
}

// Selection says how a queue or a group competes with the others of its level. The zero Selection is WRR with a weight
// of 1.
type Selection struct {
	Algorithm Algorithm
	Weight    int          // of WRR and DWRR; 0: 1
	IdleSlope unit.BitRate // of Shaped: the rate that it may use on the wire, in whole kilobits per second
}

// Config is a scheduler's configuration: that of package fabric, which says what the fields are.
type Config struct {
	Queues, Groups    [Queues]Selection
	Group             [Queues]int
	Quantum, Overhead unit.Bytes
}

// Scheduler selects the queues of one port. It is not safe for concurrent use.
type Scheduler struct {
	queues, groups tier
	in             [Queues]uint8 // queues of each group
	groupOf        [Queues]uint8 // group of each queue
	current        [Queues]uint8 // queue of each group that has the turn
	currentGroup   uint8         // group that has the turn
	single         bool          // one group, not shaped: the upper level decides nothing
	shapes         bool          // a queue or a group is shaped
	overhead       int64
}

// New returns a scheduler for a port of a rate. It refuses idle slopes that do not fit the rate.
func New(config *Config, rate unit.BitRate) (*Scheduler, error) {
	c := &Scheduler{overhead: int64(config.Overhead), currentGroup: Queues - 1}
	quantum := cmp.Or(int64(config.Quantum), 256)
	err := errors.Join(c.queues.configure("queues", &config.Queues, quantum, rate),
		c.groups.configure("groups", &config.Groups, quantum, rate))
	for q, g := range config.Group {
		c.groupOf[q] = uint8(g)
		c.in[g] |= 1 << q
		c.current[q] = Queues - 1
	}
	c.shapes = (c.queues.shaped | c.groups.shaped) != 0
	c.single = c.in[c.groupOf[0]] == 1<<Queues-1 && c.groups.shaped>>c.groupOf[0]&1 == 0
	return c, err
}

// Select returns the queue that sends next, among those that are ready: they have a frame and are not paused. It takes
// the cost of the queue's first frame, whose length it returns, from the deficits. It returns false, and changes
// nothing, if each of the queues lacks credit.
func (c *Scheduler) Select(ready uint8, queues *[Queues]packet.Queue) (queue uint8, bytes int64, ok bool) {
	open := ready
	if c.shapes {
		open &^= c.queues.outOfCredit()
	}
	if open == 0 {
		return 0, 0, false
	}
	if first := open & c.queues.first; c.single && first != 0 {
		queue = highest(first)
	} else {
		cost := costs{c: c, waits: queues}
		if c.single {
			queue = c.nextOf(c.groupOf[0], open, &cost)
		} else if queue, ok = c.nextOfGroups(open, &cost); !ok {
			return 0, 0, false
		}
	}
	bytes = int64(queues[queue].First().Bytes)
	c.queues.charge(queue, bytes+c.overhead)
	if !c.single {
		c.groups.charge(c.groupOf[queue], bytes+c.overhead)
	}
	return queue, bytes, true
}

// Shapes tells whether a queue or a group is shaped. Only then does Spend change anything.
func (c *Scheduler) Shapes() bool { return c.shapes }

// Deficit returns what a queue has left of its turns, in bytes or packets.
func (c *Scheduler) Deficit(queue int) int64 { return c.queues.deficit[queue] }

// costs is what the next frame of each member takes from its deficit; 0: not known yet. The first frame of a queue is
// far away in memory, so its cost is looked up when it decides something.
type costs struct {
	known [Queues]int64
	c     *Scheduler
	waits *[Queues]packet.Queue
}

// price returns the cost of a member.
func (x *costs) price(m uint8) int64 {
	if n := x.known[m&(Queues-1)]; n != 0 {
		return n
	}
	return x.findPrice(m)
}

// findPrice finds the cost of a queue.
func (x *costs) findPrice(q uint8) int64 {
	n := x.c.queues.cost(q, x.headBytes(q)+x.c.overhead)
	x.known[q] = n
	return n
}

// headBytes is the length of the first frame of a queue.
func (x *costs) headBytes(q uint8) int64 { return int64(x.waits[q].First().Bytes) }

// nextOfGroups finds the queue that sends next if there are several groups; false if the groups lack credit.
func (c *Scheduler) nextOfGroups(open uint8, cost *costs) (queue uint8, ok bool) {
	groups := c.groupsOf(open) &^ c.groups.outOfCredit()
	switch {
	case groups == 0:
		return 0, false
	case groups&c.groups.first != 0:
		return c.nextOf(highest(groups&c.groups.first), open, cost), true
	}
	return c.nextShared(groups, open, cost), true
}

// nextShared finds the weighted group that has the turn. A group competes with
// the frame that it would send.
func (c *Scheduler) nextShared(groups, open uint8, cost *costs) uint8 {
	var would [Queues]uint8
	var prices costs
	for m := groups; m != 0; m &= m - 1 {
		g := uint8(bits.TrailingZeros8(m))
		would[g] = c.nextOf(g, open, cost)
		prices.known[g] = c.groups.cost(g, cost.headBytes(would[g])+c.overhead)
	}
	return would[c.groups.weighted(&c.currentGroup, groups, ^c.groups.first, &prices)]
}

// nextOf finds the queue of a group that sends next, among the queues that may
// send.
func (c *Scheduler) nextOf(group, open uint8, cost *costs) uint8 {
	open &= c.in[group]
	if first := open & c.queues.first; first != 0 {
		return highest(first)
	}
	return c.queues.weighted(&c.current[group], open, c.in[group]&^c.queues.first, cost)
}

// groupsOf returns the groups of queues.
func (c *Scheduler) groupsOf(queues uint8) (groups uint8) {
	for ; queues != 0; queues &= queues - 1 {
		groups |= 1 << c.groupOf[bits.TrailingZeros8(queues)]
	}
	return groups
}

// highest returns the highest member of a mask.
func highest(mask uint8) uint8 { return uint8(bits.Len8(mask)) - 1 }

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

// configure sets up the members of a level. quantum is the bytes per turn of DWRR for a weight of 1. It refuses idle
// slopes whose sum is above the port's rate.
func (t *tier) configure(what string, members *[Queues]Selection, quantum int64, rate unit.BitRate) error {
	var idle unit.BitRate
	for i, m := range members {
		t.quantum[i] = int64(max(m.Weight, 1))
		switch m.Algorithm {
		case DWRR:
			t.byBytes |= 1 << i
			t.quantum[i] *= quantum
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
