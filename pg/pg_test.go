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

// For every division of the eight priorities into a lossless and a lossy class,
// the lossy group is never a lossless group.
func TestClassesNeverShareAGroup(t *testing.T) {
	for lossless := range 1<<pg.PerPort - 1 {
		owner := map[int]bool{}
		lowest := -1
		for p := range pg.PerPort {
			if lossless>>p&1 == 1 {
				owner[pg.Of(p, 0, true)] = true
			} else if lowest < 0 {
				lowest = p
			}
		}
		for p := lowest; p < pg.PerPort; p++ {
			if lossless>>p&1 == 0 {
				require.False(t, owner[pg.Of(p, lowest, false)], "%08b", lossless)
			}
		}
	}
}
