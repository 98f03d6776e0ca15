package fabric

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// scheduler is the state of a [Scheduler] on one port.
type scheduler struct {
	queues, groups tier
	in             [Priorities]uint8 // queues of each group
	of             [Priorities]uint8 // group of each queue
	current        [Priorities]uint8 // queue of each group that has the turn
	currentGroup   uint8             // group that has the turn
	single         bool              // one group, not shaped: the upper level decides nothing
	shapes         bool              // a queue or a group is shaped
	overhead       int64
}

// tier is one of the two levels: the queues of a port, or its groups.
type tier struct {
	first   uint8 // members that are strict or shaped
	shaped  uint8
	byBytes uint8             // members whose quantum is in bytes (DWRR), not in packets (WRR)
	quantum [Priorities]int64 // what a turn is worth, in bytes or packets
	deficit [Priorities]int64 // what is left of it
	kept    uint8             // members that may have a deficit other than 0
	shapers [Priorities]shaper
}

// selectQueue returns the queue of a switch's port that sends next, and charges
// it for its frame. It returns false if every waiting queue lacks credit; the
// port then waits for the first that has it.
func (s *part) selectQueue(i int32, p *port) (uint8, bool) {
	if p.ets == nil {
		return p.roundRobin(), true
	}
	c := p.ets
	c.settle(s.Now, p.waiting&^p.paused)
	q, ok := c.next(p, &s.store)
	if !ok {
		s.SetAtLatest(i*perPort+onReady, c.wake(s.Now, p.waiting&^p.paused))
		return 0, false
	}
	bytes := p.head(&s.store, q)
	c.queues.charge(q, bytes+c.overhead)
	if !c.single {
		c.groups.charge(c.of[q], bytes+c.overhead)
	}
	if c.shapes {
		c.spend(q, s.Now, p.frameTime(bytes))
	}
	return q, true
}

// head is the length of the first frame of a queue.
func (p *port) head(s *packet.Store, queue uint8) int64 {
	return int64(s.Packets[p.queues[queue].Head].Bytes)
}

// costs is what the next frame of each member takes from its deficit; 0: not known yet. The first frame of a queue is
// far away in memory, so its cost is looked up when it decides something.
type costs struct {
	known [Priorities]int64
	c     *scheduler
	p     *port
	store *packet.Store
}

// of returns the cost of a member.
func (x *costs) of(m uint8) int64 {
	if n := x.known[m&(Priorities-1)]; n != 0 {
		return n
	}
	return x.look(m)
}

// look finds the cost of a queue.
func (x *costs) look(q uint8) int64 {
	n := x.c.queues.cost(q, x.p.head(x.store, q)+x.c.overhead)
	x.known[q] = n
	return n
}

// next finds the queue that sends next. It does not depend on how often it is
// called.
func (c *scheduler) next(p *port, s *packet.Store) (queue uint8, ok bool) {
	open := p.waiting &^ p.paused
	if c.shapes {
		open &^= c.queues.outOfCredit()
	}
	if open == 0 {
		return 0, false
	}
	if first := open & c.queues.first; c.single && first != 0 {
		return highest(first), true
	}
	cost := costs{c: c, p: p, store: s}
	if c.single {
		return c.nextOf(c.of[0], open, &cost), true
	}
	groups := c.groupsOf(open) &^ c.groups.outOfCredit()
	switch {
	case groups == 0:
		return 0, false
	case groups&c.groups.first != 0:
		return c.nextOf(highest(groups&c.groups.first), open, &cost), true
	}
	return c.nextShared(groups, open, &cost), true
}

// nextShared finds the weighted group that has the turn. A group competes with
// the frame that it would send.
func (c *scheduler) nextShared(groups, open uint8, cost *costs) uint8 {
	var would [Priorities]uint8
	var price costs
	for m := groups; m != 0; m &= m - 1 {
		g := uint8(bits.TrailingZeros8(m))
		would[g] = c.nextOf(g, open, cost)
		price.known[g] = c.groups.cost(g, cost.p.head(cost.store, would[g])+c.overhead)
	}
	return would[c.groups.weighted(&c.currentGroup, groups, ^c.groups.first, &price)]
}

// nextOf finds the queue of a group that sends next, among the queues that may
// send.
func (c *scheduler) nextOf(group, open uint8, cost *costs) uint8 {
	open &= c.in[group]
	if first := open & c.queues.first; first != 0 {
		return highest(first)
	}
	return c.queues.weighted(&c.current[group], open, c.in[group]&^c.queues.first, cost)
}

