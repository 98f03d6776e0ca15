package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A quantum of one byte needs hundreds of rounds for a frame. The result is
// compared with a scheduler that counts the rounds one by one.
func TestRoundsAreSkipped(t *testing.T) {
	var fast tier
	cost := [Queues]int64{1518, 64, 9216, 333}
	turn := uint8(Queues - 1)
	var deficit [4]int64
	at := 3
	plain := func() int {
		if deficit[at] >= cost[at] {
			return at
		}
		for {
			at = (at + 1) % 4
			if deficit[at] += int64(at + 1); deficit[at] >= cost[at] {
				return at
			}
		}
	}
	for m := range 4 {
		fast.quantum[m] = int64(m + 1)
	}
	for range 2000 {
		m := plain()
		require.EqualValues(t, m, fast.weighted(&turn, 0xf, 0xff, &costs{known: cost}))
		deficit[m] -= cost[m]
		fast.deficit[m] -= cost[m]
		cost[m] = cost[m]*7%1500 + 64
	}
}
