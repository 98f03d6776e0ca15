package sim

import (
	"errors"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// groupRun is the worst case of one group.
type groupRun struct {
	v        *verifier
	port     *buffer.Port
	link     thresholds.Link
	group    int
	slice    int
	headroom cells.Count // granted to the group, or unlimited
}

// verify runs the worst case with the granted headroom. If frames are lost, it
// runs again without a limit to measure what the group needs. A last run has
// gaps between the frames.
func (t *groupRun) verify() (g report.VerifiedGroup, err error) {
	granted := t.headroom
	g.Granted = granted
	d, err := t.v.delays.LinkDelays(t.link)
	if err != nil {
		return g, err
	}
	g.Delays = d.Sum
	if g.Frame, g.Peak, g.Drops, err = t.run(false, 0); err != nil {
		return g, err
	}
	g.FirstDropBelow = g.Peak
	t.headroom = unlimited
	if g.Drops > 0 {
		if _, g.FirstDropBelow, _, err = t.run(false, 0); err != nil {
			return g, err
		}
	}
	if g.WithGaps.Frame, g.WithGaps.FirstDropBelow, _, err = t.run(true, 0); err != nil {
		return g, err
	}
	t.headroom = granted
	g.Margin, g.WithGaps.Margin = granted-g.FirstDropBelow, granted-g.WithGaps.FirstDropBelow
	if g.MarginMetres, err = t.metres(g.Margin, g.Frame); err != nil {
		return g, err
	}
	return g, t.sufficient(&g)
}

// sufficient says what the granted headroom is enough for. A size of frames
// that is not the shortest is simulated.
func (t *groupRun) sufficient(g *report.VerifiedGroup) error {
	a, err := t.v.arrivalOf(t.link)
	if err != nil {
		return err
	}
	all := arrivals{a: 1}
	g.Assumed = a.rate.TimeFor(a.delays)
	g.Sufficient = t.v.enough(all, g.Granted, 0)
	g.WithGaps.Sufficient = t.v.enough(all, g.Granted, thresholds.WireBytes)
	if g.Sufficient.Frames, err = t.simulated(g.Sufficient.Frames, false); err != nil {
		return err
	}
	g.WithGaps.Sufficient.Frames, err = t.simulated(g.WithGaps.Sufficient.Frames, true)
	return err
}

// simulated returns the first size, from the given one on, that is not the
// shortest and of which no frame is lost in a run, or 0. The given
// one is, unless the sum and the simulation disagree.
func (t *groupRun) simulated(frame unit.Bytes, gaps bool) (unit.Bytes, error) {
	if frame <= thresholds.MinFrame {
		return frame, nil
	}
	for ; frame <= t.link.LosslessMTU; frame++ {
		if _, _, drops, err := t.run(gaps, frame); err != nil || drops == 0 {
			return frame, err
		}
	}
	return 0, nil
}

// frame returns the size of the frames for a class with this longest frame.
func (v *verifier) frame(longest, gap unit.Bytes) unit.Bytes {
	if v.o.Frame > 0 {
		return min(v.o.Frame, longest)
	}
	return thresholds.WorstFrame(v.in.Chip.Memory(), gap, longest)
}

// metres converts a margin in cells to a length of cable. The margin is first
// rounded down to whole frames. A metre of cable counts twice, because the
// pause frame crosses it in one direction while data arrives from the other.
func (t *groupRun) metres(margin cells.Count, frame unit.Bytes) (int64, error) {
	long := t.link
	long.Cable, long.Delay, long.Extra, long.MACsec = thresholds.MaxCable, unit.Optional[unit.Time]{}, 0, false
	long.Measured = thresholds.Measurement{}
	d, err := t.v.delays.LinkDelays(long)
	if err != nil {
		return 0, err
	}
	frames := floorDiv(int64(margin), int64(t.v.in.Chip.Cell.Packet(frame, t.v.in.Chip.Overhead)))
	// d.Cable is in bits at the link's rate, for the longest cable, so that the
	// rounding of one metre's delay does not count.
	perKilometre := d.Cable / int64(thresholds.MaxCable/unit.Kilometre) * 2
	return floorDiv(frames*int64(frame)*8*1000, perKilometre), nil
}

// floorDiv divides and rounds towards minus infinity: a missing margin must not
// look smaller than it is.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// run runs the worst case once and returns the size of the frames, the peak of
// the headroom, and the number of lost frames. A frame size of 0 is that of the
// worst case.
func (t *groupRun) run(gaps bool, size unit.Bytes) (frame unit.Bytes, peak cells.Count, drops int64, err error) {
	// A chip that pauses with the frame that fills the shared part has this frame there.
	// But other groups can take the shared cells before: then it refuses the frame that
	// causes the pause, as any chip does.
	s := worstCase{v: t.v, slice: t.slice, gaps: gaps, size: size, fillShared: !t.v.o.Behaviour.Rule.PauseAtLimit}
	s.ports = []sendingPort{{port: t.port, groups: []filledGroup{{t.group, t.link, t.headroom}}}}
	s.pool = headroomPool(t.v.values, t.slice)
	if t.headroom == unlimited {
		s.pool = unlimited
	}
	sim, err := s.run()
	if err != nil {
		return 0, 0, 0, err
	}
	return s.frameOf(t.link), sim.MMU(0).Watermarks(t.slice, t.group).GroupHeadroom, sim.Summary().Drops, nil
}

// worstCase is one run: ports that fill their groups, and one more port whose
// egress is blocked.
type worstCase struct {
	v          *verifier
	slice      int
	gaps       bool       // frames have preamble and gap
	size       unit.Bytes // of the frames; 0: that of the worst case
	fillShared bool       // the groups first fill their reserved cells and the rest of the shared pool
	ports      []sendingPort
	pool       cells.Count // size of the headroom pool
	egress     bool        // the egress has its limits, and nothing fills the shared pool beforehand
}

// sendingPort is a port with a sender that fills the port's groups.
type sendingPort struct {
	port   *buffer.Port
	groups []filledGroup
}

// filledGroup is a group that a sender fills.
type filledGroup struct {
	group    int
	link     thresholds.Link
	headroom cells.Count
}

// frameOf returns the size of the frames on a link.
func (s *worstCase) frameOf(l thresholds.Link) unit.Bytes {
	switch {
	case s.size > 0:
		return min(s.size, l.LosslessMTU)
	case s.gaps:
		return s.v.frame(l.LosslessMTU, thresholds.WireBytes)
	}
	return s.v.frame(l.LosslessMTU, 0)
}

// run builds the network, fills the pool, blocks the egress, and runs until
// every sender has been stopped.
func (s *worstCase) run() (*fabric.Sim, error) {
	net, span, err := s.network()
	if err != nil {
		return nil, err
	}
	// The last group belongs to no port. It takes the shared pool.
	filler := len(net.Switches[0].MMU.Groups) - 1
	sim, err := fabric.New(net)
	if err != nil {
		return nil, err
	}
	m := sim.MMU(0)
	if err := errors.Join(s.v.asic.tunePool(m, s.v.values, s.slice),
		m.SetHeadroomPool(s.slice, 0, s.pool)); err != nil {
		return nil, err
	}
	if s.egress {
		s.fillEgress(m, filler)
	} else {
		s.fill(m, filler)
	}
	sim.Block(0, len(s.ports))
	if err := s.runFor(sim, span); err != nil {
		return nil, err
	}
	if sim.Summary().PauseSent == 0 && !s.egress {
		return nil, errors.New("the worst case was not reached: no port was paused")
	}
	return sim, sim.Check()
}

// runFor runs a simulation in parts, and ends between two of them when the
// context has ended.
func (s *worstCase) runFor(sim *fabric.Sim, span unit.Time) error {
	part := span
	for _, p := range s.ports {
		const frames = 100_000 // of all ports in a part: it takes some hundredths of a second
		each := max(frames/int64(len(s.ports)), 1)
		part = min(part, max(p.port.Rate.TimeFor(each*int64(thresholds.MinFrame)*8), unit.Nanosecond))
	}
	for now := unit.Time(0); now < span; {
		if err := s.v.ctx.Err(); err != nil {
			return err
		}
		s.v.progress(int(float64(now) / float64(span) * partSize))
		now += min(part, span-now)
		sim.Run(now)
	}
	return s.v.ctx.Err()
}

// sharedLeft is how many shared cells are left for the group when the run
// begins: enough for at least two frames under its limit. Under a dynamic limit
// with an alpha below 1 a group gets only the fraction alpha of what is free,
// so more must be free.
func (s *worstCase) sharedLeft() cells.Count {
	if !s.fillShared {
		return 0
	}
	if s.egress {
		return s.v.asic.shared(s.v.values, s.slice) // the groups fill all of it
	}
	g := s.ports[0].groups[0]
	n := s.v.in.Chip.Cell.Packet(s.frameOf(g.link), s.v.in.Chip.Overhead)
	free := 4 * n
	if l := s.v.values.limit(s.ports[0].port.Name, g.group); l.Mode() == thresholds.DynamicLimit && l.Alpha() < 0 {
		free += 2 * n << -l.Alpha()
	}
	return free
}

// fill charges one large packet of another group to the shared pool. It leaves
// what sharedLeft returns.
func (s *worstCase) fill(m *mmu.MMU, filler int) {
	n := s.v.asic.shared(s.v.values, s.slice) - s.sharedLeft()
	if bytes := s.v.in.Chip.Cell.Bytes(n) - s.v.in.Chip.Overhead; n > 0 && bytes > 0 {
		m.Arrive(mmu.Packet{Slice: s.slice, Group: filler, Bytes: bytes})
	}
}

// network builds the senders, the switch, and a host behind the switch's last
// port, to which all frames are addressed. It also returns the time at which
// all groups have been filled.
func (s *worstCase) network() (fabric.Network, unit.Time, error) {
	names := make([]string, len(s.ports)+1)
	for i, p := range s.ports {
		names[i] = p.port.Name
	}
	sink := len(s.ports)
	sw := s.v.asic.switchOf(s.v.values, names, s.v.o.Behaviour)
	sw.Slice = func(int, int) int { return s.slice }
	sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Unlimited()})
	net := fabric.Network{}
	if !s.gaps {
		net.Wire = fabric.Wire{Bare: true, Pause: thresholds.MinFrame + thresholds.WireBytes}
	}
	span, err := s.span()
	if err != nil {
		return net, 0, err
	}
	turns := 0
	for i, p := range s.ports {
		if err := s.sender(&net, &sw, i, p, span); err != nil {
			return net, 0, err
		}
		turns = max(turns, len(p.groups))
	}
	end := span * unit.Time(turns)
	net.Hosts = append(net.Hosts, fabric.Host{Name: "sink"})
	net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(sink), B: fabric.AtSwitch(0, sink),
		Rate: s.ports[0].port.Rate})
	if s.egress {
		s.limitEgress(&sw)
	}
	net.Switches = []fabric.Switch{sw}
	return net, end, nil
}

