package packet

// Store holds the packets that wait in queues. It grows to the most that wait at
// one time.
type Store struct {
	Packets []Packet // by number, those that are free too
	free    []int32  // the free ones, the next one last; those that are not lie behind it, in any order
}

// MakeRoom makes sure that the store has room for one more packet. It can move the packets, so pointers to them are not
// valid afterwards.
func (s *Store) MakeRoom() {
	if len(s.free) == 0 {
		s.grow()
	}
}

// soonGrown is the number of packets, 8 MB of them, up to which a store doubles. A part of a network has one store, so
// that a network wastes at most so much for each part.
const soonGrown = 1 << 18

// grow makes room for twice the packets, and in a large store for an eighth more, less than append would make: packets
// are much of the memory of a large network, and each is still moved only some eight times. A worst case that fills a
// pool of a chip spent a fifth of its time on small stores that grew by an eighth. No packet must be free.
//
//go:noinline
func (s *Store) grow() {
	n := len(s.Packets)
	more := append(make([]Packet, 0, n+max(n/8, min(n, soonGrown), 64)), s.Packets...)
	more = more[:cap(more)]
	s.Packets, s.free = more, make([]int32, 0, len(more))
	for i := len(more) - 1; i >= n; i-- {
		s.free = append(s.free, int32(i))
	}
}

// Live counts the packets in the store.
func (s *Store) Live() int64 { return int64(len(s.Packets) - len(s.free)) }

// Queue is a queue of packets of one Store, linked through the packets themselves. The zero Queue is empty.
type Queue struct {
	Head, Tail int32 // the first and the last packet; valid unless the queue is empty
	Len        int32 // number of packets
	Cell       int32 // of a switch's queue: its number in the MMU
	Bytes      int64 // of all packets
}

// Push appends a packet.
func (q *Queue) Push(s *Store, k *Packet) {
	s.MakeRoom()
	q.Append(s, k)
}

// Append is Push after [Store.MakeRoom]. It returns the packet in its place, for the caller to change. The compiler puts
// it where it is called.
func (q *Queue) Append(s *Store, k *Packet) *Packet {
	last := len(s.free) - 1
	i := s.free[last]
	s.free = s.free[:last]
	if q.Len == 0 {
		q.Head = i
	} else {
		s.Packets[q.Tail].Next = i
	}
	q.Tail = i
	q.Len++
	q.Bytes += int64(k.Bytes)
	p := &s.Packets[i]
	*p = *k
	return p
}

// Pop removes the first packet. There must be one.
func (q *Queue) Pop(s *Store) Packet { return *q.Release(s) }

// Release is Pop without a copy: the packet is valid until the next one is pushed to any queue of the store. It does not
// write to the packet: a processor waits for a short write before it can copy the whole.
func (q *Queue) Release(s *Store) *Packet {
	i := q.Head
	k := &s.Packets[i]
	q.Head = k.Next
	q.Len--
	q.Bytes -= int64(k.Bytes)
	n := len(s.free)
	s.free = s.free[:n+1]
	s.free[n] = i
	return k
}
