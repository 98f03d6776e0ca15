// Package packet holds the packets of a simulation: on links, and in the queues of ports.
//
// All lie in a [Ring], of a link or of a queue, which allocates nothing once it has grown.
package packet

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// Packet is a packet on a link or in a queue. It is half a cache line long: a
// busy network spends most of its time on fetching packets from memory.
type Packet struct {
	Flow int32
	Seq  int32 // number in its flow
	// on a link: when it arrives at the other end; in a switch: its port and its group, see Enter
	At       int64
	Cell     int32  // in a switch: its egress queue in the MMU
	Bytes    uint16 // from destination address to FCS
	Slice    int16  // in a switch: of its memory
	PCP      int8   // -1: no tag
	DSCP     int8
	Priority uint8 // at the switch or host that holds it
	TTL      uint8
	Kind     Kind
	ECT      bool
	CE       bool
	WantsACK bool // the receiver acknowledges it at once
}

// Now gives a packet that is sent again and again the number and the length that it has now, and returns it. It mostly
// has them: a processor waits for a short write before it can copy the whole, so nothing is written that is there
// already.
func (k *Packet) Now(seq int32, bytes uint16) *Packet {
	if k.Seq != seq || k.Bytes != bytes {
		k.Seq, k.Bytes = seq, bytes
	}
	return k
}

// Enter notes the port where a packet has arrived at the switch that holds it, and its group in the switch's MMU.
func (k *Packet) Enter(in, group int32) { k.At = int64(group)<<32 | int64(uint32(in)) }

// In is the port of Enter.
func (k *Packet) In() int32 { return int32(k.At) }

// Group is the group of Enter.
func (k *Packet) Group() int32 { return int32(k.At >> 32) }

// Queue is a queue of packets of a port: half a cache line.
type Queue = Ring[Packet]

// Kind is what a packet carries.
type Kind uint8

// The kinds of packets: data, feedback of a flow's receiver, and what a switch has left of data.
const (
	Data Kind = iota
	ACK
	NAK
	CNP     // congestion notification packet
	Trimmed // data without its end: a switch had no room for the whole (see mmu.Queue)
)

// kindNames are the names in the CSV trace.
var kindNames = [...]string{Data: "data", ACK: "ack", NAK: "nak", CNP: "cnp", Trimmed: "trimmed"}

// String returns the name of the kind: "ack".
func (k Kind) String() string { return kindNames[k] }

// Feedback tells whether the packet goes from a flow's receiver to its sender.
func (k *Packet) Feedback() bool { return k.Kind != Data && k.Kind != Trimmed }

// Charged is the packet as the MMU of the switch that holds it charges it.
func (k *Packet) Charged() mmu.Packet {
	return mmu.Packet{Slice: int(k.Slice), Group: int(k.Group()), Queue: int(k.Cell), Bytes: unit.Bytes(k.Bytes)}
}

// ECN is the packet's ECN field (RFC 3168): ECT(0) if it can be marked.
func (k *Packet) ECN() uint8 {
	switch {
	case k.CE:
		return 3
	case k.ECT:
		return 2
	}
	return 0
}
