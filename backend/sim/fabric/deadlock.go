package fabric

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Deadlock looks for egress queues that wait for each other in a circle.
//
// A queue waits if its peer is a switch and pauses it, or if it has no credits
// of its peer. It then waits for the queues of the peer in which the packets of
// the pausing group are, because the group sends XON only when packets leave;
// and credits come back only when packets leave. The queue is stuck if all of these
// queues are stuck. A queue that can still send is not stuck, and neither is
// one that only a host pauses: a pause storm is not a deadlock. A group that
// holds no packets is paused because others use the pool, and is not followed.
//
// Under dynamic thresholds a group in a cycle can still be resumed when other
// traffic leaves the pool. Such a cycle passes. Network.DeadlockEvery does not
// report it.
func (s *shared) Deadlock() (cycle Cycle, ok bool) {
	g := s.buildWaitGraph()
	at := slices.Index(g.stuck, true)
	if at < 0 {
		return nil, false
	}
	return s.cycle(g, at), true
}

// waitGraph says which queues wait for which. A queue's number is port*Priorities + queue. A queue waits for all of
// its groups; a group lets it go when one of its holders can send.
type waitGraph struct {
	stuck   []bool
	groups  [][]int // for each queue: what of its peer stops it, as indices into holders
	holders [][]int // for each group, or groups that share credits: the queues in which the packets wait
}

// holding says that a packet of a group waits in a queue.
type holding struct {
	group groupKey
	queue int
}

// groupKey names a group. On a switch with an admission rule in place of the MMU it names a priority of a port. port
// is among all ports of the network, and group within its switch.
type groupKey struct{ port, group int32 }

// compare orders groups by port and number.
func (a groupKey) compare(b groupKey) int {
	return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.group, b.group))
}

// buildWaitGraph builds the graph and finds the stuck queues. It starts with all queues that a switch pauses, and
// removes those that wait for a queue which is not stuck, until nothing changes. A queue that a host pauses is not in
// it: the host may resume at any time.
func (s *shared) buildWaitGraph() *waitGraph {
	held, moving := s.holdings()
	g := &waitGraph{stuck: make([]bool, len(s.ports)*Priorities), groups: make([][]int, len(s.ports)*Priorities)}
	index := func(keys []groupKey) int {
		var queues []int
		for _, key := range keys {
			// A group with a packet on the wire has more room when it has left.
			if slices.Contains(moving, key) {
				return -1
			}
			from, _ := slices.BinarySearchFunc(held, key, func(h holding, k groupKey) int { return h.group.compare(k) })
			for ; from < len(held) && held[from].group == key; from++ {
				queues = append(queues, held[from].queue)
			}
		}
		// A group without packets in queues waits for none.
		if len(queues) == 0 {
			return -1
		}
		slices.Sort(queues)
		g.holders = append(g.holders, queues)
		return len(g.holders) - 1
	}
	for i := range s.ports {
		p := &s.ports[i]
		if !p.isSwitch() || !p.linked || !s.ports[p.peer].isSwitch() {
			continue
		}
		// Only a queue with frames that is stopped can wait.
		for blocked := p.waiting & p.paused; blocked != 0; blocked &= blocked - 1 {
			q := bits.TrailingZeros8(blocked)
			for _, keys := range append(s.pausers(p, q), s.creditors(p, q)...) {
				if h := index(keys); h >= 0 {
					g.groups[i*Priorities+q] = append(g.groups[i*Priorities+q], h)
					g.stuck[i*Priorities+q] = true
				}
			}
		}
	}
	g.removeProgressing()
	return g
}

// holdings lists which groups have packets in which queues, sorted and without duplicates, and the groups with a
// packet on the wire: these make progress. A host's port holds no group of a switch.
func (s *shared) holdings() (held []holding, moving []groupKey) {
	for i := range s.ports {
		p := &s.ports[i]
		if !p.isSwitch() {
			continue
		}
		if p.leaving.held {
			moving = append(moving, s.groupKeyOf(p.leaving.In(), int(p.leaving.Priority)))
		}
		for q := range p.queues {
			for j := range p.queues[q].Len {
				k := p.queues[q].At(j)
				held = append(held, holding{s.groupKeyOf(k.In(), int(k.Priority)), i*Priorities + q})
			}
		}
	}
	slices.SortFunc(held, func(a, b holding) int {
		return cmp.Or(a.group.compare(b.group), cmp.Compare(a.queue, b.queue))
	})
	return slices.Compact(held), moving
}

