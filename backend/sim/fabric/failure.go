package fabric

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Failure is a fault that begins at a time, and may end.
type Failure struct {
	Kind  FailureKind
	At    unit.Time // when it begins
	Until unit.Time // when it ends; 0: never

	Host       int            // Storm: the host that pauses; Misroute: the host whose frames take a wrong way
	Priorities pfc.Priorities // Storm: the priorities that it pauses; required
	Every      unit.Time      // Storm: time between its pause frames; 0: as often as a pause needs it

	Link    int      // LinkDown: index into Network.Links
	Prune   bool     // LinkDown: the switches at its ends stop routing over it; false: routes stay
	Detours []Detour // Misroute: the wrong routes
}

// Detour is where a switch sends a host's frames during a Misroute. Two
// switches that name each other make a loop.
type Detour struct {
	Switch int
	Ports  []int // none: the switch has no route
}

// FailureKind is the kind of a failure.
type FailureKind uint8

// The kinds of failures.
const (
	// Storm is a host that pauses its switch all the time, whatever arrives: a
	// NIC that no longer accepts frames. When the storm ends the host sends
	// XON.
	Storm FailureKind = iota
	// LinkDown is a link that carries nothing. Frames on the link are lost, and
	// so are frames sent into it, pause frames included. Pauses that came over
	// the link end. Ports send as if the link were up, so their queues drain
	// and the frames are lost.
	LinkDown
	// Misroute replaces the routes of some switches to one host, as when a
	// routing protocol has updated only some of the switches.
	Misroute
	failureKinds
)

// failureNames are the names in error messages.
var failureNames = [failureKinds]string{"storm", "link down", "misroute"}

// String returns the name of the kind: "link down".
func (k FailureKind) String() string {
	if k >= failureKinds {
		return fmt.Sprintf("FailureKind(%d)", uint8(k))
	}
	return failureNames[k]
}

// Validate returns everything that is wrong with the failure itself, or nil.
// [New] also refuses a failure that names parts that the network does not have.
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

// within returns an error for each part that the failure names and the network
// does not have.
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

// failing is the state of the failures.
type failing struct {
	list      []Failure
	active    []bool
	ends      [][2]int32  // ports of each link
	built     [][][]int32 // routes of each switch without failures
	first     int32       // event source of the first failure; the source after the last one looks for deadlocks
	deadlocks deadlockWatch
}

// failures validates the failures and prepares them.
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
	f := b.s.failing
	f.deadlocks.every = int64(b.n.DeadlockEvery)
	if len(bad) > 0 || len(b.n.Failures) == 0 {
		return errors.Join(bad...)
	}
	f.list, f.active = b.n.Failures, make([]bool, len(b.n.Failures))
	for i := range b.n.Links {
		f.ends = append(f.ends, [2]int32{b.end(b.n.Links[i].A), b.end(b.n.Links[i].B)})
	}
	// Failures change the routes to single hosts.
	for i := range b.s.switches {
		n := &b.s.switches[i]
		own := make([][]int32, len(b.n.Hosts))
		for h := range own {
			own[h] = b.s.routes.To(&n.routes, int32(h)).List()
		}
		n.routes.Own = own
		f.built = append(f.built, slices.Clone(own))
	}
	return nil
}

// sources is the number of event sources: one per failure, and one to look for
// deadlocks.
func (f *failing) sources() int { return len(f.list) + 1 }

// scheduleFailures schedules the first event of each failure. The clock must
// exist.
func (s *part) scheduleFailures(first int32) {
	s.failing.first = first
	for i := range s.failing.list {
		s.Set(first+int32(i), int64(s.failing.list[i].At))
	}
	if s.failing.deadlocks.every > 0 {
		s.Set(first+int32(len(s.failing.list)), s.failing.deadlocks.every)
	}
}

