package golden_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
)

// The slow model and package buffer answer the same random question.
func Example() {
	same := 0
	for seed := range uint64(20) {
		in := golden.Random(rand.New(rand.NewPCG(seed, 0)))
		slow := golden.Admit(in)
		plan, err := buffer.New(in)
		if err != nil {
			fmt.Println(err)
			return
		}
		if slow.Fits() == plan.Fits {
			same++
		}
	}
	fmt.Println(same, "of 20 intents have the same answer")
	// Output:
	// 20 of 20 intents have the same answer
}
