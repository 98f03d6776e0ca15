package golden_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
)

// A plan of package buffer is compared with the slow model, over random intents.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	fits, differ := 0, 0
	for range 100 {
		intent := golden.Random(rng)
		plan, err := buffer.New(intent)
		if err != nil {
			fmt.Println(err)
			return
		}
		slow := golden.Admit(intent)
		if slow.Fits() {
			fits++
		}
		if plan.Fits != slow.Fits() {
			differ++
		}
	}
	fmt.Println(fits, "of 100 intents fit; the plans of", differ, "differ")
	// Output:
	// 28 of 100 intents fit; the plans of 0 differ
}
