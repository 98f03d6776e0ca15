// Package fabric is a discrete-event simulator of hosts, links and switches. A
// switch's memory is an [mmu.MMU]. Time is exact to the picosecond and memory
// to the cell.
//
// A [Network] describes the hosts, switches, links and flows. [New] validates
// it and returns a [Sim]. [Sim.Run] runs the simulation up to a time.
// [Sim.Summary] returns the result. The same network and seed give the same
// events in the same order on every machine.
//
// A port sends one frame at a time, with preamble and gap. The last bit arrives
// after the delay of the cable and the interfaces. A switch stores and
// forwards: the MMU admits a frame when its last bit has arrived, and the
// frame's cells are given back when its last bit has left. A pause frame waits
// for the frame that its port is sending, and goes before all others. The
// receiver obeys it after a response time, and finishes the frame that it has
// begun.
//
// Where to find what, from the ground up:
//
//   - network.go and the types it names: what is simulated. ets.go: how queues share a link; marking.go: ECN;
//     sender.go: windows, acknowledgements, DCQCN; dcbx.go: LLDP with DCBX; link_layer.go: credits (CBFC), link-layer
//     retry and errors; pfc_watchdog.go; failure.go. validate.go and budget.go refuse what cannot be simulated.
//   - port.go, node.go, flow.go, sim.go: the state of a simulation
//   - frames.go: a frame on its way; host.go and senders.go: at the ends; switch.go: through a switch
//   - pause.go, lldp.go, layer.go, faults.go: what stops frames
//   - elided.go: the events that need not happen
//   - windows.go: runs, in parts and by several workers, and the event loop of a part
//   - build.go and build_flows.go: from a network to its state
//   - summary.go, path.go, deadlock.go: what a simulation tells; reconfigure.go: what can be
//     changed; fast_forward.go: steady states are leaped over
//
// The clock, the packets and their queues, the scheduler of a port, the two points of DCQCN, the routes and the link
// layer are packages of their own in internal. They know nothing of this one.
package fabric

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Network describes what is simulated.
type Network struct {
	Hosts    []Host
	Switches []Switch
	Links    []Link
	Flows    []Flow
	Wire     Wire   // zero: Ethernet
	Seed     uint64 // of all random numbers

	Failures      []Failure // faults and their times
	DeadlockEvery unit.Time // time between looks for deadlocks: see [Sim.FoundDeadlocks]; 0: none
}

// Wire describes what links add to frames. The zero Wire is Ethernet.
type Wire struct {
	Gap   unit.Bytes // preamble and gap sent with each frame; 0: 20 bytes, IEEE 802.3
	Pause unit.Bytes // length of a pause frame, without preamble and gap; 0: 64 bytes
	Bare  bool       // no preamble and no gap
	// Endless pauses last until a frame ends them: pause frames have no time,
	// and are not repeated.
	Endless bool
	// InOrder makes events of the same picosecond happen in the order in which
	// they were scheduled, as in other simulators. Otherwise they happen in the
	// order of the ports.
	InOrder bool
	// OneRing makes all flows of a host take turns, whatever their class, as the
	// queue pairs of a host do in ns-3's RdmaEgressQueue (HPCC,
	// qbb-net-device.cc). Otherwise the classes take turns, and the flows of each.
	OneRing bool
}

// End names a port of a host or a switch.
type End struct {
	Switch bool
	Node   int // index into Network.Switches or Network.Hosts
	Port   int // port of a switch; a host has only port 0
}

// AtHost returns a host's port.
func AtHost(host int) End { return End{Node: host} }

// AtSwitch returns a switch's port.
func AtSwitch(node, port int) End { return End{Switch: true, Node: node, Port: port} }

// String returns "host 3" or "switch 1 port 4".
func (e End) String() string {
	if !e.Switch {
		return fmt.Sprintf("host %d", e.Node)
	}
	return fmt.Sprintf("switch %d port %d", e.Node, e.Port)
}

// Link connects two ports. Both directions have the same rate and delay.
type Link struct {
	A, B      End
	Rate      unit.BitRate
	Delay     unit.Time  // of the cable, one way
	Interface unit.Time  // of the interfaces, one way: transmit at one end and receive at the other
	Layer     *LinkLayer // credits, retry and errors; nil: none
}

// Host sends flows into its link and accepts what arrives.
type Host struct {
	Name     string
	PFC      pfc.Priorities // priorities whose pause frames it obeys
	Link     pfc.LinkRule   // how it obeys 802.3x PAUSE, which stops all priorities
	Response unit.Time      // from the last bit of a pause frame to the last moment at which it begins a frame

	// AfterPause is what the host still sends of each class after a pause has
	// taken effect: frames that its NIC has already handed to the transmitter.
	// Frames of the class are sent as long as they end within the time that so
	// many bytes take on the wire, with preamble and gap. The frame in flight
	// counts, and is finished in any case. 0: only the frame in flight.
	AfterPause [Priorities]unit.Bytes

	DCBX *DCBX // its LLDP with DCBX; nil: it sends none and reads none
}

