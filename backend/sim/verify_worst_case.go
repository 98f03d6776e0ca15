package sim

import (
	"errors"
	"slices"

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
	filledGroup
	v     *verifier
	port  *buffer.Port
	slice int
}

// verify runs the worst case with the granted headroom. If frames are lost, it
// runs again without a limit to measure what the group needs.
func (t *groupRun) verify() (g report.VerifiedGroup, err error) {
	granted := t.headroom
	w, err := t.v.worstCaseOf(t.link)
	if err != nil {
		return g, err
	}
	a := t.v.arrivalFrom(t.v.shortest(), t.link, w.Total())
	g.Granted, g.Delays, g.Assumed, g.Frame, g.Frames = granted, w.Sum, w.Ends, a.most(), a.String()
	if g.Peak, g.Drops, err = t.run(t.v.shortest()); err != nil {
		return g, err
	}
	g.FirstDropBelow = g.Peak
	if g.Drops > 0 {
		t.headroom = unlimited
		if g.FirstDropBelow, _, err = t.run(t.v.shortest()); err != nil {
			return g, err
		}
		t.headroom = granted
	}
	g.Margin = granted - g.FirstDropBelow
	if g.MarginMetres, err = t.metres(w); err != nil {
		return g, err
	}
	return g, t.sufficient(&g, w)
}

// sufficient says what the granted headroom is enough for. A size of frames that is not the shortest is simulated.
// Where the plan's own delays are a vendor's, it says the same for these.
func (t *groupRun) sufficient(g *report.VerifiedGroup, w thresholds.WorstCase) (err error) {
	g.Sufficient.Frames, g.Sufficient.Delays = w.Holds(g.Granted)
	g.Sufficient.Frames, err = t.v.simulated(g.Sufficient.Frames, t.link.LosslessMTU, func(f unit.Bytes) (int64, error) {
		_, drops, err := t.run(f)
		return drops, err
	})
	if err != nil {
		return err
	}
	if sum, ok := t.v.vendorDelays(); ok {
		vendor := thresholds.IEEE{Delays: thresholds.Delays{Sum: sum}}.WorstCase(t.link, t.v.in.Chip.Memory())
		if vendor.Known {
			g.Vendor = &report.VendorSufficiency{Delays: sum, Allowed: vendor.Ends}
			g.Vendor.Frames, _ = vendor.Holds(g.Granted)
		}
	}
	return nil
}

// simulated returns the smallest size, from the given one to the longest, with which no run loses frames; 0: there is
// none. It is the given one, unless the sum and the simulation disagree.
func (v *verifier) simulated(frame, longest unit.Bytes, drops func(unit.Bytes) (int64, error)) (unit.Bytes, error) {
	if frame <= v.shortest() {
		return frame, nil
	}
	for ; frame <= longest; frame++ {
		if n, err := drops(frame); err != nil || n == 0 {
			return frame, err
		}
	}
	return 0, nil
}

// metres converts the margin to a length of cable, rounded down: how much longer the cable may be with the granted
// cells. A metre of cable counts twice, because the pause frame crosses it in one direction while data arrives from the
// other.
func (t *groupRun) metres(w thresholds.WorstCase) (int64, error) {
	long := t.link
	long.Cable, long.Delay, long.Extra, long.MACsec = thresholds.MaxCable, unit.Optional[unit.Time]{}, 0, false
	long.Measured = thresholds.Measurement{}
	d, err := t.v.delays.LinkDelays(long)
	if err != nil {
		return 0, err
	}
	// d.Cable is in bits at the link's rate, for the longest cable, so that the
	// rounding of one metre's delay does not count.
	perKilometre := d.Cable / int64(thresholds.MaxCable/unit.Kilometre) * 2
	longer := w.Longer(t.headroom, t.v.shortest()) * 1000
	if longer%perKilometre < 0 { // a missing margin must not look smaller than it is
		return longer/perKilometre - 1, nil
	}
	return longer / perKilometre, nil
}

