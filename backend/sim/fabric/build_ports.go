package fabric

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
	"github.com/cellwarden/cellwarden/pfc"
)

// egress configures when and how the ports of the switches send: their schedulers and their marking. Links come
// before: schedulers need the rate of a port, and a port without a link has none.
func (b *build) egress() error {
	var bad []error
	for i := range b.s.ports {
		p := &b.s.ports[i]
		if !p.isSwitch() {
			continue
		}
		config := &b.n.Switches[p.node].Ports[p.number]
		// A port without a link has no rate to share.
		if p.linked {
			var err error
			if p.ets, err = newScheduler(config.ETS, p.rate); err != nil {
				bad = append(bad, fmt.Errorf("switches[%d].ports[%d].ets: %w", p.node, p.number, err))
			}
		}
		b.marking(i, p, &config.ECN)
	}
	for i := range b.s.switches {
		b.s.setElidable(&b.s.switches[i])
	}
	return errors.Join(bad...)
}

// marking builds the markers of a switch's port if one of its queues marks. Each queue draws its own random numbers,
// by port and queue, so that one marker does not change the draws of another.
func (b *build) marking(i int, p *port, config *[Priorities]Marking) {
	if *config == [Priorities]Marking{} {
		return
	}
	p.ecn = new(markers)
	for q, m := range config {
		p.ecn.set(q, newMarker(m, b.n.Seed, markerOf(int32(i), q)))
	}
}

// timers builds the pause sender and receiver of a port that has a link. A pause frame's time is in quanta, whose
// length depends on the link's rate. It is called for each end of a link, when its rate is known. The errors are
// those of package pfc.
func (b *build) timers(p *port) (err error) {
	receive, quanta := pfc.Config{Rate: p.rate}, uint16(0)
	if p.isSwitch() {
		w := &b.n.Switches[p.node]
		receive.Enabled, receive.Link, quanta = w.Ports[p.number].PFC, w.Ports[p.number].Link, w.Quanta
	} else {
		h := &b.n.Hosts[p.node]
		receive.Enabled, receive.Link = h.PFC, h.Link
		for class, bytes := range h.AfterPause {
			p.pausing.afterPause[class] = int64(p.rate.TimeFor(int64(bytes) * 8))
		}
	}
	if p.pausing.receiver, err = pfc.NewReceiver(receive); err != nil {
		return err
	}
	// It was in bytes until here, because the rate of the link was not known; now it is in picoseconds.
	if p.pausing.wait > 0 {
		p.pausing.wait = p.frameTime(p.pausing.wait)
	}
	// 0 stands for the longest time of a pause frame (65,535 quanta of 512 bit times).
	p.pausing.quanta = cmp.Or(quanta, pfc.MaxQuanta)
	p.pausing.sender, err = pfc.NewSender(pfc.SenderConfig{Rate: p.rate, Quanta: quanta})
	return err
}

// elideAtHosts finds the ports of hosts that need no events to send, and those whose host only counts what arrives.
// Eliding an event must not change a result: each condition below is a case in which the event is needed.
func (b *build) elideAtHosts() {
	s := b.s
	if b.n.Wire.InOrder || len(b.n.Failures) > 0 || b.n.DeadlockEvery > 0 {
		return
	}
	b.elideAtSwitches()
	for i := range b.n.Hosts {
		p := &s.ports[i]
		p.elidesLastEnd = p.linked
		p.elidesSends = p.linked && p.pausing.afterPause == [Priorities]int64{} && p.pausing.lldp == nil &&
			p.pausing.layer == nil
		if p.linked && p.pausing.layer == nil && !b.trims { // a host looks whether a frame is whole
			s.ports[p.peer].way = counted
		}
	}
	// A receiver's answers, and the windows and rates of a sender, need every frame's event.
	for i := range s.flows {
		f := &s.flows[i]
		if f.sender >= 0 {
			b.elideOfSender(f, &s.senders[f.sender])
		}
		if f.paced {
			s.ports[f.from].elidesSends = false
		}
		// The arrival of its last frame starts other flows.
		if f.awaited {
			s.ports[s.ports[f.toPort].peer].countNoMore()
		}
	}
}

