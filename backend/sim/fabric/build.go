package fabric

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
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
		f.ends = append(f.ends, [2]int32{b.s.port(b.n.Links[i].A), b.s.port(b.n.Links[i].B)})
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

// build makes a Sim from a valid Network. Ports are numbered through: first the hosts' ports, so that a host's port
// has the host's number, then those of each switch: see shared.port.
type build struct {
	ctx        context.Context
	n          Network
	s          *Sim
	whole      bool // not divided into parts, to compare both
	trims      bool // a switch trims
	routeSteps int  // links times the searches for routes
}

// newBuild begins to build a network. n must be valid: its bounds keep these lists from filling the memory.
func newBuild(ctx context.Context, n Network) build {
	s := &Sim{window: clock.Never, shared: shared{seed: n.Seed, pauseBytes: int64(cmp.Or(n.Wire.Pause, 64)), endless: n.Wire.Endless,
		failing: &failing{}}}
	ports := len(n.Hosts)
	for i := range n.Switches {
		ports += len(n.Switches[i].Ports)
	}
	// The capacities are exact, because pointers into these lists are taken before they are full.
	s.ports, s.switches = make([]port, 0, ports), make([]node, 0, len(n.Switches))
	s.classes = make([][Priorities]class, 0, len(n.Hosts))
	s.flows, s.ways = make([]flow, 0, len(n.Flows)), make([]way, 0, len(n.Flows))
	s.senders = make([]sender, 0, n.senders())
	return build{ctx: ctx, n: n, s: s, trims: n.trims()}
}

// host adds a host and its port. Each class of a host stands for a queue, and a pause of a priority stops the class
// of the same number. A host has no rate until its link is built.
func (b *build) host(i int) {
	h := &b.n.Hosts[i]
	p := port{node: int32(i), pausing: &pausing{response: int64(h.Response)}, pfc: h.PFC,
		last: 7}
	for n := range p.pausing.masks {
		p.pausing.masks[n] = 1 << n
	}
	p.pausing.lldp = newLLDP(h.DCBX, h.PFC, nil)
	b.s.ports = append(b.s.ports, p)
	var none [Priorities]class
	for n := range none {
		// -1 is no flow.
		none[n].head, none[n].served = -1, -1
	}
	b.s.classes = append(b.s.classes, none)
}

// node adds a switch, its MMU and its ports. Errors are of the MMU.
func (b *build) node(i int) error {
	w := &b.n.Switches[i]
	var memory *mmu.MMU
	if w.Rule == nil {
		var err error
		if memory, err = mmu.New(w.MMU); err != nil {
			return err
		}
	}
	n := node{name: w.Name, mmu: memory, rule: w.Rule, first: int32(len(b.s.ports)), ports: w.Ports, elidedAt: clock.Never,
		queues: len(w.MMU.Queues) > 0, atStart: w.ReleaseAtStart, ownXON: w.OwnXON,
		lookups: make([]lookup, 0, len(w.Ports)), owner: make([]int32, len(w.MMU.Groups)),
		members: make([]pfc.Priorities, len(w.MMU.Groups)), pausedSlices: make([]int16, len(w.MMU.Groups))}
	if w.trims() {
		n.trim = trimming{uint16(w.MMU.Trim), int8(w.TrimDSCP)}
	}
	for j := range w.Ports {
		sp := &w.Ports[j]
		n.lookups = append(n.lookups, newLookup(sp))
		p := port{node: int32(i), number: int32(j), untagged: !sp.Tagged, pfc: sp.PFC, leaving: leaving{out: int32(j)},
			pausing: &pausing{response: int64(sp.Resp), wait: int64(sp.Wait), link: w.LinkPause}, last: 7}
		p.pausing.watchdog = newWatchdog(sp.Watchdog)
		p.pausing.lldp = newLLDP(sp.DCBX, sp.PFC, &sp.ETS)
		for prio := range Priorities {
			// A pause stops an egress queue, which several priorities may
			// share.
			p.pausing.masks[prio] = 1 << sp.Queues[prio]
			if w.Rule != nil {
				continue
			}
			g := sp.Groups[prio]
			// A lossless group belongs to one port, which pauses the group's
			// priorities when the MMU wants it.
			n.owner[g] = int32(len(b.s.ports))
			n.members[g] |= 1 << prio
		}
		b.s.ports = append(b.s.ports, p)
	}
	// Slice is called once for each pair of ports, and the answers are kept.
	if w.Slice != nil {
		n.slices = make([]int16, 0, len(w.Ports)*len(w.Ports))
		for in := range w.Ports {
			for out := range w.Ports {
				n.slices = append(n.slices, int16(w.Slice(in, out)))
			}
		}
	}
	b.s.switches = append(b.s.switches, n)
	sw := &b.s.switches[i]
	for j := range sw.lookups {
		p := &b.s.ports[int(sw.first)+j]
		// The pointers are taken when both lists have their places: neither grows any more.
		p.sw, p.of, p.lookup = sw, sw, &sw.lookups[j]
	}
	return nil
}

