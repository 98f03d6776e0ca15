package fabric

// packet is a packet on a link or in a queue. It is half a cache line long: a
// busy network spends most of its time on fetching packets from memory.
type packet struct {
	flow     int32
	next     int32  // next in its queue, or in the list of free packets
	seq      int32  // number in its flow
	in       int32  // port where it arrived at the switch that holds it
	group    int32  // in that switch's MMU
	bytes    uint16 // from destination address to FCS
	slice    int16
	pcp      int8 // -1: no tag
	dscp     int8
	prio     uint8 // at the switch or host that holds it
	ttl      uint8
	kind     kind
	ect      bool
	ce       bool
	wantsACK bool // the receiver acknowledges it at once
}

// kind is what a packet carries.
type kind uint8

const (
	data kind = iota
	ack
	nak
	cnp
)

// kindNames are the names in the CSV trace.
var kindNames = [...]string{data: "data", ack: "ack", nak: "nak", cnp: "cnp"}

// String returns the name of the kind: "ack".
func (k kind) String() string { return kindNames[k] }

// store holds the packets that wait in queues. It grows to the most that wait at
// one time. Packets on links are in the lines of the ports.
type store struct {
	packets []packet
	free    int32 // first of the free packets; -1: none
}

// newStore returns an empty store.
func newStore() store { return store{free: -1} }

// add stores a packet. It can move the packets, so pointers to them are not
// valid afterwards.
func (s *store) add(k *packet) int32 {
	if i := s.free; i >= 0 {
		s.free = s.packets[i].next
		s.packets[i] = *k
		return i
	}
	s.packets = append(s.packets, *k)
	return int32(len(s.packets) - 1)
}

// full tells whether the store has no room for another packet.
func (s *store) full() bool { return s.free < 0 && len(s.packets) == cap(s.packets) }

// grow makes room for an eighth more, less than append would make: packets are much of the memory of a large network,
// and each is still moved only some eight times.
func (s *store) grow() {
	n := len(s.packets)
	s.packets = append(make([]packet, 0, n+max(n/8, 64)), s.packets...)
}

// drop returns a packet to the free ones.
func (s *store) drop(i int32) {
	s.packets[i].next = s.free
	s.free = i
}

// live counts the packets in the store.
func (s *store) live() int64 {
	n := len(s.packets)
	for i := s.free; i >= 0; i = s.packets[i].next {
		n--
	}
	return int64(n)
}

// onLine is a packet on a link.
type onLine struct {
	at     int64
	packet packet
}

// ring is a first-in first-out queue that grows when it is full.
type ring[T any] struct {
	slots []T
	head  uint32
	n     uint32
}

// push appends an element.
func (r *ring[T]) push(e T) {
	*r.extend() = e
}

// extend appends an element and returns it, for the caller to fill. It is valid until the next one is appended.
func (r *ring[T]) extend() *T {
	if r.n == uint32(len(r.slots)) {
		r.grow()
	}
	r.n++
	return &r.slots[(r.head+r.n-1)&uint32(len(r.slots)-1)]
}

// pop removes the first element. There must be one.
func (r *ring[T]) pop() T {
	e := *r.first()
	r.drop()
	return e
}

// drop removes the first element. There must be one.
func (r *ring[T]) drop() {
	r.head = (r.head + 1) & uint32(len(r.slots)-1)
	r.n--
}

// first returns the first element. There must be one.
func (r *ring[T]) first() *T { return &r.slots[r.head] }

// grow doubles the room. The size is always a power of 2, so that a mask wraps
// indices.
func (r *ring[T]) grow() {
	bigger := make([]T, max(2*len(r.slots), 8))
	for i := range r.n {
		bigger[i] = r.slots[(r.head+i)&uint32(len(r.slots)-1)]
	}
	r.slots, r.head = bigger, 0
}
