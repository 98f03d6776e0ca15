package crew_test

import (
	"fmt"
	"sync/atomic"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/crew"
)

// Two workers share a round: the first has three pieces of work on its list, the second has two.
func Example() {
	var done atomic.Int32
	c := crew.New(2, func(worker, i int) { done.Add(int32(1 + 10*worker)) })
	defer c.Stop()
	c.Round([]int{3, 2})
	fmt.Println(done.Load())
	// Output: 25
}
