package packet

// Queue is a queue of packets. The zero Queue is empty.
type Queue struct {
	Ring[Packet]
	Bytes int64 // of all packets
}

// Push appends a packet, and returns it in its place, for the caller to change.
func (q *Queue) Push(k *Packet) *Packet {
	e := q.Extend()
	*e = *k
	q.Bytes += int64(k.Bytes)
	return e
}

// Release removes the first packet. There must be one. It is valid until the next one is pushed.
func (q *Queue) Release() *Packet {
	k := q.First()
	q.Drop()
	q.Bytes -= int64(k.Bytes)
	return k
}
