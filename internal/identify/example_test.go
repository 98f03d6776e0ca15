package identify_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
)

// Nothing is known of a switch at first.
func Example() {
	fmt.Println(identify.Everything()[rules.Reserved])
	// Output: {0 256}
}
