package fabric

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// pause is the length of a pause frame, without preamble and gap.
func (w Wire) pause() unit.Bytes {
	if w.Pause == 0 {
		return 64
	}
	return w.Pause
}

// gap is what a port sends with each frame: Ethernet's preamble of 8 bytes and
// gap of 12 unless the network says otherwise.
func (w Wire) gap() unit.Bytes {
	switch {
	case w.Bare:
		return 0
	case w.Gap == 0:
		return 20
	}
	return w.Gap
}

// Overhead is what a port sends with each frame: preamble and gap.
func (w Wire) Overhead() unit.Bytes { return w.gap() }

// build makes a Sim from a valid Network. Ports are numbered through: first the
// hosts' ports, so that a host's port has the host's number, then those of each
// switch.
type build struct {
	ctx     context.Context
	n       Network
	s       *Sim
	whole   bool         // not divided into parts, to compare both
	hosts   []int32      // port of each host
	first   []int32      // number of each switch's port 0
	receive []pfc.Config // by port: how it obeys pause frames
	quanta  []uint16     // by port: pause time of its frames; 0: the longest

	routeSteps int // links times the searches for routes
}

// newBuild begins to build a network.
func newBuild(ctx context.Context, n Network) build {
	s := &Sim{window: clock.Never, shared: shared{seed: n.Seed, pauseBytes: int64(n.Wire.pause()), endless: n.Wire.Endless,
		failing: &failing{}}}
	ports := len(n.Hosts)
	for i := range n.Switches {
		ports += len(n.Switches[i].Ports)
	}
	s.ports, s.switches = make([]port, 0, ports), make([]node, 0, len(n.Switches))
	s.classes = make([][Priorities]class, 0, len(n.Hosts))
	s.flows, s.ways = make([]flow, 0, len(n.Flows)), make([]way, 0, len(n.Flows))
	s.senders = make([]sender, 0, n.senders())
	return build{ctx: ctx, n: n, s: s, hosts: make([]int32, 0, len(n.Hosts)), receive: make([]pfc.Config, 0, ports),
		quanta: make([]uint16, 0, ports)}
}

// run builds what a network consists of, in the order in which one thing needs the other.
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
		if err := b.n.Flows[i].validateSender(); err != nil {
			return fmt.Errorf("flows[%d].sender: %w", i, err)
		}
		b.flow(&b.n.Flows[i], i)
	}
	b.after()
	b.rings()
	if err := b.failures(); err != nil {
		return err
	}
	b.clock()
	b.elideAtHosts()
	return nil
}

// host adds a host and its port. Each class of a host stands for a queue, and a
// pause of a priority stops the class of the same number.
func (b *build) host(i int) {
	h := &b.n.Hosts[i]
	p := port{node: int32(i), pausing: &pausing{response: int64(h.Response)}, pfc: h.PFC,
		last: 7}
	for n := range p.pausing.masks {
		p.pausing.masks[n] = 1 << n
	}
	p.pausing.lldp = newLLDP(h.DCBX, h.PFC, nil)
	b.receive = append(b.receive, pfc.Config{Enabled: h.PFC, Link: h.Link})
	b.quanta = append(b.quanta, 0)
	b.hosts = append(b.hosts, int32(len(b.s.ports)))
	b.s.ports = append(b.s.ports, p)
	var none [Priorities]class
	for n := range none {
		none[n].head, none[n].served = -1, -1
	}
	b.s.classes = append(b.s.classes, none)
}

// node adds a switch, its MMU and its ports.
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
	b.first = append(b.first, n.first)
	for j := range w.Ports {
		sp := &w.Ports[j]
		n.lookups = append(n.lookups, newLookup(sp))
		p := port{isSwitch: true, node: int32(i), number: int32(j), pfc: sp.PFC,
			pausing: &pausing{response: int64(sp.Resp), wait: int64(sp.Wait), link: w.LinkPause}, last: 7}
		b.receive = append(b.receive, pfc.Config{Enabled: sp.PFC, Link: sp.Link})
		b.quanta = append(b.quanta, w.Quanta)
		if err := sp.Watchdog.Validate(); err != nil {
			return fmt.Errorf("ports[%d].watchdog: %w", j, err)
		}
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
	if w.Slice != nil {
		n.slices = make([]int16, 0, len(w.Ports)*len(w.Ports))
		for in := range w.Ports {
			for out := range w.Ports {
				n.slices = append(n.slices, int16(w.Slice(in, out)))
			}
		}
	}
	n.setElidable()
	b.s.switches = append(b.s.switches, n)
	sw := &b.s.switches[i]
	for j := range sw.lookups {
		p := &b.s.ports[int(sw.first)+j]
		p.sw, p.lookup = sw, &sw.lookups[j]
	}
	return nil
}