// run runs the worst case once, with frames from a size on, and returns the peak of
// the headroom and the number of lost frames.
func (t *groupRun) run(shortest unit.Bytes) (peak cells.Count, drops int64, err error) {
	s := worstCase{v: t.v, slice: t.slice, shortest: shortest, pool: headroomPool(t.v.values, t.slice)}
	s.ports = []sendingPort{{port: t.port, groups: []filledGroup{t.filledGroup}}}
	if t.headroom == unlimited {
		s.pool = unlimited
	}
	sim, err := s.run()
	if err != nil {
		return 0, 0, err
	}
	return sim.MMU(0).Watermarks(t.slice, t.group).GroupHeadroom, sim.Summary().Drops, nil
}

// worstCase is one run: ports that fill their groups, and one more port whose egress is blocked. Unless the egress is
// what is looked at, the reserved and shared cells are full from the start: other groups can take the last of them
// before, and then the frame that causes the pause is in the headroom, on any chip.
type worstCase struct {
	v        *verifier
	slice    int
	shortest unit.Bytes // of the frames
	ports    []sendingPort
	pool     cells.Count // size of the headroom pool
	egress   bool        // the egress has its limits, and the groups fill all their cells
}

// sendingPort is a port with a sender that fills the port's groups.
type sendingPort struct {
	port   *buffer.Port
	groups []filledGroup
}

// filledGroup is a group that a sender fills.
type filledGroup struct {
	group    int
	class    string
	link     thresholds.Link
	headroom cells.Count // granted to the group, or unlimited
}

// run builds the network, fills the pool, blocks the egress, and runs until every sender has been stopped.
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

// runFor runs a simulation in parts, and ends between two of them when the context has ended.
func (s *worstCase) runFor(sim *fabric.Sim, span unit.Time) error {
	part := span
	for _, p := range s.ports {
		const frames = 20_000 // of all ports in a part: it takes some milliseconds
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

// fill charges one large packet of another group to the shared pool, all of it.
func (s *worstCase) fill(m *mmu.MMU, filler int) {
	n := s.v.asic.shared(s.v.values, s.slice)
	if bytes := s.v.in.Chip.Cell.Bytes(n) - s.v.in.Chip.Overhead; n > 0 && bytes > 0 {
		m.Arrive(mmu.Packet{Slice: s.slice, Group: filler, Bytes: bytes})
	}
}

// network builds the senders, the switch, and a host behind the switch's last port, to which all frames are addressed.
// It also returns the time at which all groups have been filled.
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
	if s.egress { // the sink's queues have their limits, and one queue more what lossy classes have in the pools
		LimitEgress(s.v.in, &sw, sink)
		sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Unlimited(), Pool: s.lossyPool()})
	}
	net.Switches = []fabric.Switch{sw}
	return net, end, nil
}

// sender adds a port's sender, its link and its flows. The flows of a port
// start one span after another, because a line can fill one group at a time.
func (s *worstCase) sender(net *fabric.Network, sw *fabric.Switch, i int, p sendingPort, span unit.Time) error {
	host := fabric.Host{Name: p.port.Name}
	link := fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: p.port.Rate}
	if !s.egress {
		sw.MMU.PortPools[i].Reserved = 0
	}
	for k, g := range p.groups {
		d, err := s.v.delays.LinkDelays(g.link)
		if err != nil {
			return err
		}
		host.PFC |= pfc.Of(g.group)
		host.AfterPause[g.group] = g.link.LosslessMTU + thresholds.WireBytes
		link.Delay, link.Interface = p.port.Rate.TimeWithin(d.Cable), p.port.Rate.TimeWithin(d.Interface)
		sw.Ports[i].Wait = p.port.MTU
		host.Response = responseWithin(p.port.Rate, d, &link)
		group := &sw.MMU.Groups[i*pg.PerPort+g.group]
		group.Headroom = min(g.headroom, unlimited)
		if !s.egress {
			group.Reserved = 0
		}
		net.Flows = append(net.Flows, s.flows(i, g, d.Total(), unit.Time(k)*span)...)
	}
	sw.Ports[i].PFC = host.PFC
	sw.Ports[i].Trust, sw.Ports[i].Map = fabric.TrustPCP, nil // every frame comes into the group that it is to fill
	net.Hosts, net.Links = append(net.Hosts, host), append(net.Links, link)
	return nil
}

