package fabric

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// QueueRef names an egress queue of a switch.
type QueueRef struct {
	Switch, Port, Queue int
	Name                string // "s1 Ethernet1 queue 3"
}

// Cycle is queues of which each waits for the next, and the last for the first.
// The one with the lowest switch, port and queue stands first.
type Cycle []QueueRef

// String prints the way round: "s1 Ethernet1 queue 3 -> s2 ... -> s1 Ethernet1 queue 3".
func (c Cycle) String() string {
	if len(c) == 0 {
		return "no deadlock"
	}
	var text strings.Builder
	for _, q := range c {
		text.WriteString(q.Name + " -> ")
	}
	return text.String() + c[0].Name
}

// FoundDeadlock is a deadlock that Network.DeadlockEvery found.
type FoundDeadlock struct {
	At    unit.Time
	Cycle Cycle
}

// Deadlock looks for queues that wait for each other in a circle.
//
// A queue waits if its peer, a switch, pauses it: for those queues of the peer
// in which the packets wait that hold the cells of the group that pauses. It is
// stuck if all of these are stuck. Whatever can still send, or is kept still by
// a host alone, is not: a storm is no deadlock. A group that holds nothing is
// paused by the others' use of a pool and is not followed. Under dynamic
// thresholds other traffic that leaves may still let a group go on; then the
// cycle was a passing one, which Network.DeadlockEvery does not report.
func (s *Sim) Deadlock() (cycle Cycle, ok bool) {
	g := s.buildWaitGraph()
	at := slices.Index(g.stuck, true)
	if at < 0 {
		return nil, false
	}
	return s.cycle(g, at), true
}

// waitGraph says which queues wait for which. Queues are numbered
// port*Priorities+queue.
type waitGraph struct {
	stuck   []bool
	groups  [][]int // of each queue: groups at the peer that pause it, as indices into holders
	holders [][]int // of each group: queues in which its packets wait
}

// holding is a group's packet in a queue.
type holding struct {
	group groupKey
	queue int
}

// groupKey is a group: of a switch with a rule in the place of the MMU, a
// priority of a port.
type groupKey struct{ port, group int32 }

func (a groupKey) compare(b groupKey) int {
	return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.group, b.group))
}

// buildWaitGraph builds the graph and finds the queues that are stuck: first all that a
// switch pauses, then without those that wait for one that is not, until none
// is left of these.
func (s *Sim) buildWaitGraph() *waitGraph {
	held, moving := s.holdings()
	g := &waitGraph{stuck: make([]bool, len(s.ports)*Priorities), groups: make([][]int, len(s.ports)*Priorities)}
	index := func(key groupKey) int {
		from, ok := slices.BinarySearchFunc(held, key, func(h holding, k groupKey) int { return h.group.compare(k) })
		if !ok || slices.Contains(moving, key) {
			return -1
		}
		var queues []int
		for ; from < len(held) && held[from].group == key; from++ {
			queues = append(queues, held[from].queue)
		}
		g.holders = append(g.holders, queues)
		return len(g.holders) - 1
	}
	for i := range s.ports {
		p := &s.ports[i]
		if !p.isSwitch || !p.linked || !s.ports[p.peer].isSwitch {
			continue
		}
		for blocked := p.waiting & p.paused; blocked != 0; blocked &= blocked - 1 {
			q := bits.TrailingZeros8(blocked)
			for _, key := range s.pausers(p, q) {
				if h := index(key); h >= 0 {
					g.groups[i*Priorities+q] = append(g.groups[i*Priorities+q], h)
					g.stuck[i*Priorities+q] = true
				}
			}
		}
	}
	g.removeProgressing()
	return g
}

// holdings lists which groups' packets wait in which queues, sorted, each once,
// and the groups of which a packet is being sent.
func (s *Sim) holdings() (held []holding, moving []groupKey) {
	for i := range s.ports {
		p := &s.ports[i]
		if !p.isSwitch {
			continue
		}
		if p.leaving.held {
			moving = append(moving, s.key(p.leaving.in, int(p.leaving.prio)))
		}
		for q := range p.queues {
			at := p.queues[q].head
			for range p.queues[q].packets {
				k := &s.store.packets[at]
				held = append(held, holding{s.key(k.in, int(k.prio)), i*Priorities + q})
				at = k.next
			}
		}
	}
	slices.SortFunc(held, func(a, b holding) int {
		return cmp.Or(a.group.compare(b.group), cmp.Compare(a.queue, b.queue))
	})
	return slices.Compact(held), moving
}

