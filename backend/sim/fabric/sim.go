package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Sim is a network at work. It is not safe for concurrent use.
type Sim struct {
	clock
	store      store
	ports      []port
	switches   []node
	flows      []flow
	senders    []sender
	classes    [][Priorities]class // by host
	pauseBytes int64
	endless    bool // pauses have no end of their own
	total      totals
	end        int64 // of the run
	unseen     int64 // events that were left out
	latest     int64 // time of the last of these
	observer   func(*Event)
	drops      [drops]int64
	failing    failing
}

type totals struct {
	Sent, Delivered, Drops, PauseSent, ResumeSent int64
	Marked                                        int64
	LastDelivery                                  int64
	Resent                                        int64    // data frames sent again, among those sent
	Refused                                       int64    // data frames that arrived out of sequence
	Answers                                       [4]int64 // sent, by kind
	Answered                                      int64    // answers that arrived
	Made                                          int64    // answers sent or waiting at their host
	Timeouts                                      int64
}

// dropNoRoute and those after it are causes of a drop beside the MMU's.
const (
	dropNoRoute buffer.Cause = 100 + iota
	dropRule
	dropWRED
	dropTTL
	dropLink
	dropWatchdog
	drops
)

func bytesOf(n int32) unit.Bytes { return unit.Bytes(n) }

// New makes a network ready to run. It refuses what Validate refuses.
func New(n Network) (*Sim, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	b := build{n: n, s: &Sim{store: newStore(1024), pauseBytes: int64(n.Wire.pause()), endless: n.Wire.Endless}}
	if err := b.run(); err != nil {
		return nil, err
	}
	return b.s, nil
}

func (w Wire) pause() unit.Bytes {
	if w.Pause == 0 {
		return 64
	}
	return w.Pause
}

func (w Wire) gap() unit.Bytes {
	switch {
	case w.Bare:
		return 0
	case w.Gap == 0:
		return 20
	}
	return w.Gap
}

type build struct {
	n       Network
	s       *Sim
	hosts   []int32      // port of each host
	first   []int32      // port 0 of each switch
	receive []pfc.Config // by port
	quanta  []uint16     // by port
}

func (b *build) run() error {
	for i := range b.n.Hosts {
		b.host(i)
	}
	for i := range b.n.Switches {
		if err := b.node(i); err != nil {
			return fmt.Errorf("switches[%d]: %w", i, err)
		}
	}
	for i := range b.n.Links {
		if err := b.link(&b.n.Links[i]); err != nil {
			return fmt.Errorf("links[%d]: %w", i, err)
		}
	}
	if err := b.egress(); err != nil {
		return err
	}
	b.routes()
	for i := range b.n.Flows {
		if err := b.n.Flows[i].validateSender(); err != nil {
			return fmt.Errorf("flows[%d].sender: %w", i, err)
		}
		b.flow(&b.n.Flows[i], i)
	}
	if err := b.failures(); err != nil {
		return err
	}
	b.clock()
	b.aheads()
	return nil
}

func (b *build) host(i int) {
	h := &b.n.Hosts[i]
	p := port{node: int32(i), count: new(PortCounters), pausing: &pausing{response: int64(h.Response)}, pfc: h.PFC, last: 7}
	for n := range p.pausing.masks {
		p.pausing.masks[n] = 1 << n
	}
	b.receive = append(b.receive, pfc.Config{Enabled: h.PFC, Link: h.Link})
	b.quanta = append(b.quanta, 0)
	b.hosts = append(b.hosts, int32(len(b.s.ports)))
	b.s.ports = append(b.s.ports, p)
	var none [Priorities]class
	for n := range none {
		none[n].head = -1
	}
	b.s.classes = append(b.s.classes, none)
}

func (b *build) node(i int) error {
	w := &b.n.Switches[i]
	var mmu *buffer.MMU
	if w.Rule == nil {
		var err error
		if mmu, err = buffer.NewMMU(w.MMU); err != nil {
			return err
		}
	}
	n := node{name: w.Name, mmu: mmu, rule: w.Rule, first: int32(len(b.s.ports)), ports: w.Ports, queues: len(w.MMU.Queues) > 0, atStart: w.ReleaseAtStart, ownXON: w.OwnXON,
		owner: make([]int32, len(w.MMU.Groups)), members: make([]pfc.Priorities, len(w.MMU.Groups)), closed: make([]int16, len(w.MMU.Groups))}
	b.first = append(b.first, n.first)
	for j := range w.Ports {
		sp := &w.Ports[j]
		n.lookups = append(n.lookups, newLookup(sp))
		p := port{isSwitch: true, node: int32(i), count: new(PortCounters), number: int32(j), pfc: sp.PFC, pausing: &pausing{response: int64(sp.Resp), wait: int64(sp.Wait), link: w.LinkPause}, last: 7}
		b.receive = append(b.receive, pfc.Config{Enabled: sp.PFC, Link: sp.Link})
		b.quanta = append(b.quanta, w.Quanta)
		if err := sp.Watchdog.Validate(); err != nil {
			return fmt.Errorf("ports[%d].watchdog: %w", j, err)
		}
		p.pausing.dog = newDog(sp.Watchdog)
		for prio := range Priorities {
			p.pausing.masks[prio] = 1 << sp.Queues[prio]
			if w.Rule != nil {
				continue
			}
			g := sp.Groups[prio]
			n.owner[g] = int32(len(b.s.ports))
			n.members[g] |= 1 << prio
		}
		b.s.ports = append(b.s.ports, p)
	}
	if w.Slice != nil {
		for in := range w.Ports {
			for out := range w.Ports {
				n.slices = append(n.slices, int16(w.Slice(in, out)))
			}
		}
	}
	b.s.switches = append(b.s.switches, n)
	return nil
}

