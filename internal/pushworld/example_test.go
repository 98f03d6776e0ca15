package pushworld_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/pushworld"
)

// The first rules that a history can break on purpose.
func ExampleRules() {
	for _, rule := range pushworld.Rules()[:2] {
		fmt.Println(rule)
	}
	// Output:
	// a Set that ran out of time may still land
	// an undo takes back only what the push wrote and what is still there
}
