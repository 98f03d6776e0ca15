package credits_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// A link of 300 m at 400G with half of the credits that keep it full.
func Example() {
	account := cbfc.Account{Credit: 254, Overhead: 40}
	channel := credits.Channel{Limit: 380, Sizes: []unit.Bytes{1024}, Slow: 1}
	l := credits.Direction{Way: 600_000, Hold: 0, Spacing: 51_200, Account: account, Channels: []credits.Channel{channel}}
	r, err := l.Run(100_000_000)
	if err != nil {
		panic(err)
	}
	c := r.Channels[0]
	fmt.Printf("%d of %d frames, waited %d %% of the time, at most %d cells stored\n", c.Delivered, 100_000_000/8352,
		100*r.Waited/r.End, c.Stored)
	// Output: 6060 of 11973 frames, waited 48 % of the time, at most 10 cells stored
}