// link connects two ports.
func (b *build) link(l *Link) error {
	a, z := b.s.port(l.A), b.s.port(l.B)
	for _, w := range [2][2]int32{{a, z}, {z, a}} {
		p := &b.s.ports[w[0]]
		p.linked, p.peer, p.rate, p.delay = true, w[1], l.Rate, int64(l.Delay+l.Interface)
		p.gap = int32(b.n.Wire.Overhead())
		// Most rates take a whole number of picoseconds per byte. Then a
		// multiplication gives a frame's time, in place of a division.
		if each := int64(unit.Second) * 8 / int64(l.Rate); int64(unit.Second)*8%int64(l.Rate) == 0 && each <= math.MaxInt32 {
			p.perByte = int32(each)
		}
		if err := b.timers(p); err != nil {
			return err
		}
	}
	return nil
}

// layers gives the ports of a link their link layers. It needs the rates of both ports, so it comes after all links.
func (b *build) layers(l *Link) {
	c := l.Layer
	if c == nil {
		return
	}
	for _, end := range [2]struct {
		e        End
		to, from *Credits
	}{{l.A, c.ToA, c.ToB}, {l.B, c.ToB, c.ToA}} {
		i := b.s.port(end.e)
		p := &b.s.ports[i]
		p.pausing.layer = newLayer(p, c, end.to, end.from, mix(b.n.Seed^uint64(i)<<32))
		p.pend, p.way = true, byLayer
		if end.e.Switch {
			b.s.switches[end.e.Node].credits = b.s.switches[end.e.Node].credits || end.to != nil
		}
	}
}

// newLayer returns the link layer of a port that has its rate. to are the credits that this port gives, and from
// those that it needs; nil: none. seed is of the port, so that errors of one link do not move those of another.
func newLayer(p *port, c *LinkLayer, to, from *Credits, seed uint64) *layer {
	span := func(n unit.Bytes) int64 { return int64(p.rate.TimeFor(8 * int64(n))) }
	l := &layer{to: to, from: from, set: span(cbfc.OrderedSetBytes), gap: span(min(credits.GapBytes, unit.Bytes(p.gap))),
		apply: int64(c.Apply), ccAt: clock.Never}
	var pool *cbfc.Pool
	if from != nil {
		pool = &from.Pool
		l.ccEvery = int64(from.updates().Timer)
		// The first CC_Update is due after one interval.
		l.ccAt = l.ccEvery
	}
	var least, most int64
	if to != nil {
		u := to.updates()
		// Distances of CF_Updates are bytes of the link in the settings, and picoseconds here.
		least, most, l.hold = span(u.Least), span(u.Most), int64(to.Hold)
	}
	var retry *credits.Retry
	if r := c.LLR; r != nil {
		retry = &credits.Retry{Frames: r.Frames, Bytes: r.Bytes, Spacing: span(r.Spacing), Timer: int64(r.Timer),
			Count: r.Count}
	}
	// A time beyond the run is no error at all.
	noise := credits.NewNoise(min(int64(p.rate.TimeFor(c.Errors)), clock.Never), seed, 1)
	l.end = credits.NewEnd[packet.Packet](Priorities, pool, least, most, retry, noise)
	for n := range Priorities {
		// A priority without credits neither needs them from the other end nor gives any.
		l.end.Sender.Silent[n] = from == nil || !from.Channels.Has(n)
		l.end.Receiver.Off[n] = to == nil || !to.Channels.Has(n)
	}
	return l
}
