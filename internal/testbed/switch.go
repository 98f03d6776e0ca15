package testbed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// The bounds of a switch.
const (
	MaxGroups  = 1 << 10 // groups that a tester sends to
	MaxFlows   = 1 << 12 // pairs of a group and an egress port
	MaxPackets = 1 << 25 // packets of one request, and packets that wait in all
	MaxPort    = 1 << 20
)

// Refresh is the time after which a paused group sends its pause again, in microseconds: 220 in 100 ms were counted on
// a Tomahawk 2 (sonic-mgmt tests/saitests/probe/pfc_xon_probing_executor.py).
const Refresh = 450

// Group is a priority group of an ingress port.
type Group struct{ Port, PG int }

// Counters are those of a group since the switch was made or reset.
type Counters struct {
	PauseFrames int64 // XOFF, and its repetitions
	XOFF, XON   int64 // changes
	Drops       int64 // packets
	Paused      bool  // the last signal was XOFF
	Held        int64 // packets that wait
	Received    int64 // packets
}

// flow is the packets of a group that wait for an egress port.
type flow struct {
	group  int
	dst    int
	length unit.Bytes
}

// place is where a group is in the MMU.
type place struct{ group, slice int }

// Model is a switch by its MMU, for switches that no probe describes.
type Model struct {
	Config  mmu.Config
	Packet  unit.Bytes // length of packets that a tester sends without saying it
	LeakOut int64      // packets that leave after each stop of a port
	// Ports are 0 to Ports-1, and so are the egress ports; 0: any. The group of a port has the number 8 port + pg, and
	// ports take turns in the slices. The queue of an egress port has its number, if the MMU has queues.
	Ports int
}

// Switch is a simulated switch. Make one with New. It is not safe for concurrent use.
type Switch struct {
	model   Model
	mmu     *mmu.MMU
	places  []place       // by the group's index
	egress  map[int]int64 // packets that an egress port has dropped
	groups  map[Group]int
	counts  []Counters // by the group's index
	flows   map[flow]int64
	order   []flow // of flows, so that ports drain in one order
	held    map[int]int64
	waiting int64
}

// New returns an empty switch with the sizes, the packet and the rules of a probe. The number of groups and the order
// of the probe have no meaning. It refuses what the probe's Validate refuses.
func New(p *mmu.Probe) (*Switch, error) {
	probe := *p
	probe.Groups = MaxGroups
	if err := probe.Validate(); err != nil {
		return nil, err
	}
	m := Model{Config: probe.Config(), Packet: p.Packet, LeakOut: p.LeakOut}
	if p.Charged > 0 {
		m.Packet = p.Charged
	}
	if p.HeadroomOfPort {
		m.sharePorts(cells.Count(p.Cell.Holding(p.Headroom)))
	}
	return Of(m)
}

// sharePorts makes the groups those of ports that own headroom: group 8 port + pg, and a pool of headroom for each
// port.
func (m *Model) sharePorts(headroom cells.Count) {
	c := &m.Config
	m.Ports = len(c.Groups) / pg.PerPort
	c.HeadroomPools = nil
	for i := range c.Groups {
		if i%pg.PerPort == 0 {
			c.HeadroomPools = append(c.HeadroomPools, headroom)
		}
		c.Groups[i].HeadroomPool = len(c.HeadroomPools)
	}
	if len(c.Queues) > 0 { // a queue for each egress port; a probe has one for all
		c.Queues = slices.Repeat(c.Queues[:1], m.Ports)
	}
}

// Of returns an empty switch with an MMU. It refuses what mmu.New refuses.
func Of(m Model) (*Switch, error) {
	s := &Switch{model: m}
	return s, s.Reset()
}

// Reset empties the switch, and sets its counters to zero.
func (s *Switch) Reset() error {
	m, err := mmu.New(s.model.Config)
	if err != nil {
		return err
	}
	s.mmu, s.groups, s.counts, s.flows, s.order, s.held = m, map[Group]int{}, nil, map[flow]int64{}, nil, map[int]int64{}
	s.waiting, s.places, s.egress = 0, nil, map[int]int64{}
	return nil
}

// mostPort returns the largest number of a port.
func (s *Switch) mostPort() int {
	if s.model.Ports > 0 {
		return s.model.Ports - 1
	}
	return MaxPort
}

// errPort says that a port is out of range.
func (s *Switch) errPort() error { return fmt.Errorf("port: want 0 to %d", s.mostPort()) }

