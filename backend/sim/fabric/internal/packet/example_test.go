package packet_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// Two queues share a store.
func Example() {
	store := packet.Store{}
	var a, b packet.Queue
	a.Push(&store, &packet.Packet{Seq: 1, Bytes: 64})
	b.Push(&store, &packet.Packet{Seq: 2, Bytes: 1500})
	a.Push(&store, &packet.Packet{Seq: 3, Bytes: 100})
	fmt.Println(a.Len, a.Bytes, store.Live())
	k := a.Pop(&store)
	fmt.Println(k.Seq, a.Len, b.Len, store.Live())
	// Output:
	// 2 164 3
	// 1 1 1 2
}