// sender adds a port's sender, its link and its flows. The flows of a port
// start one span after another, because a line can fill one group at a time.
func (s *worstCase) sender(net *fabric.Network, sw *fabric.Switch, i int, p sendingPort, span unit.Time) error {
	host := fabric.Host{Name: p.port.Name}
	link := fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: p.port.Rate}
	if !s.fillShared {
		sw.MMU.PortPools[i].Reserved = 0
	}
	for k, g := range p.groups {
		d, err := s.v.delays.LinkDelays(g.link)
		if err != nil {
			return err
		}
		host.PFC |= pfc.Of(g.group)
		host.Response = max(p.port.Rate.TimeWithin(d.Response)-responseMargin, 0)
		host.AfterPause = max(host.AfterPause, g.link.LosslessMTU+thresholds.WireBytes)
		link.Delay, link.Interface = p.port.Rate.TimeWithin(d.Cable), p.port.Rate.TimeWithin(d.Interface)
		sw.Ports[i].Wait = p.port.MTU
		if !s.gaps {
			sw.Ports[i].Wait += thresholds.WireBytes
		}
		group := &sw.MMU.Groups[i*pg.PerPort+g.group]
		group.Headroom = min(g.headroom, unlimited)
		if !s.fillShared {
			group.Reserved = 0
		}
		net.Flows = append(net.Flows, fabric.Flow{From: i, To: len(s.ports), Priority: g.group, PCP: g.group,
			Frame: s.frameOf(g.link), Start: unit.Time(k) * span})
	}
	sw.Ports[i].PFC = host.PFC
	sw.Ports[i].Trust, sw.Ports[i].Map = fabric.TrustPCP, nil // every frame comes into the group that it is to fill
	net.Hosts, net.Links = append(net.Hosts, host), append(net.Links, link)
	return nil
}

// responseMargin is how much the sender's response stays below its bound: see
// [report.Verification].
const responseMargin = 4 * unit.Picosecond

// span is the time that the slowest group needs: to fill its reserved and
// shared cells, and then twice the sum of the delays.
func (s *worstCase) span() (span unit.Time, err error) {
	for _, p := range s.ports {
		for _, g := range p.groups {
			d, err := s.v.delays.LinkDelays(g.link)
			if err != nil {
				return 0, err
			}
			frame := s.frameOf(g.link)
			first := s.sharedLeft() + cells.Count(s.v.values.of(buffer.GroupReserved, p.port.Name, g.group)+
				s.v.values.of(buffer.PortMinimum, p.port.Name, 0))
			frames := int64(first/s.v.in.Chip.Cell.Packet(frame, s.v.in.Chip.Overhead)) + 8
			span = max(span, p.port.Rate.TimeFor(frames*int64(frame+thresholds.WireBytes)*8+2*d.Total()))
		}
	}
	return span, nil
}
