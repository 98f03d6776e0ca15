package fabric

import (
	"errors"
	"fmt"
	"math/bits"

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
	overhead       int64
}

// tier is one of the two levels: the queues of a port, or its groups.
type tier struct {
	first   uint8 // members that are strict or shaped
	shaped  uint8
	byBytes uint8             // members whose quantum is in bytes (DWRR), not in packets (WRR)
	quantum [Priorities]int64 // what a turn is worth, in bytes or packets
	deficit [Priorities]int64 // what is left of it
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
	c.settle(s.now, p.waiting&^p.paused)
	q, ok := c.next(p, &s.store)
	if !ok {
		s.setAtLatest(i*perPort+onReady, c.wake(s.now, p.waiting&^p.paused))
		return 0, false
	}
	bytes := p.head(&s.store, q)
	time := p.frameTime(bytes)
	c.queues.charge(q, bytes+c.overhead, s.now, time)
	if !c.single {
		c.groups.charge(c.of[q], bytes+c.overhead, s.now, time)
	}
	return q, true
}

// head is the length of the first frame of a queue.
func (p *port) head(s *store, queue uint8) int64 { return int64(s.packets[p.queues[queue].head].bytes) }

// next finds the queue that sends next. It does not depend on how often it is
// called.
func (c *scheduler) next(p *port, s *store) (queue uint8, ok bool) {
	open := p.waiting &^ p.paused &^ c.queues.outOfCredit()
	if open == 0 {
		return 0, false
	}
	var cost [Priorities]int64
	for m := open &^ c.queues.first; m != 0; m &= m - 1 {
		q := uint8(bits.TrailingZeros8(m))
		cost[q] = c.queues.cost(q, p.head(s, q)+c.overhead)
	}
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
	return c.nextShared(p, s, groups, open, &cost), true
}

// nextShared finds the weighted group that has the turn. A group competes with
// the frame that it would send.
func (c *scheduler) nextShared(p *port, s *store, groups, open uint8, cost *[Priorities]int64) uint8 {
	var would [Priorities]uint8
	var price [Priorities]int64
	for m := groups; m != 0; m &= m - 1 {
		g := uint8(bits.TrailingZeros8(m))
		would[g] = c.nextOf(g, open, cost)
		price[g] = c.groups.cost(g, p.head(s, would[g])+c.overhead)
	}
	return would[c.groups.weighted(&c.currentGroup, groups, ^c.groups.first, &price)]
}

// nextOf finds the queue of a group that sends next, among the queues that may
// send.
func (c *scheduler) nextOf(group, open uint8, cost *[Priorities]int64) uint8 {
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
func (t *tier) weighted(turn *uint8, open, members uint8, cost *[Priorities]int64) uint8 {
	for idle := members &^ open; idle != 0; idle &= idle - 1 {
		t.deficit[bits.TrailingZeros8(idle)] = 0
	}
	m := *turn
	if open>>m&1 != 0 && t.deficit[m] >= cost[m] {
		return m
	}
	for {
		for range Priorities {
			m = (m + 1) % Priorities
			if open>>m&1 == 0 {
				continue
			}
			if t.deficit[m] += t.quantum[m]; t.deficit[m] >= cost[m] {
				*turn = m
				return m
			}
		}
		t.skipEmptyRounds(open, cost)
	}
}

// skipEmptyRounds adds at once the quanta of all rounds in which no member
// could send: a quantum can be much smaller than a frame, and each round would
// take time.
func (t *tier) skipEmptyRounds(open uint8, cost *[Priorities]int64) {
	rounds := never
	for m := open; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		rounds = min(rounds, (cost[i]-t.deficit[i]-1)/t.quantum[i])
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

// charge takes a frame's cost from a member that begins to send it.
func (t *tier) charge(m uint8, bytes, now, time int64) {
	switch {
	case t.shaped>>m&1 != 0:
		t.shapers[m].send(now, time)
	case t.first>>m&1 == 0:
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
