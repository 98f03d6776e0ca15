package pg_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pg"
)

// Lossless priorities have groups of their own; the others share one.
func ExampleOf() {
	for _, priority := range []int{3, 4} {
		fmt.Println("lossless priority", priority, "-> group", pg.Of(priority, 3, true))
	}
	for _, priority := range []int{1, 2, 5} {
		fmt.Println("lossy priority", priority, "-> group", pg.Of(priority, 1, false))
	}
	// Output:
	// lossless priority 3 -> group 3
	// lossless priority 4 -> group 4
	// lossy priority 1 -> group 1
	// lossy priority 2 -> group 1
	// lossy priority 5 -> group 1
}

func TestAClassOfBothKindsNeverCollides(t *testing.T) {
	seen := map[int]bool{}
	for _, p := range []int{3, 4} {
		seen[pg.Of(p, 3, true)] = true
	}
	require.False(t, seen[pg.Of(7, 0, false)])
}
