package sim

import (
	"errors"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
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
	headroom cells.Count // that the group is given
}

// preambleAndGap is what Ethernet sends with each frame: preamble and gap.
const preambleAndGap unit.Bytes = 20

// WorstFrame returns the size of the frames, up to the longest, that fill a
// memory fastest if so many bytes of gap go with each: 0 for none, 20 for
// Ethernet's. Of equals it is the shortest. With 20 it is [thresholds.WorstFrame].
func WorstFrame(m thresholds.Memory, gap, longest unit.Bytes) unit.Bytes {
	worst, most := thresholds.MinFrame, m.Cell.Packet(thresholds.MinFrame, m.Overhead)
	for n := most; ; n++ {
		size := m.Cell.Bytes(n) - m.Overhead + 1 // the shortest frame of n+1 cells
		if size > longest {
			return worst
		}
		if size > thresholds.MinFrame && int64(n+1)*int64(worst+gap) > int64(most)*int64(size+gap) {
			worst, most = size, n+1
		}
	}
}

// verify runs the worst case: with the headroom as granted, without a limit if
// that lost frames, and with gaps.
func (t *groupRun) verify() (g VerifiedGroup, err error) {
	granted := t.headroom
	g.Granted = granted
	if g.Frame, g.Peak, g.Drops, err = t.run(false); err != nil {
		return g, err
	}
	g.FirstDropBelow = g.Peak
	t.headroom = unlimited
	if g.Drops > 0 {
		if _, g.FirstDropBelow, _, err = t.run(false); err != nil {
			return g, err
		}
	}
	if g.WithGaps.Frame, g.WithGaps.FirstDropBelow, _, err = t.run(true); err != nil {
		return g, err
	}
	t.headroom = granted
	g.Margin, g.WithGaps.Margin = granted-g.FirstDropBelow, granted-g.WithGaps.FirstDropBelow
	g.MarginMetres, err = t.metres(g.Margin, g.Frame)
	return g, err
}

// frame is the size of the frames for the link.
func (v *verifier) frame(l thresholds.Link, gap unit.Bytes) unit.Bytes {
	if v.o.Frame > 0 {
		return min(v.o.Frame, l.LosslessMTU)
	}
	return WorstFrame(v.in.Chip.Memory(), gap, l.LosslessMTU)
}

// metres turns a margin into a length of cable: whole frames, which cross it
// there while the pause crosses it back.
func (t *groupRun) metres(margin cells.Count, frame unit.Bytes) (int64, error) {
	long := t.link
	long.Cable, long.Delay, long.Extra = thresholds.MaxCable, 0, 0
	d, err := t.v.delays.LinkDelays(long)
	if err != nil {
		return 0, err
	}
	frames := floorDiv(int64(margin), int64(t.v.in.Chip.Cell.Packet(frame, t.v.in.Chip.Overhead)))
	perKilometre := d.Cable / int64(thresholds.MaxCable/unit.Kilometre) * 2
	return floorDiv(frames*int64(frame)*8*1000, perKilometre), nil
}

// floorDiv rounds down, below 0 too.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// run lets the worst case happen and returns the frames that were sent, the peak
// of the headroom, and how many frames were lost.
func (t *groupRun) run(gaps bool) (frame unit.Bytes, peak cells.Count, drops int64, err error) {
	s := worstCase{v: t.v, slice: t.slice, gaps: gaps, fillShared: true}
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

// worstCase is one run: ports that fill their groups, and a port that sends nothing.
type worstCase struct {
	v          *verifier
	slice      int
	gaps       bool
	fillShared bool // groups fill their reserved cells and what is left of the pool first
	ports      []sendingPort
	pool       cells.Count // limit of the headroom pool
}

type sendingPort struct {
	port   *buffer.Port
	groups []filledGroup
}

type filledGroup struct {
	group    int
	link     thresholds.Link
	headroom cells.Count
}

func (s *worstCase) frameOf(l thresholds.Link) unit.Bytes {
	if s.gaps {
		return s.v.frame(l, preambleAndGap)
	}
	return s.v.frame(l, 0)
}

// run plays it to its end.
func (s *worstCase) run() (*fabric.Sim, error) {
	net, span, err := s.network()
	if err != nil {
		return nil, err
	}
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
	s.fill(m, filler)
	sim.Block(0, len(s.ports))
	sim.Run(span)
	if sim.Summary().PauseSent == 0 {
		return nil, errors.New("the worst case was not reached: nobody was paused")
	}
	return sim, sim.Check()
}

// sharedLeft is how much of the shared pool is left to a single group: enough for two
// frames under its limit.
func (s *worstCase) sharedLeft() cells.Count {
	if !s.fillShared {
		return 0
	}
	g := s.ports[0].groups[0]
	n := s.v.in.Chip.Cell.Packet(s.frameOf(g.link), s.v.in.Chip.Overhead)
	free := 4 * n
	if l := s.v.values.limit(s.ports[0].port.Name, g.group); l.Mode() == thresholds.DynamicLimit && l.Alpha() < 0 {
		free += 2 * n << -l.Alpha()
	}
	return free
}

// fill has others take the shared pool, but for what is spare.
func (s *worstCase) fill(m *mmu.MMU, filler int) {
	n := s.v.asic.shared(s.v.values, s.slice) - s.sharedLeft()
	if bytes := s.v.in.Chip.Cell.Bytes(n) - s.v.in.Chip.Overhead; n > 0 && bytes > 0 {
		m.Arrive(mmu.Packet{Slice: s.slice, Group: filler, Bytes: bytes})
	}
}

// network is the senders, the switch, and a host behind the switch's last port,
// to which they all send.
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
		net.Wire = fabric.Wire{Bare: true, Pause: thresholds.MinFrame + preambleAndGap}
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
	net.Switches = []fabric.Switch{sw}
	return net, end, nil
}

// sender adds a port's sender, its link and its flows: one for each group, a
// span after the other, because the line cannot fill two at once.
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
		host.Response = max(roundedDown(d.Response, p.port.Rate)-responseMargin, 0)
		host.AfterPause = max(host.AfterPause, g.link.LosslessMTU+preambleAndGap)
		link.Delay, link.Interface = roundedDown(d.Cable, p.port.Rate), roundedDown(d.Interface, p.port.Rate)
		sw.Ports[i].Wait = p.port.MTU
		if !s.gaps {
			sw.Ports[i].Wait += preambleAndGap
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
	net.Hosts, net.Links = append(net.Hosts, host), append(net.Links, link)
	return nil
}

// responseMargin is by how much the response stays under its bound: see [Verification].
const responseMargin = 4 * unit.Picosecond

// roundedDown is the time of so many bits, rounded down.
func roundedDown(bits int64, rate unit.BitRate) unit.Time {
	t := rate.TimeFor(bits)
	if t > 0 && rate.BitsIn(t) > bits {
		t--
	}
	return t
}

// span is how long the longest of the groups takes: what it fills first, and
// twice the sum of the delays.
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
			span = max(span, p.port.Rate.TimeFor(frames*int64(frame+preambleAndGap)*8+2*d.Total()))
		}
	}
	return span, nil
}