// elideOfSender takes from both ends of a flow with a Sender what they may not elide.
func (b *build) elideOfSender(f *flow, x *sender) {
	ports, answers := b.s.ports, x.ackEvery > 0
	if !x.elidable || answers && x.timeout <= ports[f.from].delay {
		ports[f.from].elidesSends = false
	}
	if !x.elidable || answers {
		ports[f.toPort].elidesSends = false
		ports[ports[f.from].peer].countNoMore()
		ports[ports[f.toPort].peer].countNoMore()
	}
}

// elideAtSwitches finds the ports of switches that may elide the ends of frames. The next frame of a queue must begin
// before the frame before it arrives, so a link without delay has events. A switch that gives credits has all events:
// a frame that leaves frees some. A watchdog and LLDP look at a port at times of their own.
func (b *build) elideAtSwitches() {
	for i := range b.s.ports {
		if p := &b.s.ports[i]; p.isSwitch() {
			p.elidesEnds = p.elidable && p.linked && p.delay > 0 && p.pausing.watchdog == nil && p.pausing.lldp == nil &&
				!p.sw.credits
		}
	}
}

// routes finds the shortest routes from every switch to every place. A switch
// with routes of its own keeps them.
func (b *build) routes() error {
	s := b.s
	places := b.sites()
	switches := make([]*routes.Switch, len(s.switches))
	for i := range s.switches {
		n := &s.switches[i]
		n.routes = routes.Switch{First: n.first, Ports: int32(len(n.ports)), Own: b.ownRoutes(i)}
		switches[i] = &n.routes
	}
	g := b.graph()
	b.routeSteps = len(places) * g.Links()
	return s.routes.Find(g, places, switches, b.ctx.Err)
}

// sites notes where each host is, and returns the switch of each place. A place is a switch with hosts: routes are
// kept for places and not for hosts, which are many more. -1: a host that no switch reaches.
func (b *build) sites() (places []int32) {
	s := b.s
	s.routes.Sites = make([]routes.Site, len(b.n.Hosts))
	place := make([]int32, len(s.switches)) // of each switch, plus 1
	for h := range b.n.Hosts {
		p := &s.ports[h]
		if !p.linked || !s.ports[p.peer].isSwitch() {
			s.routes.Sites[h] = routes.Site{Port: -1, Place: -1}
			continue
		}
		node := s.ports[p.peer].node
		if place[node] == 0 {
			places = append(places, node)
			place[node] = int32(len(places))
		}
		s.routes.Sites[h] = routes.Site{Port: p.peer, Place: place[node] - 1}
	}
	return places
}

// ownRoutes returns the ports to each host that a switch has of its own; nil if it has none. The numbers are those of
// ports within the switch.
func (b *build) ownRoutes(i int) [][]int32 {
	r := b.n.Switches[i].Routes
	if r == nil {
		return nil
	}
	own := make([][]int32, len(b.n.Hosts))
	for h := range own {
		for _, out := range r(h) {
			own[h] = append(own[h], int32(out))
		}
	}
	return own
}

// graph returns the graph of the network.
func (b *build) graph() *routes.Graph {
	s := b.s
	count := 0
	for i := range b.n.Links {
		if l := &b.n.Links[i]; l.A.Switch && l.B.Switch {
			count++
		}
	}
	g := routes.NewGraph(len(s.switches), count)
	for i := range s.switches {
		n := &s.switches[i]
		for j := range n.ports {
			if p := &s.ports[n.first+int32(j)]; p.linked && s.ports[p.peer].isSwitch() {
				g.Link(int32(j), s.ports[p.peer].node)
			}
		}
		g.Switch()
	}
	return g
}