// groupsOf returns the groups of queues.
func (c *scheduler) groupsOf(queues uint8) (groups uint8) {
	for ; queues != 0; queues &= queues - 1 {
		groups |= 1 << c.of[bits.TrailingZeros8(queues)]
	}
	return groups
}

// highest returns the highest member of a mask.
func highest(mask uint8) uint8 { return uint8(bits.Len8(mask)) - 1 }

// weighted returns the member whose deficit covers its next frame: the one that
// has the turn, or else the first one after it whose next turn covers it.
// Members that have nothing to send lose their deficit.
func (t *tier) weighted(turn *uint8, open, members uint8, cost *costs) uint8 {
	idle := members &^ open & t.kept
	t.kept &^= idle
	for ; idle != 0; idle &= idle - 1 {
		t.deficit[bits.TrailingZeros8(idle)] = 0
	}
	m := *turn & (Priorities - 1)
	if open>>m&1 != 0 && t.deficit[m] >= cost.of(m) {
		return m
	}
	t.kept |= open
	for {
		// Those after the one that has the turn, and then the others, up to that one.
		for round := bits.RotateLeft8(open, -int(m+1)); round != 0; round &= round - 1 {
			n := (m + 1 + uint8(bits.TrailingZeros8(round))) & (Priorities - 1)
			if t.deficit[n] += t.quantum[n]; t.deficit[n] >= cost.of(n) {
				*turn = n
				return n
			}
		}
		t.skipEmptyRounds(open, cost)
	}
}

// skipEmptyRounds adds at once the quanta of all rounds in which no member
// could send: a quantum can be much smaller than a frame, and each round would
// take time.
func (t *tier) skipEmptyRounds(open uint8, cost *costs) {
	rounds := clock.Never
	for m := open; m != 0; m &= m - 1 {
		i := uint8(bits.TrailingZeros8(m))
		rounds = min(rounds, (cost.of(i)-t.deficit[i]-1)/t.quantum[i])
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

// schedule gives a switch's port its scheduler. Round robin by packets needs
// none.
func (b *build) schedule(p *port, config *Scheduler) error {
	if err := config.Validate(); err != nil || !p.linked {
		return err
	}
	c, err := schedulerFor(*config, p.rate)
	p.ets = c
	return err
}

// schedulerFor returns the scheduler of a port of this rate; nil for the zero
// Scheduler, which the port does by itself.
func schedulerFor(s Scheduler, rate unit.BitRate) (*scheduler, error) {
	if s == (Scheduler{}) {
		return nil, nil
	}
	return newScheduler(s, rate)
}

// newScheduler returns a scheduler for a port of this rate.
func newScheduler(s Scheduler, rate unit.BitRate) (*scheduler, error) {
	quantum := int64(s.Quantum)
	if quantum == 0 {
		quantum = 256
	}
	c := &scheduler{overhead: int64(s.Overhead), currentGroup: Priorities - 1}
	err := errors.Join(c.queues.configure("queues", &s.Queues, quantum, rate),
		c.groups.configure("groups", &s.Groups, quantum, rate))
	for q, g := range s.Group {
		c.of[q] = uint8(g)
		c.in[g] |= 1 << q
		c.current[q] = Priorities - 1
	}
	c.shapes = (c.queues.shaped | c.groups.shaped) != 0
	c.single = c.in[c.of[0]] == 1<<Priorities-1 && c.groups.shaped>>c.of[0]&1 == 0
	return c, err
}

// configure sets up the members of a level. It refuses idle slopes whose sum is
// above the port's rate.
func (t *tier) configure(what string, turns *[Priorities]Selection, quantum int64, rate unit.BitRate) error {
	var idle unit.BitRate
	for i, turn := range turns {
		weight := int64(max(turn.Weight, 1))
		t.quantum[i] = weight
		switch turn.Algorithm {
		case DWRR:
			t.byBytes |= 1 << i
			t.quantum[i] = weight * quantum
		case Strict:
			t.first |= 1 << i
		case Shaped:
			t.first |= 1 << i
			t.shaped |= 1 << i
			t.shapers[i] = shaper{idle: int64(turn.IdleSlope / slopeUnit),
				sendSlope: int64((rate - turn.IdleSlope) / slopeUnit)}
			idle = min(idle, rate) + min(turn.IdleSlope, rate+1)
		}
	}
	if t.shaped != 0 && (idle > rate || rate%slopeUnit != 0) {
		return fmt.Errorf("%s: idle slopes of %v in all on a port of %v (accepted: up to its rate, which must be "+
			"whole kilobits per second)", what, idle, rate)
	}
	return nil
}