// errPG says that a group is out of range.
var errPG = errors.New("pg: want 0 to 7")

// EgressDrops returns how many packets an egress port has dropped.
func (s *Switch) EgressDrops(dst int) int64 { return s.egress[dst] }

// group returns the index of a group, which is made when it is named first.
func (s *Switch) group(g Group) (int, error) {
	switch i, there := s.groups[g]; {
	case there:
		return i, nil
	case g.Port < 0 || g.Port > s.mostPort():
		return 0, s.errPort()
	case g.PG < 0 || g.PG >= pg.PerPort:
		return 0, errPG
	case len(s.groups) >= MaxGroups:
		return 0, fmt.Errorf("more than %d groups", MaxGroups)
	}
	s.groups[g] = len(s.counts)
	s.counts = append(s.counts, Counters{})
	at := place{group: len(s.counts) - 1}
	if s.model.Ports > 0 {
		at = place{pg.PerPort*g.Port + g.PG, g.Port % max(s.model.Config.Slices, 1)}
	}
	s.places = append(s.places, at)
	return len(s.counts) - 1, nil
}

// Hold stops an egress port. Packets that leak out are those of each new stop.
func (s *Switch) Hold(dst int) error {
	if dst < 0 || dst > s.mostPort() {
		return s.errPort()
	}
	if _, stopped := s.held[dst]; stopped {
		return nil
	}
	if len(s.held) >= MaxFlows {
		return fmt.Errorf("more than %d stopped ports", MaxFlows)
	}
	s.held[dst] = s.model.LeakOut
	return nil
}

// Drain starts an egress port: all packets that wait for it leave.
func (s *Switch) Drain(dst int) error {
	if dst < 0 || dst > s.mostPort() {
		return s.errPort()
	}
	delete(s.held, dst)
	for _, f := range s.order {
		if f.dst != dst {
			continue
		}
		for range s.flows[f] {
			s.leave(f)
		}
		s.waiting -= s.flows[f]
		s.counts[f.group].Held -= s.flows[f]
		s.flows[f] = 0
	}
	return nil
}

// packet returns a packet of a flow.
func (s *Switch) packet(f flow) mmu.Packet {
	at := s.places[f.group]
	p := mmu.Packet{Slice: at.slice, Group: at.group, Bytes: f.length}
	if s.model.Ports > 0 {
		p.Queue = f.dst
	}
	return p
}

// leave lets a packet of a flow leave, and resumes the groups that may resume.
func (s *Switch) leave(f flow) {
	r := s.mmu.Leave(s.packet(f))
	if r.XON {
		s.resumed(f.group)
	}
	if r.Paused == 0 {
		return
	}
	for {
		slice := s.places[f.group].slice
		g, ok := s.mmu.Resume(slice)
		if !ok {
			return
		}
		s.resumed(slices.Index(s.places, place{g, slice}))
	}
}

// resumed counts an XON.
func (s *Switch) resumed(group int) {
	c := &s.counts[group]
	c.XON++
	c.Paused = false
}

// Send sends packets of a length to an egress port; 0 is the length of the switch's packets. If the port is not stopped,
// they leave at once.
func (s *Switch) Send(g Group, dst int, packets int64, length unit.Bytes) error {
	length = cmp.Or(length, s.model.Packet)
	if length < 1 || length > 1<<16 {
		return fmt.Errorf("packet_bytes %d: want 1 to %d", length, 1<<16)
	}
	if dst < 0 || dst > s.mostPort() {
		return s.errPort()
	}
	if packets < 0 || s.waiting+packets > MaxPackets {
		return fmt.Errorf("packets %d: want 0 to %d, those that wait included", packets, MaxPackets)
	}
	i, err := s.group(g)
	if err != nil {
		return err
	}
	leak, stopped := s.held[dst]
	if !stopped {
		return nil
	}
	f := flow{i, dst, length}
	if _, there := s.flows[f]; !there {
		if len(s.order) >= MaxFlows {
			return fmt.Errorf("more than %d pairs of a group and an egress port", MaxFlows)
		}
		s.order = append(s.order, f)
	}
	lost := min(leak, packets)
	s.held[dst] = leak - lost
	stored := int64(0)
	c := &s.counts[i]
	c.Received += packets
	for range packets - lost {
		v := s.mmu.Arrive(s.packet(f))
		if v.XOFF {
			c.XOFF++
			c.PauseFrames++
			c.Paused = true
		}
		if v.Drop == mmu.CauseNone {
			stored++
		} else {
			c.Drops++
		}
		if v.Drop.Egress() {
			s.egress[dst]++
		}
	}
	s.flows[f] += stored
	c.Held += stored
	s.waiting += stored
	return nil
}

