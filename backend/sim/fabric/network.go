// Package fabric moves packets: a discrete-event simulator of hosts, links and
// switches around [mmu.MMU], exact in picoseconds and cells.
//
// A [Network] says what there is and what the hosts send. [New] checks it and
// makes a [Sim]; [Sim.Run] lets it run up to a time; [Sim.Summary] says what
// came of it. Nothing in it depends on the machine: the same network and seed
// give the same events, in the same order, everywhere.
//
// What a link does: a port sends one frame at a time, each with preamble and
// gap; its last bit arrives after the cable's and the interfaces' delay. A
// switch stores and forwards: the MMU admits a frame when its last bit is
// there, and its cells are given back when its last bit has left. A pause frame
// waits for the frame that its port is sending and goes before all others; its
// receiver acts on it after a response time, and finishes what it has begun.
package fabric

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Priorities is how many priorities, groups and queues a port has.
const Priorities = 8

// Network is what is simulated.
type Network struct {
	Hosts    []Host
	Switches []Switch
	Links    []Link
	Flows    []Flow
	Wire     Wire   // zero: Ethernet
	Seed     uint64 // of everything that is left to chance

	Failures      []Failure // what goes wrong, and when
	DeadlockEvery unit.Time // how often to look for deadlocks: see Locks; 0: never
}

// Wire is what the links add to frames.
type Wire struct {
	Gap     unit.Bytes // preamble and gap sent with each frame; 0: 20, IEEE 802.3
	Pause   unit.Bytes // a pause frame without these; 0: 64
	Bare    bool       // no preamble and no gap at all
	Endless bool       // a pause lasts until it is taken back: no pause times, nothing to ask for again
	// events of the same picosecond happen in the order in which they were scheduled,
	// as in other simulators; else by port
	InOrder bool
}

// End is a port of a node.
type End struct {
	Switch bool
	Node   int // index into Network.Switches or Network.Hosts
	Port   int // of a switch; a host has port 0 alone
}

// AtHost is a host's port.
func AtHost(host int) End { return End{Node: host} }

// AtSwitch is a switch's port.
func AtSwitch(node, port int) End { return End{Switch: true, Node: node, Port: port} }

// Link connects two ports, each way at the same rate and delay.
type Link struct {
	A, B      End
	Rate      unit.BitRate
	Delay     unit.Time // one way: the cable
	Interface unit.Time // one way: transmit at one end and receive at the other
}

// Host sends flows into its link and takes what arrives.
type Host struct {
	Name     string
	PFC      pfc.Priorities // priorities whose pause it honours
	Link     pfc.LinkRule   // what it does with 802.3x PAUSE, which stops all
	Response unit.Time      // from a pause frame's last bit to the last moment at which it begins a frame

	// AfterPause is what the host still sends of a class after a pause took
	// effect: frames that its NIC has handed to the transmitter already. Frames of
	// the class go on to be sent as long as they end within the time that so many
	// bytes take on the wire, preamble and gap counted. The frame in flight is
	// among them, and is finished in any case. 0: the frame in flight alone.
	AfterPause unit.Bytes
}

// Switch is a switch with its MMU.
type Switch struct {
	Name  string
	MMU   mmu.Config
	Ports []SwitchPort

	// Slice returns the slice of the memory that takes a packet; nil: 0 always.
	Slice func(in, out int) int
	// Routes returns the ports that lead to a host; a flow takes one of them, by
	// a hash. nil: the shortest ways, all of them.
	Routes func(host int) []int

	Rule           AdmissionRule // admits in the place of the MMU; nil: the MMU does
	Quanta         uint16        // pause time that an XOFF asks for; 0: 65535
	ReleaseAtStart bool          // cells are given back when a frame begins to leave, not when it has left
	LinkPause      bool          // sends 802.3x PAUSE, which stops everything, in place of PFC
	// OwnXON looks only at a packet's own group for XON when it leaves. Without
	// it every paused group goes on as soon as its limit allows.
	OwnXON bool
}

// SwitchPort is a port of a switch, both directions.
type SwitchPort struct {
	Name   string
	Trust  Trust           // where a packet's priority is read
	Map    *[64]uint8      // priority of each PCP (0 to 7) or DSCP; nil: PCP itself, DSCP/8
	Tagged bool            // sends with a VLAN tag, so that PCP survives; else it is lost on the way out
	Groups [Priorities]int // group in the MMU of each priority
	Queues [Priorities]int // egress queue of each priority, 0 to 7
	Cells  [Priorities]int // queue in the MMU of each egress queue; not read if the MMU has no queues
	PFC    pfc.Priorities  // priorities for which it sends and honours pause frames
	Link   pfc.LinkRule    // what it does with 802.3x PAUSE
	// every pause frame waits for a phantom frame of this size first: the worst case;
	// 0: for the frame in flight
	Wait unit.Bytes
	Resp unit.Time           // response time to pause frames, as Host.Response
	ETS  Scheduler           // how its queues share it; zero: round robin by packets
	ECN  [Priorities]Marking // of each egress queue; zero: none

	Watchdog Watchdog // of its egress queues; zero: none
}

// Trust says which field of a packet a port reads its priority from.
type Trust uint8

// What a port trusts.
const (
	TrustPCP  Trust = iota // the VLAN tag, a trunk; without a tag priority 0
	TrustDSCP              // the IP header, a routed port
)

// Flow is packets from one host to another.
type Flow struct {
	Name     string
	From, To int        // hosts
	Priority int        // class at the sending host, 0 to 7; a pause of it stops the flow
	PCP      int        // in the packet's tag; -1: no tag. Of hosts with AutoMark: the priority
	DSCP     int        // in the packet
	Frame    unit.Bytes // longest frame, from destination address to FCS
	Header   unit.Bytes // of each frame, not payload
	Size     unit.Bytes // payload to send; 0: without end
	Start    unit.Time
	TTL      int          // switches it may pass; 0: 64
	ECT      bool         // it can be marked
	Rate     unit.BitRate // on the wire, preamble and gap counted; 0: the link's
	Stop     unit.Time    // sends nothing from then on; 0: no end
	Sender   Sender       // how it sends; zero: as fast as it may, nothing acknowledged
}
