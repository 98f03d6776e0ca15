package dcqcn_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/unit"
)

// A CNP halves the rate of a sender. It is back half of the way when the timer has expired once.
func Example() {
	r := dcqcn.New(dcqcn.Parameters{Gain: 256, AlphaTimer: 55 * unit.Microsecond, Timer: 55 * unit.Microsecond,
		ByteCounter: 10_000_000, Recovery: 5, Increase: 40 * unit.Mbps, Hyper: 200 * unit.Mbps, Least: 100 * unit.Mbps},
		40*unit.Gbps)
	r.Cut(0)
	fmt.Println(r.At(0), r.At(int64(55*unit.Microsecond)), r.At(int64(110*unit.Microsecond)))
	// Output: 20G 30G 35G
}
