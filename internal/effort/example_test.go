package effort_test

import (
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// A test of 10,000 random cases runs 7,500 of them when it is run for the rest.
func Example() {
	os.Setenv(effort.Variable, "rest")
	defer os.Unsetenv(effort.Variable)
	first, end := effort.Seeds(10_000)
	for seed := first; seed < end; seed++ {
		_ = rand.New(rand.NewPCG(seed, 0)) // the case of this seed
	}
	fmt.Println(first, end)
	// Output: 2500 10000
}
