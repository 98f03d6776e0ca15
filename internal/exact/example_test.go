package exact_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
)

// The delay of 300 m of fibre at 5.0505 ns/m (1000/198), in bytes at 100 Gb/s: no term is rounded before the sum is.
func Example() {
	oneWay := exact.Whole(int64(300)).Times(1000, 198)
	bytes := oneWay.Times(2*100, 8)
	fmt.Println(bytes.Floor(), bytes.Ceil(), bytes.CeilTo(1024))
	// Output:
	// 37878 37879 37888
}
