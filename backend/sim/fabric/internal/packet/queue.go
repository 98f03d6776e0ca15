package packet

// Store holds the packets that wait in queues. It grows to the most that wait at
// one time.
type Store struct {
	Packets []Packet // by number, those that are free too
	free    int32    // first of the free packets; -1: none
}

// NewStore returns an empty store.
func NewStore() Store { return Store{free: -1} }

// Add stores a packet. It can move the packets, so pointers to them are not
// valid afterwards.
func (s *Store) Add(k *Packet) int32 {
	if i := s.free; i >= 0 {
		s.free = s.Packets[i].Next
		s.Packets[i] = *k
		return i
	}
	s.Packets = append(s.Packets, *k)
	return int32(len(s.Packets) - 1)
}

// full tells whether the store has no room for another packet.
func (s *Store) full() bool { return s.free < 0 && len(s.Packets) == cap(s.Packets) }

// grow makes room for an eighth more, less than append would make: packets are much of the memory of a large network,
// and each is still moved only some eight times.
func (s *Store) grow() {
	n := len(s.Packets)
	s.Packets = append(make([]Packet, 0, n+max(n/8, 64)), s.Packets...)
}

// Live counts the packets in the store.
func (s *Store) Live() int64 {
	n := len(s.Packets)
	for i := s.free; i >= 0; i = s.Packets[i].Next {
		n--
	}
	return int64(n)
}

// Queue is a queue of packets of one Store, linked through the packets themselves. The zero Queue is empty.
type Queue struct {
	Head, Tail int32 // the first and the last packet; valid unless the queue is empty
	Len        int32 // number of packets
	Bytes      int64 // of all packets
}

// Push appends a packet.
func (q *Queue) Push(s *Store, k *Packet) {
	if s.full() {
		s.grow()
	}
	i := s.Add(k)
	p := &s.Packets[i]
	p.Next = -1
	if q.Len == 0 {
		q.Head = i
	} else {
		s.Packets[q.Tail].Next = i
	}
	q.Tail = i
	q.Len++
	q.Bytes += int64(p.Bytes)
}

// Pop removes the first packet. There must be one.
func (q *Queue) Pop(s *Store) Packet { return *q.Release(s) }

// Release is Pop without a copy: the packet is valid until the next one is pushed to any queue of the store. Its Next is
// not.
func (q *Queue) Release(s *Store) *Packet {
	i := q.Head
	k := &s.Packets[i]
	q.Head = k.Next
	q.Len--
	q.Bytes -= int64(k.Bytes)
	k.Next = s.free
	s.free = i
	return k
}
