package fabric

import (
	"context"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// New makes a simulation of a network, at time 0. It refuses what Network.Validate refuses. n is not changed.
// Functions in it, such as Routes and Slice, are called while it is built and validated.
func New(n Network) (*Sim, error) { return NewContext(context.Background(), n) }

// NewContext is New that stops when the context ends: a large network takes seconds. The error is that of the
// context, or names what is wrong with its place in the network.
func NewContext(ctx context.Context, n Network) (*Sim, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	b := newBuild(ctx, n)
	if err := b.run(); err != nil {
		return nil, err
	}
	return b.s, nil
}

// run builds what a network consists of, in the order in which one thing needs the other. Hosts have the first ports;
// links need both ends, routes need links, and flows need hosts and routes.
func (b *build) run() error {
	for i := range b.n.Hosts {
		b.host(i)
	}
	for i := range b.n.Switches {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if err := b.node(i); err != nil {
			return fmt.Errorf("switches[%d]: %w", i, err)
		}
	}
	for i := range b.n.Links {
		if err := b.link(&b.n.Links[i]); err != nil {
			return fmt.Errorf("links[%d]: %w", i, err)
		}
	}
	// A layer needs the port at the other end, so all links are there first.
	for i := range b.n.Links {
		b.layers(&b.n.Links[i])
	}
	if err := b.egress(); err != nil {
		return err
	}
	if err := b.routes(); err != nil {
		return err
	}
	for i := range b.n.Flows {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		b.flow(&b.n.Flows[i], i)
	}
	b.after()
	b.rings()
	b.failures()
	// The list of ports is complete, so that pointers into it stay valid.
	for i := range b.s.ports {
		if p := &b.s.ports[i]; p.linked {
			p.near, p.to = p.peer, &b.s.ports[p.peer]
		}
	}
	b.s.findWaypoints()
	// Clocks come after everything that is a source of events, since their number is fixed then.
	b.clock()
	b.elideAtHosts()
	return nil
}

// clock makes the parts with their clocks, and schedules the first event of each flow. Flows that wait for others are
// scheduled when their gate opens.
func (b *build) clock() {
	s := b.s
	b.partition()
	// A network that keeps the order of scheduling is one part: the order would depend on the parts otherwise.
	if b.n.Wire.InOrder {
		s.parts[0].KeepOrder()
		for i := range s.ports {
			s.ports[i].pausing.orders = new(packet.Ring[uint64])
			s.ports[i].near = -1 // it elides nothing
		}
	}
	for i := range b.n.Flows {
		if len(b.n.Flows[i].After) == 0 {
			s.partOf(s.flows[i].from).Set(s.flowSource(int32(i)), s.starting.at[i])
		}
	}
	b.scheduleLinks()
	// A network with failures is one part.
	s.parts[0].scheduleFailures(s.senderSource(int32(len(s.senders)), 0))
}

// failures prepares the failures. Without failures nothing is prepared, and routes stay shared.
func (b *build) failures() {
	f := b.s.failing
	// It is in picoseconds. Detection runs without failures too, so it is set before the return.
	f.deadlocks.every = int64(b.n.DeadlockEvery)
	if len(b.n.Failures) == 0 {
		return
	}
	// Each failure of the list is active or not by itself: one can begin while another lasts.
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
		// The routes without failures are kept, to go back to when a failure ends.
		n.routes.Own = own
		f.built = append(f.built, slices.Clone(own))
	}
}

// scheduleLinks schedules the moment at which each port begins to speak LLDP, and the first message of each link layer.
// The clocks must exist. A port without a link never speaks, and one whose link has a layer is linked.
func (b *build) scheduleLinks() {
	for i := range b.s.ports {
		p, of := &b.s.ports[i], b.s.partOf(int32(i))
		if p.linked && p.pausing.lldp != nil {
			of.Set(int32(i)*perPort+onLLDP, int64(p.pausing.lldp.Start))
		}
		if p.pausing.layer != nil {
			of.planLayer(int32(i), p, p.pausing.layer)
		}
	}
}