// key returns the group of a priority at an ingress port.
func (s *Sim) key(port int32, priority int) groupKey {
	p := &s.ports[port]
	sw := &s.switches[p.node]
	if sw.rule != nil {
		return groupKey{port, int32(priority)}
	}
	return groupKey{port, int32(sw.ports[p.number].Groups[priority])}
}

// pausers returns the peer's groups that pause a queue.
func (s *Sim) pausers(p *port, queue int) (keys []groupKey) {
	peer := &s.ports[p.peer]
	for n, mask := range p.pausing.masks {
		if peer.stopped.Has(n) && (mask>>queue&1 == 1 || peer.pausing.link) {
			keys = append(keys, s.key(p.peer, n))
		}
	}
	return keys
}

// removeProgressing leaves only those queues stuck of which a group is held by stuck ones
// alone.
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

// allStuck tells whether all packets of a group wait in queues that are stuck.
func (g *waitGraph) allStuck(group int) bool {
	return !slices.ContainsFunc(g.holders[group], func(q int) bool { return !g.stuck[q] })
}

// next returns the lowest queue that a stuck one waits for.
func (g *waitGraph) next(queue int) int {
	lowest := len(g.stuck)
	for _, group := range g.groups[queue] {
		if g.allStuck(group) {
			lowest = min(lowest, g.holders[group][0])
		}
	}
	return lowest
}

// cycle follows the queues from one that is stuck until it comes round.
func (s *Sim) cycle(g *waitGraph, at int) Cycle {
	var way []int
	for !slices.Contains(way, at) {
		way = append(way, at)
		at = g.next(at)
	}
	way = way[slices.Index(way, at):]
	lowest := slices.Index(way, slices.Min(way))
	way = slices.Concat(way[lowest:], way[:lowest])
	out := make(Cycle, len(way))
	for i, q := range way {
		out[i] = s.queueRef(q)
	}
	return out
}

// queueRef names a queue by its number.
func (s *Sim) queueRef(q int) QueueRef {
	i := int32(q / Priorities)
	p := &s.ports[i]
	name := s.switches[p.node].name
	if name == "" {
		name = fmt.Sprintf("switch %d", p.node)
	}
	return QueueRef{int(p.node), int(p.number), q % Priorities, fmt.Sprintf("%s %s queue %d", name, s.portName(i),
		q%Priorities)}
}

// portName names a switch's port within it.
func (s *Sim) portName(i int32) string {
	p := &s.ports[i]
	if name := s.switches[p.node].ports[p.number].Name; name != "" {
		return name
	}
	return fmt.Sprintf("port %d", p.number)
}

// deadlockWatch looks for deadlocks every so often.
type deadlockWatch struct {
	every    int64
	seen     Cycle    // at the last look
	fronts   []packet // first packets of its queues then
	reported bool     // it has been reported
	found    []FoundDeadlock
}

// FoundDeadlocks returns the deadlocks that Network.DeadlockEvery found so far, each
// once. One counts when two looks in a row find the same cycle and none of its
// queues has moved between them.
func (s *Sim) FoundDeadlocks() []FoundDeadlock { return slices.Clone(s.failing.deadlocks.found) }

// checkDeadlock looks for a deadlock, and plans the next look.
func (s *Sim) checkDeadlock(source int32) {
	w := &s.failing.deadlocks
	s.set(source, s.now+w.every)
	cycle, _ := s.Deadlock()
	fronts := s.heads(cycle)
	same := len(cycle) > 0 && slices.Equal(cycle, w.seen) && slices.Equal(fronts, w.fronts)
	w.seen, w.fronts = cycle, fronts
	if !same {
		w.reported = false
		return
	}
	if w.reported {
		return
	}
	w.reported = true
	w.found = append(w.found, FoundDeadlock{unit.Time(s.now), cycle})
	s.reportPriority(DeadlockFound, s.switches[cycle[0].Switch].first+int32(cycle[0].Port), cycle[0].Queue)
}

// heads copies the packets at the front of a cycle's queues.
func (s *Sim) heads(c Cycle) (out []packet) {
	for _, q := range c {
		k := s.store.packets[s.ports[int(s.switches[q.Switch].first)+q.Port].queues[q.Queue].head]
		k.next = 0
		out = append(out, k)
	}
	return out
}