// groupKeyOf returns the group of a priority at an ingress port. port is the one at which the packets arrive.
func (s *shared) groupKeyOf(port int32, priority int) groupKey {
	p := &s.ports[port]
	sw := &s.switches[p.node]
	if sw.rule != nil {
		return groupKey{port, int32(priority)}
	}
	return groupKey{port, int32(sw.ports[p.number].Groups[priority])}
}

// pausers returns the groups of the peer that pause a queue, each by itself. It looks at what the peer wants stopped
// now: a pause that is already being ended is no cause.
func (s *shared) pausers(p *port, queue int) (keys [][]groupKey) {
	peer := &s.ports[p.peer]
	for n, mask := range p.pausing.masks {
		// 802.3x PAUSE stops all queues.
		if peer.stopped.Has(n) && (mask>>queue&1 == 1 || peer.pausing.link) {
			keys = append(keys, []groupKey{s.groupKeyOf(p.peer, n)})
		}
	}
	return keys
}

// creditors returns the groups of the peer whose frames have the credits for which a queue waits; nil if it waits for
// none. Channels that share credits wait for the frames of all of them. A queue can also be blocked for want of a
// place in the replay buffer, which no group of the peer holds.
func (s *shared) creditors(p *port, queue int) [][]groupKey {
	l := p.pausing.layer
	if l == nil || l.from == nil || l.blocked>>queue&1 == 0 {
		return nil
	}
	channel := int(p.queues[queue].First().Priority)
	if l.short>>channel&1 == 0 {
		return nil
	}
	if l.from.Pool.Shared() == 0 {
		return [][]groupKey{{s.groupKeyOf(p.peer, channel)}}
	}
	var all []groupKey
	for n := range Priorities {
		if key := s.groupKeyOf(p.peer, n); l.from.Channels.Has(n) && !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return [][]groupKey{all}
}

// removeProgressing removes from the stuck queues those that have no group whose packets are all in stuck queues. It
// ends: each round but the last takes at least one queue away.
func (g *waitGraph) removeProgressing() {
	for changed := true; changed; {
		changed = false
		for q := range g.stuck {
			if g.stuck[q] && !slices.ContainsFunc(g.groups[q], g.allStuck) {
				g.stuck[q], changed = false, true
			}
		}
	}
}

// allStuck tells whether all packets of a group are in stuck queues.
func (g *waitGraph) allStuck(group int) bool {
	return !slices.ContainsFunc(g.holders[group], func(q int) bool { return !g.stuck[q] })
}

// next returns the lowest queue that a stuck queue waits for. There is one, since the queue is stuck.
func (g *waitGraph) next(queue int) int {
	lowest := len(g.stuck)
	for _, group := range g.groups[queue] {
		if g.allStuck(group) {
			lowest = min(lowest, g.holders[group][0])
		}
	}
	return lowest
}

// cycle follows the queues from a stuck one until a queue comes up twice. The lowest queue is followed each time, so
// that the same graph gives the same circle.
func (s *shared) cycle(g *waitGraph, at int) Cycle {
	var way []int
	for !slices.Contains(way, at) {
		way = append(way, at)
		at = g.next(at)
	}
	way = way[slices.Index(way, at):]
	// It begins at its lowest queue, so that two looks at one circle find equal ones.
	lowest := slices.Index(way, slices.Min(way))
	way = slices.Concat(way[lowest:], way[:lowest])
	out := make(Cycle, len(way))
	for i, q := range way {
		out[i] = s.queueRef(q)
	}
	return out
}

// queueRef names a queue by its number.
func (s *shared) queueRef(q int) QueueRef {
	i := int32(q / Priorities)
	p := &s.ports[i]
	name := s.switches[p.node].name
	if name == "" {
		name = fmt.Sprintf("switch %d", p.node)
	}
	return QueueRef{int(p.node), int(p.number), q % Priorities, fmt.Sprintf("%s %s queue %d", name, s.portName(i),
		q%Priorities)}
}
