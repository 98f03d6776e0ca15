package fabric

// packet is a packet in flight or in a queue. It is half a cache line long: in
// a busy network most of the time goes into fetching packets.
type packet struct {
	flow     int32
	next     int32  // in its queue, or in the list of free ones
	seq      int32  // number in its flow
	in       int32  // port through which it came into the switch that holds it
	group    int32  // in that switch's MMU
	bytes    uint16 // from destination address to FCS
	slice    int16
	pcp      int8 // -1: no tag
	dscp     int8
	prio     uint8 // in the switch or host that holds it
	ttl      uint8
	kind     kind
	ect      bool
	ce       bool
	wantsACK bool // for an ACK at once
}

// kind is what a packet is for.
type kind uint8

const (
	data kind = iota
	ack
	nak
	cnp
)

var kindNames = [...]string{data: "data", ack: "ack", nak: "nak", cnp: "cnp"}

// String names the kind: "ack".
func (k kind) String() string { return kindNames[k] }

// store is where packets live: as many as are in flight, no more.
type store struct {
	packets []packet
	free    int32 // first of the free ones; -1: none
	live    int
}

func newStore(n int) store {
	s := store{packets: make([]packet, 0, n), free: -1}
	return s
}

// take returns a packet that is not in use.
func (s *store) take() int32 {
	s.live++
	if i := s.free; i >= 0 {
		s.free = s.packets[i].next
		return i
	}
	s.packets = append(s.packets, packet{})
	return int32(len(s.packets) - 1)
}

// drop takes a packet back.
func (s *store) drop(i int32) {
	s.packets[i].next = s.free
	s.free = i
	s.live--
}

// onLine is a packet on its way.
type onLine struct {
	at  int64
	seq uint64
	pkt int32
}

// ring is first in, first out, and grows when it has to.
type ring[T any] struct {
	slots []T
	head  int
	n     int
}

func (r *ring[T]) push(e T) {
	if r.n == len(r.slots) {
		r.grow()
	}
	r.slots[(r.head+r.n)&(len(r.slots)-1)] = e
	r.n++
}

func (r *ring[T]) pop() T {
	e := r.slots[r.head]
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.n--
	return e
}

func (r *ring[T]) first() *T { return &r.slots[r.head] }

func (r *ring[T]) grow() {
	bigger := make([]T, max(2*len(r.slots), 8))
	for i := range r.n {
		bigger[i] = r.slots[(r.head+i)&(len(r.slots)-1)]
	}
	r.slots, r.head = bigger, 0
}
