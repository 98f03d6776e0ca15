package crew_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/crew"
)

// Two workers have a piece each. A step of a piece adds what its neighbour had after the step before. A neighbour may
// be a step ahead, so a piece keeps what it had after two steps.
func Example() {
	had := [2][2]int{{1, 1}, {1, 1}} // of each piece, after a step with an even and an odd number
	c := crew.New(2, [][]int32{{1}, {0}}, func(piece, step int) {
		before, after := (step+1)%2, step%2
		had[piece][after] = had[piece][before] + had[1-piece][before]
	})
	defer c.Stop()
	c.Round([][]int32{{0}, {1}}, 10)
	fmt.Println(had[0][1], had[1][1])
	// Output: 1024 1024
}