// failureDue handles the beginning or the end of a failure, or the time to look
// for deadlocks.
func (s *part) failureDue(source int32) {
	i := source - s.failing.first
	if int(i) == len(s.failing.list) {
		s.checkDeadlock(source)
		return
	}
	f := &s.failing.list[i]
	begins := !s.failing.active[i]
	s.failing.active[i] = begins
	if begins && f.Until > 0 {
		s.Set(source, int64(f.Until))
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

// storm makes a host pause exactly the priorities of its active storms.
func (s *part) storm(host int32) {
	p := &s.ports[host]
	// Storms of a host can overlap. They are combined: all their priorities, at
	// the shortest of their intervals.
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
		s.SetAtLatest(host*perPort+onRefresh, s.Now+p.pausing.stormEvery)
	}
	p.pend = true
	s.kick(host)
}

// setLink takes a link down or up. Several failures can hold a link down: it is
// up again when the last one ends.
func (s *part) setLink(f *Failure, down bool) {
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

// linkFell loses what is on its way to a port, and ends the pauses that the
// port obeys.
func (s *part) linkFell(i int32, p *port) {
	s.Cancel(i*perPort + onArrival)
	for p.line.Len > 0 {
		e := p.line.Pop()
		s.dropOrder(p)
		s.loseOnLink(p.peer, &e.packet, dropLink)
	}
	s.Cancel(i*perPort + onPause)
	for p.pausing.arriving.Len > 0 {
		p.pausing.arriving.Pop()
	}
	s.loseLLDP(p)
	s.loseLayer(i, p)
	s.applyPause(i, p, 0, p.pausing.receiver.Reset())
}

// linkRose sends the other end the pauses that are still wanted.
func (s *part) linkRose(i int32, p *port) {
	if p.stopped != 0 {
		p.pausing.repeat, p.pend = true, true
		s.kick(i)
	}
}

// reroute computes a switch's routes again: the original ones, with active
// misroutes, without pruned links.
func (s *shared) reroute(sw int) {
	n := &s.switches[sw]
	for host := range n.routes.Own {
		n.routes.Own[host] = s.usable(n, s.routesTo(sw, host))
	}
}

// routesTo returns a switch's routes to a host, pruned links included. Of
// several misroutes the last one counts.
func (s *shared) routesTo(sw, host int) []int32 {
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

// usable removes the routes over pruned links.
func (s *shared) usable(n *node, ways []int32) []int32 {
	out := make([]int32, 0, len(ways))
	for _, way := range ways {
		if !s.pruned(n.first + way) {
			out = append(out, way)
		}
	}
	return out
}

// pruned tells whether an active failure has taken the port's link out of the
// routes.
func (s *shared) pruned(port int32) bool {
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
func (s *part) loseOnLink(from int32, k *packet.Packet, why mmu.Cause) {
	s.ports[from].record().Lost++
	s.lost(from, -1, k, why)
}

// lost counts a lost frame and reports it.
func (s *part) lost(where, out int32, k *packet.Packet, why mmu.Cause) {
	s.total.Drops++
	s.total.Causes[why]++
	if k.Kind == packet.Data {
		// Any part can lose a frame of a flow, and parts run at the same time.
		atomic.AddInt64(&s.flows[k.Flow].lost, 1)
	}
	if s.observer != nil {
		s.reportLoss(where, out, k, why)
	}
}

// reasons are the names of the simulator's own causes, from dropNoRoute on.
var reasons = [drops - dropNoRoute]string{"no route", "rule", "wred", "ttl ran out", "link down", "watchdog",
	"corrupted", "channel"}

// Reason returns the name of a drop's cause: one of the MMU's, or one of the
// simulator's own: "no route", "rule", "wred", "ttl ran out", "link down",
// "watchdog", "corrupted" and "channel".
func Reason(c mmu.Cause) string {
	if c >= dropNoRoute && c < drops {
		return reasons[c-dropNoRoute]
	}
	return c.String()
}
