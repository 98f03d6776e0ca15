package scheduler_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/scheduler"
	"github.com/cellwarden/cellwarden/unit"
)

// Two queues share a port three to one.
func Example() {
	config := scheduler.Config{Quantum: 1000}
	for q := range scheduler.Queues {
		config.Queues[q].Algorithm = scheduler.DWRR
	}
	config.Queues[1].Weight = 3
	c, err := scheduler.New(&config, 100*unit.Gbps)
	if err != nil {
		panic(err)
	}
	var queues [scheduler.Queues]packet.Queue
	queues[0].Push(packet.Packet{Bytes: 1000})
	queues[1].Push(packet.Packet{Bytes: 1000})
	for range 8 {
		q, _, _ := c.Select(0b11, &queues)
		fmt.Print(q, " ")
	}
	fmt.Println()
	// Output: 0 1 1 1 0 1 1 1
}
