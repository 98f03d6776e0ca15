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

// Ring is a first-in first-out queue that grows when it is full. The zero Ring is empty.
type Ring[T any] struct {
	slots []T
	head  uint32
	Len   uint32 // read-only
}

// Push appends an element.
func (r *Ring[T]) Push(e T) {
	*r.Extend() = e
}

// Extend appends an element and returns it, for the caller to fill. It is valid until the next one is appended.
func (r *Ring[T]) Extend() *T {
	if r.Len == uint32(len(r.slots)) {
		r.grow()
	}
	r.Len++
	return &r.slots[(r.head+r.Len-1)&uint32(len(r.slots)-1)]
}

// Only makes an empty ring one of one element, which stays in the cache, and returns it, for the caller to fill.
func (r *Ring[T]) Only() *T {
	r.head, r.Len = 0, 1
	return &r.slots[0]
}

// Pop removes the first element. There must be one.
func (r *Ring[T]) Pop() T {
	e := *r.First()
	r.Drop()
	return e
}

// Drop removes the first element. There must be one.
func (r *Ring[T]) Drop() {
	r.head = (r.head + 1) & uint32(len(r.slots)-1)
	r.Len--
}

// First returns the first element. There must be one.
func (r *Ring[T]) First() *T { return &r.slots[r.head] }

// At returns the element at a place; 0 is the first one.
func (r *Ring[T]) At(i uint32) *T { return &r.slots[(r.head+i)&uint32(len(r.slots)-1)] }

// Far is the far end of a ring: what one goroutine appends while another one takes elements from the ring. Both count,
// modulo 2^32: the one tells how many it has appended, and the other shows them to its ring ([Ring.Show]) and tells how
// many it has taken, which is room for more ([Far.Regain]). The zero Far has no room: see [Ring.Connect].
type Far[T any] struct {
	slots       []T
	Next, limit uint32 // count of the elements that were appended, and of those that may be; Next is read-only
	Full        bool   // it is closed; read-only
}

// Extend appends an element and returns it, for the caller to fill; nil if there is no room.
func (f *Far[T]) Extend() *T {
	if f.Next == f.limit {
		return nil
	}
	e := &f.slots[f.Next&uint32(len(f.slots)-1)]
	f.Next++
	return e
}

// Regain tells how many elements have been taken from the ring, and whether there is room for another one.
func (f *Far[T]) Regain(taken uint32) bool {
	if !f.Full {
		f.limit = taken + uint32(len(f.slots))
	}
	return f.Next != f.limit
}

// Close takes all room until the end is connected again, so that elements which go another way stay in order. The
// ring then grows.
func (f *Far[T]) Close() { f.limit, f.Full = f.Next, true }

// leastFar is the least room of a ring with a far end in use: a ring that is too small for the far end is soon noticed,
// but costs more than memory.
const leastFar = 32

// Show shows elements that the far end has appended.
func (r *Ring[T]) Show(n uint32) { r.Len += n }

// Connect makes a far end, all of whose elements are shown, one of the ring as it is now: the count begins at that of
// the elements that were taken and those that the ring has. The ring grows if the far end was closed and it has not
// grown since. No one else may use either of them meanwhile.
func (r *Ring[T]) Connect(f *Far[T]) {
	for f.Full && (len(r.slots) == len(f.slots) || len(r.slots) < leastFar) {
		r.grow()
	}
	*f = Far[T]{slots: r.slots, Next: r.head + r.Len, limit: r.head + uint32(len(r.slots))}
}

// grow doubles the room. The size is always a power of 2, so that a mask wraps
// indices.
func (r *Ring[T]) grow() {
	bigger := make([]T, max(2*len(r.slots), 8))
	n := copy(bigger, r.slots[r.head:])
	copy(bigger[n:], r.slots[:r.head])
	r.slots, r.head = bigger, 0
}
