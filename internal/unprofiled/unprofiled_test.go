package unprofiled_test

import (
	"fmt"
	"runtime"

	_ "github.com/cellwarden/cellwarden/internal/unprofiled"
)

// A program that imports the package takes no samples.
func Example() {
	fmt.Println(runtime.MemProfileRate)
	// Output: 0
}
