package fabric

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Failure is something that goes wrong at a time, and may come right again.
type Failure struct {
	Kind  FailureKind
	At    unit.Time // when it begins
	Until unit.Time // when it is over; 0: never

	Host       int            // Storm: who pauses; Misroute: whose frames go astray
	Priorities pfc.Priorities // Storm: those that it pauses; needed
	Every      unit.Time      // Storm: a frame each time; 0: as often as the pause needs it

	Link    int  // LinkDown: index into Network.Links
	Prune   bool // LinkDown: the switches at its ends take it out of their routes; else these stay
	Detours []Detour
}

// Detour is where a switch sends a host's frames while a Misroute lasts. Two
// switches that name each other are a loop.
type Detour struct {
	Switch int
	Ports  []int // none: the switch knows no way
}

// FailureKind is what goes wrong.
type FailureKind uint8

// The kinds of failures.
const (
	// Storm is a host that pauses its switch and goes on doing so, whatever
	// arrives there: a NIC that has stopped taking frames. When it is over the
	// host sends XON.
	Storm FailureKind = iota
	// LinkDown is a link that carries nothing. What is on it is lost, what is sent
	// into it too, pause frames among it; pauses that it brought are over. Ports
	// send on as if it were there: their queues drain into nothing.
	LinkDown
	// Misroute replaces the routes of some switches to one host, as between two
	// moments in which a routing protocol has told only some of them.
	Misroute
	failureKinds
)

var failureNames = [failureKinds]string{"storm", "link down", "misroute"}

// String names the kind: "link down".
func (k FailureKind) String() string {
	if k >= failureKinds {
		return fmt.Sprintf("FailureKind(%d)", uint8(k))
	}
	return failureNames[k]
}

// Validate returns all that is wrong with the failure by itself, or nil; [New]
// refuses also what the network does not have.
func (f Failure) Validate() error {
	var bad []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	need(f.Kind < failureKinds, "kind: %d (accepted: 0 storm, 1 link down, 2 misroute)", f.Kind)
	need(f.At >= 0, "at: %v (accepted: 0 and later)", f.At)
	need(f.Until == 0 || f.Until > f.At, "until: %v (accepted: later than %v, or 0 for never)", f.Until, f.At)
	switch f.Kind {
	case Storm:
		need(f.Priorities != 0, "priorities: none (accepted: one or more of 0 to 7)")
		need(f.Every >= 0, "every: %v (accepted: 0 and more)", f.Every)
	case Misroute:
		need(len(f.Detours) > 0, "detours: none (accepted: one or more)")
	}
	return errors.Join(bad...)
}

// within returns what the failure names and the network does not have.
func (f *Failure) within(n *Network) error {
	var bad []error
	index := func(path string, i, n int) {
		if i < 0 || i >= n {
			bad = append(bad, fmt.Errorf("%s: %d (accepted: one of %d)", path, i, n))
		}
	}
	if f.Kind == LinkDown {
		index("link", f.Link, len(n.Links))
		return errors.Join(bad...)
	}
	index("host", f.Host, len(n.Hosts))
	for i, d := range f.Detours {
		index(fmt.Sprintf("detours[%d].switch", i), d.Switch, len(n.Switches))
		if d.Switch < 0 || d.Switch >= len(n.Switches) {
			continue
		}
		for j, p := range d.Ports {
			index(fmt.Sprintf("detours[%d].ports[%d]", i, j), p, len(n.Switches[d.Switch].Ports))
		}
	}
	return errors.Join(bad...)
}

// failing is what a Sim knows of its failures.
type failing struct {
	list      []Failure
	active    []bool
	ends      [][2]int32  // ports of each link
	built     [][][]int32 // routes of each switch as they were built
	first     int32       // source of the first failure; after the last: the look for deadlocks
	deadlocks deadlockWatch
}

// failures checks the failures and readies what they need.
func (b *build) failures() error {
	var bad []error
	for i := range b.n.Failures {
		f := &b.n.Failures[i]
		if err := errors.Join(f.Validate(), f.within(&b.n)); err != nil {
			bad = append(bad, fmt.Errorf("failures[%d]: %w", i, err))
		}
	}
	if b.n.DeadlockEvery < 0 {
		bad = append(bad, fmt.Errorf("deadlock every: %v (accepted: 0 for never, or more)", b.n.DeadlockEvery))
	}
	f := &b.s.failing
	f.deadlocks.every = int64(b.n.DeadlockEvery)
	if len(bad) > 0 || len(b.n.Failures) == 0 {
		return errors.Join(bad...)
	}
	f.list, f.active = b.n.Failures, make([]bool, len(b.n.Failures))
	for i := range b.n.Links {
		f.ends = append(f.ends, [2]int32{b.end(b.n.Links[i].A), b.end(b.n.Links[i].B)})
	}
	for i := range b.s.switches {
		f.built = append(f.built, slices.Clone(b.s.switches[i].routes))
	}
	return nil
}

// sources is how many events failures need: one each, and one to look for
// deadlocks.
func (f *failing) sources() int { return len(f.list) + 1 }

// scheduleFailures sets the first event of each; the clock is there.
func (s *Sim) scheduleFailures(first int32) {
	s.failing.first = first
	for i := range s.failing.list {
		s.set(first+int32(i), int64(s.failing.list[i].At))
	}
	if s.failing.deadlocks.every > 0 {
		s.set(first+int32(len(s.failing.list)), s.failing.deadlocks.every)
	}
}

