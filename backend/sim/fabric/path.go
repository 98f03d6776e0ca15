package fabric

import (
	"math"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// path returns the ports that send the frames of a flow, from its host to the last switch; nil if the present routes
// do not lead to its receiver. Its length is bounded by the TTL of the flow, so that a loop of routes ends.
func (s *Sim) path(i int) (ports []int32) {
	f := &s.flows[i]
	at := f.from
	for range int(f.packet.TTL) + 1 {
		ports = append(ports, at)
		peer := &s.ports[at]
		if !peer.linked {
			return nil
		}
		if at = peer.peer; !s.ports[at].isSwitch() {
			if at != f.toPort {
				return nil
			}
			return ports
		}
		sw := &s.switches[s.ports[at].node]
		out := s.routes.To(&sw.routes, s.ways[i].to).Choose(s.ways[i].hash)
		if out < 0 {
			return nil
		}
		at = sw.first + out
	}
	return nil
}

// Alone returns how long a flow would take from its start to its last arrival if it were alone on its path: no other
// traffic, no pause, no window, no shaper. It is false for a flow without end, without a path, or whose frames do not
// all have one length: with frame lengths in turn, messages, bursts, or times of silence.
//
// The flow sends m frames, the last of which may be shorter. A frame of length F takes t_l(F) on link l, preamble and
// gap included, and the link delays it by d_l. A frame leaves link l after it has come from link l-1 and after the
// frame before it has left link l. All frames but the last have one length, so the frame before the last leaves link l
// at
//
//	t_1 + d_1 + ... + t_l + (m-2) * max(t_1, ..., t_l)
//
// and the last one follows the rule link by link. A flow with a rate r sends its frames at least F/r apart, which
// counts like a slower first link.
func (s *Sim) Alone(i int) (unit.Time, bool) {
	f := &s.flows[i]
	payload := s.starting.payload[i]
	// The flow has no end.
	if payload == 0 {
		return 0, false
	}
	if f.sender >= 0 {
		if x := &s.senders[f.sender]; len(x.frames) > 0 || x.message > 0 || x.trace != nil || x.bursts.on > 0 {
			return 0, false
		}
	}
	path := s.path(i)
	if path == nil {
		return 0, false
	}
	each := f.frame - f.header
	whole := (payload - 1) / each // frames before the last
	last := payload - whole*each + f.header
	var slowest int64 // time between two frames, up to this link
	if f.paced {
		slowest = f.frameTime(f.frame + int64(s.ports[path[0]].gap))
	}
	slowest = max(slowest, s.ports[path[0]].frameTime(f.frame))
	// first is when the first frame has come to the link, before when the frame before the last has left it, and at
	// when the last frame has come to it.
	first, before, at := int64(0), int64(0), whole*slowest
	for _, n := range path {
		p := &s.ports[n]
		full := p.frameTime(f.frame)
		slowest = max(slowest, full)
		if whole > 0 {
			before = first + full + (whole-1)*slowest
		}
		at = max(at, before) + p.frameTime(last) + p.delay
		first += full + p.delay
	}
	return unit.Time(at), true
}

// Busy returns for how long a port has sent frames, pause frames included, with preamble and gap. A frame counts when
// it begins. Frames of LLDP, and what a link layer sends beside the frames of queues, are not counted.
func (s *Sim) Busy(e End) unit.Time {
	p := &s.ports[s.port(e)]
	if !p.linked {
		return 0
	}
	pauses := p.past().PauseFramesOut
	bytes := p.bytesOut + p.framesOut*int64(p.gap) + pauses*(s.pauseBytes+int64(p.gap))
	if p.perByte > 0 {
		return unit.Time(bytes * int64(p.perByte))
	}
	return p.rate.TimeFor(bytes * 8)
}

// waypoint is what a switch on the path of a flow does with each of its frames: what the maps of its ports, and the
// routes, say of them. It is found once, and again when a map changes.
type waypoint struct {
	port     *port // on which they leave: that of out
	out      int32 // port on which they leave, among all ports; -1: there is no route
	group    int32 // in the MMU
	cell     int32 // egress queue in the MMU
	slice    int16
	priority uint8
	queue    uint8 // egress queue of the port
}

// enter notes in a packet that it has come to the switch by a port. It is called for the packet in the place where it
// is to stay: a processor waits for short writes before it can copy the whole.
func (w *waypoint) enter(in int32, k *packet.Packet) {
	k.TTL--
	k.Enter(in, w.group)
	k.Priority, k.Cell, k.Slice = w.priority, w.cell, w.slice
}

// charged is a packet as the MMU of the switch charges it.
func (w *waypoint) charged(k *packet.Packet) mmu.Packet {
	return mmu.Packet{Slice: int(w.slice), Group: int(w.group), Queue: int(w.cell), Bytes: unit.Bytes(k.Bytes)}
}

// noWaypoints is in place of the waypoints of a path that has none.
const noWaypoints = math.MinInt32 / 2

// mostWaypoints is the longest path whose waypoints are kept, in switches. The frames of longer ones are looked up.
const mostWaypoints = 8

// lookUp finds the waypoint of a packet that has arrived at a switch's port. The packet's PCP and DSCP are those with
// which it arrived.
func (s *shared) lookUp(p *port, k *packet.Packet) waypoint {
	sw, from := p.sw, p.lookup
	here := waypoint{out: -1, priority: from.priority(k) & (Priorities - 1)}
	way := &s.ways[k.Flow]
	to := way.to
	if k.Feedback() {
		to = way.from
	}
	// All frames of a flow take the same route, in each direction.
	out := s.routes.To(&sw.routes, to).Choose(way.hash)
	if out < 0 {
		return here
	}
	here.out = sw.first + out
	here.port = &s.ports[here.out]
	leaves := here.port.lookup
	here.queue = leaves.queues[here.priority] & (Priorities - 1)
	here.cell = leaves.cells[here.queue]
	here.group = from.groups[here.priority]
	here.slice = sw.slice(p.number, out)
	return here
}

// waypointsOf adds the waypoints of a packet that leaves the port of a host. They have the numbers that packets find by
// their TTL: see way. Paths that are long or lead nowhere have none.
func (s *shared) waypointsOf(at int32, k packet.Packet) (last int32) {
	first, ttl := len(s.waypoints), k.TTL
	for s.ports[at].linked {
		if at = s.ports[at].peer; !s.ports[at].isSwitch() {
			return int32(first) + int32(ttl)
		}
		if k.TTL == 0 || len(s.waypoints) == first+mostWaypoints {
			break
		}
		here := s.lookUp(&s.ports[at], &k)
		if here.out < 0 {
			break
		}
		s.waypoints = append(s.waypoints, here)
		k.TTL--
		at = here.out
		// The next switch sees the PCP that this one sends.
		if s.ports[at].untagged {
			k.PCP = -1
		}
	}
	s.waypoints = s.waypoints[:first]
	return noWaypoints
}

// findWaypoints finds the waypoints of all flows. The routes of a network with failures change, so it keeps none.
func (s *shared) findWaypoints() {
	s.waypoints = s.waypoints[:0]
	for i := range s.flows {
		fl, w := &s.flows[i], &s.ways[i]
		w.waypoints = [...]int32{noWaypoints, noWaypoints, noWaypoints, noWaypoints}
		if len(s.failing.list) > 0 {
			continue
		}
		k := packet.Packet{Flow: int32(i), TTL: fl.packet.TTL, PCP: fl.packet.PCP, DSCP: fl.packet.DSCP}
		w.waypoints[packet.Data] = s.waypointsOf(fl.from, k)
		if fl.sender < 0 {
			continue
		}
		x := &s.senders[fl.sender]
		if x.ackEvery > 0 {
			k.Kind, k.PCP, k.DSCP = packet.ACK, x.ack.PCP, x.ack.DSCP
			w.waypoints[packet.ACK] = s.waypointsOf(fl.toPort, k)
			w.waypoints[packet.NAK] = w.waypoints[packet.ACK]
		}
		if x.rate.On() {
			k.Kind, k.PCP, k.DSCP = packet.CNP, x.cnp.PCP, x.cnp.DSCP
			w.waypoints[packet.CNP] = s.waypointsOf(fl.toPort, k)
		}
	}
}
