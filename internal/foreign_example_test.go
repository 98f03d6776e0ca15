package internal_test

import (
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/internal/foreign"
)

// A ring of htsim: each connection starts when the one before it is acknowledged.
func Example_foreign() {
	data, err := os.ReadFile("foreign/testdata/allreduce.cm")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := foreign.Read("allreduce.cm", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list.Format, "with", list.Nodes, "nodes and", len(list.Flows), "flows")
	for _, f := range list.Flows[:3] {
		fmt.Println(f.From, "to", f.To, f.Size, "after", f.After, f.Acknowledged)
	}
	// Output:
	// connection matrix of htsim with 8 nodes and 28 flows
	// 2 to 4 1000000B after [] false
	// 4 to 6 1000000B after [0] true
	// 6 to 7 1000000B after [1] true
}