// failureDue is a failure that begins or ends, or the time to look for deadlocks.
func (s *Sim) failureDue(source int32) {
	i := source - s.failing.first
	if int(i) == len(s.failing.list) {
		s.checkDeadlock(source)
		return
	}
	f := &s.failing.list[i]
	begins := !s.failing.active[i]
	s.failing.active[i] = begins
	if begins && f.Until > 0 {
		s.set(source, int64(f.Until))
	}
	switch f.Kind {
	case Storm:
		s.storm(int32(f.Host))
	case LinkDown:
		s.setLink(f, begins)
	case Misroute:
		for _, d := range f.Detours {
			s.reroute(d.Switch)
		}
	}
}

// storm has a host pause what its storms name, and nothing else.
func (s *Sim) storm(host int32) {
	p := &s.ports[host]
	p.stopped, p.pausing.stormEvery = 0, 0
	for i := range s.failing.list {
		f := &s.failing.list[i]
		if !s.failing.active[i] || f.Kind != Storm || int32(f.Host) != host {
			continue
		}
		p.stopped |= f.Priorities
		if every := int64(f.Every); every > 0 && (p.pausing.stormEvery == 0 || every < p.pausing.stormEvery) {
			p.pausing.stormEvery = every
		}
	}
	if p.pausing.stormEvery > 0 {
		s.setAtLatest(host*perPort+onRefresh, s.now+p.pausing.stormEvery)
	}
	p.pend = true
	s.kick(host)
}

// setLink takes a link down or up, and its ways out of the routes if wanted.
func (s *Sim) setLink(f *Failure, down bool) {
	ends := s.failing.ends[f.Link]
	for _, i := range ends {
		p := &s.ports[i]
		if down {
			p.down++
		} else {
			p.down--
		}
	}
	for _, i := range ends {
		p := &s.ports[i]
		switch {
		case down && p.down == 1:
			s.reportPriority(LinkFell, i, 0)
			s.linkFell(i, p)
		case !down && p.down == 0:
			s.reportPriority(LinkRose, i, 0)
			s.linkRose(i, p)
		}
	}
	for _, i := range ends {
		if p := &s.ports[i]; f.Prune && p.isSwitch {
			s.reroute(int(p.node))
		}
	}
}

// linkFell loses what is on its way to a port and forgets the pauses it was told of.
func (s *Sim) linkFell(i int32, p *port) {
	s.cancel(i*perPort + onArrival)
	for p.line.n > 0 {
		s.loseOnLink(p.peer, p.line.pop().pkt, dropLink)
	}
	s.cancel(i*perPort + onPause)
	for p.pausing.arriving.n > 0 {
		p.pausing.arriving.pop()
	}
	s.applyPause(i, p, 0, p.pausing.receiver.Reset())
}

// linkRose tells the other end again what is to be paused.
func (s *Sim) linkRose(i int32, p *port) {
	if p.stopped != 0 {
		p.pausing.repeat, p.pend = true, true
		s.kick(i)
	}
}

// reroute makes a switch's routes from those that were built, the misroutes
// that last, and the dead ways that are left out.
func (s *Sim) reroute(sw int) {
	n := &s.switches[sw]
	for host := range n.routes {
		n.routes[host] = s.usable(n, s.routesTo(sw, host))
	}
}

// routesTo returns a switch's ways to a host, dead ones too.
func (s *Sim) routesTo(sw, host int) []int32 {
	for i := len(s.failing.list) - 1; i >= 0; i-- {
		f := &s.failing.list[i]
		if !s.failing.active[i] || f.Kind != Misroute || f.Host != host {
			continue
		}
		for _, d := range f.Detours {
			if d.Switch != sw {
				continue
			}
			out := make([]int32, len(d.Ports))
			for j, p := range d.Ports {
				out[j] = int32(p)
			}
			return out
		}
	}
	return s.failing.built[sw][host]
}

// usable leaves out the ways over links that are pruned.
func (s *Sim) usable(n *node, ways []int32) []int32 {
	out := make([]int32, 0, len(ways))
	for _, way := range ways {
		if !s.pruned(n.first + way) {
			out = append(out, way)
		}
	}
	return out
}

func (s *Sim) pruned(port int32) bool {
	for i := range s.failing.list {
		f := &s.failing.list[i]
		if s.failing.active[i] && f.Kind == LinkDown && f.Prune &&
			(s.failing.ends[f.Link][0] == port || s.failing.ends[f.Link][1] == port) {
			return true
		}
	}
	return false
}

// loseOnLink loses a frame that a port has sent into a dead link.
func (s *Sim) loseOnLink(from int32, pkt int32, why mmu.Cause) {
	k := &s.store.packets[pkt]
	s.ports[from].count.Lost++
	s.lost(from, -1, k, why)
	s.store.drop(pkt)
}

// lost counts a frame that is no more, and tells of it.
func (s *Sim) lost(where, out int32, k *packet, why mmu.Cause) {
	s.total.Drops++
	s.drops[why]++
	if k.kind == data {
		s.flows[k.flow].lost++
	}
	if s.observer != nil {
		s.reportLoss(where, out, k, why)
	}
}

var reasons = [drops - dropNoRoute]string{"no route", "rule", "wred", "ttl ran out", "link down", "watchdog"}

// Reason names the cause of a drop: the MMU's, or one of the simulator's own,
// "no route", "rule", "wred", "ttl ran out", "link down" and "watchdog".
func Reason(c mmu.Cause) string {
	if c >= dropNoRoute && c < drops {
		return reasons[c-dropNoRoute]
	}
	return c.String()
}
