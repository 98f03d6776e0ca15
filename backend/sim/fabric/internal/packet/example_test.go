package packet_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// Packets leave a queue in the order in which they came.
func Example() {
	var q packet.Queue
	q.Push(&packet.Packet{Seq: 1, Bytes: 64})
	q.Push(&packet.Packet{Seq: 3, Bytes: 100})
	fmt.Println(q.Len, q.Bytes)
	k := q.Release()
	fmt.Println(k.Seq, q.Len, q.Bytes)
	// Output:
	// 2 164
	// 1 1 100
}
