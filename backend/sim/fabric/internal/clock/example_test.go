package clock_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
)

// Three sources: two have an event at the same picosecond, and one is cancelled.
func Example() {
	c := clock.New(clock.NewEvents(3), 1000, 1_000_000)
	c.Set(2, 5000)
	c.Set(0, 5000)
	c.Set(1, 700)
	c.Cancel(1)
	for {
		source := c.Take(10_000)
		if source < 0 {
			break
		}
		fmt.Printf("source %d at %d ps\n", source, c.Now)
	}
	// Output:
	// source 0 at 5000 ps
	// source 2 at 5000 ps
}