// end returns the port that an End names.
func (b *build) end(e End) int32 {
	if e.Switch {
		return b.first[e.Node] + int32(e.Port)
	}
	return b.hosts[e.Node]
}

func (b *build) link(l *Link) error {
	a, z := b.end(l.A), b.end(l.B)
	for _, w := range [2][2]int32{{a, z}, {z, a}} {
		p := &b.s.ports[w[0]]
		p.linked, p.peer, p.rate, p.delay = true, w[1], l.Rate, int64(l.Delay+l.Interface)
		p.gap = int64(b.n.Wire.gap())
		if int64(unit.Second)*8%int64(l.Rate) == 0 {
			p.perByte = int64(unit.Second) * 8 / int64(l.Rate)
		}
		if err := b.timers(int(w[0]), p); err != nil {
			return err
		}
	}
	return nil
}

// timers gives a port that has a link its timers.
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
		p.pausing.commit = int64(p.rate.TimeFor(int64(b.n.Hosts[p.node].Committed) * 8))
	}
	p.pausing.sender, err = pfc.NewSender(pfc.SenderConfig{Rate: p.rate, Quanta: b.quanta[i]})
	return err
}

func (b *build) flow(f *Flow, i int) {
	p := b.hosts[f.From]
	fl := flow{from: p, to: int32(f.To), toPort: b.hosts[f.To], left: int64(f.Size), frame: int64(f.Frame), header: int64(f.Header), class: uint8(f.Priority),
		pcp: int8(f.PCP), dscp: int8(f.DSCP), ttl: uint8(f.TTL), ect: f.ECT, stop: int64(f.Stop), hash: mix(b.n.Seed ^ uint64(i)*0x9e3779b97f4a7c15)}
	if f.TTL == 0 {
		fl.ttl = 64
	}
	if f.Size == 0 {
		fl.left = -1
	}
	if f.Stop == 0 {
		fl.stop = never
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

// mix spreads a number over all bits: the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// clock makes the clock and schedules the flows.
func (b *build) clock() {
	s := b.s
	links, width, reach := int64(0), int64(unit.Microsecond), int64(0)
	for i := range s.ports {
		p := &s.ports[i]
		if p.linked {
			links++
			width = min(width, p.frameTime(1000))
			reach = max(reach, p.frameTime(9216)+p.delay+p.pausing.response)
		}
	}
	own := len(s.ports)*perPort + len(s.flows) + senderTimers*len(s.senders)
	s.clock = *newClock(own+s.failing.sources(), 8*width/max(links, 1), 2*reach)
	s.inOrder = b.n.Wire.InOrder
	for i := range b.n.Flows {
		s.set(s.flowSource(int32(i)), b.start(i))
	}
	s.scheduleFailures(int32(own))
}

func (s *Sim) flowSource(f int32) int32 { return int32(len(s.ports))*perPort + f }

// routes finds the shortest ways from every switch to every host.
func (b *build) routes() {
	s := b.s
	for i := range s.switches {
		s.switches[i].routes = make([][]int32, len(b.n.Hosts))
	}
	for h := range b.n.Hosts {
		far := b.distances(h)
		for i := range s.switches {
			n := &s.switches[i]
			if r := b.n.Switches[i].Routes; r != nil {
				for _, out := range r(h) {
					n.routes[h] = append(n.routes[h], int32(out))
				}
				continue
			}
			for j := range n.ports {
				p := &s.ports[n.first+int32(j)]
				if p.linked && far[p.peer] >= 0 && far[p.peer] < far[n.first] {
					n.routes[h] = append(n.routes[h], int32(j))
				}
			}
		}
	}
}

// distances returns how many links are between each port's node and a host;
// below 0: no way.
func (b *build) distances(host int) []int {
	s := b.s
	far := make([]int, len(s.ports))
	for i := range far {
		far[i] = -1
	}
	start := b.hosts[host]
	far[start] = 0
	next := []int32{start}
	for len(next) > 0 {
		i := next[0]
		next = next[1:]
		p := &s.ports[i]
		if !p.linked {
			continue
		}
		q := &s.ports[p.peer]
		if !q.isSwitch || far[p.peer] >= 0 {
			continue
		}
		n := &s.switches[q.node]
		for j := range n.ports {
			far[n.first+int32(j)] = far[i] + 1
			next = append(next, n.first+int32(j))
		}
	}
	return far
}

// Run lets events happen up to a time, and at it. It returns the number of
// events that happened.
func (s *Sim) Run(until unit.Time) int64 {
	before := s.happened()
	end := min(int64(until), never-1)
	s.end = max(s.end, end)
	flows := int32(len(s.ports)) * perPort
	for {
		source, ok := s.take(end)
		if !ok {
			s.finish()
			return s.happened() - before
		}
		if source >= flows {
			if source >= s.failing.first {
				s.fails(source)
				continue
			}
			s.begin(source - flows)
			continue
		}
		i := source / perPort
		switch source % perPort {
		case onSent:
			s.sent(i)
		case onArrival:
			s.arrived(i)
		case onControl:
			s.controlled(i)
		case onExpiry:
			s.expired(i)
		case onRefresh:
			s.refreshPause(i)
		case onReady:
			s.kick(i)
		case onWatch:
			s.watched(i)
		}
	}
}

// Now is the time up to which the simulation has run: the end of the last Run,
// or that of the last event if none is to come.
func (s *Sim) Now() unit.Time { return unit.Time(s.now) }

// Summary is what came of a run.
type Summary struct {
	Sent         int64            `json:"frames_sent"`
	Delivered    int64            `json:"frames_delivered"`
	Drops        int64            `json:"drops"` // answers too
	ByReason     map[string]int64 `json:"drops_by_reason"`
	PauseSent    int64            `json:"pause_sent"`
	ResumeSent   int64            `json:"resume_sent"`
	Marked       int64            `json:"ecn_marked"`
	CNP          int64            `json:"cnp_sent"`
	ACK          int64            `json:"ack_sent"`
	NAK          int64            `json:"nak_sent"`
	Resent       int64            `json:"frames_retransmitted"`   // among Sent
	Refused      int64            `json:"frames_out_of_sequence"` // arrived, but not delivered
	Timeouts     int64            `json:"retransmission_timeouts"`
	MaxHeadroom  cells.Count      `json:"max_headroom_cells"`
	MaxShared    cells.Count      `json:"max_shared_cells"`
	LastDelivery unit.Time        `json:"last_delivery_ps"`
	Events       int64            `json:"events"`
}

// Summary sums up the run so far.
func (s *Sim) Summary() Summary {
	out := Summary{Sent: s.total.Sent, Delivered: s.total.Delivered, Drops: s.total.Drops, PauseSent: s.total.PauseSent, ResumeSent: s.total.ResumeSent,
		CNP: s.total.Answers[cnp], ACK: s.total.Answers[ack], NAK: s.total.Answers[nak], Resent: s.total.Resent, Refused: s.total.Refused, Timeouts: s.total.Timeouts, Marked: s.total.Marked,
		LastDelivery: unit.Time(s.total.LastDelivery), Events: s.happened(), ByReason: map[string]int64{}}
	for i := range s.switches {
		if s.switches[i].mmu == nil {
			continue
		}
		for _, r := range s.switches[i].mmu.Snapshot(nil) {
			switch r.Account {
			case buffer.GroupHeadroomPeak:
				out.MaxHeadroom = max(out.MaxHeadroom, cells.Count(r.Value))
			case buffer.GroupSharedPeak:
				out.MaxShared = max(out.MaxShared, cells.Count(r.Value))
			}
		}
	}
	for c, n := range s.drops {
		if n > 0 {
			out.ByReason[Reason(buffer.Cause(c))] = n
		}
	}
	return out
}

// Check returns an error that names every broken invariant: what was sent is
// delivered, dropped or still there, and the MMUs' books are in order.
func (s *Sim) Check() error {
	var bad []error
	if s.total.Sent+s.total.Made != s.total.Delivered+s.total.Refused+s.total.Answered+s.total.Drops+int64(s.store.live) {
		bad = append(bad, fmt.Errorf("%d frames and %d answers sent, %d delivered, %d refused, %d answers delivered, %d dropped, %d under way",
			s.total.Sent, s.total.Made, s.total.Delivered, s.total.Refused, s.total.Answered, s.total.Drops, s.store.live))
	}
	bad = s.checkSenders(bad)
	if err := s.checkEgress(); err != nil {
		bad = append(bad, err)
	}
	for i := range s.switches {
		if s.switches[i].mmu == nil {
			continue
		}
		if err := s.switches[i].mmu.Check(); err != nil {
			bad = append(bad, fmt.Errorf("switch %d: %w", i, err))
		}
	}
	if counted := s.countedDrops(); s.total.Drops != counted[0] || s.total.Drops != counted[1] {
		bad = append(bad, fmt.Errorf("%d frames dropped, %d by reason, %d by port", s.total.Drops, counted[0], counted[1]))
	}
	return errors.Join(bad...)
}

// countedDrops sums the drops of all reasons, and of all ports.
func (s *Sim) countedDrops() (sums [2]int64) {
	for _, n := range s.drops {
		sums[0] += n
	}
	for i := range s.ports {
		sums[1] += s.ports[i].count.Lost
		for _, n := range s.ports[i].count.Drops {
			sums[1] += n
		}
	}
	return sums
}