// responseWithin returns the response time with which all delays of a link together end a picosecond before the bound,
// whatever each of them loses by rounding: see [report.Verification].
func responseWithin(rate unit.BitRate, d thresholds.LinkDelays, link *fabric.Link) unit.Time {
	left := rate.TimeFor(d.Total()) - unit.Picosecond - rate.TimeFor(d.Longest) - rate.TimeFor(d.Pause) -
		rate.TimeFor(d.Begun) - 2*link.Interface - 2*link.Delay
	if left < 0 { // ends that take no time: a cable may be a picosecond shorter
		link.Delay = max(link.Delay-unit.Picosecond, 0)
	}
	return max(left, 0)
}

// flows are the frames that fill a group: the frame that causes the pause, the few frames of the worst mixture that
// are not of its most frequent size, and then this size without end.
func (s *worstCase) flows(i int, g filledGroup, bits int64, start unit.Time) []fabric.Flow {
	a := s.v.arrivalFrom(s.shortest, g.link, bits)
	most := fabric.Flow{From: i, To: len(s.ports), Priority: g.group, PCP: g.group, Frame: a.most(), Start: start}
	if s.egress {
		return []fabric.Flow{most}
	}
	first := most
	for _, f := range a.first() {
		// The last of these frames is on the line when the other flow begins to wait for it.
		most.Start = start + unit.Picosecond + g.link.Rate.TimeFor(int64(first.Size)*8+
			int64(len(first.Sender.Frames))*int64(thresholds.WireBytes)*8)
		first.Sender.Frames, first.Size = append(first.Sender.Frames, f), first.Size+f
	}
	first.Frame = g.link.LosslessMTU
	return []fabric.Flow{first, most}
}

// arrival is the frames of a worst case.
type arrival struct {
	thresholds.Arrival
	shortest unit.Bytes
}

// arrivalFrom returns the frames of the worst case, from a size on, that arrive in so many bit times on a link.
func (v *verifier) arrivalFrom(shortest unit.Bytes, l thresholds.Link, bits int64) arrival {
	shortest = min(shortest, l.LosslessMTU)
	return arrival{thresholds.WorstArrival(bits, shortest, l.LosslessMTU, thresholds.WireBytes, v.in.Chip.Memory()),
		shortest}
}

// most is the size that most of the frames have; the shortest if only the frame that causes the pause arrives.
func (a arrival) most() unit.Bytes { return max(a.Mixture[len(a.Mixture)-1].Size, a.shortest) }

// first lists the frames before those of the most frequent size.
func (a arrival) first() []unit.Bytes {
	out := []unit.Bytes{a.First}
	for _, f := range a.Mixture[:len(a.Mixture)-1] {
		out = append(out, slices.Repeat([]unit.Bytes{f.Size}, int(f.Frames))...)
	}
	return out
}

// span is the time that the slowest group needs: to fill its reserved and
// shared cells if they are to be filled, and then twice the sum of the delays.
func (s *worstCase) span() (span unit.Time, err error) {
	for _, p := range s.ports {
		for _, g := range p.groups {
			d, err := s.v.delays.LinkDelays(g.link)
			if err != nil {
				return 0, err
			}
			bits := 8*thresholds.FrameBits(g.link.LosslessMTU) + 2*d.Total()
			if s.egress {
				most := s.v.arrivalFrom(s.shortest, g.link, d.Total()).most()
				first := s.v.asic.shared(s.v.values, s.slice) +
					cells.Count(s.v.values.of(buffer.GroupReserved, p.port.Name, g.group)+
						s.v.values.of(buffer.PortMinimum, p.port.Name, 0))
				bits += int64(first/s.v.in.Chip.Cell.Packet(most, s.v.in.Chip.Overhead)) * thresholds.FrameBits(most)
			}
			span = max(span, p.port.Rate.TimeFor(bits))
		}
	}
	return span, nil
}
