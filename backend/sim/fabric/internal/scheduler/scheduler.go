// Package scheduler selects which queue of a port sends next: transmission selection (IEEE 802.1Q clause 8.6.8) with
// enhanced transmission selection (ETS), deficit weighted round robin and the credit-based shaper.
//
// It has two levels: first a group of queues is selected, then a queue of that group. At both levels strict and shaped
// members go first, the highest number before the others; weighted members share what these leave. Times are in
// picoseconds.
package scheduler

import (
	"errors"
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// Queues is the number of queues of a port, and the largest number of groups.
const Queues = 8

// Algorithm is how a member competes with the others of its level.
type Algorithm uint8

// The algorithms.
const (
	ByPackets Algorithm = iota // weighted round robin: a quantum is in packets
	ByBytes                    // deficit weighted round robin: a quantum is in bytes
	Strict                     // before all members with a lower number or a quantum
	Shaped                     // strict while its credit is not negative
)

// Member is a queue or a group.
type Member struct {
	Algorithm Algorithm
	Quantum   int64        // what a turn is worth, of members that share: 1 or more
	IdleSlope unit.BitRate // of a shaped member: the rate that it may use, in whole kilobits per second
}

// Config is a scheduler's configuration.
type Config struct {
	Queues, Groups [Queues]Member
	Group          [Queues]int // group of each queue, 0 to 7
	Overhead       int64       // bytes that count in addition to each frame
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
	c := &Scheduler{overhead: config.Overhead, currentGroup: Queues - 1}
	err := errors.Join(c.queues.configure("queues", &config.Queues, rate),
		c.groups.configure("groups", &config.Groups, rate))
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
