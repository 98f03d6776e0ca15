package nos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/nos/internal/rendering"
)

// Marks of lines tell systems apart, and numbers are written as command lines take them.
func Example_rendering() {
	isPFC := rendering.Begins("priority-flow-control priority ")
	fmt.Println(isPFC("   priority-flow-control   priority 3 no-drop"), isPFC("priority-flow-control on;"))
	fmt.Println(rendering.Range([]int{0, 1, 2, 5}))
	// Output:
	// true false
	// 0-2,5
}
