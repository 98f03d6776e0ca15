package fabric

// packet is a packet in flight or in a queue.
type packet struct {
	flow  int32
	next  int32 // in its queue, or in the list of free ones
	bytes int32 // from destination address to FCS
	seq   int32 // number in its flow
	in    int32 // port through which it came into the switch that holds it
	group int32 // in that switch's MMU
	queue int32 // in that switch's MMU
	slice int16
	pcp   int8 // -1: no tag
	dscp  int8
	prio  uint8 // in the switch or host that holds it
	ttl   uint8
	kind  kind
	ect   bool
	ce    bool
}

// kind is what a packet is for.
type kind uint8

const (
	data kind = iota
	ack
	nak
	cnp
)

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
	// of a control frame
	vector, xoff uint8
	quanta       uint16
}

// line is the first-in first-out of what is on its way over a link, a ring that
// grows when it has to.
type line struct {
	ring []onLine
	head int
	n    int
}

func (l *line) push(e onLine) {
	if l.n == len(l.ring) {
		l.grow()
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = e
	l.n++
}

func (l *line) pop() onLine {
	e := l.ring[l.head]
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
	return e
}

func (l *line) first() *onLine { return &l.ring[l.head] }

func (l *line) grow() {
	bigger := make([]onLine, max(2*len(l.ring), 8))
	for i := range l.n {
		bigger[i] = l.ring[(l.head+i)&(len(l.ring)-1)]
	}
	l.ring, l.head = bigger, 0
}