// Switch describes a switch and its MMU.
type Switch struct {
	Name  string
	MMU   mmu.Config
	Ports []SwitchPort

	// Slice returns the memory slice for a packet from port in to port out;
	// nil: always slice 0.
	Slice func(in, out int) int
	// Routes returns the ports that lead to a host. A hash of the flow chooses
	// one. nil: all shortest routes.
	Routes func(host int) []int

	Rule   AdmissionRule // admits packets in place of the MMU; nil: the MMU does
	Quanta uint16        // pause time of its frames; 0: 65535
	// ReleaseAtStart gives back a frame's cells when it begins to leave.
	// Otherwise they are given back when it has left.
	ReleaseAtStart bool
	// LinkPause sends 802.3x PAUSE, which stops all priorities, in place of
	// PFC.
	LinkPause bool
	// OwnXON considers only a packet's own group for XON when the packet
	// leaves. Otherwise every paused group is resumed as soon as its limit
	// allows.
	OwnXON bool
	// TrimDSCP is the DSCP, 0 to 63, of what is left of trimmed frames: see [mmu.Config.Trim].
	TrimDSCP int
}

// AdmissionRule admits packets in place of a switch's MMU. With it the
// simulator runs the rule of another simulator, for comparison: see package
// peer. A switch with a rule needs no mmu.Config.
type AdmissionRule interface {
	// Arrive admits a frame or drops it. xoff says that the frame's priority
	// must be paused on port in, and is not paused yet.
	Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool)
	// Leave gives back the memory of an admitted frame. xon says that the
	// priority may be resumed on port in.
	Leave(in, out, priority int, bytes unit.Bytes) (xon bool)
}

// SwitchPort describes a port of a switch, for both directions.
type SwitchPort struct {
	Name  string
	Trust Trust      // field of a packet that gives its priority
	Map   *[64]uint8 // priority of each PCP (0 to 7) or DSCP; nil: the PCP itself, or DSCP/8
	// Tagged sends frames with a VLAN tag, so that they keep their PCP.
	// Otherwise the tag is removed.
	Tagged bool
	Groups [Priorities]int // MMU group of each priority
	Queues [Priorities]int // egress queue of each priority, 0 to 7
	Cells  [Priorities]int // MMU queue of each egress queue; not used if the MMU has no queues
	PFC    pfc.Priorities  // priorities for which it sends and obeys pause frames
	Link   pfc.LinkRule    // how it obeys 802.3x PAUSE
	// Wait makes every pause frame wait for a phantom frame of this size first,
	// which is the worst case. 0: it waits for the frame in flight.
	Wait unit.Bytes
	Resp unit.Time           // response time to pause frames: see Host.Response
	ETS  Scheduler           // how its queues share the link; zero: round robin by packets
	ECN  [Priorities]Marking // marking of each egress queue; zero: none

	Watchdog Watchdog // of its egress queues; zero: off
	DCBX     *DCBX    // its LLDP with DCBX; nil: it sends none and reads none
}

// Trust is the field of a packet that gives its priority.
type Trust uint8

// What a port trusts.
const (
	TrustPCP  Trust = iota // VLAN tag, on a trunk; priority 0 without a tag
	TrustDSCP              // IP header, on a routed port
)

// Flow is packets from one host to another.
type Flow struct {
	Name     string
	From, To int        // hosts
	Priority int        // class at the sending host, 0 to 7; a pause of this priority stops the flow
	PCP      int        // in the packets' VLAN tag; -1: no tag
	DSCP     int        // in the packets' IP header
	Frame    unit.Bytes // longest frame, from destination address to FCS
	Header   unit.Bytes // part of each frame that is not payload
	Size     unit.Bytes // payload to send; 0: without end
	Start    unit.Time
	// After is flows that must have arrived before this one starts: their last
	// payload is at their receiver, and this one starts a Delay later, but not
	// before Start. Flows that share one list cost one counter. A flow that waits
	// for another host's flow to arrive at another host learns it without delay;
	// such a network is not run in parts (windows.go).
	After []int
	Delay unit.Time // from the last arrival of After to the start
	// Acknowledged makes the flow wait until the senders of After know that all has
	// arrived: by the last acknowledgement, so they need Sender.ACK.
	Acknowledged bool
	// InTurn makes the flows that share a list start one by one, in the order of
	// their numbers: each of the list starts the next one.
	InTurn bool
	TTL    int          // switches that a packet may pass; 0: 64
	ECT    bool         // packets can be marked
	Rate   unit.BitRate // on the wire, with preamble and gap; 0: the link's
	Stop   unit.Time    // it sends nothing from then on; 0: no end
	Sender Sender       // windows, acknowledgements and congestion control; zero: none
}

// Overhead is what a port sends with each frame: Ethernet's preamble of 8 bytes and gap of 12 unless the network says
// otherwise.
func (w Wire) Overhead() unit.Bytes {
	if w.Bare {
		return 0
	}
	return cmp.Or(w.Gap, 20)
}

// payload is what a flow sends in all; 0: without end.
func (f *Flow) payload() int64 {
	sum := int64(f.Size)
	for _, t := range f.Sender.Trace {
		sum += int64(t.Bytes)
	}
	return sum
}

// senders returns how many flows have a Sender.
func (n Network) senders() (count int) {
	for i := range n.Flows {
		if !n.Flows[i].Sender.stateless() {
			count++
		}
	}
	return count
}
