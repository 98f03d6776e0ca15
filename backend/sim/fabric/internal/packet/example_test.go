package packet_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// Packets leave a queue in the order in which they came.
func Example() {
	var q packet.Queue
	q.Push(packet.Packet{Seq: 1, Bytes: 64})
	q.Push(packet.Packet{Seq: 3, Bytes: 100})
	fmt.Println(q.Pop().Seq, q.Len)
	fmt.Println(q.First().Seq, q.Len)
	// Output:
	// 1 1
	// 3 1
}
