package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// scheduleFailures schedules the first event of each failure. The clock must exist. first is the first event source
// behind those of the senders' timers.
func (s *part) scheduleFailures(first int32) {
	s.failing.first = first
	for i := range s.failing.list {
		s.Set(first+int32(i), int64(s.failing.list[i].At))
	}
	if s.failing.deadlocks.every > 0 {
		s.Set(first+int32(len(s.failing.list)), s.failing.deadlocks.every)
	}
}

// failureDue handles the beginning or the end of a failure, or the time to look for deadlocks. A failure with Until 0
// has no end.
func (s *part) failureDue(source int32) {
	i := source - s.failing.first
	if int(i) == len(s.failing.list) {
		s.checkDeadlock(source)
		return
	}
	f := &s.failing.list[i]
	// A failure has an event when it begins, and another one when it ends.
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

// storm makes a host pause exactly the priorities of its active storms. Without an active storm the host pauses
// nothing: one resume frame says so.
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

// setLink takes a link down or up. Several failures can hold a link down: it is up again when the last one ends. f is
// the failure that begins or ends.
func (s *part) setLink(f *Failure, down bool) {
	ends := s.failing.ends[f.Link]
	// Both ends have their state before either reacts to it.
	for _, i := range ends {
		p := &s.ports[i]
		if down {
			p.down++
		} else {
			p.down--
		}
		p.setDown()
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
		if p := &s.ports[i]; f.Prune && p.isSwitch() {
			s.reroute(int(p.node))
		}
	}
}

// linkFell loses what is on its way to a port, and ends the pauses that the port obeys. A frame that is still being
// sent is on the line already, and is lost with it.
func (s *part) linkFell(i int32, p *port) {
	s.Cancel(i*perPort + onArrival)
	for p.line.Len > 0 {
		e := p.line.Pop()
		s.dropOrder(p)
		s.loseOnLink(p.peer, &e, dropLink)
	}
	s.Cancel(i*perPort + onPause)
	for p.pausing.arriving.Len > 0 {
		p.pausing.arriving.Pop()
	}
	s.loseLLDP(p)
	s.loseLayer(i, p)
	s.applyPause(i, p, 0, p.pausing.receiver.Reset())
}

// linkRose sends the other end the pauses that are still wanted. What stopped meanwhile was sent into the dead link,
// so it is said again.
func (s *part) linkRose(i int32, p *port) {
	if p.stopped != 0 {
		p.pausing.repeat, p.pend = true, true
		s.kick(i)
	}
}

// reroute computes a switch's routes again: the original ones, with active misroutes, without pruned links. Frames
// under way keep the queue in which they are: only later ones take the new routes.
func (s *shared) reroute(sw int) {
	n := &s.switches[sw]
	for host := range n.routes.Own {
		n.routes.Own[host] = s.usable(n, s.routesTo(sw, host))
	}
}

// routesTo returns a switch's routes to a host, pruned links included. Of several misroutes the last one counts. A
// detour replaces the routes of its switch to the host, and adds none to them.
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

// usable removes the routes over pruned links. The result can be empty: frames to the host are then dropped for want
// of a route.
func (s *shared) usable(n *node, ways []int32) []int32 {
	out := make([]int32, 0, len(ways))
	for _, way := range ways {
		if !s.pruned(n.first + way) {
			out = append(out, way)
		}
	}
	return out
}

// pruned tells whether an active failure has taken the port's link out of the routes. port is the number of either
// end of the link.
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

// checkDeadlock looks for a deadlock and schedules the next look. Each deadlock is reported once, until a look finds
// it gone.
func (s *part) checkDeadlock(source int32) {
	w := &s.failing.deadlocks
	s.Set(source, s.Now+w.every)
	cycle, _ := s.Deadlock()
	fronts := s.heads(cycle)
	// A circle counts as a deadlock if the same packets are first in its queues at two looks.
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
	w.found = append(w.found, FoundDeadlock{unit.Time(s.Now), cycle})
	s.reportPriority(DeadlockFound, s.switches[cycle[0].Switch].first+int32(cycle[0].Port), cycle[0].Queue)
}

// heads copies the first packets of a cycle's queues.
func (s *shared) heads(c Cycle) (out []packet.Packet) {
	for _, q := range c {
		p := &s.ports[int(s.switches[q.Switch].first)+q.Port]
		out = append(out, *p.queues[q.Queue].First())
	}
	return out
}