// Wait lets time pass, in microseconds: paused groups send their pauses again.
func (s *Switch) Wait(us int64) error {
	if us < 0 || us > 1<<40 {
		return errors.New("us: want 0 to 2^40")
	}
	for i := range s.counts {
		if s.counts[i].Paused {
			s.counts[i].PauseFrames += us / Refresh
		}
	}
	return nil
}

// Counters returns the counters of a group. A group that nothing was sent to has none.
func (s *Switch) Counters(g Group) (Counters, error) {
	i, err := s.group(g)
	if err != nil {
		return Counters{}, err
	}
	return s.counts[i], nil
}

// Marks returns the watermarks of a group that has counters, and of its pool in all slices, since they were cleared.
func (s *Switch) Marks(g Group) (shared, headroom, pool cells.Count) {
	i, there := s.groups[g]
	if !there {
		return 0, 0, 0
	}
	at := s.places[i]
	w := s.mmu.Watermarks(at.slice, at.group)
	for slice := range max(s.model.Config.Slices, 1) {
		pool += s.mmu.Watermarks(slice, at.group).Pool
	}
	return w.GroupShared, w.GroupHeadroom, pool
}

// ClearMarks sets all watermarks to what is held.
func (s *Switch) ClearMarks() { s.mmu.ClearWatermarks() }

// Probe is what a check looks for.
type Probe string

// The probes.
const (
	XOFF Probe = "pfc_xoff"     // the packets pause the group
	Drop Probe = "ingress_drop" // the group drops one of the packets
	XON  Probe = "pfc_xon"      // packets that leave resume the group
	// EgressDrop looks for packets that the egress port drops.
	EgressDrop Probe = "egress_drop"
)

// known refuses what is no probe.
func (p Probe) known() error {
	switch p {
	case XOFF, Drop, XON, EgressDrop:
		return nil
	}
	return fmt.Errorf("probe %.40q: want %s, %s, %s, %s", p, XOFF, Drop, XON, EgressDrop)
}

// Check answers a request that [ParseRequest] has read: whether the packets do what its probe looks for.
func (s *Switch) Check(r *Request) (detected bool, err error) {
	if r.Probe == XON {
		return s.checkXON(r)
	}
	return s.checkFill(r)
}

// checkFill sends packets, and looks for a pause or a drop.
func (s *Switch) checkFill(r *Request) (bool, error) {
	if r.Drain == nil || *r.Drain {
		if err := errors.Join(s.Drain(*r.Dst), s.Hold(*r.Dst)); err != nil {
			return false, err
		}
	}
	before, err := s.Counters(r.group())
	dropped := s.egress[*r.Dst]
	if err == nil {
		err = s.Send(r.group(), *r.Dst, *r.Packets, r.length())
	}
	if err != nil {
		return false, err
	}
	after, err := s.Counters(r.group())
	switch r.Probe {
	case Drop:
		return after.Drops > before.Drops, err
	case EgressDrop:
		return s.egress[*r.Dst] > dropped, err
	}
	return after.XOFF > before.XOFF || after.Paused, err
}

// checkXON fills a group until it pauses, drains a part, and looks whether it resumed.
func (s *Switch) checkXON(r *Request) (bool, error) {
	err := errors.Join(s.Drain(*r.Dst), s.Drain(*r.Holder), s.Hold(*r.Dst), s.Hold(*r.Holder))
	if err == nil {
		err = s.Send(r.group(), *r.Dst, *r.Packets, r.length())
	}
	if err == nil {
		err = s.Send(r.group(), *r.Holder, r.Fill-*r.Packets, r.length())
	}
	if err != nil {
		return false, err
	}
	if now, _ := s.Counters(r.group()); !now.Paused {
		return false, fmt.Errorf("fill %d: the group is not paused", r.Fill)
	}
	if err := s.Drain(*r.Dst); err != nil {
		return false, err
	}
	now, err := s.Counters(r.group())
	return !now.Paused, errors.Join(err, s.Drain(*r.Holder))
}