// end returns the number of the port that an End names.
func (b *build) end(e End) int32 {
	if e.Switch {
		return b.first[e.Node] + int32(e.Port)
	}
	return b.hosts[e.Node]
}

// link connects two ports.
func (b *build) link(l *Link) error {
	a, z := b.end(l.A), b.end(l.B)
	for _, w := range [2][2]int32{{a, z}, {z, a}} {
		p := &b.s.ports[w[0]]
		p.linked, p.peer, p.rate, p.delay = true, w[1], l.Rate, int64(l.Delay+l.Interface)
		p.gap = int32(b.n.Wire.gap())
		// Most rates take a whole number of picoseconds per byte. Then a
		// multiplication gives a frame's time, in place of a division.
		if int64(unit.Second)*8%int64(l.Rate) == 0 {
			p.perByte = int64(unit.Second) * 8 / int64(l.Rate)
		}
		if err := b.timers(int(w[0]), p); err != nil {
			return err
		}
	}
	return nil
}

// timers builds the pause sender and receiver of a port that has a link. A
// pause frame's time is in quanta, whose length depends on the link's rate.
func (b *build) timers(i int, p *port) (err error) {
	b.receive[i].Rate = p.rate
	if p.pausing.receiver, err = pfc.NewReceiver(b.receive[i]); err != nil {
		return err
	}
	if p.pausing.wait > 0 {
		p.pausing.wait = p.frameTime(p.pausing.wait)
	}
	if p.pausing.quanta = b.quanta[i]; p.pausing.quanta == 0 {
		p.pausing.quanta = pfc.MaxQuanta
	}
	if !p.isSwitch {
		p.pausing.afterPause = int64(p.rate.TimeFor(int64(b.n.Hosts[p.node].AfterPause) * 8))
	}
	p.pausing.sender, err = pfc.NewSender(pfc.SenderConfig{Rate: p.rate, Quanta: b.quanta[i]})
	return err
}

// flow adds a flow. A size and a rate of 0 mean without end and without limit.
func (b *build) flow(f *Flow, i int) {
	p := b.hosts[f.From]
	b.s.ways = append(b.s.ways, way{p, int32(f.To), mix(b.n.Seed ^ uint64(i)*0x9e3779b97f4a7c15)})
	fl := flow{from: p, toPort: b.hosts[f.To], unsent: int64(f.Size), frame: int64(f.Frame),
		header: int64(f.Header), class: uint8(f.Priority),
		pcp: int8(f.PCP), dscp: int8(f.DSCP), ttl: uint8(f.TTL), ect: f.ECT, stop: int64(f.Stop)}
	if f.TTL == 0 {
		fl.ttl = 64
	}
	if f.Size == 0 {
		fl.unsent = -1
	}
	if f.Stop == 0 {
		fl.stop = clock.Never
	}
	if f.Rate > 0 && f.Rate < b.s.ports[p].rate {
		fl.paced, fl.rate = true, int64(f.Rate)
		if int64(unit.Second)*8%fl.rate == 0 {
			fl.perByte = int64(unit.Second) * 8 / fl.rate
		}
	}
	b.sender(f, &fl, i)
	b.s.flows = append(b.s.flows, fl)
}

// rings begins the turns of a host whose flows are all in one ring: as in ns-3,
// its first flow counts as the one that was served last.
func (b *build) rings() {
	s := b.s
	if s.oneRing = b.n.Wire.OneRing; !s.oneRing {
		return
	}
	for i := len(s.flows) - 1; i >= 0; i-- {
		for n := range Priorities {
			s.classes[s.ports[s.flows[i].from].node][n].served = int32(i)
		}
	}
}

// mix spreads a number over all bits: the finaliser of splitmix64 (Steele, Lea
// and Flood, OOPSLA 2014). Neighbouring flows get unrelated hashes.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// clock makes the parts with their clocks, and schedules the first event of each
// flow.
func (b *build) clock() {
	s := b.s
	b.partition()
	if b.n.Wire.InOrder {
		s.parts[0].KeepOrder()
		for i := range s.ports {
			s.ports[i].pausing.orders = new(packet.Ring[uint64])
		}
	}
	for i := range b.n.Flows {
		if len(b.n.Flows[i].After) == 0 {
			s.partOf(s.flows[i].from).Set(s.flowSource(int32(i)), s.starting.at[i])
		}
	}
	b.scheduleLLDP()
	b.scheduleLayers()
	// A network with failures is one part.
	s.parts[0].scheduleFailures(s.senderSource(int32(len(s.senders)), 0))
}
