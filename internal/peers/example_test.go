package peers_test

import (
	"context"
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/internal/peers"
)

// Four senders and one receiver in two priorities, as ns3-datacenter has
// simulated them, run with both rules. They differ in when they pause.
func Example() {
	const file = "testdata/ns3dc-S6_4to1_two_pg/scenario.json"
	data, err := os.ReadFile(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := peers.Parse(file, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range peers.Names() {
		rule, err := peers.NewRule(name, s)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := peers.Run(context.Background(), s, rule, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d frames delivered, %d pauses, headroom of a port and priority at most %v\n",
			name, r.Delivered, r.PauseSent, r.MaxHeadroom)
	}
	// Output:
	// hpcc: 801 frames delivered, 12 pauses, headroom of a port and priority at most 20960B
	// ns3-datacenter: 801 frames delivered, 16 pauses, headroom of a port and priority at most 20960B
}
